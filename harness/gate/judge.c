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
	row->d = g_new(double, result->blocks + 1);
	row->slowdown = row->low = row->high = row->mean_d = NAN;
	row->screen_mean = row->screen_sd = row->v0 = row->mde = NAN;
	row->p_raw = row->p_slower = row->p_faster = NAN;
	g_ptr_array_add(result->rows, row);
	return row;
}

static double difference(const GateCell *cell, guint block)
{
	if (cell->no_baseline || cell->no_candidate)
		return NAN;
	return cell->candidate[block] - cell->baseline[block];
}

static void add_cell(GateResult *result, const GateInput *input, const GateCell *cell)
{
	GateRow *row = row_new(result, cell->name, FALSE);

	for (guint r = 0; r < MIN(result->blocks, input->blocks); r++)
		row->d[r] = difference(cell, r);
	row->required = cell->required;
	row->waived = cell->waived;
	row->flagged = cell->flagged;
	row->failed = cell->failed;
	if (input->screened) {
		row->promoted = cell->promoted;
		row->v0 = cell->v0;
	}
	if (cell->no_candidate)
		gate_verdict(row, GATE_MISSING, "the baseline has this cell, the candidate does not");
	else if (cell->no_baseline)
		gate_verdict(row, GATE_NEW, "the candidate has this cell, the baseline does not");
	else
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

	for (guint i = 0; i < group->n_cells; i++)
		cells[i] = &input->cells[group->cells[i]];
	qsort(cells, group->n_cells, sizeof(*cells), compare_cells);
	for (guint r = 0; r < MIN(result->blocks, input->blocks); r++) {
		double sum = 0;
		guint n = 0;

		for (guint i = 0; i < group->n_cells; i++)
			if (isfinite(difference(cells[i], r))) {
				sum += difference(cells[i], r);
				n++;
			}
		row->d[r] = n ? sum / n : NAN;
	}
	row->members = group->n_cells;
	row->waived = group->waived;
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

static gboolean make_rows(GateResult *result, const GateInput *input, GError **error)
{
	for (guint i = 0; i < input->n_cells; i++)
		add_cell(result, input, &input->cells[i]);
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

GateResult *gate_result_new(const GateSettings *settings, const GateInput *input, guint blocks, GError **error)
{
	g_autoptr(GateResult) result = g_new0(GateResult, 1);

	result->settings = *settings;
	result->rows = g_ptr_array_new_with_free_func((GDestroyNotify)row_free);
	result->blocks = blocks;
	result->control_mean = NAN;
	if (input->n_cells == 0) {
		g_set_error_literal(error, IOGAP_ERROR, IOGAP_ERROR_NOTHING, "there is no cell to judge");
		return NULL;
	}
	return make_rows(result, input, error) ? g_steal_pointer(&result) : NULL;
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
static void check_screen(GateRow *row)
{
	if (row->n_screen >= SCREEN_MIN_BLOCKS || row->confirmed)
		return;
	if (row->flagged)
		gate_verdict(row, GATE_INVALID, "%u of its runs are flagged and left out; nothing is left to judge",
			row->flagged);
	else
		gate_verdict(row, GATE_INCONCLUSIVE, "only %u of the screen's blocks have both arms%s", row->n_screen,
			row->failed ? "; runs failed" : "");
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
		result->noisy += row->too_noisy && !row->group;
	}
}

static void finish_row(GateResult *result, GateRow *row, const GateInput *input)
{
	const char *would;

	if (!has_verdict(row))
		return;
	if (row->verdict == GATE_INCONCLUSIVE && row->too_noisy)
		row->verdict = GATE_TOO_NOISY;
	would = gate_verdict_name(row->verdict);
	row->alarm = input->same && row->verdict == GATE_REGRESSED && !result->drift;
	if (result->drift && row->verdict != GATE_SENTINEL && row->verdict != GATE_INVALID)
		gate_verdict(row, GATE_WITHHELD, "the host's own rate moved by %+.1f %% between the arms",
			100 * expm1(result->control_mean));
	else if (input->same && (row->verdict == GATE_OK || row->verdict == GATE_IMPROVED || row->verdict == GATE_REGRESSED))
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
			check_screen(row);
	}
}

GateResult *gate_judge(const GateSettings *settings, const GateInput *input, GError **error)
{
	g_autoptr(GateResult) result = NULL;

	if (!check_blocks(settings, input, error))
		return NULL;
	result = gate_result_new(settings, input, input->blocks, error);
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
