/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sweeps as JSON lines, from one store to another: every column of every table, with new ids.
 *
 * One file: a header line, then for each sweep its rows, each a line of its own, and an end line:
 *
 *	{"iogap_export":1,"store_version":1,"iogap_version":"0.1.0"}
 *	{"sweep":{"id":3,"uuid":"...","status":"finished",...}}
 *	{"leg":{"id":9,"sweep_id":3,...}}            parents come before what refers to them
 *	...
 *	{"end":{"uuid":"...","rows":412,"sha256":"..."}}
 *
 * A row is named after its table and its members after the columns; NULL is left out. Bytes, and text that is not UTF-8,
 * are {"base64":"..."}. Tables, columns and references are read from the schema of the store at hand, so that a new one
 * needs no change here. sha256 is that of the sweep's row lines, each with one line feed; who edits a row on purpose takes
 * it out. Files may be joined with cat: a header may stand before each sweep.
 *
 * From an older version of the store columns are missing, which is NULL or the schema's default; a newer version or format
 * is an error. Nothing here depends on the locale.
 * Who may include it: harness/cli, tests.
 */
#ifndef IOGAP_RESULTS_TRANSFER_H
#define IOGAP_RESULTS_TRANSFER_H

#include <gio/gio.h>

#include "results/store.h"

#define TRANSFER_FORMAT 1
#define TRANSFER_MOST_LINE (64u << 20) /* bytes; a longer line is refused on both ways */
#define TRANSFER_MOST_DAMAGES 20       /* that are told of one input; the rest is counted */
#define TRANSFER_MOST_MEMBERS 1000     /* of one line: rows are flat, so memory is linear in the line */

/* Whether a text begins as an export does, or holds a line that only an export has; looks at 4 KiB at most. */
gboolean transfer_recognise(const char *data, gsize size);

/* Writes the COUNT sweeps with these ids, as one moment saw them. OUT is neither flushed nor closed; after a failure
 * what it holds ends within a sweep. IOGAP_ERROR_NOTHING: no such sweep. */
gboolean transfer_export(Store *store, const gint64 *sweeps, guint count, GOutputStream *out, GError **error);

typedef enum {
	TRANSFER_ADDED,
	TRANSFER_THERE,	  /* its uuid is in the store: left as it is there */
	TRANSFER_DIFFERS, /* the same, and the two do not have the same number of rows */
} TransferOutcome;

typedef struct {
	char *uuid, *profile, *label; /* label may be NULL */
	gint64 id;	       /* in this store */
	TransferOutcome outcome;
	guint64 rows, runs;    /* in the file */
	guint64 rows_there;    /* in the store already; 0 when it was added */
} TransferSweep;

/* For the results of transfer_import: frees what it holds. */
GPtrArray *transfer_sweeps_new(void);

/*
 * Reads all sweeps of IN, each in a transaction of its own, and appends a TransferSweep * for each to SWEEPS as soon as it is
 * done. A line that is damaged costs its sweep, of which nothing is stored, and reading goes on at the next line that begins a sweep
 * (after a damaged header: at the next header). Returns TRUE when all was taken. Else IOGAP_ERROR_FAILED with one line of text for
 * each damaged place, TRANSFER_MOST_DAMAGES and the number of the others at most: "NAME:LINE: cause; nothing of sweep UUID is
 * stored". When the input cannot be read on or the store cannot be written, reading ends there. NAME is what messages call IN.
 * STORE must be open for writing.
 */
gboolean transfer_import(Store *store, GInputStream *in, const char *name, GPtrArray *sweeps, GError **error);

#endif
