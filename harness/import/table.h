/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Results in tables: one column table for CSV and for flat JSON. A new column is a row of it (table-columns.c).
 * Who may include it: harness/import, tests.
 */
#ifndef IOGAP_IMPORT_TABLE_H
#define IOGAP_IMPORT_TABLE_H

#include "harness/import/import.h"

typedef enum { TABLE_SET, TABLE_UNKNOWN, TABLE_BAD } TableAnswer;

/* Whether COLUMN is known; *ret_words (may be NULL): what its values are, for messages. */
gboolean table_knows(const char *column, const char **ret_words);

/* Column AT (from 0, those of bonnie++ last) as a row "| name | values | where they go |" of docs/import.md; NULL behind the last. New text. */
char *table_row_of_manual(guint at);

/* One cell into ROW; an empty VALUE sets nothing. */
TableAnswer table_set(ImportRow *row, const char *column, const char *value);

/* After the last cell: figures move to the direction of rw, words of the old threads become settings. */
void table_finish(ImportRow *row);

/* The results of a line of a bonnie++ table (columns like output_block_KBps): each test is a row of its own. NULL-name columns aside,
 * TRUE when COLUMN belongs to such a table. */
gboolean table_is_bonnie(const char *column);
/* The row of the test that COLUMN is the rate of, made from LINE_ROW, which holds the cells that all tests share; NULL for other columns. */
ImportRow *table_bonnie_row(const ImportRow *line_row, const char *column, double value, double cpu_percent);

#endif
