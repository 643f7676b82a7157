/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/gate/gate-private.h"

#include <math.h>
#include <string.h>

#include "harness/base/error.h"

void gate_settings_init(GateSettings *settings)
{
	*settings = (GateSettings){
		.alpha = 0.05,
		.detect = 0.05,
		.group_detect = 0.02,
		.least = 0.025,
		.group_least = 0.01,
		.promote = 0.02,
		.group_promote = 0.01,
		.screen_blocks = 5,
		.confirm_blocks = 12,
		.min_blocks = 6,
		.sentinels = 12,
	};
}

guint gate_min_blocks(const GateSettings *settings)
{
	guint blocks = MAX(settings->min_blocks, 1);

	while (blocks < SIGNFLIP_MAX_BLOCKS && !signflip_significant(1, blocks, settings->alpha))
		blocks++;
	return blocks;
}

guint gate_quorum(guint n)
{
	return n / 2 + 1;
}

const char *gate_verdict_name(GateVerdict verdict)
{
	static const char *const names[] = {
		[GATE_OK] = "OK",
		[GATE_REGRESSED] = "REGRESSED",
		[GATE_IMPROVED] = "IMPROVED",
		[GATE_INCONCLUSIVE] = "INCONCLUSIVE",
		[GATE_TOO_NOISY] = "TOO_NOISY",
		[GATE_INVALID] = "INVALID",
		[GATE_MISSING] = "MISSING",
		[GATE_NEW] = "NEW",
		[GATE_NO_CHANGE] = "NO_CHANGE",
		[GATE_WITHHELD] = "WITHHELD",
		[GATE_SENTINEL] = "SENTINEL",
	};

	return names[verdict];
}

void gate_verdict(GateRow *row, GateVerdict verdict, const char *format, ...)
{
	va_list args;

	row->verdict = verdict;
	g_clear_pointer(&row->reason, g_free);
	if (!format)
		return;
	va_start(args, format);
	row->reason = g_strdup_vprintf(format, args);
	va_end(args);
}

static void row_free(GateRow *row)
{
	g_free(row->name);
	g_free(row->reason);
	g_free(row->d);
	g_ptr_array_unref(row->flags);
	g_ptr_array_unref(row->flags_out);
	g_free(row);
}

void gate_result_free(GateResult *result)
{
	if (!result)
		return;
	g_ptr_array_unref(result->rows);
	g_free(result);
}

const GateRow *gate_row(const GateResult *result, const char *name)
{
	for (guint i = 0; i < result->rows->len; i++) {
		const GateRow *row = result->rows->pdata[i];

		if (g_str_equal(row->name, name))
			return row;
	}
	return NULL;
}

static GateRow *row_new(const GateResult *result, const char *name, gboolean group)
{
	GateRow *row = g_new0(GateRow, 1);

	row->name = g_strdup(name);
	row->group = group;
	row->blocks = result->blocks;
	row->flags = g_ptr_array_new_with_free_func(g_free);
	row->flags_out = g_ptr_array_new_with_free_func(g_free);
	row->d = g_new(double, result->blocks + 1);
	row->slowdown = row->low = row->high = row->mean_d = NAN;
	row->screen_mean = row->screen_sd = row->v0 = row->mde = NAN;
	row->p_raw = row->p_slower = row->p_faster = NAN;
	g_ptr_array_add(result->rows, row);
	return row;
}

