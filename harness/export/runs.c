/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/export/runs.h"

#include <math.h>

#include "harness/export/accounting.h"
#include "harness/export/json.h"

static json_t *flags_json(const ReportRun *run)
{
	json_t *flags = json_array();

	for (guint i = 0; i < run->flags->len; i++)
		json_array_append_new(flags,
			json_pack("{so so}", "flag", json_column(run->flags->pdata[i], "flag"), "evidence",
				json_column(run->flags->pdata[i], "evidence")));
	return flags;
}

static double bytes_at(const json_t *series, size_t i)
{
	const json_t *reads = json_array_get(json_object_get(series, "read_bytes"), i);
	const json_t *writes = json_array_get(json_object_get(series, "write_bytes"), i);

	return json_number_value(reads) + json_number_value(writes);
}

static size_t intervals_of(const json_t *series)
{
	return MAX(json_array_size(json_object_get(series, "read_bytes")),
		json_array_size(json_object_get(series, "write_bytes")));
}

/*
 * Mean latency of a step by Little's law: I/Os in flight over I/Os per second. It needs the depth that the load really held
 * over the run, and says nothing where the I/Os are not all of one size.
 */
static double latency_of(const ReportLeg *leg, const ReportRun *run, double bytes_per_s)
{
	double depth = record_get_real(run->row, "depth_mean", NAN);
	double size = record_get_real(leg->row, "block_size", NAN);

	return bytes_per_s > 0 ? depth * size / bytes_per_s * 1e9 : NAN;
}

static json_t *rounded(double value)
{
	return isfinite(value) ? json_integer((json_int_t)llround(value)) : json_null();
}

static json_t *steps_json(const json_t *series, const ReportLeg *leg, const ReportRun *run)
{
	double interval = json_number_value(json_object_get(series, "interval_ns"));
	double ns = record_get_real(run->row, "ns", NAN);
	size_t n = intervals_of(series), joined = n / RUNS_SERIES_STEPS + (n % RUNS_SERIES_STEPS != 0);
	json_t *rates = json_array(), *latencies = json_array();

	for (size_t i = 0; i < n; i += joined) {
		size_t end = MIN(n, i + joined);
		/* The last interval ends with the run. */
		double width = MIN(end * interval, isfinite(ns) ? ns : end * interval) - i * interval;
		double bytes = 0;

		for (size_t k = i; k < end; k++)
			bytes += bytes_at(series, k);
		/* A sliver at the end is no rate. */
		if (width < interval / 2)
			break;
		json_array_append_new(rates, rounded(bytes / width * 1e9));
		json_array_append_new(latencies, rounded(latency_of(leg, run, bytes / width * 1e9)));
	}
	return json_pack("{sI so so}", "step_ns", (json_int_t)(joined * interval), "bytes_per_s", rates,
		"latency_ns", latencies);
}

static json_t *series_json(const ReportData *data, const ReportLeg *leg, const ReportRun *run, GError **error)
{
	g_autoptr(GError) local = NULL;
	g_autofree char *text = store_series(data->store, run->id, &local);
	json_t *series, *steps;

	if (local) {
		g_propagate_error(error, g_steal_pointer(&local));
		return NULL;
	}
	series = text ? json_loads(text, 0, NULL) : NULL;
	if (!(json_number_value(json_object_get(series, "interval_ns")) > 0) || intervals_of(series) == 0)
		steps = json_null();
	else
		steps = steps_json(series, leg, run);
	json_decref(series);
	return steps;
}

/* Seconds from the start of the sweep. */
static double since_start(const ReportData *data, const ReportRun *run)
{
	if (!record_has(data->sweep, "started_unix_ns") || !record_has(run->row, "started_unix_ns"))
		return NAN;
	return (double)(record_get_int(run->row, "started_unix_ns", 0) -
		       record_get_int(data->sweep, "started_unix_ns", 0)) /
	       1e9;
}

json_t *runs_json(const ReportData *data, const ReportLeg *leg, const ReportRun *run, GError **error)
{
	static const char *const names[] = {"id", "block", "position", "status", "reason", "ns", "bytes_per_s", "iops",
		"submit_mean_ns", "complete_mean_ns", "complete_p50_ns", "complete_p99_ns", "complete_max_ns",
		"depth_mean", "bytes_read", "bytes_written", "ops_read", "ops_write", "ops_sync", NULL};
	json_t *series = series_json(data, leg, run, error);
	json_t *object;

	if (!series)
		return NULL;
	object = json_columns(run->row, names);
	json_object_set_new(object, "started_s", json_number(since_start(data, run)));
	json_object_set_new(object, "flags", flags_json(run));
	json_object_set_new(object, "accounting", accounting_run(run->row));
	json_object_set_new(object, "series", series);
	return object;
}
