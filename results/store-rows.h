/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tables that hold a sweep, as the schema describes them: whole rows in and out, whatever their columns.
 * Who may include it: results only.
 */
#ifndef IOGAP_RESULTS_STORE_ROWS_H
#define IOGAP_RESULTS_STORE_ROWS_H

#include "results/store-private.h"

typedef enum { STORE_COLUMN_INT, STORE_COLUMN_REAL, STORE_COLUMN_TEXT, STORE_COLUMN_BLOB } StoreColumnType;

typedef struct {
	char *name, *fallback; /* fallback: the default as SQL, or NULL */
	StoreColumnType type;
	char *parent; /* the table whose id this column holds, or NULL; it may be its own */
} StoreRowColumn;

typedef struct {
	char *name;
	GPtrArray *columns;   /* of StoreRowColumn *, in the schema's order */
	GHashTable *by_name;  /* to their index */
	char *where;	      /* condition for the rows of sweep ?1 */
	char *select, *insert; /* all rows of sweep ?1; one row, all columns but id */
} StoreRowTable;

/* Of StoreRowTable *, parents before children, "sweep" first; NULL on error. */
GPtrArray *store_row_tables(Store *store, GError **error);

const StoreRowTable *store_row_table(const GPtrArray *tables, const char *name);

/* How many rows SWEEP has in all of TABLES. */
gboolean store_row_count(Store *store, const GPtrArray *tables, gint64 sweep, gint64 *ret, GError **error);

#endif
