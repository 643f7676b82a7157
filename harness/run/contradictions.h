/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An agent's answer against the load it was given and against itself: its counters may add up and still be those of another load.
 * Pure. Who may include it: run.
 */
#ifndef IOGAP_RUN_CONTRADICTIONS_H
#define IOGAP_RUN_CONTRADICTIONS_H

#include <jansson.h>

#include "harness/plan/plan.h"

/* Largest difference of end - begin from the measured time, beside a hundredth of that: two looks at a clock on a busy machine, or
 * at an outside program, which tells nobody when it begins. */
#define CONTRADICTIONS_TICK_NS 10000000
#define CONTRADICTIONS_SEEN_NS 500000000

/* What the answer counts. */
typedef struct {
	guint64 ns, ops_read, ops_write;
} Counted;

/*
 * What in RESULT contradicts WORKLOAD or COUNTED: operations in a direction that rw excludes; begin and end that are not ns apart; a
 * mean depth that is negative or more than queue depth x jobs; a series whose steps are not whole blocks, do not add up to the
 * operations but for those in flight at the end, or go on after ns. NULL when nothing does; else new text, for people. What an answer
 * leaves out or gives as null contradicts nothing.
 */
char *contradictions_find(const json_t *result, const PlanWorkload *workload, const Counted *counted);

#endif
