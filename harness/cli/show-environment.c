/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/cli/show-environment.h"

#include <jansson.h>
#include <string.h>

#include "harness/cli/table.h"

/* Longer texts (flags of processors) go on below. */
#define WRAP 100

const char *show_weight(EnvironmentWeight weight)
{
	switch (weight) {
	case ENVIRONMENT_MUST:
		return "must be equal";
	case ENVIRONMENT_FINGERPRINT:
		return "fingerprint";
	case ENVIRONMENT_NOTE:
		return "noted";
	default:
		return "of the moment";
	}
}

/* "  name   value", the value broken at blanks, control characters made blanks. */
static void line(GString *text, const char *name, guint width, const char *value)
{
	g_autofree char *clean = g_strdup(value);
	char *at;

	for (at = clean; *at; at++)
		if ((guchar)*at < 0x20 || *at == 0x7f)
			*at = ' ';
	g_string_append_printf(text, "  %-*s ", (int)width, name);
	for (at = clean; strlen(at) > WRAP; ) {
		char *cut = at + WRAP;

		while (cut > at && *cut != ' ')
			cut--;
		if (cut == at)
			break;
		g_string_append_len(text, at, cut - at);
		g_string_append_printf(text, "\n  %-*s ", (int)width, "");
		at = cut + 1;
	}
	g_string_append(text, at);
	while (text->len && text->str[text->len - 1] == ' ')
		g_string_truncate(text, text->len - 1);
	g_string_append_c(text, '\n');
}

static gint by_name(gconstpointer a, gconstpointer b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Keys of ENVIRONMENT that EXCEPT has with the same value are left out. */
static void list(GString *text, const char *title, const Record *environment, const Record *except)
{
	g_autoptr(GPtrArray) names = g_ptr_array_new();
	guint width = 0;

	for (guint i = 0; i < record_size(environment); i++) {
		const char *name = record_name(environment, i);
		g_autofree char *here = environment_value(environment, name);
		g_autofree char *there = except ? environment_value(except, name) : NULL;

		if (!here || g_strcmp0(here, there) == 0)
			continue;
		g_ptr_array_add(names, (char *)name);
		width = MAX(width, strlen(name));
	}
	if (names->len == 0)
		return;
	g_ptr_array_sort(names, by_name);
	g_string_append_printf(text, "\n%s\n", title);
	for (guint i = 0; i < names->len; i++) {
		g_autofree char *value = environment_value(environment, names->pdata[i]);

		line(text, names->pdata[i], width, value);
	}
}

/* The first boot's whole, of the others what differs. */
static void add_guests(GString *text, const GPtrArray *boots)
{
	g_autoptr(Record) first = NULL;

	for (guint i = 0; i < boots->len; i++) {
		const Record *boot = boots->pdata[i];
		g_autoptr(Record) environment = environment_parse(record_get_text(boot, "environment_json"));
		g_autofree char *title = NULL;

		if (record_size(environment) == 0)
			continue;
		title = g_strdup_printf("Guest of boot %" G_GINT64_FORMAT "%s", record_get_int(boot, "id", 0),
			first ? ", where it differs from the first" : "");
		list(text, title, environment, first);
		if (!first)
			first = g_steal_pointer(&environment);
	}
}

/* An object of lists: each column with its reasons. */
static void add_absent(GString *text, const Record *sweep)
{
	const char *stored = record_get_text(sweep, "absent_json");
	json_t *absent = stored ? json_loads(stored, 0, NULL) : NULL;
	const char *column;
	json_t *reasons;

	if (json_object_size(absent) > 0)
		g_string_append(text, "\nNot measured, and why\n");
	json_object_foreach(absent, column, reasons)
		for (gsize i = 0; i < json_array_size(reasons); i++)
			line(text, i ? "" : column, 26, json_string_value(json_array_get(reasons, i)));
	json_decref(absent);
}

void show_environment(GString *text, const Show *show)
{
	/* The columns stand at the top of the page already. */
	g_autoptr(Record) environment = environment_parse(record_get_text(show->sweep, "environment_json"));

	list(text, "Environment", environment, NULL);
	add_guests(text, show->boots);
	add_absent(text, show->sweep);
}

char *show_environment_keys(void)
{
	static const char *const heads[] = {"<KEY", "<A DIFFERENCE", "<STORED", "<MEANING", NULL};
	static const char *const stored[] = {"always", "filtered", "--identify"};
	g_autoptr(Table) table = table_new(heads);

	for (const EnvironmentKey *key = environment_keys; key->name; key++) {
		table_cell(table, key->name);
		table_cell(table, show_weight(key->weight));
		table_cell(table, stored[key->privacy]);
		table_cell(table, key->meaning);
	}
	return table_text(table, "");
}
