/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/run/absent.h"

#include <jansson.h>
#include <stdlib.h>

struct Absent {
	json_t *columns;
	gboolean changed;
};

Absent *absent_new(const char *json)
{
	Absent *absent = g_new0(Absent, 1);

	absent->columns = json ? json_loads(json, JSON_REJECT_DUPLICATES, NULL) : NULL;
	if (!json_is_object(absent->columns)) {
		json_decref(absent->columns);
		absent->columns = json_object();
	}
	return absent;
}

void absent_free(Absent *absent)
{
	if (!absent)
		return;
	json_decref(absent->columns);
	g_free(absent);
}

static gboolean is_in(const json_t *reasons, const char *reason)
{
	for (gsize i = 0; i < json_array_size(reasons); i++)
		if (g_strcmp0(json_string_value(json_array_get(reasons, i)), reason) == 0)
			return TRUE;
	return FALSE;
}

void absent_note(Absent *absent, const char *column, const char *reason)
{
	json_t *reasons = json_object_get(absent->columns, column);

	if (!json_is_array(reasons)) {
		reasons = json_array();
		json_object_set_new(absent->columns, column, reasons);
	}
	if (is_in(reasons, reason))
		return;
	json_array_append_new(reasons, json_string(reason));
	absent->changed = TRUE;
}

char *absent_json(Absent *absent)
{
	char *text, *copy;

	if (!absent->changed)
		return NULL;
	absent->changed = FALSE;
	text = json_dumps(absent->columns, JSON_COMPACT | JSON_SORT_KEYS);
	copy = g_strdup(text);
	free(text);
	return copy;
}