static int compare_flags(gconstpointer a, gconstpointer b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void add_flags(GPtrArray *list, const char *const *flags)
{
	for (guint i = 0; flags && flags[i]; i++)
		if (!g_ptr_array_find_with_equal_func(list, flags[i], g_str_equal, NULL))
			g_ptr_array_add(list, g_strdup(flags[i]));
	g_ptr_array_sort(list, compare_flags);
}

/* A doubt about a run is one about every row that shows a figure of it. */
static void take_flags(GateRow *row, const GateCell *cell)
{
	add_flags(row->flags, cell->flags);
	add_flags(row->flags_out, cell->flags_out);
}

static double difference(const GateCell *cell, guint block)
{
	if (cell->no_baseline || cell->no_candidate)
		return NAN;
	return cell->candidate[block] - cell->baseline[block];
}

static guint count_good(const double *values, guint n)
{
	guint good = 0;

	for (guint i = 0; values && i < n; i++)
		good += isfinite(values[i]) != 0;
	return good;
}

/* Blocks of the baseline and the candidate; sweeps, where these are compared. */
static void count_left_out(GateRow *row, const GateCell *cell, const guint n[2])
{
	const double *values[2] = {cell->baseline, cell->candidate};

	row->flagged = cell->flagged[0] + cell->flagged[1];
	row->failed = cell->failed[0] + cell->failed[1];
	row->lost = cell->failed[1] > cell->failed[0] ? cell->lost : 0;
	for (guint side = 0; side < 2; side++)
		row->dead |= cell->failed[side] && !cell->flagged[side] && count_good(values[side], n[side]) == 0;
}

static void add_cell(GateResult *result, const GateInput *input, const GateCell *cell, const guint n[2])
{
	GateRow *row = row_new(result, cell->name, FALSE);

	for (guint r = 0; r < MIN(result->blocks, input->blocks); r++)
		row->d[r] = difference(cell, r);
	row->required = cell->required;
	row->waived = cell->waived;
	count_left_out(row, cell, n);
	take_flags(row, cell);
	if (input->screened) {
		row->promoted = cell->promoted;
		row->v0 = cell->v0;
	}
	if (cell->no_candidate)
		gate_verdict(row, GATE_MISSING, "the baseline has this cell, the candidate does not");
	else if (cell->no_baseline)
		gate_verdict(row, GATE_NEW, "the candidate has this cell, the baseline does not");
	else if (!cell->waived)
		result->cells++;
}

static int compare_cells(const void *a, const void *b)
{
	return strcmp((*(const GateCell *const *)a)->name, (*(const GateCell *const *)b)->name);
}

/* The mean over the cells present, in the order of their names, so that the sum does not depend on the order given. */
static void add_group(GateResult *result, const GateInput *input, const GateGroup *group)
{
	GateRow *row = row_new(result, group->name, TRUE);
	g_autofree const GateCell **cells = g_new(const GateCell *, group->n_cells + 1);
	guint members = 0;

	/* A known loss of one cell is no reason to fail its groups. */
	for (guint i = 0; i < group->n_cells; i++)
		if (!input->cells[group->cells[i]].waived)
			cells[members++] = &input->cells[group->cells[i]];
	qsort(cells, members, sizeof(*cells), compare_cells);
	for (guint i = 0; i < members; i++)
		take_flags(row, cells[i]);
	for (guint r = 0; r < MIN(result->blocks, input->blocks); r++) {
		double sum = 0;
		guint n = 0;

		for (guint i = 0; i < members; i++)
			if (isfinite(difference(cells[i], r))) {
				sum += difference(cells[i], r);
				n++;
			}
		row->d[r] = n ? sum / n : NAN;
	}
	row->members = members;
	row->waived = group->waived || members == 0;
	if (input->screened) {
		row->promoted = group->promoted;
		row->v0 = group->v0;
	}
}

/* Groups first: they are what is read first. */
static int compare_rows(gconstpointer a, gconstpointer b)
{
	const GateRow *x = *(const GateRow *const *)a, *y = *(const GateRow *const *)b;

	if (x->group != y->group)
		return x->group ? -1 : 1;
	return strcmp(x->name, y->name);
}

static gboolean make_rows(GateResult *result, const GateInput *input, const guint n[2], GError **error)
{
	for (guint i = 0; i < input->n_cells; i++)
		add_cell(result, input, &input->cells[i], n);
	for (guint i = 0; i < input->n_groups; i++)
		add_group(result, input, &input->groups[i]);
	g_ptr_array_sort(result->rows, compare_rows);
	for (guint i = 1; i < result->rows->len; i++) {
		const GateRow *row = result->rows->pdata[i], *before = result->rows->pdata[i - 1];

		if (row->group == before->group && g_str_equal(row->name, before->name)) {
			g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_USAGE,
				"two rows of the gate are called \"%s\"; every cell and group needs its own name", row->name);
			return FALSE;
		}
	}
	return TRUE;
}

GateResult *gate_result_new(const GateSettings *settings, const GateInput *input, guint blocks, const guint n[2], GError **error)
{
	g_autoptr(GateResult) result = g_new0(GateResult, 1);

	result->settings = *settings;
	result->rows = g_ptr_array_new_with_free_func((GDestroyNotify)row_free);
	result->blocks = blocks;
	result->control_mean = result->control_p = NAN;
	if (input->n_cells == 0) {
		g_set_error_literal(error, IOGAP_ERROR, IOGAP_ERROR_NOTHING, "there is no cell to judge");
		return NULL;
	}
	return make_rows(result, input, n, error) ? g_steal_pointer(&result) : NULL;
}

static gboolean check_blocks(const GateSettings *settings, const GateInput *input, GError **error)
{
	guint most = SIGNFLIP_MAX_BLOCKS + (input->screened ? 0 : settings->screen_blocks);

	if (input->blocks > most) {
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_USAGE,
			"%u blocks are more than the exact test takes; judge at most %u", input->blocks, most);
		return FALSE;
	}
	return TRUE;
}

static gboolean has_verdict(const GateRow *row)
{
	return row->verdict != GATE_MISSING && row->verdict != GATE_NEW;
}

