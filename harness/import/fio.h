/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the importers of fio's two formats share. Who may include it: harness/import and its tests.
 */
#ifndef IOGAP_IMPORT_FIO_H
#define IOGAP_IMPORT_FIO_H

#include "harness/import/json-text.h"

/* fio's seven levels of iodepth_level: 1, 2-3, 4-7, 8-15, 16-31, 32-63, 64 and more. */
#define FIO_LEVELS 7

/*
 * Sets the leg's effective_depth from the PERCENT of submissions at each level (NaN = not told) against queue_depth, and flags a row whose
 * requested depth was never reached. A level that could hold the requested depth counts as it; other levels say only a range, so that just
 * 1 is a figure.
 */
void fio_depth(ImportRow *row, const double percent[FIO_LEVELS]);

/* Flags what makes a run useless or doubtful whatever the format: an error code, a time too short to compare. */
void fio_judge(ImportRow *row, gint64 error);

/* The leg's rw where no option says it, from the directions that were measured: "read?", "write?", "rw?", "trim?". */
void fio_guess_rw(ImportRow *row);

/* fio-stats.c: one direction of a job; absent = all zero, or no such object. Warns into ROW. */
void fio_stats_read(const JsonText *doc, guint object, ImportRow *row, ImportStats *stats);

/* fio-bins.c: the bins of a json+ latency object (SCALE ns a unit) as percentiles and a histogram. Bins that are array indices, as
 * old releases print, are left out with a warning. */
void fio_bins_read(const JsonText *doc, guint bins, double scale, ImportRow *row, ImportLatency *latency);

/* fio-options.c: the options of GLOBAL and JOB (either may be 0) into the row's leg and more; those of the job win. */
void fio_options_read(const JsonText *doc, guint global, guint job, ImportRow *row);

/* fio-join.c: entries of one job that ran at the same time (numjobs without group_reporting) become one row in ROWS (of ImportRow *),
 * from index FIRST on. */
void fio_join(GPtrArray *rows, guint first);

#endif
