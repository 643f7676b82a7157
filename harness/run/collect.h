/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From the agent's answer to a row of the store: checks that the answer is whole and does not contradict
 * itself, and names its values as the store's columns. Pure.
 */
#ifndef IOGAP_RUN_COLLECT_H
#define IOGAP_RUN_COLLECT_H

#include <jansson.h>

#include "harness/plan/plan.h"
#include "results/store.h"

/*
 * Adds the figures of RESULT (docs/protocol.md, "Result of a run") to RUN. WORKLOAD is what was asked: effective
 * settings that differ add the flag NOT_AS_ASKED. Contradictions (bytes that are not operations times block size, a
 * histogram that does not hold every operation, no time) are IOGAP_ERROR_AGENT, and RUN is then untouched.
 * So is a run in which an outside program failed; its job, version and messages are then all that RUN gets.
 */
gboolean collect_result(const json_t *result, const PlanWorkload *workload, StoreRun *run, GError **error);

/* HIST (docs/protocol.md) into *ret; FALSE and *ret undefined when it is not one. */
gboolean collect_hist(const json_t *hist, Hist *ret);

#endif
