/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Foreign outputs as rows: one ops table per format, and the rows that a parser makes.
 *
 * A parser turns one text into rows and touches nothing else: no file, no store, no global state, so that it can be
 * fuzzed. A row holds what the source really said, in bytes, nanoseconds, operations and their rates per second; what
 * it did not say stays unset (NaN, -1, NULL or an absent column), never 0. harness/import/convert.h makes legs, runs and
 * flags of rows. A new format is one file and one row of the table in formats.c.
 *
 * Who may include it: harness/import, harness/cli, tests.
 */
#ifndef IOGAP_IMPORT_IMPORT_H
#define IOGAP_IMPORT_IMPORT_H

#include <glib.h>

#include "guest-agent/common/hist.h"
#include "harness/base/record.h"

/* Bounds on any input: what is larger is an error that names the bound. */
#define IMPORT_MOST_BYTES (G_GUINT64_CONSTANT(512) << 20) /* of one unpacked file */
#define IMPORT_MOST_ROWS 100000				   /* of one file */
#define IMPORT_MOST_PERCENTILES 100
#define IMPORT_MOST_WARNINGS 50				   /* of one file or row; the rest is counted */

/* ---- the text -------------------------------------------------------------------------------- */

typedef struct {
	const char *name; /* for messages: the file as it was named, or "standard input" */
	const char *data; /* UTF-8 or ASCII as far as it is text; a NUL follows the last byte; others may be within */
	gsize size;
} ImportInput;

/* A line of an input, without its end (LF, CR LF; a CR within stays: progress output has them). */
typedef struct {
	const char *text; /* not NUL-terminated */
	gsize length;
	guint number; /* from 1 */
	gsize byte;   /* of its first byte, from 0 */
} ImportLine;

/* Walks the lines: start with a zeroed *line. FALSE after the last one. A BOM at the start is left out. */
gboolean import_line_next(const ImportInput *input, ImportLine *line);

/* A place up to which lines were counted; start with a zeroed one. */
typedef struct {
	gsize byte;
	guint lines; /* line ends before it */
} ImportPlace;

/* The line of BYTE, from 1; places in ascending order cost one pass over the text in all. */
guint import_place_line(ImportPlace *place, const ImportInput *input, gsize byte);

/* Sets IOGAP_ERROR_FAILED "NAME:LINE: MESSAGE" (LINE 0: "NAME: MESSAGE"); the message says what is expected. Returns FALSE. */
gboolean import_fail(GError **error, const ImportInput *input, guint line, const char *format, ...)
	G_GNUC_PRINTF(4, 5);
/* The same with a place in bytes from 0: "NAME:LINE: MESSAGE (byte N)"; the line is counted. */
gboolean import_fail_at(GError **error, const ImportInput *input, gsize byte, const char *format, ...)
	G_GNUC_PRINTF(4, 5);

/* ---- numbers: strict, the whole text, the same in every locale ------------------------------- */

/* LENGTH -1 = to the NUL. *ret is untouched on FALSE. No white space, no sign but "-", no hexadecimal, no grouping. */
gboolean import_number_int(const char *text, gssize length, gint64 *ret);
/* Digits with at most one MARK ('.' or ',') and an exponent ("6.25e-05"); nan, inf and overflow are FALSE. */
gboolean import_number_real(const char *text, gssize length, char mark, double *ret);
/* TRUE for nan, inf and infinity in any case, with or without a sign: what printf prints of a number that is none. */
gboolean import_number_is_nonfinite(const char *text, gssize length);
/* A size with a suffix of powers of 1024: "4k" = "4K" = "4KiB" = "4kB" = 4096, "2G", "512". */
gboolean import_number_size(const char *text, gssize length, gint64 *ret);

/* ---- rows ------------------------------------------------------------------------------------ */

typedef struct {
	double percent; /* 0 < percent <= 100 */
	double ns;
} ImportPercentile;

/* A latency as printed; NaN = not measured. */
typedef struct {
	gint64 n; /* samples; -1 = not told */
	double mean_ns, min_ns, max_ns, stddev_ns;
	GArray *percentiles; /* of ImportPercentile, ascending; NULL = none */
	Hist *hist;	     /* from bins; NULL = none */
} ImportLatency;

typedef struct {
	gboolean measured; /* FALSE: idle or not reported; everything below is then unset */
	gint64 bytes, ops, ns; /* -1 = not told */
	double bytes_per_s, iops; /* NaN = not told */
	ImportLatency submit;	/* handing over to the kernel (fio slat) */
	ImportLatency complete; /* from then to the completion (fio clat) */
	ImportLatency total;	/* the whole I/O (fio lat, ioping's times) */
} ImportStats;

typedef enum {
	IMPORT_READ,
	IMPORT_WRITE,
	IMPORT_TRIM,
	IMPORT_MIXED, /* reads and writes together, where the source gives them so; never added to the others */
	IMPORT_DIRECTIONS
} ImportDirection;

