/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Several metrics judged side by side: the verdict of all together. Pure. Who may include it: export, cli. */
#ifndef IOGAP_GATE_FAMILIES_H
#define IOGAP_GATE_FAMILIES_H

#include "harness/gate/load.h"

typedef enum {
	GATE_FAMILY_OFF,
	GATE_FAMILY_ADVISORY, /* shown, and never an exit code */
	GATE_FAMILY_GATING,
} GateFamilyMode;

typedef struct {
	GateMetricId metric;
	GateFamilyMode mode;
	GateData *data;	    /* owned, as the result */
	GateResult *result; /* NULL = no cell has that metric */
} GateFamily;

GateFamily *gate_family_new(GateMetricId metric, GateFamilyMode mode);
void gate_family_free(GateFamily *family);

/*
 * gate_exit_code over FAMILIES (GPtrArray of GateFamily *, throughput first; it has a result) that gate, by precedence: a failed measurement,
 * nothing comparable, drift of the control, a regression, whatever else is inconclusive, pass. A gating family without a result is
 * inconclusive: what was asked for and not measured never passes.
 */
int gate_families_exit_code(const GPtrArray *families, char **ret_why);

#endif
