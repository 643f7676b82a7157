/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows, latencies and results: making, adding to, and freeing them. */
#include "harness/import/import.h"

#include <math.h>

static void latency_init(ImportLatency *latency)
{
	*latency = (ImportLatency){.n = -1, .mean_ns = NAN, .min_ns = NAN, .max_ns = NAN, .stddev_ns = NAN};
}

void import_latency_clear(ImportLatency *latency)
{
	g_clear_pointer(&latency->percentiles, g_array_unref);
	g_clear_pointer(&latency->hist, g_free);
	latency_init(latency);
}

void import_latency_percentile(ImportLatency *latency, double percent, double ns)
{
	const ImportPercentile value = {percent, ns};
	guint at;

	if (!latency->percentiles)
		latency->percentiles = g_array_new(FALSE, FALSE, sizeof(ImportPercentile));
	if (latency->percentiles->len >= IMPORT_MOST_PERCENTILES)
		return;
	for (at = latency->percentiles->len; at > 0; at--)
		if (g_array_index(latency->percentiles, ImportPercentile, at - 1).percent <= percent)
			break;
	g_array_insert_val(latency->percentiles, at, value);
}

double import_latency_at(const ImportLatency *latency, double percent)
{
	for (guint i = 0; latency->percentiles && i < latency->percentiles->len; i++) {
		const ImportPercentile *value = &g_array_index(latency->percentiles, ImportPercentile, i);

		if (fabs(value->percent - percent) < 1e-6)
			return value->ns;
	}
	return NAN;
}

static void stats_init(ImportStats *stats)
{
	*stats = (ImportStats){.bytes = -1, .ops = -1, .ns = -1, .bytes_per_s = NAN, .iops = NAN};
	latency_init(&stats->submit);
	latency_init(&stats->complete);
	latency_init(&stats->total);
}

static void flag_free(gpointer data)
{
	ImportFlag *flag = data;

	g_free(flag->flag);
	g_free(flag->evidence);
	g_free(flag);
}

ImportRow *import_row_new(const char *name, guint line)
{
	ImportRow *row = g_new0(ImportRow, 1);

	row->name = g_strdup(name);
	row->line = line;
	row->leg = record_new();
	row->run = record_new();
	row->more = record_new();
	row->warnings = g_ptr_array_new_with_free_func(g_free);
	row->flags = g_ptr_array_new_with_free_func(flag_free);
	for (guint i = 0; i < IMPORT_DIRECTIONS; i++)
		stats_init(&row->stats[i]);
	return row;
}

void import_row_free(ImportRow *row)
{
	if (!row)
		return;
	for (guint i = 0; i < IMPORT_DIRECTIONS; i++) {
		import_latency_clear(&row->stats[i].submit);
		import_latency_clear(&row->stats[i].complete);
		import_latency_clear(&row->stats[i].total);
	}
	record_free(row->leg);
	record_free(row->run);
	record_free(row->more);
	g_ptr_array_unref(row->warnings);
	g_ptr_array_unref(row->flags);
	g_free(row->failure);
	g_free(row->name);
	g_free(row);
}

/* Text of others goes into messages, reports and the store: control characters and bytes that are no UTF-8 do not. */
static char *clean(char *text)
{
	char *valid = g_utf8_make_valid(text, -1);

	for (char *p = valid; *p; p++)
		if ((guchar)*p < 0x20 || *p == 0x7f)
			*p = ' ';
	g_free(text);
	return valid;
}

void import_row_warn(ImportRow *row, const char *format, ...)
{
	va_list args;

	if (row->warnings->len >= IMPORT_MOST_WARNINGS)
		return;
	va_start(args, format);
	g_ptr_array_add(row->warnings, clean(g_strdup_vprintf(format, args)));
	va_end(args);
}

void import_row_flag(ImportRow *row, const char *flag, const char *format, ...)
{
	ImportFlag *added;
	va_list args;

	if (row->flags->len >= IMPORT_MOST_WARNINGS)
		return;
	added = g_new0(ImportFlag, 1);
	added->flag = g_strdup(flag);
	va_start(args, format);
	added->evidence = clean(g_strdup_vprintf(format, args));
	va_end(args);
	g_ptr_array_add(row->flags, added);
}

