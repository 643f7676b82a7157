/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/base/environment.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* ---- values ---------------------------------------------------------------------------------- */

static json_t *json_of(const Record *record, const char *name)
{
	switch (record_type(record, name)) {
	case RECORD_INT:
		return json_integer(record_get_int(record, name, 0));
	case RECORD_REAL:
		return json_real(record_get_real(record, name, 0));
	case RECORD_TEXT: {
		/* Firmware and kernels write what they like: what is no UTF-8 shows as such. */
		g_autofree char *text = g_utf8_make_valid(record_get_text(record, name), -1);

		return json_string(text);
	}
	default:
		return NULL;
	}
}

static void set_json(Record *record, const char *name, const json_t *value)
{
	if (json_is_string(value))
		record_set_text(record, name, json_string_value(value));
	else if (json_is_integer(value))
		record_set_int(record, name, json_integer_value(value));
	else if (json_is_real(value))
		record_set_real(record, name, json_real_value(value));
	else if (json_is_boolean(value))
		record_set_int(record, name, json_is_true(value));
}

/* NAME of SOURCE as COLUMN of TARGET. */
static void copy(const Record *source, const char *name, Record *target, const char *column)
{
	json_t *value = json_of(source, name);

	if (value)
		set_json(target, column, value);
	else
		record_set_null(target, column);
	json_decref(value);
}

char *environment_value(const Record *environment, const char *name)
{
	char number[G_ASCII_DTOSTR_BUF_SIZE];

	switch (record_type(environment, name)) {
	case RECORD_INT:
		return g_strdup_printf("%" G_GINT64_FORMAT, record_get_int(environment, name, 0));
	case RECORD_REAL:
		return g_strdup(g_ascii_dtostr(number, sizeof(number), record_get_real(environment, name, 0)));
	case RECORD_TEXT:
		return g_strdup(record_get_text(environment, name));
	default:
		return NULL;
	}
}

/* ---- to and from the store ------------------------------------------------------------------- */

/* What may be stored of ENVIRONMENT. */
static Record *cleared(const Record *environment, gboolean identify)
{
	Record *out = record_new();
	g_auto(EnvironmentNames) names = {NULL, NULL};

	environment_names(&names);
	for (guint i = 0; i < record_size(environment); i++) {
		const char *name = record_name(environment, i);
		const EnvironmentKey *key = environment_key(name);

		if (!key)
			g_error("environment key %s has no row in environment-keys.c", name);
		if (!record_has(environment, name) || (key->privacy == ENVIRONMENT_IDENTITY && !identify))
			continue;
		copy(environment, name, out, name);
		if (key->privacy == ENVIRONMENT_TEXT && !identify && record_get_text(out, name)) {
			g_autofree char *text = environment_filter(&names, record_get_text(out, name));

			record_set_text(out, name, text);
		}
	}
	return out;
}

static char *dump(const Record *record, gboolean with_columns)
{
	json_t *object = json_object();
	char *text, *copied;

	for (guint i = 0; i < record_size(record); i++) {
		const char *name = record_name(record, i);

		if (with_columns || !environment_key(name)->column)
			json_object_set_new(object, name, json_of(record, name));
	}
	text = json_dumps(object, JSON_COMPACT | JSON_SORT_KEYS);
	copied = g_strdup(text);
	free(text);
	json_decref(object);
	return copied;
}

char *environment_json(const Record *environment, gboolean identify)
{
	g_autoptr(Record) record = cleared(environment, identify);

	return dump(record, TRUE);
}

void environment_store(const Record *environment, gboolean identify, Record *sweep)
{
	g_autoptr(Record) record = cleared(environment, identify);
	g_autoptr(Record) whole = NULL;
	g_autofree char *json = dump(record, FALSE);
	g_autofree char *fingerprint = NULL;

	for (const EnvironmentKey *key = environment_keys; key->name; key++)
		if (key->column && record_has(record, key->name))
			copy(record, key->name, sweep, key->column);
	record_set_text(sweep, "environment_json", json);
	whole = environment_of_sweep(sweep);
	fingerprint = environment_fingerprint(whole);
	record_set_text(sweep, "fingerprint", fingerprint);
}

