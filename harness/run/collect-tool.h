/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Figures of a run that dd, ioping or bonnie++ made: read from what it printed, as `iogap import` reads it. Who may include it: run, tests. */
#ifndef IOGAP_RUN_COLLECT_TOOL_H
#define IOGAP_RUN_COLLECT_TOOL_H

#include <jansson.h>

#include "harness/plan/plan.h"
#include "results/store.h"

/*
 * Adds the figures of TOOL (docs/protocol.md, "Runs by other tools") to RUN, and what was printed. IOGAP_ERROR_AGENT, and RUN is
 * untouched, when the output holds not just one result, a failed one, or one that is not whole blocks.
 */
gboolean collect_tool(const json_t *tool, const PlanWorkload *workload, StoreRun *run, GError **error);

#endif
