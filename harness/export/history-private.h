/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A history while it is loaded. Who may include it: harness/export. */
#ifndef IOGAP_EXPORT_HISTORY_PRIVATE_H
#define IOGAP_EXPORT_HISTORY_PRIVATE_H

#include "harness/export/history.h"

/* One cell in one sweep. */
typedef struct {
	double y; /* mean of ln over the good runs; NaN = none */
	guint runs, left_out; /* good ones; flagged, failed, or without this metric */
} HistoryPoint;

typedef struct {
	char *name;
	HistoryPoint *points; /* by sweep */
	gboolean *there;      /* the sweep has this cell */
} HistoryCell;

typedef struct {
	GPtrArray *sweeps;    /* of Record *, whole rows of the sweep table, in the history's order */
	guint *environments;  /* by sweep: its number among the fingerprints; 0 = it has none */
	GPtrArray *fingerprints; /* of const char *; [0] is NULL */
	GPtrArray *cells;     /* of HistoryCell *, by name */
	guint unfinished;     /* sweeps that fit but did not finish */
} History;

History *history_load(Store *store, const HistoryChoice *choice, GError **error);
void history_free(History *history);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(History, history_free)

/* 95 % and "-" for what is not known; a number with four digits and its unit, as people read it. New texts. */
char *history_value_text(const json_t *history, double value);
char *history_percent(double fraction);
/* The first 12 letters of the commit, else the sweep's number with a #. New text. */
char *history_name_of(const json_t *sweep);
/* "rate fell by 5.1 % (4.0 to 6.2 %) from abc to def" of one change. New text. */
char *history_change_text(const json_t *history, const json_t *change);

#endif
