/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reports of a stored sweep: one versioned JSON document (docs/report-json.md) that holds every figure,
 * and the formats that reports/render.py makes of it. The same store gives the same bytes, whatever the locale, the
 * time zone, the terminal or the environment.
 *
 * Who may include it: cli. Needs compare, results and base; a Python 3 for every format but json.
 */
#ifndef IOGAP_EXPORT_REPORT_H
#define IOGAP_EXPORT_REPORT_H

#include <glib.h>
#include <jansson.h>
#include "harness/base/progress.h"
#include "results/store.h"

#define REPORT_FORMAT "iogap-report"
#define REPORT_VERSION 3

/* A format is one row here (export/formats.c) and one module of reports/formats; json is made by C alone. */
typedef struct {
	const char *name, *file; /* "text", "report.txt" */
	const char *summary;
	const char *const *shapes; /* what may follow the name and a colon; NULL = nothing. Without it the data choose. */
} ReportFormat;
extern const ReportFormat report_formats[]; /* ended by a NULL name */

/* The format of that name, which may end with one of its shapes ("thread:bonnie"), or IOGAP_ERROR_USAGE with a near-miss hint. */
const ReportFormat *report_format_find(const char *name, GError **error);

/* The whole document; owned by the caller (json_decref). */
json_t *report_json(Store *store, gint64 sweep, GError **error);

/*
 * PROGRESS (may be NULL) has a step for reading the sweep and one for each format but json. How long one of them takes about, in
 * seconds, from the bytes of report.json: a straight line through what a sweep of 2 000 runs (10 MB) took of one processor,
 * which was text 1.0, markdown 0.9, csv 0.7, html 1.6 and plots 2.1 s. It weighs the steps of a progress line against each other
 * and promises nothing: a busy or slower machine takes longer (tests/bench/report.sh measures yours).
 */
double report_expected_s(const char *format, gsize json_bytes);

/* Appends the report in FORMAT to OUT, which is untouched on failure. Text ends with a newline. */
gboolean report_render(Store *store, gint64 sweep, const char *format, Progress *progress, GString *out, GError **error);

/*
 * Writes report.json and the files of FORMATS (NULL-terminated; NULL = all of them) into DIR, which is made if
 * missing. Each file appears whole or not at all. IOGAP_ERROR_FAILED names the file.
 */
gboolean report_write(Store *store, gint64 sweep, const char *dir, const char *const *formats, Progress *progress,
	GError **error);

/*
 * Writes every plot of the sweep into DIR, which is made if missing: SLUG.png, SLUG.gp, which draws it, and SLUG.dat, its
 * figures. Returns what was done, a line for people; IOGAP_ERROR_FAILED without gnuplot.
 */
char *report_plots(Store *store, gint64 sweep, const char *dir, Progress *progress, GError **error);

#endif
