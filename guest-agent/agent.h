/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The dispatcher: requests in, answers out (docs/protocol.md). One table holds the commands.
 *
 * Who may include it: guest-agent.
 */
#ifndef IOGAP_AGENT_AGENT_H
#define IOGAP_AGENT_AGENT_H

#include "guest-agent/common/keys.h"
#include "guest-agent/common/wire.h"

typedef struct {
	Wire *wire;
	const json_t *id; /* of the request under way */
	bool ending;	  /* poweroff was answered, or the harness is gone */
} Agent;

typedef struct {
	const char *name;
	const char *summary;
	const Key *keys; /* arguments; ends with a row without name */
	/* The result (owned by the caller), or NULL with FAULT set. */
	json_t *(*run)(Agent *agent, const json_t *request, const Key *keys, Fault *fault);
} AgentCommand;

/* Ends with a row without name. */
extern const AgentCommand agent_commands[];

/*
 * Says hello and serves WIRE until poweroff (0) or until the other end is gone (-EPIPE or another -errno). Threads of a
 * run may still be there then: end the process.
 */
int agent_serve(Wire *wire);

#endif
