/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Facts of the side that the agent runs on (docs/protocol.md, `probe`). */
#ifndef IOGAP_AGENT_PROBE_H
#define IOGAP_AGENT_PROBE_H

#include <jansson.h>

/* Takes about 50 ms: clock_read_ns and null_io_ns are measured anew. Never NULL. */
json_t *probe_facts(void);

#endif
