/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bonnie++: what its CSV and its text table have in common. Who may include it: harness/import/bonnie*.c only.
 */
#ifndef IOGAP_IMPORT_BONNIE_H
#define IOGAP_IMPORT_BONNIE_H

#include "harness/import/import.h"

/* The tests, in the order of every release. */
typedef enum {
	BONNIE_PUTC,
	BONNIE_WRITE,
	BONNIE_REWRITE,
	BONNIE_GETC,
	BONNIE_READ,
	BONNIE_SEEKS,
	BONNIE_TESTS,
	/* Files, not bytes: kept beside the results of the machine's first test. */
	BONNIE_SEQ_CREATE = BONNIE_TESTS,
	BONNIE_SEQ_STAT,
	BONNIE_SEQ_DELETE,
	BONNIE_RAN_CREATE,
	BONNIE_RAN_STAT,
	BONNIE_RAN_DELETE,
	BONNIE_VALUES
} BonnieTest;

typedef enum {
	BONNIE_ABSENT,	 /* not run */
	BONNIE_MEASURED,
	BONNIE_TOO_FAST, /* "+++++": ended before it could be timed */
} BonnieState;

typedef struct {
	BonnieState state;
	double rate; /* bytes/s; seeks and files: per second */
	double cpu_percent, latency_ns; /* NaN = not told; the longest of all operations */
} BonnieValue;

/* One run on one machine. */
typedef struct {
	guint line;
	char *machine, *version;
	gint64 size, chunk, concurrency; /* bytes, bytes, processes; -1 = not told */
	gint64 unix_ns;			 /* -1 = not told */
	gboolean printed; /* read from the text table, which cuts the machine's name */
	BonnieValue values[BONNIE_VALUES];
} BonnieRecord;

BonnieRecord *bonnie_record_new(guint line);
void bonnie_record_free(BonnieRecord *record);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(BonnieRecord, bonnie_record_free)

/* RATE and CPU as bonnie++ prints them; UNIT: bytes of a rate without a suffix (1024 for K/sec), 0 for seeks and files.
 * Empty texts: absent. FALSE when they are something else. */
gboolean bonnie_value(BonnieValue *ret, const char *rate, const char *cpu, double unit);
/* "390ms", "410us", "2s" or nothing. */
gboolean bonnie_latency(BonnieValue *ret, const char *text);

/* A text line that begins as CSV of bonnie++ does. */
gboolean bonnie_is_csv(const char *line);
/* CSV with its wrapped lines joined; FALSE with the error set when it has another number of fields, or one that cannot be. */
gboolean bonnie_csv(const ImportInput *input, guint line, const char *text, BonnieRecord **ret, GError **error);
/* How many fields its format has, and how many there are. */
guint bonnie_csv_expected(const char *text);
guint bonnie_csv_fields(const char *text);

/*
 * The lines of a text table, one after the other. The first row that cannot be read stays in FAILURE and the others go on: the
 * CSV below the table may hold the same run. Start with a zeroed one that has RECORDS; an empty line ends a table.
 */
typedef struct {
	GPtrArray *records; /* of BonnieRecord * */
	GError *failure;
	char *version;
	gboolean table, files; /* within the first table; within that of files */
	char *begun;	       /* a row that a mail program may have cut */
	guint begun_line;
	gint64 concurrency;
	double unit; /* of rates without a suffix */
} BonnieText;
void bonnie_text_line(BonnieText *text, const ImportInput *input, guint line, const char *content);
/* After the last line. */
void bonnie_text_end(BonnieText *text, const ImportInput *input);

#endif
