/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/cli/compare-text.h"

#include "harness/cli/table.h"

#define TEXT(object, key) json_string_value(json_object_get(object, key))

/* Long values (flags of processors) would drown the others. */
#define VALUE_WIDTH 48

static char *sweep_name(const json_t *sweep)
{
	const char *label = TEXT(sweep, "name");
	g_autofree char *name = g_strdup_printf("sweep %" JSON_INTEGER_FORMAT "%s%s%s, %s, %s", json_integer_value(json_object_get(sweep, "id")),
		label ? " (" : "", label ? label : "", label ? ")" : "", TEXT(sweep, "profile"), TEXT(sweep, "started"));

	return table_clean(name);
}

static char *shorten(const char *value)
{
	if (!value)
		return g_strdup("not known");
	if (g_utf8_strlen(value, -1) <= VALUE_WIDTH)
		return g_strdup(value);
	return g_strdup_printf("%.*s...", (int)(g_utf8_offset_to_pointer(value, VALUE_WIDTH - 3) - value), value);
}

static void add_differences(GString *text, const json_t *with)
{
	static const char *const heads[] = {"<KEY", "<A", "<B", NULL};
	static const char *const titles[][2] = {
		{"must", "Must be equal, and are not"},
		{"fingerprint", "Measured under other conditions"},
		{"note", "Differ too"},
	};
	const json_t *list = json_object_get(with, "differences"), *d;
	gsize i;

	if (json_array_size(list) == 0)
		g_string_append(text, "\nThe environments do not differ.\n");
	for (guint k = 0; k < G_N_ELEMENTS(titles); k++) {
		g_autoptr(Table) table = table_new(heads);
		g_autofree char *drawn = NULL;
		guint n = 0;

		json_array_foreach(list, i, d) {
			g_autofree char *a = shorten(TEXT(d, "base"));
			g_autofree char *b = shorten(TEXT(d, "other"));

			if (!g_str_equal(TEXT(d, "weight"), titles[k][0]))
				continue;
			table_cell(table, TEXT(d, "key"));
			table_cell(table, a);
			table_cell(table, b);
			n++;
		}
		drawn = table_text(table, "  ");
		if (n)
			g_string_append_printf(text, "\n%s\n%s", titles[k][1], drawn);
	}
}

/* A rate in MB/s, or a ratio as it is; NULL = not known. */
static char *figure(const json_t *change, const char *key, double unit)
{
	const json_t *value = json_object_get(change, key);
	char number[G_ASCII_DTOSTR_BUF_SIZE];

	if (!json_is_number(value))
		return NULL;
	return g_strdup(g_ascii_formatd(number, sizeof(number), unit > 1 ? "%.2f" : "%.3f", json_number_value(value) / unit));
}

/* "0.950 [0.941, 0.959]" */
static char *change_text(const json_t *change)
{
	g_autofree char *mean = figure(change, "change", 1);
	g_autofree char *low = figure(change, "low", 1);
	g_autofree char *high = figure(change, "high", 1);

	if (!mean)
		return NULL;
	return low ? g_strdup_printf("%s [%s, %s]", mean, low, high) : g_strdup_printf("%s [no interval]", mean);
}

static char *flags_text(const json_t *cell)
{
	const json_t *flags = json_object_get(cell, "flags"), *flag;
	static const char *const sides[][2] = {{"base", "A"}, {"other", "B"}};
	g_autoptr(GString) text = g_string_new(NULL);
	gsize i;

	for (guint s = 0; s < 2; s++) {
		const json_t *names = json_object_get(flags, sides[s][0]);

		if (json_array_size(names))
			g_string_append_printf(text, "%s%s:", text->len ? " " : "", sides[s][1]);
		json_array_foreach(names, i, flag)
			g_string_append_printf(text, "%s%s", i ? "," : "", json_string_value(flag));
	}
	return g_strdup(text->str);
}

/* Why cells have no guest/host: each reason once. */
static void add_withheld(GString *text, const json_t *with)
{
	g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);
	const json_t *cell;
	gsize i;

	json_array_foreach(json_object_get(with, "cells"), i, cell) {
		const char *reason = TEXT(cell, "reason");

		if (reason && g_hash_table_add(seen, (char *)reason))
			g_string_append_printf(text, "\nguest/host %s\n", reason);
	}
}

static void add_cells(GString *text, const json_t *with)
{
	static const char *const heads[] = {"<LEG", ">A MB/s", ">B MB/s", "<B/A", "<HOST B/A", "<GUEST/HOST B/A", "<FLAGS", NULL};
	const json_t *cells = json_object_get(with, "cells"), *cell;
	g_autoptr(Table) table = table_new(heads);
	g_autofree char *drawn = NULL;
	gsize i;

	if (json_array_size(cells) == 0)
		return;
	json_array_foreach(cells, i, cell) {
		const json_t *rates = json_object_get(cell, "rates");
		g_autofree char *a = figure(rates, "base", 1e6);
		g_autofree char *b = figure(rates, "other", 1e6);
		g_autofree char *change = change_text(rates);
		g_autofree char *host = change_text(json_object_get(cell, "host"));
		g_autofree char *ratio = change_text(json_object_get(cell, "ratio"));
		g_autofree char *flags = flags_text(cell);
		g_autofree char *leg = g_strdup_printf("%s, %s", TEXT(cell, "label"), TEXT(cell, "target"));

		table_cell(table, leg);
		table_cell(table, a);
		table_cell(table, b);
		table_cell(table, change);
		table_cell(table, host);
		table_cell(table, ratio);
		table_cell(table, flags);
	}
	drawn = table_text(table, "  ");
	g_string_append_printf(text,
		"\nB against A: rates are geometric means over blocks; [low, high] is the two-sided 95 %% interval (Welch) from the\n"
		"blocks of either sweep, which needs two of each; it knows nothing of what differs from one day to another\n%s",
		drawn);
	add_withheld(text, with);
}

static void add_only(GString *text, const json_t *with, const char *key, const char *title)
{
	const json_t *list = json_object_get(with, key), *label;
	gsize i;

	if (json_array_size(list) == 0)
		return;
	g_string_append_printf(text, "\n%s\n", title);
	json_array_foreach(list, i, label) {
		g_autofree char *clean = table_clean(json_string_value(label));

		g_string_append_printf(text, "  %s\n", clean);
	}
}

static void add_with(GString *text, const json_t *base, const json_t *with)
{
	g_autofree char *a = sweep_name(base);
	g_autofree char *b = sweep_name(json_object_get(with, "sweep"));

	g_string_append_printf(text, "%sA: %s\nB: %s\n", text->len ? "\n" : "", a, b);
	if (json_is_true(json_object_get(with, "forced")))
		g_string_append(text, "FORCED: these sweeps are unlike (below); the figures do not say what made the difference\n");
	else if (json_is_null(json_object_get(with, "cells")))
		g_string_append(text, "NOT COMPARABLE: these sweeps are unlike (below); no figures without --force\n");
	add_differences(text, with);
	add_cells(text, with);
	add_only(text, with, "only_base", "Only in A");
	add_only(text, with, "only_other", "Only in B");
}

char *compare_text(const json_t *comparison)
{
	const json_t *list = json_object_get(comparison, "with"), *with;
	GString *text = g_string_new(NULL);
	gsize i;

	json_array_foreach(list, i, with)
		add_with(text, json_object_get(comparison, "base"), with);
	return g_string_free(text, FALSE);
}