void import_row_fail(ImportRow *row, const char *format, ...)
{
	g_autofree char *text = NULL;
	va_list args;

	va_start(args, format);
	text = clean(g_strdup_vprintf(format, args));
	va_end(args);
	if (row->failure)
		import_row_warn(row, "%s", text);
	else
		row->failure = g_steal_pointer(&text);
}

/* How much a latency counts beside another one. Rates will do where no counts are told: both ran for the same time. */
static double weight_of(const ImportStats *stats, const ImportLatency *latency)
{
	return latency->n >= 0 ? (double)latency->n : stats->ops >= 0 ? (double)stats->ops : NAN;
}

double import_mean_joined(const ImportStats *a, const ImportLatency *la, const ImportStats *b, const ImportLatency *lb)
{
	double n = weight_of(a, la), m = weight_of(b, lb);

	if (isnan(n) || isnan(m)) {
		n = a->iops;
		m = b->iops;
	}
	return n > 0 && m > 0 ? (la->mean_ns * n + lb->mean_ns * m) / (n + m) : NAN;
}

static gint64 added(gint64 a, gint64 b)
{
	return a < 0 || b < 0 || a > G_MAXINT64 - b ? -1 : a + b;
}

static void latency_join(ImportLatency *ret, const ImportLatency *a, const ImportLatency *b)
{
	latency_init(ret);
	ret->n = added(a->n, b->n);
	/* fmin and fmax drop a NaN: a bound of one side alone is none of both. */
	ret->min_ns = isnan(a->min_ns) || isnan(b->min_ns) ? NAN : fmin(a->min_ns, b->min_ns);
	ret->max_ns = isnan(a->max_ns) || isnan(b->max_ns) ? NAN : fmax(a->max_ns, b->max_ns);
}

void import_row_total(const ImportRow *row, ImportStats *ret)
{
	const ImportStats *read = &row->stats[IMPORT_READ], *write = &row->stats[IMPORT_WRITE];

	stats_init(ret);
	if (row->stats[IMPORT_MIXED].measured)
		*ret = row->stats[IMPORT_MIXED];
	else if (!read->measured && !write->measured)
		*ret = row->stats[IMPORT_TRIM];
	else if (!read->measured || !write->measured)
		*ret = read->measured ? *read : *write;
	else {
		ret->measured = TRUE;
		ret->bytes = added(read->bytes, write->bytes);
		ret->ops = added(read->ops, write->ops);
		ret->ns = MAX(read->ns, write->ns);
		ret->bytes_per_s = read->bytes_per_s + write->bytes_per_s;
		ret->iops = read->iops + write->iops;
		latency_join(&ret->submit, &read->submit, &write->submit);
		ret->submit.mean_ns = import_mean_joined(read, &read->submit, write, &write->submit);
		latency_join(&ret->complete, &read->complete, &write->complete);
		ret->complete.mean_ns = import_mean_joined(read, &read->complete, write, &write->complete);
		latency_join(&ret->total, &read->total, &write->total);
		ret->total.mean_ns = import_mean_joined(read, &read->total, write, &write->total);
	}
}

static void row_free(gpointer row)
{
	import_row_free(row);
}

ImportResult *import_result_new(void)
{
	ImportResult *result = g_new0(ImportResult, 1);

	result->unix_ns = -1;
	result->rows = g_ptr_array_new_with_free_func(row_free);
	result->warnings = g_ptr_array_new_with_free_func(g_free);
	return result;
}

void import_result_free(ImportResult *result)
{
	if (!result)
		return;
	g_ptr_array_unref(result->rows);
	g_ptr_array_unref(result->warnings);
	g_free(result->producer);
	g_free(result);
}

void import_result_warn(ImportResult *result, const char *format, ...)
{
	va_list args;

	if (result->warnings->len >= IMPORT_MOST_WARNINGS) {
		result->more_warnings++;
		return;
	}
	va_start(args, format);
	g_ptr_array_add(result->warnings, clean(g_strdup_vprintf(format, args)));
	va_end(args);
}

gboolean import_result_add(ImportResult *result, const ImportInput *input, ImportRow *row, GError **error)
{
	if (result->rows->len >= IMPORT_MOST_ROWS) {
		import_fail(error, input, row->line, "more than %d rows; split the file", IMPORT_MOST_ROWS);
		import_row_free(row);
		return FALSE;
	}
	g_ptr_array_add(result->rows, row);
	return TRUE;
}
