/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/export/imported.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

/* The whole of it, NULL for runs that were measured here: they have no such part, and are not parsed. */
static json_t *detail_of(const ReportRun *run)
{
	const char *text = record_get_text(run->row, "effective_json");

	return text && strstr(text, "\"import\"") ? json_loads(text, 0, NULL) : NULL;
}

double imported_figure(const ReportRun *run, const char *key)
{
	json_t *detail = detail_of(run);
	const json_t *more = json_object_get(json_object_get(detail, "import"), "more");
	const json_t *value = json_object_get(more, key);
	double figure = json_is_number(value) ? json_number_value(value) : NAN;

	json_decref(detail);
	return figure;
}

char *imported_name(const ReportLeg *leg)
{
	char *name = NULL;

	for (guint i = 0; i < leg->runs->len && !name; i++) {
		json_t *detail = detail_of(leg->runs->pdata[i]);

		name = g_strdup(json_string_value(json_object_get(json_object_get(detail, "import"), "name")));
		json_decref(detail);
	}
	return name;
}
