/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From sweeps of the store to the gate's report, every family of metrics in it. */
#ifndef IOGAP_CLI_GATE_JUDGE_H
#define IOGAP_CLI_GATE_JUDGE_H

#include <jansson.h>

#include "harness/gate/families.h"

/* Which runs are judged: two arms of SWEEP, or stored sweeps against stored sweeps. */
typedef struct {
	Store *store;
	gint64 sweep;
	const char *base_arm, *new_arm;	      /* NULL = the sweep's only two */
	const GArray *baselines, *candidates; /* of gint64; NULL = arms of SWEEP */
	GateChoice choice;		      /* its metric is not used */
	const char *inconclusive;	      /* as in GateReportExtra */
} GateCase;

/* The data of one metric, before any waiver. */
GateData *gate_case_load(const GateCase *gate, GateMetricId metric, GError **error);

/*
 * The families that are not off, throughput first, each loaded, waived and judged. BLOCKS limits an arms' case to its first ones; 0 =
 * all. With ONLY_GATING advisory ones are left out.
 */
GPtrArray *gate_case_families(const GateCase *gate, guint blocks, gboolean only_gating, GError **error);

/* The document of gate-report.h, owned by the caller. Nothing is judged when the sweep was interrupted or is not comparable. */
json_t *gate_case_report(const GateCase *gate, GError **error);

#endif
