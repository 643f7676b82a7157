/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/import/run.h"

#include <math.h>

#include "harness/import/detail.h"

static void set_count(Record *run, const char *column, gint64 value)
{
	if (value >= 0)
		record_set_int(run, column, value);
}

/* record_set_real turns NaN into NULL, which is what an absent column is too. */
static void set_real(Record *run, const char *column, double value)
{
	if (isfinite(value))
		record_set_real(run, column, value);
}

/* The latency whose mean is the whole I/O's, or the nearest to it that there is. */
static const ImportLatency *whole(const ImportStats *stats)
{
	return isfinite(stats->total.mean_ns) ? &stats->total : &stats->complete;
}

/* fio gives percentiles and bins of one of the two only, mostly of the completion. */
static const ImportLatency *with_percentiles(const ImportStats *stats)
{
	return stats->total.percentiles || stats->total.hist ? &stats->total : &stats->complete;
}

static void set_latency(Record *run, const ImportStats *total)
{
	static const struct {
		const char *column;
		double percent;
	} quantiles[] = {
		{"complete_p50_ns", 50},
		{"complete_p90_ns", 90},
		{"complete_p99_ns", 99},
		{"complete_p999_ns", 99.9},
		{"complete_p9999_ns", 99.99},
	};

	set_real(run, "submit_mean_ns", total->submit.mean_ns);
	set_real(run, "complete_mean_ns", whole(total)->mean_ns);
	set_real(run, "complete_max_ns", whole(total)->max_ns);
	for (guint i = 0; i < G_N_ELEMENTS(quantiles); i++)
		set_real(run, quantiles[i].column, import_latency_at(with_percentiles(total), quantiles[i].percent));
}

void import_run_figures(Record *run, const ImportRow *row)
{
	ImportStats total;

	import_row_total(row, &total);
	set_count(run, "ns", total.ns);
	set_count(run, "bytes_read", row->stats[IMPORT_READ].bytes);
	set_count(run, "bytes_written", row->stats[IMPORT_WRITE].bytes);
	set_count(run, "ops_read", row->stats[IMPORT_READ].ops);
	set_count(run, "ops_write", row->stats[IMPORT_WRITE].ops);
	set_real(run, "bytes_per_s", total.bytes_per_s);
	set_real(run, "iops", total.iops);
	set_latency(run, &total);
	record_merge(run, row->run);
}

static void add_hist(StoreRun *run, const char *direction, const ImportStats *stats)
{
	const ImportLatency *latency = with_percentiles(stats), *mean = whole(stats);
	g_autofree Hist *hist = NULL;

	if (!latency->hist)
		return;
	hist = g_new(Hist, 1);
	*hist = *latency->hist;
	/* Reports take the mean from here: it is the whole I/O's, as in the column. */
	if (mean->mean_ns >= 0 && mean->mean_ns * (double)hist->n < 9e18)
		hist->sum_ns = (uint64_t)(mean->mean_ns * (double)hist->n);
	store_run_add_hist(run, direction, "complete", hist);
}

StoreRun *import_run(const ImportRow *row, const char *file, gint64 unix_ns, guint block)
{
	StoreRun *run = store_run_new();
	g_autofree char *detail = import_detail(row, file);
	const char *failure = row->failure;

	record_set_int(run->run, "block", block);
	import_run_figures(run->run, row);
	if (!failure && !record_has(run->run, "bytes_per_s") && !record_has(run->run, "iops"))
		failure = "the source gives no rate";
	record_set_text(run->run, "status", failure ? "failed" : "ok");
	if (failure)
		record_set_text(run->run, "reason", failure);
	set_count(run->run, "started_unix_ns", unix_ns);
	record_set_text(run->run, "effective_json", detail);
	add_hist(run, "read", &row->stats[IMPORT_READ]);
	add_hist(run, "write", &row->stats[IMPORT_WRITE]);
	for (guint i = 0; i < row->flags->len; i++) {
		const ImportFlag *flag = row->flags->pdata[i];

		store_run_add_flag(run, flag->flag, flag->evidence);
	}
	for (guint i = 0; i < row->warnings->len; i++)
		store_run_add_flag(run, "IMPORT_WARNING", row->warnings->pdata[i]);
	return run;
}
