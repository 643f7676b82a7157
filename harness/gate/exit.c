/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/gate/gate-private.h"

#include <math.h>

static guint count(const GateResult *result, GateVerdict verdict)
{
	guint n = 0;

	for (guint i = 0; i < result->rows->len; i++) {
		const GateRow *row = result->rows->pdata[i];

		n += row->verdict == verdict && !row->waived;
	}
	return n;
}

static guint count_required_noisy(const GateResult *result)
{
	guint n = 0;

	for (guint i = 0; i < result->rows->len; i++) {
		const GateRow *row = result->rows->pdata[i];

		n += row->verdict == GATE_TOO_NOISY && row->required && !row->waived;
	}
	return n;
}

/* Cells of which one side could not be measured at all: an I/O error or a dead guest is no verdict on speed. */
static guint count_dead(const GateResult *result)
{
	guint n = 0;

	for (guint i = 0; i < result->rows->len; i++) {
		const GateRow *row = result->rows->pdata[i];

		if (row->verdict == GATE_MISSING || row->verdict == GATE_NEW)
			continue;
		n += !row->group && row->dead && !row->waived;
	}
	return n;
}

static gboolean any_waived(const GateResult *result)
{
	for (guint i = 0; i < result->rows->len; i++) {
		const GateRow *row = result->rows->pdata[i];

		if (!row->group && row->waived && row->verdict != GATE_MISSING && row->verdict != GATE_NEW)
			return TRUE;
	}
	return FALSE;
}

static int say(char **ret_why, int code, const char *format, ...) G_GNUC_PRINTF(3, 4);
static int say(char **ret_why, int code, const char *format, ...)
{
	va_list args;

	if (!ret_why)
		return code;
	va_start(args, format);
	*ret_why = g_strdup_vprintf(format, args);
	va_end(args);
	return code;
}

static const char *rows(guint n)
{
	return n == 1 ? "row" : "rows";
}

static int inconclusive(const GateResult *result, char **ret_why)
{
	static const GateVerdict open[] = {GATE_INVALID, GATE_MISSING, GATE_INCONCLUSIVE};

	for (guint i = 0; i < G_N_ELEMENTS(open); i++) {
		guint n = count(result, open[i]);

		if (n && !(result->same && open[i] == GATE_INCONCLUSIVE))
			return say(ret_why, 3, "%u %s %s", n, rows(n), gate_verdict_name(open[i]));
	}
	if (result->same)
		return 0;
	if (result->control_short && result->stored)
		return say(ret_why, 3, "the host's own rate is known of %u baseline sweeps, or not of the candidate, so that nobody can tell "
			"whether it moved", result->control_n);
	if (result->control_short)
		return say(ret_why, 3, "the control has good runs in %u of %u blocks only, so that nobody can tell whether the host moved",
			result->control_n, result->blocks);
	if (result->control_open)
		return say(ret_why, 3, "the host's own rate differs by %+.1f %% between the arms, and too few blocks tell whether that is chance",
			100 * expm1(result->control_mean));
	if (count_required_noisy(result))
		return say(ret_why, 3, "%u required %s TOO_NOISY", count_required_noisy(result),
			rows(count_required_noisy(result)));
	if (2 * result->noisy > result->cells)
		return say(ret_why, 3, "%u of %u cells are too noisy to see a loss of %.3g %%", result->noisy, result->cells,
			100 * result->settings.detect);
	return 0;
}

/* Rows of a sweep without a change that would have been REGRESSED: what the false-alarm rate is about. */
static guint alarms(const GateResult *result)
{
	guint n = 0;

	for (guint i = 0; i < result->rows->len; i++)
		n += ((const GateRow *)result->rows->pdata[i])->alarm;
	return n;
}

int gate_exit_code(const GateResult *result, char **ret_why)
{
	guint dead = count_dead(result);
	guint regressed = count(result, GATE_REGRESSED), improved = count(result, GATE_IMPROVED);
	int code;

	if (dead)
		return say(ret_why, 5, "all runs of %u %s failed, on one side at least", dead, dead == 1 ? "cell" : "cells");
	if (result->cells == 0)
		return say(ret_why, 4, any_waived(result) ? "every cell that has both arms is waived" : "no cell has both arms");
	if (result->drift)
		return say(ret_why, 3, "CONTROL_DRIFT: the host's own rate moved by %+.1f %% between the arms",
			100 * expm1(result->control_mean));
	if (regressed)
		return say(ret_why, 1, "%u %s REGRESSED", regressed, rows(regressed));
	code = inconclusive(result, ret_why);
	if (code)
		return code;
	if (result->same)
		return say(ret_why, 0, "NO_CHANGE, both arms are the same (%u of %u rows would be alarms)", alarms(result),
			result->rows->len);
	return say(ret_why, 0, improved ? "%u of %u rows IMPROVED, none slower" : "%u regressions in %u rows", improved,
		result->rows->len);
}
