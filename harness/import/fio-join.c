/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * numjobs without group_reporting: fio prints every process as an entry of its own. They ran at the same time, so they
 * are shares of one result, not repetitions: joined as group_reporting would have done.
 */
#include <math.h>

#include "harness/import/fio.h"

static void refresh_percentiles(ImportLatency *latency)
{
	static const double percents[] = {50, 90, 95, 99, 99.9, 99.99};

	g_clear_pointer(&latency->percentiles, g_array_unref);
	for (guint i = 0; latency->hist && i < G_N_ELEMENTS(percents); i++) {
		double ns;

		if (hist_quantile(latency->hist, percents[i] / 100, true, &ns))
			import_latency_percentile(latency, percents[i], ns);
	}
}

static void join_latency(ImportLatency *into, const ImportLatency *from, double mean_ns)
{
	into->mean_ns = mean_ns;
	into->n = into->n < 0 || from->n < 0 ? -1 : into->n + from->n;
	into->min_ns = isnan(into->min_ns) || isnan(from->min_ns) ? NAN : fmin(into->min_ns, from->min_ns);
	into->max_ns = isnan(into->max_ns) || isnan(from->max_ns) ? NAN : fmax(into->max_ns, from->max_ns);
	into->stddev_ns = NAN;
	if (into->hist && from->hist)
		hist_merge(into->hist, from->hist);
	else
		g_clear_pointer(&into->hist, g_free);
	/* Percentiles of several processes cannot be averaged; bins can be added. */
	refresh_percentiles(into);
}

static gint64 sum(gint64 a, gint64 b)
{
	return a < 0 || b < 0 || a > G_MAXINT64 - b ? -1 : a + b;
}

static void join_stats(ImportStats *into, ImportStats *from)
{
	if (!from->measured)
		return;
	if (!into->measured) {
		/* A shallow move: FROM's own row is freed later and must not free these. */
		ImportStats empty = *into;

		*into = *from;
		*from = empty;
		return;
	}
	join_latency(&into->submit, &from->submit, import_mean_joined(into, &into->submit, from, &from->submit));
	join_latency(&into->complete, &from->complete, import_mean_joined(into, &into->complete, from, &from->complete));
	join_latency(&into->total, &from->total, import_mean_joined(into, &into->total, from, &from->total));
	into->bytes = sum(into->bytes, from->bytes);
	into->ops = sum(into->ops, from->ops);
	into->ns = MAX(into->ns, from->ns);
	into->bytes_per_s += from->bytes_per_s;
	into->iops += from->iops;
}

static void join_cpu(ImportRow *into, const ImportRow *from, const char *column)
{
	gint64 a = record_get_int(into->run, column, -1), b = record_get_int(from->run, column, -1);

	if (a >= 0 && b >= 0)
		record_set_int(into->run, column, sum(a, b));
	else
		record_unset(into->run, column);
}

static void join_rows(ImportRow *into, ImportRow *from)
{
	for (guint i = 0; i < IMPORT_DIRECTIONS; i++)
		join_stats(&into->stats[i], &from->stats[i]);
	join_cpu(into, from, "load_user_ns");
	join_cpu(into, from, "load_system_ns");
	if (from->failure)
		import_row_fail(into, "%s", from->failure);
	for (guint i = 0; i < from->warnings->len; i++)
		import_row_warn(into, "%s", (const char *)from->warnings->pdata[i]);
	for (guint i = 0; i < from->flags->len; i++) {
		const ImportFlag *flag = from->flags->pdata[i];

		import_row_flag(into, flag->flag, "%s", flag->evidence);
	}
}

/* The same text in a column, or none in both. */
static gboolean same_text(const ImportRow *a, const ImportRow *b, const char *column)
{
	return g_strcmp0(record_get_text(a->more, column), record_get_text(b->more, column)) == 0;
}

static gboolean belong_together(const ImportRow *a, const ImportRow *b)
{
	return g_strcmp0(a->name, b->name) == 0 && record_has(a->more, "groupid") &&
	       record_get_int(a->more, "groupid", -1) == record_get_int(b->more, "groupid", -2) &&
	       record_get_int(a->more, "fields", -1) == record_get_int(b->more, "fields", -1) &&
	       same_text(a, b, "hostname") && same_text(a, b, "filename") &&
	       g_strcmp0(record_get_text(a->leg, "rw"), record_get_text(b->leg, "rw")) == 0 &&
	       record_get_int(a->leg, "block_size", -1) == record_get_int(b->leg, "block_size", -1);
}

static void note_joined(ImportRow *row, gint64 count)
{
	if (count == 1)
		return;
	record_set_int(row->leg, "jobs", count);
	record_set_int(row->more, "joined_entries", count);
}

void fio_join(GPtrArray *rows, guint first)
{
	g_autoptr(GPtrArray) entries = g_ptr_array_new_with_free_func((GDestroyNotify)import_row_free);
	ImportRow *row = NULL;
	gint64 count = 1;

	for (guint i = first; i < rows->len; i++)
		g_ptr_array_add(entries, g_steal_pointer(&rows->pdata[i]));
	g_ptr_array_set_size(rows, (gint)first);
	for (guint i = 0; i < entries->len; i++) {
		if (row && belong_together(row, entries->pdata[i])) {
			join_rows(row, entries->pdata[i]);
			count++;
			continue;
		}
		if (row)
			note_joined(row, count);
		count = 1;
		row = g_steal_pointer(&entries->pdata[i]);
		g_ptr_array_add(rows, row);
	}
	if (row)
		note_joined(row, count);
}
