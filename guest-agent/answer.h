/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The lines that the agent sends. A harness that is gone is noticed by the next wire_read, so nothing is reported here.
 *
 * Who may include it: guest-agent. Depends on common.
 */
#ifndef IOGAP_AGENT_ANSWER_H
#define IOGAP_AGENT_ANSWER_H

#include "guest-agent/common/fault.h"
#include "guest-agent/common/wire.h"

/* ID may be NULL (null is sent). RESULT is borrowed. */
void answer_hello(Wire *wire);
void answer_result(Wire *wire, const json_t *id, json_t *result);
void answer_error(Wire *wire, const json_t *id, const Fault *fault);
void answer_phase(Wire *wire, const json_t *id, const char *phase, uint64_t boot_ns, uint64_t real_ns);

/* The `error` object of FAULT. */
json_t *answer_fault_json(const Fault *fault);

#endif
