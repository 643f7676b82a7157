/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which tables hold a sweep, and how they hang together: asked from SQLite, so that it is never wrong. */
#include "results/store-rows.h"

#include "harness/base/error.h"

static void column_free(void *data)
{
	StoreRowColumn *column = data;

	g_free(column->name);
	g_free(column->fallback);
	g_free(column->parent);
	g_free(column);
}

static void table_free(void *data)
{
	StoreRowTable *table = data;

	g_free(table->name);
	g_ptr_array_unref(table->columns);
	g_hash_table_unref(table->by_name);
	g_free(table->where);
	g_free(table->select);
	g_free(table->insert);
	g_free(table);
}

const StoreRowTable *store_row_table(const GPtrArray *tables, const char *name)
{
	for (guint i = 0; i < tables->len; i++) {
		const StoreRowTable *table = tables->pdata[i];

		if (g_str_equal(table->name, name))
			return table;
	}
	return NULL;
}

static gboolean type_of(const char *name, StoreColumnType *ret)
{
	static const char *const names[] = {
		[STORE_COLUMN_INT] = "INTEGER",
		[STORE_COLUMN_REAL] = "REAL",
		[STORE_COLUMN_TEXT] = "TEXT",
		[STORE_COLUMN_BLOB] = "BLOB",
	};

	for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
		if (!g_str_equal(names[i], name))
			continue;
		*ret = i;
		return TRUE;
	}
	return FALSE;
}

/* Adds one row of pragma_table_info. */
static gboolean add_column(Store *store, StoreRowTable *table, const Record *info, GError **error)
{
	StoreRowColumn *column = g_new0(StoreRowColumn, 1);

	column->name = g_strdup(record_get_text(info, "name"));
	column->fallback = g_strdup(record_get_text(info, "dflt_value"));
	g_hash_table_insert(table->by_name, column->name, GUINT_TO_POINTER(table->columns->len));
	g_ptr_array_add(table->columns, column);
	if (type_of(record_get_text(info, "type"), &column->type))
		return TRUE;
	g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED, "the store %s has a column of an unknown type: %s.%s",
		store->path, table->name, column->name);
	return FALSE;
}

/* Composite keys repeat the sweep's id beside the parent's, which refers to the sweep by a key of its own. */
static gboolean add_references(Store *store, StoreRowTable *table, GError **error)
{
	const StoreValue name = {.text = table->name};
	g_autoptr(GPtrArray) rows = store_query(store,
		"SELECT \"table\", \"from\" FROM pragma_foreign_key_list(?) WHERE coalesce(\"to\", 'id') = 'id'", &name, 1,
		error);

	if (!rows)
		return FALSE;
	for (guint i = 0; i < rows->len; i++) {
		const char *from = record_get_text(rows->pdata[i], "from");
		guint index = GPOINTER_TO_UINT(g_hash_table_lookup(table->by_name, from));
		StoreRowColumn *column = table->columns->pdata[index];

		g_free(column->parent);
		column->parent = g_strdup(record_get_text(rows->pdata[i], "table"));
	}
	return TRUE;
}

/* The condition that picks the rows of one sweep, by the sweep's own column if there is one; NULL = not a sweep's table. */
static char *where_of(const GPtrArray *tables, const StoreRowTable *table)
{
	char *where = NULL;

	if (g_str_equal(table->name, "sweep"))
		return g_strdup("id = ?1");
	for (guint i = 0; i < table->columns->len; i++) {
		const StoreRowColumn *column = table->columns->pdata[i];
		const StoreRowTable *parent = column->parent ? store_row_table(tables, column->parent) : NULL;

		if (!parent)
			continue;
		if (g_str_equal(parent->name, "sweep")) {
			g_free(where);
			return g_strdup_printf("%s = ?1", column->name);
		}
		if (!where)
			where = g_strdup_printf("%s IN (SELECT id FROM %s WHERE %s)", column->name, parent->name,
				parent->where);
	}
	return where;
}

/* A column that is not given takes its default, which an INSERT that names it would not. */
static char *insert_of(const StoreRowTable *table)
{
	GString *names = g_string_new(NULL);
	GString *marks = g_string_new(NULL);
	char *sql;

	for (guint i = 0; i < table->columns->len; i++) {
		const StoreRowColumn *column = table->columns->pdata[i];
		const char *comma = names->len ? ", " : "";

		if (g_str_equal(column->name, "id"))
			continue;
		g_string_append_printf(names, "%s%s", comma, column->name);
		if (column->fallback)
			g_string_append_printf(marks, "%scoalesce(?%u, %s)", comma, i + 1, column->fallback);
		else
			g_string_append_printf(marks, "%s?%u", comma, i + 1);
	}
	sql = g_strdup_printf("INSERT INTO %s (%s) VALUES (%s)", table->name, names->str, marks->str);
	g_string_free(names, TRUE);
	g_string_free(marks, TRUE);
	return sql;
}

static StoreRowTable *table_new(Store *store, const char *name, GError **error)
{
	const StoreValue value = {.text = name};
	g_autoptr(GPtrArray) rows = store_query(store, "SELECT name, type, dflt_value FROM pragma_table_info(?)", &value,
		1, error);
	StoreRowTable *table;

	if (!rows)
		return NULL;
	table = g_new0(StoreRowTable, 1);
	table->name = g_strdup(name);
	table->columns = g_ptr_array_new_with_free_func(column_free);
	table->by_name = g_hash_table_new(g_str_hash, g_str_equal);
	for (guint i = 0; i < rows->len; i++) {
		if (add_column(store, table, rows->pdata[i], error))
			continue;
		table_free(table);
		return NULL;
	}
	if (add_references(store, table, error))
		return table;
	table_free(table);
	return NULL;
}

/* The schema makes parents before their children, so one pass in its order finds them all. */
GPtrArray *store_row_tables(Store *store, GError **error)
{
	g_autoptr(GPtrArray) tables = g_ptr_array_new_with_free_func(table_free);
	g_autoptr(GPtrArray) names = store_query(store,
		"SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY rowid",
		NULL, 0, error);

	for (guint i = 0; names && i < names->len; i++) {
		StoreRowTable *table = table_new(store, record_get_text(names->pdata[i], "name"), error);

		if (!table)
			return NULL;
		table->where = where_of(tables, table);
		if (!table->where) {
			table_free(table);
			continue;
		}
		table->select = g_strdup_printf("SELECT * FROM %s WHERE %s ORDER BY rowid", table->name, table->where);
		table->insert = insert_of(table);
		g_ptr_array_add(tables, table);
	}
	return names ? g_steal_pointer(&tables) : NULL;
}

gboolean store_row_count(Store *store, const GPtrArray *tables, gint64 sweep, gint64 *ret, GError **error)
{
	const StoreValue value = {.number = sweep};
	gint64 sum = 0;

	for (guint i = 0; i < tables->len; i++) {
		const StoreRowTable *table = tables->pdata[i];
		g_autofree char *sql = g_strdup_printf("SELECT count(*) FROM %s WHERE %s", table->name, table->where);
		gint64 rows;

		if (!store_query_int(store, sql, &value, 1, 0, &rows, error))
			return FALSE;
		sum += rows;
	}
	*ret = sum;
	return TRUE;
}
