/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Several runs of one leg as one set of figures. Rates are geometric means over runs; CPU times and counts are
 * sums over sums; latencies come from merged histograms. A figure enters only if every run has what it needs:
 * a part would pass for the whole.
 *
 * Who may include it: export only.
 */
#ifndef IOGAP_EXPORT_SUMMARY_H
#define IOGAP_EXPORT_SUMMARY_H

#include <jansson.h>
#include "harness/export/data.h"

/* Which processors "cpu_percent" speaks of in the rows of guests. */
typedef enum {
	SUMMARY_CPU_HOST, /* the whole host, during the guest's run */
	SUMMARY_CPU_QEMU, /* the QEMU process: what a store has that does not know the host */
	SUMMARY_CPU_SOURCE, /* what the source of an imported sweep printed */
} SummaryCpu;

/* Whole host, unless only QEMU's own time was stored, or only shares that were imported. */
SummaryCpu summary_cpu(const ReportData *data);

/* RUNS (of ReportRun *, all good) of LEG; JSON null when there is none, NULL with the error set on failure. */
json_t *summary_json(const ReportData *data, const ReportLeg *leg, const GPtrArray *runs, GError **error);

/* Sum over RUNS of the columns A + B (B may be NULL); NaN when a run lacks one of them, and without runs. */
double summary_sum(const GPtrArray *runs, const char *a, const char *b);
/* Reads plus writes of the load; a direction in which nothing was done may be 0 or not measured. */
double summary_ops(const GPtrArray *runs);

#endif
