/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A run by dd or ioping: the tool as a child, what it prints handed on to the harness, which reads it with its importers
 * (docs/protocol.md, "Runs by other tools").
 *
 * Who may include it: guest-agent. Depends on run, tool-args, open-file, engine/child, engine/tools.
 */
#ifndef IOGAP_AGENT_TOOL_RUN_H
#define IOGAP_AGENT_TOOL_RUN_H

#include "guest-agent/run.h"
#include "guest-agent/storage.h"

#define TOOL_MAX_OUTPUT (64u << 10) /* bytes that are handed on; more is an error, not cut */

/*
 * The `result` object without figures of the load but with `tool`, or NULL with FAULT set, which quotes the tool. The engine of JOB
 * is one with a tool that passed its probe; STORAGE is open on what JOB names. No child is left, whatever happens.
 */
json_t *tool_run(const Job *job, const Storage *storage, RunContext *context, Fault *fault);

#endif
