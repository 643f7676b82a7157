/* SPDX-License-Identifier: GPL-2.0-or-later */
/* CSV with a line of column names: the data of the mailing-list threads that ship as examples, and tables like them. */
#include <math.h>

#include "harness/import/formats.h"
#include "harness/import/table.h"

#define MOST_COLUMNS 100

/* Cells of a line as RFC 4180 has them, except that no cell spans lines; FALSE when a quote is not closed. */
static gboolean split(const ImportLine *line, GPtrArray *cells)
{
	const char *at = line->text, *end = at + line->length;

	for (;;) {
		GString *cell = g_string_new(NULL);
		gboolean quoted = at < end && *at == '"', closed = !quoted;

		for (at += quoted; at < end && (!closed || *at != ','); at++) {
			if (quoted && !closed && *at == '"') {
				if (at + 1 < end && at[1] == '"')
					at++;
				else {
					closed = TRUE;
					continue;
				}
			}
			if (*at)
				g_string_append_c(cell, *at);
		}
		g_ptr_array_add(cells, g_utf8_make_valid(cell->str, (gssize)cell->len));
		g_string_free(cell, TRUE);
		if (!closed)
			return FALSE;
		if (at >= end || cells->len > MOST_COLUMNS)
			return TRUE;
		at++;
	}
}

typedef struct {
	const ImportInput *input;
	GPtrArray *names; /* of the columns */
	gboolean bonnie;
} Table;

/* "output_block_KBps" has its CPU share in "output_block_cpu". */
static char *cpu_column(const char *rate)
{
	const char *unit = strrchr(rate, '_');

	if (g_str_equal(rate, "seeks_per_s"))
		return g_strdup("seeks_cpu");
	return g_strdup_printf("%.*s_cpu", (int)(unit - rate), rate);
}

static gboolean is_cpu_of_bonnie(const Table *table, const char *name)
{
	for (guint i = 0; i < table->names->len; i++) {
		g_autofree char *cpu = NULL;

		if (!table_is_bonnie(table->names->pdata[i]))
			continue;
		cpu = cpu_column(table->names->pdata[i]);
		if (g_str_equal(cpu, name))
			return TRUE;
	}
	return FALSE;
}

static gboolean is_known(const Table *table, const char *name)
{
	return table_knows(name, NULL) || table_is_bonnie(name) || is_cpu_of_bonnie(table, name);
}

static gboolean read_names(Table *table, const ImportLine *line, GError **error)
{
	if (!split(line, table->names))
		return import_fail(error, table->input, line->number, "a quote is not closed");
	for (guint i = 0; i < table->names->len; i++) {
		if (!is_known(table, table->names->pdata[i]))
			return import_fail(error, table->input, line->number, "column \"%s\" is not known",
				(const char *)table->names->pdata[i]);
		for (guint k = 0; k < i; k++)
			if (g_str_equal(table->names->pdata[i], table->names->pdata[k]))
				return import_fail(error, table->input, line->number, "column \"%s\" stands twice",
					(const char *)table->names->pdata[i]);
		table->bonnie |= table_is_bonnie(table->names->pdata[i]);
	}
	return TRUE;
}

static double cell_of(const Table *table, const GPtrArray *cells, const char *name)
{
	double value = NAN;

	for (guint i = 0; i < table->names->len; i++)
		if (g_str_equal(table->names->pdata[i], name))
			import_number_real(cells->pdata[i], -1, '.', &value);
	return value;
}

static gboolean add_tests(const Table *table, const GPtrArray *cells, const ImportRow *shared, ImportResult *result,
	GError **error)
{
	for (guint i = 0; i < table->names->len; i++) {
		const char *name = table->names->pdata[i];
		g_autofree char *cpu = NULL;
		double value;

		if (!table_is_bonnie(name) || !*(const char *)cells->pdata[i])
			continue;
		/* That test gives no row, as when its cell is empty. */
		if (import_number_is_nonfinite(cells->pdata[i], -1)) {
			import_result_warn(result, "line %u: %s is not a number: %s", shared->line, name,
				(const char *)cells->pdata[i]);
			continue;
		}
		if (!import_number_real(cells->pdata[i], -1, '.', &value))
			return import_fail(error, table->input, shared->line, "column %s: \"%s\" is not a number", name,
				(const char *)cells->pdata[i]);
		cpu = cpu_column(name);
		if (!import_result_add(result, table->input,
			    table_bonnie_row(shared, name, value, cell_of(table, cells, cpu)), error))
			return FALSE;
	}
	return TRUE;
}

static gboolean fill(const Table *table, const GPtrArray *cells, ImportRow *row, GError **error)
{
	for (guint i = 0; i < cells->len; i++) {
		const char *words, *name = table->names->pdata[i];

		if (table_set(row, name, cells->pdata[i]) != TABLE_BAD)
			continue;
		table_knows(name, &words);
		return import_fail(error, table->input, row->line, "column %s: \"%s\" is not %s", name,
			(const char *)cells->pdata[i], words);
	}
	return TRUE;
}

static gboolean read_line(const Table *table, const ImportLine *line, ImportResult *result, GError **error)
{
	g_autoptr(GPtrArray) cells = g_ptr_array_new_with_free_func(g_free);
	g_autoptr(ImportRow) row = import_row_new(NULL, line->number);

	if (!split(line, cells))
		return import_fail(error, table->input, line->number, "a quote is not closed");
	if (cells->len != table->names->len)
		return import_fail(error, table->input, line->number, "%u cells, but the first line names %u columns",
			cells->len, table->names->len);
	if (!fill(table, cells, row, error))
		return FALSE;
	result->documents++;
	if (table->bonnie)
		return add_tests(table, cells, row, result, error);
	table_finish(row);
	return import_result_add(result, table->input, g_steal_pointer(&row), error);
}

static gboolean parse(const ImportInput *input, ImportResult *result, GError **error)
{
	g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
	Table table = {.input = input, .names = names};
	ImportLine line = {0};

	if (!import_line_next(input, &line))
		return import_fail(error, input, 0, "it has no line of column names");
	if (!read_names(&table, &line, error))
		return FALSE;
	while (import_line_next(input, &line))
		if (line.length > 0 && !read_line(&table, &line, result, error))
			return FALSE;
	return TRUE;
}

static int recognise(const ImportInput *input)
{
	g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
	const Table table = {.input = input, .names = names};
	ImportLine line = {0};
	guint known = 0;

	if (!import_line_next(input, &line) || line.length > 10000 || !split(&line, names) || names->len < 2)
		return 0;
	for (guint i = 0; i < names->len; i++)
		known += is_known(&table, names->pdata[i]);
	/* Half of them: a wrong name is then told instead of "not recognised". */
	return known * 2 > names->len ? 60 : 0;
}

const ImportFormat import_table_csv = {
	.name = "table-csv",
	.summary = "CSV whose first line names columns such as side, rw, block_size, bandwidth_MBps",
	.recognise = recognise,
	.parse = parse,
};
