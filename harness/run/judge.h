/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From a finished run to its flags: gives harness/check what it looks at. Pure but for its arguments. Who may include it: run. */
#ifndef IOGAP_RUN_JUDGE_H
#define IOGAP_RUN_JUDGE_H

#include <jansson.h>

#include "harness/check/check.h"
#include "harness/run/absent.h"
#include "results/store.h"

typedef struct {
	const Record *leg; /* its columns in the store */
	guint64 host_memory;
	guint cpus; /* of the host */
	const CheckStamp *before, *after; /* NULL: the clocks were not compared */
	const json_t *disk; /* answer of `inspect` on the load's side; NULL: not asked */
	const json_t *disk_after; /* the same after the run; NULL: not asked */
	Absent *absent; /* may be NULL */
} JudgeRun;

/* RESULT is the agent's answer, from which collect_result has made ROW. Adds the derived columns and every flag. */
void judge_run(const JudgeRun *judge, const json_t *result, StoreRun *row);

#endif
