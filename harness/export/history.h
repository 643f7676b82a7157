/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The history of every cell over the sweeps of a store, as one versioned document (docs/history.md), and the outputs that are made of
 * that document alone. Change points are advice: of compare/change.h, over one value per sweep (the mean of ln over its good runs),
 * among sweeps of one fingerprint only, with one stated rate of false alarms for all cells together.
 *
 * Who may include it: cli. Needs compare, gate (which runs count), results and base.
 */
#ifndef IOGAP_EXPORT_HISTORY_H
#define IOGAP_EXPORT_HISTORY_H

#include <jansson.h>

#include "results/store.h"

#define HISTORY_FORMAT "iogap-history"
#define HISTORY_VERSION 1

/* A metric is one row of history-metric.c. */
typedef struct {
	const char *name, *unit;
	gboolean higher_is_better;
	const char *meaning;
	/* Columns of the run table that value needs; NULL-terminated. */
	const char *const *columns;
	/* Of one run; NaN = not measured. */
	double (*value)(const Record *run);
	gboolean over_host; /* divided by the host leg's value of the same block */
} HistoryMetric;
extern const HistoryMetric history_metrics[]; /* ended by a NULL name */
/* IOGAP_ERROR_USAGE with a hint when there is none; NULL is the first. */
const HistoryMetric *history_metric_find(const char *name, GError **error);

typedef struct {
	const HistoryMetric *metric;
	const char *const *cells; /* glob patterns over cells' names; NULL = all */
	const char *branch;	  /* NULL = all */
	const char *profile;	  /* NULL = all */
	const char *const *commits; /* full ids, oldest first; NULL = by time */
	const char *why_time;	  /* why not by commits; NULL = not wanted */
	double alpha, least;	  /* over all cells; smallest step worth advice */
	guint length;		  /* fewest sweeps between change points */
} HistoryChoice;

/* IOGAP_ERROR_NOTHING: no finished sweep, or no cell, fits. Owned by the caller. */
json_t *history_json(Store *store, const HistoryChoice *choice, GError **error);

/* The document as text for people, and as comma-separated values, one row per cell and sweep. New texts. */
char *history_text(const json_t *history);
char *history_csv(const json_t *history);

/* The page of one file, and plots of every cell (SVG, PNG and the .gp that draws them) into FOLDER; both by reports/render.py. */
gboolean history_html(const json_t *history, GString *out, GError **error);
char *history_plots(const json_t *history, const char *folder, GError **error);

#endif
