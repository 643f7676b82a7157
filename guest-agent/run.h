/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One `run` request: watches a load while it also listens to the harness, and makes its result.
 *
 * Who may include it: guest-agent. Depends on load, sample, common/wire.
 */
#ifndef IOGAP_AGENT_RUN_H
#define IOGAP_AGENT_RUN_H

#include <jansson.h>

#include "guest-agent/common/wire.h"
#include "guest-agent/job.h"

typedef struct {
	Wire *wire; /* NULL: nobody to talk to (iogap-agent --run) */
	const json_t *id;
	bool lost; /* set when the harness hung up during the run: nobody waits for the answer */
} RunContext;

/* Runs JOB and sends its phases. The `result` object, or NULL with FAULT set (ECANCELED when cancelled or lost). */
json_t *run_job(const Job *job, RunContext *context, Fault *fault);

#endif
