/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A history as comma-separated values (RFC 4180, lines ended by a line feed): one row per cell and sweep. */
#include <string.h>

#include "harness/export/gate-render.h"
#include "harness/export/history-private.h"

static void append_field(GString *out, const char *text, gboolean last)
{
	g_autofree char *line = gate_one_line(text);

	if (strpbrk(line, ",\"\n")) {
		g_auto(GStrv) parts = g_strsplit(line, "\"", -1);
		g_autofree char *doubled = g_strjoinv("\"\"", parts);

		g_string_append_printf(out, "\"%s\"", doubled);
	} else {
		g_string_append(out, line);
	}
	g_string_append_c(out, last ? '\n' : ',');
}

static void append_json(GString *out, const json_t *value, gboolean last)
{
	char number[G_ASCII_DTOSTR_BUF_SIZE] = "";

	if (json_is_string(value)) {
		append_field(out, json_string_value(value), last);
		return;
	}
	if (json_is_boolean(value))
		g_strlcpy(number, json_is_true(value) ? "1" : "0", sizeof(number));
	else if (json_is_integer(value))
		g_snprintf(number, sizeof(number), "%" JSON_INTEGER_FORMAT, json_integer_value(value));
	else if (json_is_real(value))
		g_ascii_formatd(number, sizeof(number), "%.15g", json_real_value(value));
	append_field(out, number, last);
}

static const json_t *change_at(const json_t *cell, gsize sweep)
{
	const json_t *change;
	gsize i;

	json_array_foreach(json_object_get(cell, "changes"), i, change)
		if ((gsize)json_integer_value(json_object_get(change, "sweep")) == sweep)
			return change;
	return NULL;
}

char *history_csv(const json_t *history)
{
	static const char *const of_sweep[] = {"id", "uuid", "label", "profile", "commit_id", "branch", "started", "environment"};
	static const char *const of_point[] = {"value", "runs", "left_out"};
	static const char *const of_change[] = {"step", "low", "high", "p", "better"};
	GString *out = g_string_new("cell,metric,unit,sweep,uuid,label,profile,commit,branch,started,environment,value,runs,left_out,"
				    "step,step_low,step_high,p,better\n");
	const json_t *cell, *point, *metric = json_object_get(history, "metric");
	gsize i, k;

	json_array_foreach(json_object_get(history, "cells"), i, cell) {
		json_array_foreach(json_object_get(cell, "points"), k, point) {
			const json_t *sweep = json_array_get(json_object_get(history, "sweeps"), k), *change = change_at(cell, k);

			if (json_is_null(point))
				continue;
			append_field(out, gate_text(cell, "name"), FALSE);
			append_field(out, gate_text(metric, "name"), FALSE);
			append_field(out, gate_text(metric, "unit"), FALSE);
			for (guint c = 0; c < G_N_ELEMENTS(of_sweep); c++)
				append_json(out, json_object_get(sweep, of_sweep[c]), FALSE);
			for (guint c = 0; c < G_N_ELEMENTS(of_point); c++)
				append_json(out, json_object_get(point, of_point[c]), FALSE);
			for (guint c = 0; c < G_N_ELEMENTS(of_change); c++)
				append_json(out, json_object_get(change, of_change[c]), c + 1 == G_N_ELEMENTS(of_change));
		}
	}
	return g_string_free(out, FALSE);
}
