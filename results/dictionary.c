/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The data dictionary, and docs/data-dictionary.md that is made from it. */
#include "results/store-private.h"

static const char intro[] =
	"# Data dictionary\n"
	"\n"
	"What a store holds, version %d of its schema. This page is made from the table `metric` of the store\n"
	"(`iogap show --dictionary`), a test compares the two: change `results/schema/`, not this page.\n"
	"\n"
	"A store is one SQLite file that any program may read, also while a sweep is writing to it. NULL = not measured,\n"
	"not set or does not apply; it never stands for 0. Times in ns since 1970 are those of the host. *better* says\n"
	"which way is better; *combine* how several runs of one leg become one figure: `sum`, `mean` over the runs,\n"
	"`merge` from the merged histograms (percentiles are never averaged). A `sweep` has legs, refusals and boots; a `run`\n"
	"is one measurement of a `leg`, in a `boot` if the leg is a guest's, and has histograms, flags and a series.\n";

GPtrArray *store_dictionary(Store *store, GError **error)
{
	return store_query(store,
		"SELECT table_name AS \"table\", column_name AS \"column\", type, unit, direction, combine, meaning"
		" FROM metric ORDER BY rowid",
		NULL, 0, error);
}

char *store_dictionary_markdown(GError **error)
{
	g_autoptr(Store) store = store_open(":memory:", STORE_WRITE, error);
	g_autoptr(GPtrArray) rows = store ? store_dictionary(store, error) : NULL;
	const char *table = "";
	GString *text;

	if (!rows)
		return NULL;
	text = g_string_new(NULL);
	g_string_append_printf(text, intro, store->version);
	for (guint i = 0; i < rows->len; i++) {
		const Record *row = rows->pdata[i];
		const char *unit = record_get_text(row, "unit");

		if (!g_str_equal(table, record_get_text(row, "table"))) {
			table = record_get_text(row, "table");
			g_string_append_printf(text,
				"\n## %s\n"
				"| column | type | unit | better | combine | meaning |\n"
				"| --- | --- | --- | --- | --- | --- |\n",
				table);
		}
		g_string_append_printf(text, "| %s | %s | %s | %s | %s | %s |\n", record_get_text(row, "column"),
			record_get_text(row, "type"), unit ? unit : "", record_get_text(row, "direction"),
			record_get_text(row, "combine"), record_get_text(row, "meaning"));
	}
	return g_string_free(text, FALSE);
}
