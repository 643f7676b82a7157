/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Waits for an outside program and listens to the harness meanwhile: the part of a run that fio, dd and the others have in common.
 *
 * Who may include it: guest-agent. Depends on run, engine/child.
 */
#ifndef IOGAP_AGENT_OUTSIDE_H
#define IOGAP_AGENT_OUTSIDE_H

#include "guest-agent/engine/child.h"
#include "guest-agent/run.h"

typedef struct {
	const char *name; /* of the program, in messages */
	const char *what; /* of its faults: "fio", "tool" */
	const char *late; /* what to do when it does not end in time; "" = nothing */
	/*
	 * Does what is due and returns the nanoseconds until something is due again, 0 when the program's time is over: it is then killed.
	 * Called again and again as long as the program runs. DATA is that of outside_watch.
	 */
	uint64_t (*proceed)(void *data);
} OutsideOps;

/*
 * From child_start to the end of CHILD, which is reaped on return whatever happened. Its status as of child_reap, or -errno with FAULT
 * set: ECANCELED when the harness cancelled or hung up, ETIMEDOUT, or what kept its output from being taken.
 */
int outside_watch(const OutsideOps *ops, Child *child, RunContext *context, void *data, Fault *fault);

#endif