/* What a cell needs even to pass the screen: without it, its OK would be that of a cell that nobody looked at. */
static void check_screen(const GateResult *result, GateRow *row)
{
	if (row->n_screen >= gate_quorum(result->settings.screen_blocks) || row->confirmed)
		return;
	if (row->flagged)
		gate_verdict(row, GATE_INVALID, "%u of its runs are flagged and left out; %u of the screen's %u blocks remain",
			row->flagged, row->n_screen, result->settings.screen_blocks);
	else
		gate_verdict(row, GATE_INCONCLUSIVE, "only %u of the screen's %u blocks have both arms%s", row->n_screen,
			result->settings.screen_blocks, row->failed ? "; runs failed" : "");
}

/* Before anything is decided: what the screen's spread would let the confirmation see. */
static void foresee(GateResult *result)
{
	guint confirm = result->blocks > result->settings.screen_blocks ? result->blocks - result->settings.screen_blocks
									: result->settings.confirm_blocks;

	for (guint i = 0; i < result->rows->len; i++) {
		GateRow *row = result->rows->pdata[i];
		double least = row->group ? result->settings.group_least : result->settings.least;

		if (!has_verdict(row))
			continue;
		row->mde = gate_mde(row->screen_sd, row->n_screen - 1.0 + SIGNFLIP_PRIOR_DF, confirm, MAX(result->promoted, 1),
			result->settings.alpha, least);
		row->too_noisy = row->mde > (row->group ? result->settings.group_detect : result->settings.detect);
		result->noisy += row->too_noisy && !row->group && !row->waived;
	}
}

void gate_check_lost(GateRow *row)
{
	if (row->lost && row->verdict != GATE_REGRESSED && row->verdict != GATE_INVALID)
		gate_verdict(row, GATE_INVALID, "the candidate failed %u time%s where the baseline did not", row->lost,
			row->lost == 1 ? "" : "s");
}

void gate_withhold(const GateResult *result, GateRow *row)
{
	if (result->drift && has_verdict(row) && row->verdict != GATE_SENTINEL && row->verdict != GATE_INVALID)
		gate_verdict(row, GATE_WITHHELD, "the host's own rate moved by %+.1f %% between the arms",
			100 * expm1(result->control_mean));
}

static void finish_row(GateResult *result, GateRow *row, const GateInput *input)
{
	const char *would;

	if (!has_verdict(row))
		return;
	/* Noise excuses a row that was tested, never one that could not be. */
	if (row->verdict == GATE_INCONCLUSIVE && row->too_noisy && row->test.in_family)
		row->verdict = GATE_TOO_NOISY;
	gate_check_lost(row);
	would = gate_verdict_name(row->verdict);
	row->alarm = input->same && row->verdict == GATE_REGRESSED && !result->drift;
	gate_withhold(result, row);
	if (input->same && (row->verdict == GATE_OK || row->verdict == GATE_IMPROVED || row->verdict == GATE_REGRESSED))
		gate_verdict(row, GATE_NO_CHANGE, "both arms are the same%s%s",
			row->verdict == GATE_OK ? "" : "; otherwise this would be ", row->verdict == GATE_OK ? "" : would);
}

static double mean_of(const double *d, guint blocks)
{
	double sum = 0;
	guint n = 0;

	for (guint r = 0; r < blocks; r++)
		if (isfinite(d[r])) {
			sum += d[r];
			n++;
		}
	return n ? sum / n : NAN;
}

static void judge_screened(GateResult *result)
{
	for (guint i = 0; i < result->rows->len; i++) {
		GateRow *row = result->rows->pdata[i];

		if (!row->promoted && has_verdict(row)) {
			row->mean_d = mean_of(row->d, result->blocks);
			gate_verdict(row, GATE_SENTINEL, "measured for its group only");
		}
	}
	gate_confirm(result, 0);
}

static void judge_both(GateResult *result, const GateInput *input)
{
	gate_screen(result, input);
	for (guint i = 0; i < result->rows->len; i++)
		result->promoted += ((GateRow *)result->rows->pdata[i])->promoted;
	foresee(result);
	gate_confirm(result, MIN(result->settings.screen_blocks, result->blocks));
	for (guint i = 0; i < result->rows->len; i++) {
		GateRow *row = result->rows->pdata[i];

		if (has_verdict(row))
			check_screen(result, row);
	}
}

GateResult *gate_judge(const GateSettings *settings, const GateInput *input, GError **error)
{
	const guint n[2] = {input->blocks, input->blocks};
	g_autoptr(GateResult) result = NULL;

	if (!check_blocks(settings, input, error))
		return NULL;
	result = gate_result_new(settings, input, input->blocks, n, error);
	if (!result)
		return NULL;
	if (input->screened)
		judge_screened(result);
	else
		judge_both(result, input);
	gate_control(result, input->control);
	result->same = input->same;
	for (guint i = 0; i < result->rows->len; i++)
		finish_row(result, result->rows->pdata[i], input);
	return g_steal_pointer(&result);
}
