/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tables that `iogap-agent --help` and iogap-agent(1) are made from. The keys of a job are in job.h.
 *
 * Who may include it: guest-agent.
 */
#ifndef IOGAP_AGENT_MANUAL_H
#define IOGAP_AGENT_MANUAL_H

#include <stdio.h>

typedef struct {
	const char *name;     /* "--run" */
	const char *argument; /* "JOB", or NULL */
	const char *summary;
} AgentOption;

/* Ends with a row without name. */
extern const AgentOption agent_options[];

/* All of --help: options, commands, keys of a job, engines. */
void manual_print(FILE *out);

#endif
