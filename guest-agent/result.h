/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The result of a run as JSON (docs/protocol.md, "Result of a run"). */
#ifndef IOGAP_AGENT_RESULT_H
#define IOGAP_AGENT_RESULT_H

#include <jansson.h>

#include "guest-agent/load.h"
#include "guest-agent/sample.h"

/* Of a load that was joined without a fault. */
json_t *result_make(const Load *load, const Sample *begin, const Sample *end);

/* HIST of docs/protocol.md. */
json_t *result_hist(const Hist *hist);

#endif
