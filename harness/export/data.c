/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/export/data.h"

#include <math.h>

#include "harness/export/axes.h"
#include "harness/export/summary.h"

static void run_free(gpointer pointer)
{
	ReportRun *run = pointer;

	g_ptr_array_unref(run->flags);
	g_free(run);
}

static void leg_free(gpointer pointer)
{
	ReportLeg *leg = pointer;

	g_ptr_array_unref(leg->runs);
	g_free(leg->good);
	g_free(leg);
}

void report_data_free(ReportData *data)
{
	if (!data)
		return;
	g_clear_pointer(&data->legs, g_ptr_array_unref);
	g_clear_pointer(&data->sweep, record_free);
	g_clear_pointer(&data->refusals, g_ptr_array_unref);
	g_clear_pointer(&data->boots, g_ptr_array_unref);
	g_clear_pointer(&data->leg_rows, g_ptr_array_unref);
	g_clear_pointer(&data->run_rows, g_ptr_array_unref);
	g_clear_pointer(&data->flag_rows, g_ptr_array_unref);
	g_free(data);
}

static const char *text_or(const Record *row, const char *name, const char *fallback)
{
	const char *text = record_get_text(row, name);

	return text ? text : fallback;
}

static gboolean read_rows(ReportData *data, Store *store, gint64 sweep, GError **error)
{
	return (data->sweep = store_sweep(store, sweep, error)) != NULL &&
	       (data->leg_rows = store_legs(store, sweep, error)) != NULL &&
	       (data->run_rows = store_runs(store, sweep, error)) != NULL &&
	       (data->flag_rows = store_flags(store, sweep, error)) != NULL &&
	       (data->refusals = store_refusals(store, sweep, error)) != NULL &&
	       (data->boots = store_boots(store, sweep, error)) != NULL;
}

static gint64 *key(gint64 id)
{
	gint64 *copy = g_new(gint64, 1);

	*copy = id;
	return copy;
}

static GHashTable *by_id(void)
{
	return g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
}

static guint target_number(const ReportData *data, const char *target)
{
	guint next = 0;

	for (guint i = 0; i < data->legs->len; i++) {
		const ReportLeg *leg = data->legs->pdata[i];

		if (g_str_equal(leg->target, target))
			return leg->target_no;
		next = MAX(next, leg->target_no + 1);
	}
	return next;
}

static void make_legs(ReportData *data, GHashTable *legs)
{
	const char *accel = record_get_text(data->sweep, "accel");

	for (guint i = 0; i < data->leg_rows->len; i++) {
		const Record *row = data->leg_rows->pdata[i];
		ReportLeg *leg = g_new0(ReportLeg, 1);

		leg->row = row;
		leg->id = record_get_int(row, "id", -1);
		leg->label = text_or(row, "label", "-");
		leg->target = text_or(row, "target", "-");
		leg->target_no = target_number(data, leg->target);
		leg->guest = g_strcmp0(record_get_text(row, "side"), "guest") == 0;
		leg->emulated = leg->guest && g_strcmp0(text_or(row, "accel", accel), "tcg") == 0;
		leg->runs = g_ptr_array_new_with_free_func(run_free);
		data->emulated |= leg->emulated;
		g_ptr_array_add(data->legs, leg);
		g_hash_table_insert(legs, key(leg->id), leg);
	}
	for (guint i = 0; i < data->legs->len; i++) {
		ReportLeg *leg = data->legs->pdata[i];
		gint64 host = record_get_int(leg->row, "host_leg_id", -1);

		if (leg->guest)
			leg->host = g_hash_table_lookup(legs, &host);
	}
}

static void make_runs(ReportData *data, GHashTable *legs, GHashTable *runs)
{
	for (guint i = 0; i < data->run_rows->len; i++) {
		const Record *row = data->run_rows->pdata[i];
		gint64 leg_id = record_get_int(row, "leg_id", -1);
		ReportLeg *leg = g_hash_table_lookup(legs, &leg_id);
		ReportRun *run;

		if (!leg)
			continue;
		run = g_new0(ReportRun, 1);
		run->row = row;
		run->id = record_get_int(row, "id", -1);
		run->block = record_get_int(row, "block", 0);
		run->status = text_or(row, "status", "failed");
		run->bytes_per_s = record_get_real(row, "bytes_per_s", NAN);
		/* Imported results may be operations per second alone. */
		run->good = g_str_equal(run->status, "ok") &&
			    (isnan(run->bytes_per_s) ? record_get_real(row, "iops", NAN) : run->bytes_per_s) > 0;
		if (!run->good)
			run->bytes_per_s = NAN;
		run->flags = g_ptr_array_new();
		data->blocks = MAX(data->blocks, run->block + 1);
		g_ptr_array_add(leg->runs, run);
		g_hash_table_insert(runs, key(run->id), run);
	}
}

static void add_flags(ReportData *data, GHashTable *runs)
{
	for (guint i = 0; i < data->flag_rows->len; i++) {
		Record *row = data->flag_rows->pdata[i];
		gint64 run_id = record_get_int(row, "run_id", -1);
		ReportRun *run = g_hash_table_lookup(runs, &run_id);

		if (run && record_get_text(row, "flag"))
			g_ptr_array_add(run->flags, row);
	}
}

static gint by_block(gconstpointer a, gconstpointer b)
{
	const ReportRun *x = *(ReportRun *const *)a, *y = *(ReportRun *const *)b;

	if (x->block != y->block)
		return x->block < y->block ? -1 : 1;
	return x->id < y->id ? -1 : x->id > y->id;
}

static void sort_runs(ReportData *data)
{
	for (guint i = 0; i < data->legs->len; i++) {
		ReportLeg *leg = data->legs->pdata[i];

		g_ptr_array_sort(leg->runs, by_block);
		leg->good = g_new0(ReportRun *, data->blocks + 1);
		for (guint k = 0; k < leg->runs->len; k++) {
			ReportRun *run = leg->runs->pdata[k];

			if (!run->good)
				continue;
			leg->n_good += leg->good[run->block] == NULL;
			leg->good[run->block] = run;
		}
	}
}

ReportData *report_data_load(Store *store, gint64 sweep, GError **error)
{
	g_autoptr(ReportData) data = g_new0(ReportData, 1);
	g_autoptr(GHashTable) legs = by_id();
	g_autoptr(GHashTable) runs = by_id();

	data->store = store;
	if (!read_rows(data, store, sweep, error))
		return NULL;
	data->legs = g_ptr_array_new_with_free_func(leg_free);
	data->blocks = MAX(0, record_get_int(data->sweep, "blocks", 0));
	data->emulated = g_strcmp0(record_get_text(data->sweep, "accel"), "tcg") == 0;
	make_legs(data, legs);
	make_runs(data, legs, runs);
	add_flags(data, runs);
	sort_runs(data);
	axes_sort(data->legs);
	data->cpu = summary_cpu(data);
	return g_steal_pointer(&data);
}
