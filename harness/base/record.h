/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A record: named values, each an integer, a real, a text or NULL ("not measured").
 *
 * Rows travel as records between the measuring rooms and the store, so that a new metric touches one
 * row of the data dictionary and the place that measures it, and no struct in between. The store
 * refuses names and types that its dictionary does not know.
 *
 * Who may include it: every harness room and results/. Names keep the order in which they were set.
 */
#ifndef IOGAP_BASE_RECORD_H
#define IOGAP_BASE_RECORD_H

#include <glib.h>

typedef enum {
	RECORD_NULL,
	RECORD_INT,
	RECORD_REAL,
	RECORD_TEXT,
} RecordType;

typedef struct Record Record;

Record *record_new(void);
/* A record with the names of RECORD in their order, all NULL. It shares the names: cheap for thousands of alike rows. */
Record *record_new_like(const Record *record);
void record_free(Record *record);
Record *record_copy(const Record *record);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Record, record_free)

/* Setters copy NAME and text; an existing value is replaced in its place. A NULL text and a real
 * that is not finite are stored as NULL: a record never holds nan or infinity. */
void record_set_int(Record *record, const char *name, gint64 value);
void record_set_real(Record *record, const char *name, double value);
void record_set_text(Record *record, const char *name, const char *value);
void record_set_null(Record *record, const char *name);
void record_unset(Record *record, const char *name);
/* Copies every value of SOURCE into RECORD. */
void record_merge(Record *record, const Record *source);

/* Getters. has: the name is there and not NULL. The plain getters return FALLBACK (or NULL) when the
 * name is missing, NULL or of another type; record_get_real also takes an integer. Texts are owned
 * by the record and live until the value is replaced or the record is freed. */
gboolean record_has(const Record *record, const char *name);
RecordType record_type(const Record *record, const char *name);
gint64 record_get_int(const Record *record, const char *name, gint64 fallback);
double record_get_real(const Record *record, const char *name, double fallback);
const char *record_get_text(const Record *record, const char *name);

/* Walks the values in order: names are record_name(record, 0) ... record_size(record) - 1. */
guint record_size(const Record *record);
const char *record_name(const Record *record, guint index);

/* TRUE when both hold the same names with the same types and values, in any order. */
gboolean record_equal(const Record *a, const Record *b);

#endif
