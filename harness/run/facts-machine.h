/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What this host's kernel has and lets us do, for the planner. Nothing is changed. Who may include it: run, cli. */
#ifndef IOGAP_RUN_FACTS_MACHINE_H
#define IOGAP_RUN_FACTS_MACHINE_H

#include "harness/plan/plan.h"

/* Memory, control groups, processors, NUMA nodes, huge pages, frequency. ROOT is put before every path: "" but in tests. */
void facts_machine(const char *root, PlanFacts *facts);

/* The list of processors that are online and that this process may be moved to; NULL = unknown. New text. */
char *facts_cpus(const char *root);

#endif
