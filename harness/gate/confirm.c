/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/gate/gate-private.h"

#include <math.h>

static void estimate(GateRow *row)
{
	double half = signflip_half_width(&row->test);

	row->confirmed = TRUE;
	row->n = row->test.n;
	row->mean_d = row->test.mean_d;
	row->slowdown = 1 - exp(row->test.mean_c);
	row->low = 1 - exp(row->test.mean_c + half);
	row->high = 1 - exp(row->test.mean_c - half);
}

static void too_few(const GateResult *result, GateRow *row)
{
	guint need = gate_min_blocks(&result->settings);

	if (row->flagged)
		gate_verdict(row, GATE_INVALID, "%u of its runs are flagged and left out; %u blocks of the confirmation remain, "
			"%u are needed", row->flagged, row->n, need);
	else
		gate_verdict(row, GATE_INCONCLUSIVE, "promoted by the screen, but only %u blocks of the confirmation have "
			"both arms%s; %u are needed", row->n, row->failed ? " (runs failed)" : "", need);
}

static void decide(const GateResult *result, GateRow *row)
{
	const GateSettings *settings = &result->settings;
	double least = row->group ? settings->group_least : settings->least;
	double detect = row->group ? settings->group_detect : settings->detect;
	gboolean slower = signflip_significant(row->test.k_slower, result->confirm_blocks, settings->alpha);
	gboolean faster = signflip_significant(row->test.k_faster, result->confirm_blocks, settings->alpha);
	double point = 1 - exp(row->mean_d);

	if (slower && row->slowdown >= least - ROUNDING)
		gate_verdict(row, GATE_REGRESSED, NULL);
	else if (faster && 1 - exp(-row->test.mean_c) >= least - ROUNDING)
		gate_verdict(row, GATE_IMPROVED, NULL);
	else if (row->high < detect - ROUNDING && point < detect - ROUNDING)
		gate_verdict(row, GATE_OK, NULL);
	else if (row->high < detect - ROUNDING)
		gate_verdict(row, GATE_INCONCLUSIVE, "single blocks lost so much that the mean is %.1f %%, most of it clipped",
			100 * point);
	else
		gate_verdict(row, GATE_INCONCLUSIVE, "a loss of up to %.1f %% is possible", 100 * row->high);
}

static void set_p(GateRow *row, double flips)
{
	row->p_raw = row->test.k_raw / flips;
	row->p_slower = row->test.k_slower / flips;
	row->p_faster = row->test.k_faster / flips;
}

void gate_confirm(GateResult *result, guint first)
{
	g_autoptr(GPtrArray) rows = g_ptr_array_new();
	g_autofree SignflipRow *tests = NULL;

	result->confirm_blocks = result->blocks - first;
	for (guint i = 0; i < result->rows->len; i++) {
		GateRow *row = result->rows->pdata[i];

		if (row->promoted && row->verdict != GATE_MISSING && row->verdict != GATE_NEW)
			g_ptr_array_add(rows, row);
	}
	tests = g_new0(SignflipRow, rows->len + 1);
	for (guint i = 0; i < rows->len; i++) {
		GateRow *row = rows->pdata[i];

		tests[i].d = row->d + first;
		tests[i].v0 = row->v0;
	}
	signflip_test(tests, rows->len, result->confirm_blocks, gate_min_blocks(&result->settings));
	for (guint i = 0; i < rows->len; i++) {
		GateRow *row = rows->pdata[i];

		row->test = tests[i];
		row->test.d = NULL;
		result->family += row->test.in_family;
		if (row->test.n)
			estimate(row);
		else
			row->n = 0;
		if (row->test.in_family)
			set_p(row, (double)signflip_flips(result->confirm_blocks));
		if (row->test.in_family)
			decide(result, row);
		else
			too_few(result, row);
	}
}

/* The host is looked at over all blocks: it was measured next to every arm of each of them. */
void gate_control(GateResult *result, const double *control)
{
	SignflipRow row = {.d = control};
	guint blocks = MIN(result->blocks, SIGNFLIP_MAX_BLOCKS);

	result->control_mean = NAN;
	if (!control)
		return;
	signflip_describe(&row, blocks);
	result->control_n = row.n;
	result->control_blocks = blocks;
	result->control_short = row.n < gate_quorum(result->blocks);
	if (row.n == 0)
		return;
	row.v0 = row.square;
	signflip_describe(&row, blocks);
	result->control_mean = row.mean_c;
	result->control_k = signflip_two_sided(&row, blocks);
	result->control_p = (double)result->control_k / (double)signflip_flips(blocks);
	result->control_open = blocks <= result->settings.screen_blocks && fabs(row.mean_c) > CONTROL_LIMIT;
	result->drift = fabs(row.mean_c) > CONTROL_LIMIT &&
		signflip_significant(result->control_k, blocks, CONTROL_ALPHA);
}
