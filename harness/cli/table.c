/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/cli/table.h"

#include <string.h>

struct Table {
	guint columns;
	char *sides;	  /* '<' or '>' for each column */
	GPtrArray *cells; /* of char *, the heads first */
};

Table *table_new(const char *const *heads)
{
	Table *table = g_new0(Table, 1);

	table->columns = g_strv_length((char **)heads);
	table->sides = g_new0(char, table->columns + 1);
	table->cells = g_ptr_array_new_with_free_func(g_free);
	for (guint i = 0; i < table->columns; i++) {
		table->sides[i] = heads[i][0];
		table_cell(table, heads[i] + 1);
	}
	return table;
}

void table_free(Table *table)
{
	if (!table)
		return;
	g_free(table->sides);
	g_ptr_array_unref(table->cells);
	g_free(table);
}

char *table_clean(const char *text)
{
	g_autofree char *valid = g_utf8_make_valid(text, -1);
	GString *clean = g_string_sized_new(strlen(valid));

	for (const char *p = valid; *p; p = g_utf8_next_char(p)) {
		gunichar c = g_utf8_get_char(p);

		g_string_append_unichar(clean, g_unichar_isprint(c) ? c : ' ');
	}
	return g_string_free(clean, FALSE);
}

void table_cell(Table *table, const char *text)
{
	g_ptr_array_add(table->cells, table_clean(text && *text ? text : "-"));
}

void table_cell_int(Table *table, gint64 number)
{
	g_autofree char *text = g_strdup_printf("%" G_GINT64_FORMAT, number);

	table_cell(table, text);
}

static glong width_of(const Table *table, guint column)
{
	glong width = 0;

	for (guint i = column; i < table->cells->len; i += table->columns)
		width = MAX(width, g_utf8_strlen(table->cells->pdata[i], -1));
	return width;
}

static void pad(GString *text, glong count)
{
	for (glong i = 0; i < count; i++)
		g_string_append_c(text, ' ');
}

char *table_text(const Table *table, const char *indent)
{
	GString *text = g_string_new(NULL);
	g_autofree glong *widths = g_new0(glong, table->columns);

	for (guint i = 0; i < table->columns; i++)
		widths[i] = width_of(table, i);
	for (guint i = 0; i < table->cells->len; i++) {
		guint column = i % table->columns;
		glong room = widths[column] - g_utf8_strlen(table->cells->pdata[i], -1);

		if (column == 0)
			g_string_append(text, indent);
		else
			g_string_append(text, "  ");
		if (table->sides[column] == '>')
			pad(text, room);
		g_string_append(text, table->cells->pdata[i]);
		if (column + 1 == table->columns)
			g_string_append_c(text, '\n');
		else if (table->sides[column] != '>')
			pad(text, room);
	}
	return g_string_free(text, FALSE);
}
