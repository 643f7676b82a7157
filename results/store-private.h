/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the files of results/ share. Nobody outside results/ and its tests may include it: SQLite
 * stays behind store.h.
 */
#ifndef IOGAP_RESULTS_STORE_PRIVATE_H
#define IOGAP_RESULTS_STORE_PRIVATE_H

#include <sqlite3.h>

#include "results/store.h"

/* "iogp" in SQLite's header field for applications: tells a store from any other database. */
#define STORE_APPLICATION_ID 0x696f6770
#define STORE_BUSY_MS 5000

struct Store {
	char *path;
	sqlite3 *db;
	int version;		/* of the schema */
	gboolean bulk;		/* inside store_bulk_begin and _end: begin, commit and rollback do nothing */
	GHashTable *statements; /* SQL text -> sqlite3_stmt *, idle */
	GHashTable *tables;	/* table name -> StoreTable *, filled as needed */
};

/* ---- store-error.c -------------------------------------------------------------------------- */

/* Sets ERROR from what SQLite said last, with RC its result code: "cannot WHAT the store PATH: ...". Returns FALSE. */
gboolean store_fail(Store *store, int rc, const char *what, GError **error);

/* ---- store-sql.c ---------------------------------------------------------------------------- */

/* A value bound to one "?" of a statement: a text when TEXT is set, else the number. */
typedef struct {
	const char *text;
	gint64 number;
} StoreValue;

/* Statements without a result. WHAT completes "cannot WHAT the store". */
gboolean store_exec(Store *store, const char *sql, const char *what, GError **error);

/* A statement from the cache, reset and with nothing bound; NULL on error. It stays the store's. */
sqlite3_stmt *store_prepare(Store *store, const char *sql, GError **error);

/* The first column of the first row as an integer; *ret is FALLBACK when there is no row or it is NULL. */
gboolean store_query_int(Store *store, const char *sql, const StoreValue *values, guint count,
	gint64 fallback, gint64 *ret, GError **error);

/* All rows as records; columns that hold blobs are left out. */
GPtrArray *store_query(Store *store, const char *sql, const StoreValue *values, guint count, GError **error);

/* begin waits for other writers at most STORE_BUSY_MS. Rollback keeps the error that led to it. */
gboolean store_begin(Store *store, GError **error);
gboolean store_commit(Store *store, GError **error);
void store_rollback(Store *store);

/* ---- store-upgrade.c ------------------------------------------------------------------------ */

/* The newest version that this program has schema files for; -1 on error. */
int store_schema_latest(GError **error);

/* The version of an open database, 0 when it is empty; fails for one that is no store. */
gboolean store_identify(Store *store, int *ret_version, GError **error);

/* Brings an open database up to LATEST in one transaction; on failure it is as it was. */
gboolean store_upgrade(Store *store, int latest, GError **error);

/* ---- store-hist.c --------------------------------------------------------------------------- */

/* The slots that are not empty, in the form that the data dictionary describes for hist.slots. */
GByteArray *store_hist_encode(const Hist *hist);

/* Adds encoded slots to HIST->slots and their counts to *ret_sum; FALSE when they are damaged. */
gboolean store_hist_decode(const guint8 *data, gsize size, Hist *hist, guint64 *ret_sum);

gboolean store_insert_hist(Store *store, gint64 run, const StoreHist *hist, GError **error);

/* ---- store-write.c -------------------------------------------------------------------------- */

/* A column that the store itself sets beside those of a record. */
typedef struct {
	const char *name;
	gboolean null;
	gint64 number;
} StoreColumn;

/* Inserts one row; returns its id or -1. A record that names a column which the store sets itself is refused. */
gint64 store_insert(Store *store, const char *table, const Record *record, const StoreColumn *own,
	guint count, GError **error);

void store_tables_free(Store *store);

#endif
