/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records become rows: names and types are checked against the schema before anything is written. */
#include "results/store-private.h"

#include "harness/base/error.h"

typedef struct {
	RecordType type;
	gboolean required; /* NOT NULL and no default */
} Column;

/* The columns of TABLE by name; asked once. */
static GHashTable *columns_of(Store *store, const char *table, GError **error)
{
	const StoreValue value = {.text = table};
	g_autoptr(GPtrArray) rows = NULL;
	GHashTable *columns;

	if (!store->tables)
		store->tables = g_hash_table_new_full(g_str_hash, g_str_equal, g_free,
			(GDestroyNotify)g_hash_table_unref);
	columns = g_hash_table_lookup(store->tables, table);
	if (columns)
		return columns;
	rows = store_query(store, "SELECT name, type, \"notnull\" FROM pragma_table_info(?)", &value, 1, error);
	if (!rows)
		return NULL;
	columns = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
	for (guint i = 0; i < rows->len; i++) {
		const char *type = record_get_text(rows->pdata[i], "type");
		Column *column = g_new0(Column, 1);

		/* RECORD_NULL: a blob, which no record can set. */
		column->type = g_str_equal(type, "INTEGER") ? RECORD_INT
			       : g_str_equal(type, "REAL")  ? RECORD_REAL
			       : g_str_equal(type, "TEXT")  ? RECORD_TEXT
							    : RECORD_NULL;
		column->required = record_get_int(rows->pdata[i], "notnull", 0) != 0;
		g_hash_table_insert(columns, g_strdup(record_get_text(rows->pdata[i], "name")), column);
	}
	g_hash_table_insert(store->tables, g_strdup(table), columns);
	return columns;
}

void store_tables_free(Store *store)
{
	if (store->tables)
		g_hash_table_destroy(store->tables);
}

static const char *type_name(RecordType type)
{
	switch (type) {
	case RECORD_INT:
		return "an integer";
	case RECORD_REAL:
		return "a real number";
	case RECORD_TEXT:
		return "a text";
	case RECORD_NULL:
		return "nothing";
	}
	return "nothing";
}

static gboolean refuse(Store *store, const char *table, const char *name, const char *why, GError **error)
{
	g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED, "cannot write to the store %s: column \"%s\" of %s %s",
		store->path, name, table, why);
	return FALSE;
}

static gboolean check_value(Store *store, const char *table, const Column *column, const Record *record,
	const char *name, GError **error)
{
	RecordType type = record_type(record, name);
	g_autofree char *why = NULL;

	if (!column)
		return refuse(store, table, name, "does not exist: see docs/data-dictionary.md", error);
	if (column->type == RECORD_NULL)
		return refuse(store, table, name, "cannot be set from a record", error);
	if (type == RECORD_NULL && column->required)
		return refuse(store, table, name, "must not be NULL", error);
	if (type == RECORD_NULL || type == column->type || (type == RECORD_INT && column->type == RECORD_REAL))
		return TRUE;
	why = g_strdup_printf("takes %s, not %s", type_name(column->type), type_name(type));
	return refuse(store, table, name, why, error);
}

static gboolean check_record(Store *store, const char *table, GHashTable *columns, const Record *record,
	const StoreColumn *own, guint count, GError **error)
{
	for (guint i = 0; i < record_size(record); i++) {
		const char *name = record_name(record, i);

		for (guint k = 0; k < count; k++)
			if (g_str_equal(own[k].name, name))
				return refuse(store, table, name, "is set by the store itself", error);
		if (g_str_equal(name, "id"))
			return refuse(store, table, name, "is set by the store itself", error);
		if (!check_value(store, table, g_hash_table_lookup(columns, name), record, name, error))
			return FALSE;
	}
	return TRUE;
}

/* What must be there and is not, so that the message names the column as the caller knows it. */
static gboolean check_required(Store *store, const char *table, GHashTable *columns, const Record *record,
	const StoreColumn *own, guint count, GError **error)
{
	GHashTableIter iter;
	gpointer name, column;

	g_hash_table_iter_init(&iter, columns);
	while (g_hash_table_iter_next(&iter, &name, &column)) {
		gboolean there = record_has(record, name) || !((Column *)column)->required;

		for (guint i = 0; i < count && !there; i++)
			there = g_str_equal(own[i].name, name);
		if (!there)
			return refuse(store, table, name, "must be set", error);
	}
	return TRUE;
}

static int bind(sqlite3_stmt *statement, int index, const Record *record, const char *name)
{
	switch (record_type(record, name)) {
	case RECORD_INT:
		return sqlite3_bind_int64(statement, index, record_get_int(record, name, 0));
	case RECORD_REAL:
		return sqlite3_bind_double(statement, index, record_get_real(record, name, 0));
	case RECORD_TEXT:
		return sqlite3_bind_text(statement, index, record_get_text(record, name), -1, SQLITE_STATIC);
	case RECORD_NULL:
		break;
	}
	return sqlite3_bind_null(statement, index);
}

/* Runs STATEMENT with its values bound up to now; RC is the result of binding them. */
static gboolean step(Store *store, sqlite3_stmt *statement, int rc, const char *table, GError **error)
{
	g_autofree char *what = g_strdup_printf("write to table %s of", table);

	if (rc == SQLITE_OK)
		rc = sqlite3_step(statement);
	if (rc != SQLITE_DONE)
		store_fail(store, rc, what, error);
	sqlite3_reset(statement);
	/* The record's texts were bound without a copy and may be gone before the next use. */
	sqlite3_clear_bindings(statement);
	return rc == SQLITE_DONE;
}

