/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/export/latency.h"

#include <math.h>

#include "harness/export/json.h"

static const struct {
	const char *key, *column;
	double q;
} quantiles[] = {
	{"p50_ns", "complete_p50_ns", 0.5},
	{"p90_ns", "complete_p90_ns", 0.9},
	{"p99_ns", "complete_p99_ns", 0.99},
	{"p999_ns", "complete_p999_ns", 0.999},
	{"p9999_ns", "complete_p9999_ns", 0.9999},
};

/* Adds the run's histogram of KIND to INTO. *ret_found is set when there is one, of whatever direction. */
static gboolean merge_run(Store *store, gint64 run, const char *direction, const char *kind, Hist *into,
	gboolean *ret_found, GError **error)
{
	g_autofree Hist *one = g_new(Hist, 1);
	g_autoptr(GError) local = NULL;

	if (store_hist(store, run, direction, kind, one, &local)) {
		hist_merge(into, one);
		*ret_found = TRUE;
	}
	if (local) {
		g_propagate_error(error, g_steal_pointer(&local));
		return FALSE;
	}
	return TRUE;
}

/* *ret_whole is FALSE when a run has no histogram of KIND: the merged rest would pass for all of them. */
static gboolean merge_runs(Store *store, const GPtrArray *runs, const char *const *directions, const char *kind,
	Hist *into, gboolean *ret_whole, GError **error)
{
	*ret_whole = runs->len > 0;
	hist_clear(into);
	for (guint i = 0; i < runs->len; i++) {
		const ReportRun *run = runs->pdata[i];
		gboolean found = FALSE;

		for (guint k = 0; directions[k]; k++)
			if (!merge_run(store, run->id, directions[k], kind, into, &found, error))
				return FALSE;
		*ret_whole &= found;
	}
	return TRUE;
}

static void set_hist(json_t *latency, const Hist *hist)
{
	json_object_set_new(latency, "ios", json_integer(hist->n));
	json_object_set_new(latency, "mean_ns", json_number(hist_mean(hist)));
	for (guint i = 0; i < G_N_ELEMENTS(quantiles); i++) {
		double value = NAN;

		if (!hist_quantile(hist, quantiles[i].q, false, &value))
			value = NAN;
		json_object_set_new(latency, quantiles[i].key, json_number(value));
	}
	json_object_set_new(latency, "max_ns", hist->n ? json_integer(hist->max_ns) : json_null());
	json_object_set_new(latency, "outside", json_integer(hist->below + hist->above));
}

/* Mean over the runs of a column, weighted by operations; plain where a run does not know how many. */
static double column_mean(const GPtrArray *runs, const char *column)
{
	double sum = 0, weights = 0, plain = 0;
	gboolean counted = TRUE;

	for (guint i = 0; i < runs->len; i++) {
		const ReportRun *run = runs->pdata[i];
		double value = record_get_real(run->row, column, NAN);
		double ops = record_get_real(run->row, "ops_read", 0) + record_get_real(run->row, "ops_write", 0);

		if (!isfinite(value))
			return NAN;
		plain += value;
		sum += value * ops;
		weights += ops;
		counted &= ops > 0;
	}
	if (runs->len == 0)
		return NAN;
	return counted ? sum / weights : plain / runs->len;
}

static void set_columns(json_t *latency, const GPtrArray *runs)
{
	const ReportRun *only = runs->len == 1 ? runs->pdata[0] : NULL;

	json_object_set_new(latency, "ios", json_null());
	json_object_set_new(latency, "mean_ns", json_number(column_mean(runs, "complete_mean_ns")));
	for (guint i = 0; i < G_N_ELEMENTS(quantiles); i++)
		json_object_set_new(latency, quantiles[i].key,
			only ? json_column(only->row, quantiles[i].column) : json_null());
	json_object_set_new(latency, "max_ns", only ? json_column(only->row, "complete_max_ns") : json_null());
	json_object_set_new(latency, "outside", json_null());
}

static const char *const both[] = {"read", "write", NULL};

json_t *latency_json(Store *store, const GPtrArray *runs, const char *direction, GError **error)
{
	const char *const one[] = {direction, NULL};
	const char *const *directions = direction ? one : both;
	json_t *latency = json_object();
	g_autofree Hist *hist = g_new(Hist, 1);
	g_autoptr(GPtrArray) none = g_ptr_array_new();
	gboolean whole;
	double submit = NAN;

	if (!merge_runs(store, runs, directions, "complete", hist, &whole, error))
		goto fail;
	if (whole && hist->n > 0)
		set_hist(latency, hist);
	else
		set_columns(latency, direction ? none : runs);
	if (!merge_runs(store, runs, directions, "submit", hist, &whole, error))
		goto fail;
	/* An empty one means that the engine cannot tell submission apart: not 0, not measured. */
	if (whole && hist->n > 0)
		submit = hist_mean(hist);
	else if (runs->len > 0 && !direction)
		submit = column_mean(runs, "submit_mean_ns");
	json_object_set_new(latency, "submit_mean_ns", json_number(submit));
	return latency;
fail:
	json_decref(latency);
	return NULL;
}

#define SLOTS_PER_BIN 16

static guint64 bin_count(const Hist *hist, guint bin)
{
	guint64 count = 0;

	for (guint i = 0; i < SLOTS_PER_BIN; i++)
		count += hist->slots[bin * SLOTS_PER_BIN + i];
	return count;
}

static json_t *bins_json(const Hist *hist)
{
	json_t *edges = json_array(), *counts = json_array();
	guint first = 0, end = HIST_SLOTS / SLOTS_PER_BIN;

	while (first < end && bin_count(hist, first) == 0)
		first++;
	while (end > first && bin_count(hist, end - 1) == 0)
		end--;
	for (guint bin = first; bin < end; bin++) {
		json_array_append_new(edges, json_integer(hist_slot_low(bin * SLOTS_PER_BIN)));
		json_array_append_new(counts, json_integer(bin_count(hist, bin)));
	}
	if (first < end)
		json_array_append_new(edges, json_integer(hist_slot_low(end * SLOTS_PER_BIN)));
	return json_pack("{so so}", "edges_ns", edges, "counts", counts);
}

json_t *latency_distribution(Store *store, const GPtrArray *runs, GError **error)
{
	g_autofree Hist *hist = g_new(Hist, 1);
	gboolean whole;

	if (!merge_runs(store, runs, both, "complete", hist, &whole, error))
		return NULL;
	return whole && hist->n > 0 ? bins_json(hist) : json_null();
}