Record *environment_parse(const char *json)
{
	Record *record = record_new();
	json_t *object = json ? json_loads(json, JSON_REJECT_DUPLICATES, NULL) : NULL;
	const char *name;
	json_t *value;

	json_object_foreach(object, name, value)
		set_json(record, name, value);
	json_decref(object);
	return record;
}

Record *environment_of_sweep(const Record *sweep)
{
	Record *record = environment_parse(record_get_text(sweep, "environment_json"));

	for (const EnvironmentKey *key = environment_keys; key->name; key++)
		if (key->column && record_has(sweep, key->column))
			copy(sweep, key->column, record, key->name);
	return record;
}

/* ---- fingerprint and differences ------------------------------------------------------------- */

/* A key of a newer program is worth a note. */
static EnvironmentWeight weight_of(const char *name)
{
	const EnvironmentKey *key = environment_key(name);

	return key ? key->weight : ENVIRONMENT_NOTE;
}

static gint by_text(gconstpointer a, gconstpointer b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static GPtrArray *sorted_names(const Record *a, const Record *b)
{
	GPtrArray *names = g_ptr_array_new();

	for (guint i = 0; i < record_size(a); i++)
		if (record_has(a, record_name(a, i)))
			g_ptr_array_add(names, (char *)record_name(a, i));
	for (guint i = 0; b && i < record_size(b); i++)
		if (record_has(b, record_name(b, i)) && !record_has(a, record_name(b, i)))
			g_ptr_array_add(names, (char *)record_name(b, i));
	g_ptr_array_sort(names, by_text);
	return names;
}

char *environment_fingerprint(const Record *environment)
{
	g_autoptr(GPtrArray) names = sorted_names(environment, NULL);
	g_autoptr(GString) text = g_string_new(NULL);

	for (guint i = 0; i < names->len; i++) {
		g_autofree char *value = environment_value(environment, names->pdata[i]);
		EnvironmentWeight weight = weight_of(names->pdata[i]);

		if (weight == ENVIRONMENT_MUST || weight == ENVIRONMENT_FINGERPRINT)
			g_string_append_printf(text, "%s=%s\n", (char *)names->pdata[i], value);
	}
	return g_compute_checksum_for_string(G_CHECKSUM_SHA256, text->str, -1);
}

void environment_difference_free(EnvironmentDifference *difference)
{
	if (!difference)
		return;
	g_free(difference->name);
	g_free(difference->a);
	g_free(difference->b);
	g_free(difference);
}

static gint by_weight(gconstpointer a, gconstpointer b)
{
	const EnvironmentDifference *x = *(EnvironmentDifference *const *)a, *y = *(EnvironmentDifference *const *)b;

	return x->weight != y->weight ? (int)x->weight - (int)y->weight : strcmp(x->name, y->name);
}

GPtrArray *environment_compare(const Record *a, const Record *b)
{
	g_autoptr(GPtrArray) names = sorted_names(a, b);
	GPtrArray *out = g_ptr_array_new_with_free_func((GDestroyNotify)environment_difference_free);

	for (guint i = 0; i < names->len; i++) {
		const char *name = names->pdata[i];
		g_autofree char *x = environment_value(a, name);
		g_autofree char *y = environment_value(b, name);
		EnvironmentDifference *difference;

		if (weight_of(name) == ENVIRONMENT_MOMENT || g_strcmp0(x, y) == 0)
			continue;
		difference = g_new0(EnvironmentDifference, 1);
		difference->name = g_strdup(name);
		difference->a = g_steal_pointer(&x);
		difference->b = g_steal_pointer(&y);
		difference->weight = weight_of(name);
		g_ptr_array_add(out, difference);
	}
	g_ptr_array_sort(out, by_weight);
	return out;
}
