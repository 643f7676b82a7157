/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/cli/stored.h"

#include <errno.h>
#include <stdio.h>

#include "harness/base/error.h"
#include "harness/base/paths.h"
#include "harness/export/json.h"

#define NS_PER_S G_GINT64_CONSTANT(1000000000)

Store *stored_open(const char *file, GError **error)
{
	g_autofree char *path = file ? g_strdup(file) : paths_store();

	return store_open(path, STORE_READ, error);
}

gboolean stored_format(const char *format, gboolean *ret_json, GError **error)
{
	if (format && !g_str_equal(format, "text") && !g_str_equal(format, "json")) {
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_USAGE, "there is no format \"%s\"; use text or json",
			format);
		return FALSE;
	}
	*ret_json = format && g_str_equal(format, "json");
	return TRUE;
}

char *stored_time(const Record *row, const char *column)
{
	g_autoptr(GDateTime) time = NULL;

	if (!record_has(row, column))
		return NULL;
	time = g_date_time_new_from_unix_utc(record_get_int(row, column, 0) / NS_PER_S);
	/* Digits only: no name that a locale could change. */
	return time ? g_date_time_format(time, "%Y-%m-%d %H:%M:%S") : NULL;
}

char *stored_duration(const Record *row, const char *column)
{
	gint64 ns = record_get_int(row, column, -1);

	if (ns < 0)
		return NULL;
	if (ns < NS_PER_S)
		return g_strdup_printf("%.3gms", ns / 1e6);
	if (ns < 60 * NS_PER_S)
		return g_strdup_printf("%.3gs", ns / 1e9);
	return g_strdup_printf("%" G_GINT64_FORMAT "m%02ds", ns / (60 * NS_PER_S), (int)(ns / NS_PER_S % 60));
}

json_t *stored_json(const Record *row)
{
	json_t *object = json_object();

	for (guint i = 0; i < record_size(row); i++) {
		const char *name = record_name(row, i);
		const char *text = record_get_text(row, name);
		json_t *parsed = text && g_str_has_suffix(name, "_json") ? json_loads(text, JSON_DECODE_ANY, NULL) : NULL;

		json_object_set_new(object, name, parsed ? parsed : json_column(row, name));
	}
	return object;
}

json_t *stored_json_rows(const GPtrArray *rows)
{
	json_t *array = json_array();

	for (guint i = 0; i < rows->len; i++)
		json_array_append_new(array, stored_json(rows->pdata[i]));
	return array;
}

gboolean stored_print(const char *text, GError **error)
{
	if (fputs(text, stdout) != EOF && fflush(stdout) == 0)
		return TRUE;
	g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED, "cannot print the result: %s", g_strerror(errno));
	return FALSE;
}

gboolean stored_print_json(json_t *value, GError **error)
{
	char *text = json_dumps(value, JSON_INDENT(2));
	gboolean fine = text && stored_print(text, error) && stored_print("\n", error);

	if (!text)
		g_set_error_literal(error, IOGAP_ERROR, IOGAP_ERROR_FAILED, "cannot make JSON of the result");
	free(text);
	json_decref(value);
	return fine;
}