static char *insert_sql(const char *table, const Record *record, const StoreColumn *own, guint count)
{
	GString *names = g_string_new(NULL);
	GString *marks = g_string_new(NULL);
	char *sql;

	for (guint i = 0; i < count; i++)
		g_string_append_printf(names, ", %s", own[i].name);
	for (guint i = 0; i < record_size(record); i++)
		g_string_append_printf(names, ", %s", record_name(record, i));
	for (guint i = 0; i < count + record_size(record); i++)
		g_string_append(marks, ", ?");
	sql = g_strdup_printf("INSERT INTO %s (%s) VALUES (%s)", table, names->str + 2, marks->str + 2);
	g_string_free(names, TRUE);
	g_string_free(marks, TRUE);
	return sql;
}

gint64 store_insert(Store *store, const char *table, const Record *record, const StoreColumn *own,
	guint count, GError **error)
{
	GHashTable *columns = columns_of(store, table, error);
	g_autofree char *sql = NULL;
	sqlite3_stmt *statement;
	int rc = SQLITE_OK, index = 0;

	if (!columns || !check_record(store, table, columns, record, own, count, error) ||
		!check_required(store, table, columns, record, own, count, error))
		return -1;
	sql = insert_sql(table, record, own, count);
	statement = store_prepare(store, sql, error);
	if (!statement)
		return -1;
	for (guint i = 0; i < count && rc == SQLITE_OK; i++)
		rc = own[i].null ? sqlite3_bind_null(statement, ++index)
				 : sqlite3_bind_int64(statement, ++index, own[i].number);
	for (guint i = 0; i < record_size(record) && rc == SQLITE_OK; i++)
		rc = bind(statement, ++index, record, record_name(record, i));
	if (!step(store, statement, rc, table, error))
		return -1;
	return sqlite3_last_insert_rowid(store->db);
}

static gboolean update(Store *store, const char *table, gint64 id, const Record *changes, GError **error)
{
	static const StoreColumn fixed[] = {{.name = "sweep_id"}};
	GHashTable *columns = columns_of(store, table, error);
	GString *names;
	g_autofree char *sql = NULL;
	sqlite3_stmt *statement;
	int rc = SQLITE_OK;

	if (!columns || !check_record(store, table, columns, changes, fixed, G_N_ELEMENTS(fixed), error))
		return FALSE;
	if (record_size(changes) == 0)
		return TRUE;
	names = g_string_new(NULL);
	for (guint i = 0; i < record_size(changes); i++)
		g_string_append_printf(names, ", %s = ?", record_name(changes, i));
	sql = g_strdup_printf("UPDATE %s SET %s WHERE id = ?", table, names->str + 2);
	g_string_free(names, TRUE);
	statement = store_prepare(store, sql, error);
	if (!statement)
		return FALSE;
	for (guint i = 0; i < record_size(changes) && rc == SQLITE_OK; i++)
		rc = bind(statement, i + 1, changes, record_name(changes, i));
	if (rc == SQLITE_OK)
		rc = sqlite3_bind_int64(statement, record_size(changes) + 1, id);
	if (!step(store, statement, rc, table, error))
		return FALSE;
	if (sqlite3_changes(store->db) == 1)
		return TRUE;
	g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_NOTHING, "there is no %s %" G_GINT64_FORMAT " in the store %s",
		table, id, store->path);
	return FALSE;
}

/* One row in a transaction of its own. */
static gint64 insert_alone(Store *store, const char *table, const Record *record, const StoreColumn *own,
	guint count, GError **error)
{
	gint64 id;

	if (!store_begin(store, error))
		return -1;
	id = store_insert(store, table, record, own, count, error);
	if (id < 0)
		store_rollback(store);
	else if (!store_commit(store, error))
		return -1;
	return id;
}

gint64 store_add_sweep(Store *store, const Record *sweep, GError **error)
{
	g_autoptr(Record) full = record_copy(sweep);

	if (!record_has(full, "uuid")) {
		g_autofree char *uuid = g_uuid_string_random();

		record_set_text(full, "uuid", uuid);
	}
	if (!record_has(full, "store_version"))
		record_set_int(full, "store_version", store->version);
	return insert_alone(store, "sweep", full, NULL, 0, error);
}

gint64 store_add_leg(Store *store, gint64 sweep, const Record *leg, GError **error)
{
	const StoreColumn own[] = {{.name = "sweep_id", .number = sweep}};

	return insert_alone(store, "leg", leg, own, G_N_ELEMENTS(own), error);
}

gint64 store_add_refusal(Store *store, gint64 sweep, const Record *refusal, GError **error)
{
	const StoreColumn own[] = {{.name = "sweep_id", .number = sweep}};

	return insert_alone(store, "refusal", refusal, own, G_N_ELEMENTS(own), error);
}

gint64 store_add_source(Store *store, gint64 sweep, const Record *source, GError **error)
{
	const StoreColumn own[] = {{.name = "sweep_id", .number = sweep}};

	return insert_alone(store, "source", source, own, G_N_ELEMENTS(own), error);
}

gint64 store_add_boot(Store *store, gint64 sweep, const Record *boot, GError **error)
{
	const StoreColumn own[] = {{.name = "sweep_id", .number = sweep}};

	return insert_alone(store, "boot", boot, own, G_N_ELEMENTS(own), error);
}

static gboolean update_alone(Store *store, const char *table, gint64 id, const Record *changes, GError **error)
{
	if (!store_begin(store, error))
		return FALSE;
	if (update(store, table, id, changes, error))
		return store_commit(store, error);
	store_rollback(store);
	return FALSE;
}

gboolean store_update_sweep(Store *store, gint64 sweep, const Record *changes, GError **error)
{
	return update_alone(store, "sweep", sweep, changes, error);
}

gboolean store_update_boot(Store *store, gint64 boot, const Record *changes, GError **error)
{
	return update_alone(store, "boot", boot, changes, error);
}
