/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Statements, queries and transactions. */
#include "results/store-private.h"

#include "harness/base/error.h"

gboolean store_exec(Store *store, const char *sql, const char *what, GError **error)
{
	int rc = sqlite3_exec(store->db, sql, NULL, NULL, NULL);

	return rc == SQLITE_OK ? TRUE : store_fail(store, rc, what, error);
}

sqlite3_stmt *store_prepare(Store *store, const char *sql, GError **error)
{
	sqlite3_stmt *statement = g_hash_table_lookup(store->statements, sql);
	int rc;

	if (statement) {
		sqlite3_reset(statement);
		sqlite3_clear_bindings(statement);
		return statement;
	}
	rc = sqlite3_prepare_v3(store->db, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, NULL);
	if (rc != SQLITE_OK) {
		store_fail(store, rc, "read", error);
		return NULL;
	}
	g_hash_table_insert(store->statements, g_strdup(sql), statement);
	return statement;
}

/* As store_prepare, with VALUES bound; they must outlive the statement's steps. */
static sqlite3_stmt *prepare_with(Store *store, const char *sql, const StoreValue *values, guint count,
	GError **error)
{
	sqlite3_stmt *statement = store_prepare(store, sql, error);

	for (guint i = 0; statement && i < count; i++) {
		int rc = values[i].text
				 ? sqlite3_bind_text(statement, i + 1, values[i].text, -1, SQLITE_STATIC)
				 : sqlite3_bind_int64(statement, i + 1, values[i].number);

		if (rc != SQLITE_OK) {
			store_fail(store, rc, "read", error);
			return NULL;
		}
	}
	return statement;
}

gboolean store_query_int(Store *store, const char *sql, const StoreValue *values, guint count,
	gint64 fallback, gint64 *ret, GError **error)
{
	sqlite3_stmt *statement = prepare_with(store, sql, values, count, error);
	int rc;

	if (!statement)
		return FALSE;
	rc = sqlite3_step(statement);
	if (rc == SQLITE_ROW || rc == SQLITE_DONE) {
		gboolean there = rc == SQLITE_ROW && sqlite3_column_type(statement, 0) != SQLITE_NULL;

		*ret = there ? sqlite3_column_int64(statement, 0) : fallback;
		sqlite3_reset(statement);
		return TRUE;
	}
	store_fail(store, rc, "read", error);
	sqlite3_reset(statement);
	return FALSE;
}

/* LIKE is an earlier row of the same statement, or NULL. */
static Record *record_of(sqlite3_stmt *statement, const Record *like)
{
	Record *record = like ? record_new_like(like) : record_new();

	for (int i = 0; i < sqlite3_column_count(statement); i++) {
		const char *name = sqlite3_column_name(statement, i);

		switch (sqlite3_column_type(statement, i)) {
		case SQLITE_INTEGER:
			record_set_int(record, name, sqlite3_column_int64(statement, i));
			break;
		case SQLITE_FLOAT:
			record_set_real(record, name, sqlite3_column_double(statement, i));
			break;
		case SQLITE_TEXT:
			record_set_text(record, name, (const char *)sqlite3_column_text(statement, i));
			break;
		case SQLITE_NULL:
			record_set_null(record, name);
			break;
		case SQLITE_BLOB:
			break;
		}
	}
	return record;
}

GPtrArray *store_query(Store *store, const char *sql, const StoreValue *values, guint count, GError **error)
{
	g_autoptr(GPtrArray) rows = g_ptr_array_new_with_free_func((GDestroyNotify)record_free);
	sqlite3_stmt *statement = prepare_with(store, sql, values, count, error);
	int rc;

	if (!statement)
		return NULL;
	while ((rc = sqlite3_step(statement)) == SQLITE_ROW)
		g_ptr_array_add(rows, record_of(statement, rows->len ? rows->pdata[0] : NULL));
	if (rc != SQLITE_DONE)
		store_fail(store, rc, "read", error);
	sqlite3_reset(statement);
	return rc == SQLITE_DONE ? g_steal_pointer(&rows) : NULL;
}

gboolean store_begin(Store *store, GError **error)
{
	if (store->bulk)
		return TRUE;
	if (sqlite3_db_readonly(store->db, "main") == 1) {
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED, "the store %s is open for reading only",
			store->path);
		return FALSE;
	}
	return store_exec(store, "BEGIN IMMEDIATE", "write to", error);
}

gboolean store_commit(Store *store, GError **error)
{
	if (store->bulk)
		return TRUE;
	if (store_exec(store, "COMMIT", "write to", error))
		return TRUE;
	store_rollback(store);
	return FALSE;
}

void store_rollback(Store *store)
{
	if (store->bulk)
		return;
	/* SQLite rolls back by itself after some errors (no space); a second one would be an error. */
	if (!sqlite3_get_autocommit(store->db))
		sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
}

gboolean store_bulk_begin(Store *store, GError **error)
{
	if (!store_begin(store, error))
		return FALSE;
	store->bulk = TRUE;
	return TRUE;
}

gboolean store_bulk_end(Store *store, gboolean keep, GError **error)
{
	store->bulk = FALSE;
	if (keep)
		return store_commit(store, error);
	store_rollback(store);
	return TRUE;
}
