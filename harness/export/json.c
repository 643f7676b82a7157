/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/export/json.h"

#include <math.h>

json_t *json_number(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

json_t *json_text(const char *text)
{
	g_autofree char *valid = text ? g_utf8_make_valid(text, -1) : NULL;

	return valid ? json_string(valid) : json_null();
}

json_t *json_column(const Record *row, const char *name)
{
	switch (record_type(row, name)) {
	case RECORD_INT:
		return json_integer(record_get_int(row, name, 0));
	case RECORD_REAL:
		return json_number(record_get_real(row, name, NAN));
	case RECORD_TEXT:
		return json_text(record_get_text(row, name));
	case RECORD_NULL:
		break;
	}
	return json_null();
}

json_t *json_columns(const Record *row, const char *const *names)
{
	json_t *object = json_object();

	for (guint i = 0; names[i]; i++)
		json_object_set_new(object, names[i], json_column(row, names[i]));
	return object;
}

json_t *json_when(const Record *row, const char *name)
{
	g_autoptr(GDateTime) when = NULL;
	g_autofree char *text = NULL;

	if (!record_has(row, name))
		return json_null();
	when = g_date_time_new_from_unix_utc(record_get_int(row, name, 0) / G_GINT64_CONSTANT(1000000000));
	if (!when)
		return json_null();
	/* Digits only: no name of a month or day that a locale could change. */
	text = g_strdup_printf("%04d-%02d-%02d %02d:%02d:%02d UTC", g_date_time_get_year(when),
		g_date_time_get_month(when), g_date_time_get_day_of_month(when), g_date_time_get_hour(when),
		g_date_time_get_minute(when), g_date_time_get_second(when));
	return json_string(text);
}
