/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tables for a terminal: columns as wide as their widest cell, two blanks between them, no blanks at
 * the end of a line. What is stored is cleaned first (table_clean), so that no text can break a line or move the cursor.
 */
#ifndef IOGAP_CLI_TABLE_H
#define IOGAP_CLI_TABLE_H

#include <glib.h>

typedef struct Table Table;

/* HEADS: one word for each column; a leading "<" aligns the column to the left, ">" to the right. NULL-terminated. */
Table *table_new(const char *const *heads);
void table_free(Table *table);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Table, table_free)

/*
 * TEXT for a terminal: valid UTF-8 in which every character that prints nothing (controls of either set, marks that reorder or
 * hide letters) is a blank. For stored texts outside tables too. Owned by the caller.
 */
char *table_clean(const char *text);

/* Adds the next cell, row by row; NULL = "-" (nothing known). */
void table_cell(Table *table, const char *text);
void table_cell_int(Table *table, gint64 number);

/* The table as text, each line begun with INDENT. Owned by the caller. */
char *table_text(const Table *table, const char *indent);

#endif
