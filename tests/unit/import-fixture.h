/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Expected values of imported rows as a table: FILE, row, path, value.
 *
 * Paths: DIRECTION.FIELD (read, write, trim, mixed, total; measured, bytes, ops, ns, bytes_per_s, iops),
 * DIRECTION.LATENCY.FIELD (submit, complete, whole; n, mean, min, max, pPERCENT), leg.COLUMN, run.COLUMN, more.KEY, name,
 * failure, warnings (their number), flags. A value of NULL stands for not measured; texts are compared as such, numbers to 1e-9.
 */
#ifndef IOGAP_TESTS_IMPORT_FIXTURE_H
#define IOGAP_TESTS_IMPORT_FIXTURE_H

#include <math.h>

#include "harness/import/load.h"

typedef struct {
	const char *file;
	guint row;
	const char *path, *value; /* value NULL = not measured */
} Expected;

static inline char *data_file(const char *name)
{
	const char *source = g_getenv("IOGAP_SRC");

	return g_build_filename(source ? source : ".", "tests/data/import", name, NULL);
}

static inline ImportLoaded *load_data(const char *name)
{
	g_autofree char *path = data_file(name);
	GError *error = NULL;
	ImportLoaded *loaded = import_load(path, &error);

	g_assert_no_error(error);
	return loaded;
}

static inline ImportResult *parse_bytes(const char *text, gssize size, GError **error)
{
	const ImportInput input = {.name = "x", .data = text, .size = size < 0 ? strlen(text) : (gsize)size};
	const ImportFormat *format;

	return import_parse(&input, NULL, &format, error);
}

static inline char *real_text(double value)
{
	char text[G_ASCII_DTOSTR_BUF_SIZE];

	return isfinite(value) ? g_strdup(g_ascii_formatd(text, sizeof(text), "%.17g", value)) : NULL;
}

static inline char *count_text(gint64 value)
{
	return value >= 0 ? g_strdup_printf("%" G_GINT64_FORMAT, value) : NULL;
}

static inline char *record_value(const Record *record, const char *name)
{
	if (!record_has(record, name))
		return NULL;
	if (record_type(record, name) == RECORD_TEXT)
		return g_strdup(record_get_text(record, name));
	return real_text(record_get_real(record, name, NAN));
}

static inline char *latency_value(const ImportLatency *latency, const char *field)
{
	double percent;

	if (g_str_equal(field, "n"))
		return count_text(latency->n);
	if (g_str_equal(field, "mean"))
		return real_text(latency->mean_ns);
	if (g_str_equal(field, "min"))
		return real_text(latency->min_ns);
	if (g_str_equal(field, "max"))
		return real_text(latency->max_ns);
	if (g_str_equal(field, "mdev"))
		return real_text(latency->stddev_ns);
	g_assert_true(*field == 'p' && import_number_real(field + 1, -1, '.', &percent));
	return real_text(import_latency_at(latency, percent));
}

static inline char *stats_value(const ImportStats *stats, const char *field)
{
	if (g_str_equal(field, "measured"))
		return g_strdup(stats->measured ? "1" : "0");
	if (g_str_equal(field, "bytes"))
		return count_text(stats->bytes);
	if (g_str_equal(field, "ops"))
		return count_text(stats->ops);
	if (g_str_equal(field, "ns"))
		return count_text(stats->ns);
	if (g_str_equal(field, "bytes_per_s"))
		return real_text(stats->bytes_per_s);
	if (g_str_equal(field, "iops"))
		return real_text(stats->iops);
	if (g_str_has_prefix(field, "submit."))
		return latency_value(&stats->submit, field + 7);
	if (g_str_has_prefix(field, "complete."))
		return latency_value(&stats->complete, field + 9);
	g_assert_true(g_str_has_prefix(field, "whole."));
	return latency_value(&stats->total, field + 6);
}

static inline char *direction_value(const ImportRow *row, const char *path)
{
	static const char *const names[] = {"read.", "write.", "trim.", "mixed."};
	ImportStats total;

	for (guint i = 0; i < G_N_ELEMENTS(names); i++)
		if (g_str_has_prefix(path, names[i]))
			return stats_value(&row->stats[i], path + strlen(names[i]));
	g_assert_true(g_str_has_prefix(path, "total."));
	import_row_total(row, &total);
	return stats_value(&total, path + 6);
}

static inline char *row_value(const ImportRow *row, const char *path)
{
	if (g_str_equal(path, "name"))
		return g_strdup(row->name);
	if (g_str_equal(path, "failure"))
		return g_strdup(row->failure);
	if (g_str_equal(path, "warnings"))
		return count_text(row->warnings->len);
	if (g_str_equal(path, "warning"))
		return row->warnings->len ? g_strdup(row->warnings->pdata[0]) : NULL;
	if (g_str_equal(path, "flag"))
		return row->flags->len ? g_strdup(((const ImportFlag *)row->flags->pdata[0])->flag) : NULL;
	if (g_str_has_prefix(path, "leg."))
		return record_value(row->leg, path + 4);
	if (g_str_has_prefix(path, "run."))
		return record_value(row->run, path + 4);
	if (g_str_has_prefix(path, "more."))
		return record_value(row->more, path + 5);
	return direction_value(row, path);
}

static inline gboolean same_value(const char *got, const char *expected)
{
	double a, b;

	if (!got || !expected)
		return got == expected;
	if (import_number_real(got, -1, '.', &a) && import_number_real(expected, -1, '.', &b))
		return fabs(a - b) <= 1e-9 * fabs(b);
	return g_str_equal(got, expected);
}

static inline void check_expected(const Expected *expected, guint count)
{
	g_autoptr(ImportResult) result = NULL;
	const char *file = NULL;

	for (guint i = 0; i < count; i++) {
		const Expected *e = &expected[i];
		g_autofree char *got = NULL;

		if (g_strcmp0(file, e->file) != 0) {
			g_autoptr(ImportLoaded) loaded = load_data(e->file);
			const ImportFormat *format;
			GError *error = NULL;

			g_clear_pointer(&result, import_result_free);
			result = import_parse(&loaded->input, NULL, &format, &error);
			g_assert_no_error(error);
			file = e->file;
		}
		if (e->row >= result->rows->len)
			g_error("%s has %u rows, not %u", file, result->rows->len, e->row + 1);
		got = row_value(result->rows->pdata[e->row], e->path);
		if (!same_value(got, e->value))
			g_error("%s, row %u, %s: got %s, expected %s", file, e->row, e->path, got ? got : "NULL",
				e->value ? e->value : "NULL");
	}
}

#endif
