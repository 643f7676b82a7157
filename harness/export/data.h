/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A sweep as the report needs it: legs with their runs and flags, read from the store once.
 *
 * Who may include it: export only. Everything is owned by the ReportData; legs and runs live as long as it does.
 */
#ifndef IOGAP_EXPORT_DATA_H
#define IOGAP_EXPORT_DATA_H

#include "harness/base/record.h"
#include "results/store.h"

typedef struct {
	gint64 id;
	guint block;
	const char *status; /* ok, failed, skipped */
	gboolean good;	    /* ok, with a rate that is a positive number */
	double bytes_per_s; /* NaN unless good, and where only iops were measured */
	const Record *row;  /* run */
	GPtrArray *flags;   /* of const Record *: flag, evidence */
} ReportRun;

typedef struct ReportLeg {
	gint64 id;
	const char *label, *target; /* target "-" when the store has none */
	guint target_no;	     /* targets in the order in which the store first names them */
	gboolean guest;
	gboolean emulated; /* guest under tcg */
	const Record *row; /* leg */
	struct ReportLeg *host; /* of a guest leg; NULL when the store has none */
	GPtrArray *runs;   /* of ReportRun *, by block, then in the order of the store */
	ReportRun **good;  /* by block: the good run, or NULL; data->blocks of them */
	guint n_good;
} ReportLeg;

typedef struct {
	Store *store; /* borrowed */
	Record *sweep;
	guint blocks; /* planned, or more when the store holds more */
	gboolean emulated;
	guint cpu; /* a SummaryCpu (summary.h): looked up once, since it takes a look at every run */
	GPtrArray *legs; /* of ReportLeg *, in the order of every report (axes.h) */
	GPtrArray *refusals, *boots; /* of Record * */
	GPtrArray *leg_rows, *run_rows, *flag_rows; /* what the structs above point into */
} ReportData;

ReportData *report_data_load(Store *store, gint64 sweep, GError **error);
void report_data_free(ReportData *data);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(ReportData, report_data_free)

#endif