typedef struct {
	char *flag, *evidence;
} ImportFlag;

typedef struct {
	char *name; /* as the source names it: job, machine, file; or NULL */
	guint line; /* of the input, where it begins */

	/*
	 * What was asked for, as columns of the store's leg table as far as the source says: rw (needed; "read?", "write?", "rw?" when
	 * sequential or random is not known), mix_read, block_size (one size in bytes; else block_sizes, the source's own words for a
	 * range or a split), direct, sync, fsync_every, queue_depth (requested), effective_depth (reached), jobs, engine, rate_iops;
	 * for tables also side, target, bus, cache ... Absent = not said.
	 */
	Record *leg;

	ImportStats stats[IMPORT_DIRECTIONS];

	/* Columns of the store's run table that no other field gives (cpu_percent, load_user_ns ...). */
	Record *run;

	/* What else is worth keeping, by the source's own names (filename, disk, util ...): kept with the run as JSON. */
	Record *more;

	char *failure; /* why this row is no result: stored with status failed; or NULL */
	GPtrArray *warnings; /* of char *: shown, and kept with the run as flags IMPORT_WARNING */
	GPtrArray *flags;    /* of ImportFlag *: flags that the reports know (NOT_AS_ASKED ...) */
} ImportRow;

ImportRow *import_row_new(const char *name, guint line);
void import_row_free(ImportRow *row);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(ImportRow, import_row_free)
void import_row_warn(ImportRow *row, const char *format, ...) G_GNUC_PRINTF(2, 3);
void import_row_flag(ImportRow *row, const char *flag, const char *format, ...) G_GNUC_PRINTF(3, 4);
/* The first failure stays; later ones become warnings. */
void import_row_fail(ImportRow *row, const char *format, ...) G_GNUC_PRINTF(2, 3);

void import_latency_clear(ImportLatency *latency); /* to "not measured", freeing what it holds */
/* Keeps the order; beyond IMPORT_MOST_PERCENTILES they are dropped. */
void import_latency_percentile(ImportLatency *latency, double percent, double ns);
/* NaN when the source has no such percentile (to 1e-6). */
double import_latency_at(const ImportLatency *latency, double percent);

/* The mean of two latencies together, weighted by samples, else operations, else rates; NaN when it cannot be told. */
double import_mean_joined(const ImportStats *a, const ImportLatency *la, const ImportStats *b, const ImportLatency *lb);

/*
 * The row as one number: *ret is the mixed statistics where the source has them, else reads and writes together (bytes, ops and
 * rates added, ns the longest, the mean latency weighted by operations, no percentiles), else the only direction that was measured
 * with all it has (a trim alone too). ret is borrowed from ROW: copy nothing out that must outlive it, and do not clear it.
 */
void import_row_total(const ImportRow *row, ImportStats *ret);

/* ---- results and formats --------------------------------------------------------------------- */

typedef struct {
	char *producer; /* "fio-3.33", "bonnie++ 1.97" ..., or NULL */
	gint64 unix_ns; /* when it ran, since 1970; -1 = not told */
	gint64 documents; /* JSON documents, CSV records, statistics blocks found */
	GPtrArray *rows; /* of ImportRow * */
	GPtrArray *warnings; /* of char *: about the file as a whole, lines that were left out with what they said */
	guint more_warnings; /* those beyond IMPORT_MOST_WARNINGS */
} ImportResult;

ImportResult *import_result_new(void);
void import_result_free(ImportResult *result);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(ImportResult, import_result_free)
void import_result_warn(ImportResult *result, const char *format, ...) G_GNUC_PRINTF(2, 3);
/* Takes ROW. FALSE with the error set beyond IMPORT_MOST_ROWS. */
gboolean import_result_add(ImportResult *result, const ImportInput *input, ImportRow *row, GError **error);

typedef struct {
	const char *name;    /* of --format and of the store: fio-json, fio-terse, bonnie, dd, ioping, table */
	const char *summary; /* one line for the manual */
	/* 0 = not this format ... 100 = nothing else can look like this. Looks at the text's content only, in bounded time. */
	int (*recognise)(const ImportInput *input);
	/* Adds rows and warnings to RESULT. FALSE with the error set (place and cause) when the text cannot be trusted; RESULT is then
	 * to be thrown away. Memory and time are linear in the input. */
	gboolean (*parse)(const ImportInput *input, ImportResult *result, GError **error);
} ImportFormat;

extern const ImportFormat *const import_formats[]; /* NULL-terminated (formats.c) */

/* IOGAP_ERROR_USAGE with the known names. */
const ImportFormat *import_format_find(const char *name, GError **error);

/* FORMAT NULL = recognised by content; *ret_format is set on success. NULL: nothing of the input may be used. A result has at least one
 * row. */
ImportResult *import_parse(const ImportInput *input, const ImportFormat *format, const ImportFormat **ret_format,
	GError **error);

#endif
