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
	bool cancelled; /* set when it said so */
} RunContext;

/*
 * For those who make a run: waits for WAKE_FD (true: it is readable), for TIMEOUT_NS, or for the harness, which may only cancel: what
 * else it says now is an error of its own and does not touch the run. A hang-up sets lost.
 */
bool run_listen(RunContext *context, int wake_fd, uint64_t timeout_ns);

/* True, with FAULT set, once the harness cancelled or hung up. */
bool run_is_over(const RunContext *context, Fault *fault);

/* Sends one `phase` line: PHASE began when CLOCK_MONOTONIC read MONO_NS. */
void run_say_phase(const RunContext *context, const char *phase, uint64_t mono_ns);

/* Runs JOB and sends its phases. The `result` object, or NULL with FAULT set (ECANCELED when cancelled or lost). */
json_t *run_job(const Job *job, RunContext *context, Fault *fault);

#endif
