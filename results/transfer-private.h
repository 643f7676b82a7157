/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One line of an export, read and checked. Who may include it: results/transfer-*.c only. */
#ifndef IOGAP_RESULTS_TRANSFER_PRIVATE_H
#define IOGAP_RESULTS_TRANSFER_PRIVATE_H

#include <gio/gio.h>
#include <jansson.h>

#include "results/store-rows.h"

#define TRANSFER_BYTE_ORDER_MARK "\xef\xbb\xbf" /* editors put it before the first line */

typedef struct {
	GInputStream *in;
	char *name;
	guint64 number; /* of the line at hand, from 1 */
	const char *text; /* the line at hand without its end, valid until the next call */
	gsize length;
	GByteArray *buffer;
	gsize taken; /* bytes of the buffer that are behind us */
	gboolean ended;
	gboolean broken;   /* the input cannot be read on; any other failure is one of the line at hand, and the next may be read */
	gboolean too_long; /* what follows in the buffer is the rest of a line that was refused */
} TransferLines;

TransferLines *transfer_lines_new(GInputStream *in, const char *name);
void transfer_lines_free(TransferLines *lines);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(TransferLines, transfer_lines_free)

/* The next line that is not empty, an object (new reference); NULL in *ret at the end. */
gboolean transfer_lines_next(TransferLines *lines, json_t **ret, GError **error);

/* Binds a value that is not null and no reference; VALUE must outlive the statement's step. */
gboolean transfer_bind(sqlite3_stmt *statement, int at, const StoreRowColumn *column, json_t *value, GError **error);

/* A histogram's slots must be readable and add up, as store_add_run wants it. */
gboolean transfer_check_hist(json_t *row, GError **error);

#endif
