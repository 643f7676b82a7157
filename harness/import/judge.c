/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/import/judge.h"

#include <math.h>

#include "harness/check/check.h"
#include "harness/import/run.h"

/* The whole I/O: as told, else its two parts, else what there is. */
static double mean_of(const ImportStats *total)
{
	double submit = total->submit.mean_ns, complete = total->complete.mean_ns;

	if (isfinite(total->total.mean_ns))
		return total->total.mean_ns;
	return isfinite(submit) && isfinite(complete) ? submit + complete : complete;
}

static double in_flight(const ImportRow *row)
{
	double size = (double)record_get_int(row->leg, "block_size", 0);
	ImportStats total;

	import_row_total(row, &total);
	if (isnan(total.iops) && size > 0)
		total.iops = total.bytes_per_s / size;
	return total.iops * mean_of(&total) / 1e9;
}

static void on_flag(const char *flag, const char *evidence, void *data)
{
	import_row_flag(data, flag, "%s", evidence);
}

static void on_absent(G_GNUC_UNUSED const char *column, G_GNUC_UNUSED const char *reason, G_GNUC_UNUSED void *data)
{
}

static void judge_row(ImportRow *row, double depth, double common, guint peers)
{
	const CheckSink sink = {on_flag, on_absent, row};
	g_autoptr(Record) run = record_new();

	import_run_figures(run, row);
	check_told(row->leg, run, depth, common, peers, &sink);
}

/* Only rows that stand beside others in a table and do not tell their depth are one another's measure. */
static gboolean is_peer(const ImportRow *row)
{
	return !row->failure && !record_has(row->leg, "queue_depth");
}

void import_judge(ImportResult *result)
{
	const guint n = result->rows->len;
	g_autofree double *depths = g_new(double, n), *untold = g_new(double, n);
	double common;
	guint peers;

	for (guint i = 0; i < n; i++) {
		depths[i] = in_flight(result->rows->pdata[i]);
		untold[i] = is_peer(result->rows->pdata[i]) ? depths[i] : NAN;
	}
	common = check_common_depth(untold, n, &peers);
	for (guint i = 0; i < n; i++) {
		ImportRow *row = result->rows->pdata[i];

		if (!row->failure)
			judge_row(row, depths[i], common, peers);
	}
}
