/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The result of a run as JSON (docs/protocol.md, "Result of a run"). */
#ifndef IOGAP_AGENT_RESULT_H
#define IOGAP_AGENT_RESULT_H

#include <jansson.h>

#include "guest-agent/load.h"
#include "guest-agent/sample.h"

/* Of a load that was joined without a fault. */
json_t *result_make(const Load *load, const Sample *begin, const Sample *end);

/* Parts of docs/protocol.md for those who make a result by other means: HIST, SIDE, a moment seen close to NEAR, `sync`. */
json_t *result_hist(const Hist *hist);
json_t *result_side(const Hist *submit, const Hist *complete, uint64_t block_size);
json_t *result_moment(const Sample *near, uint64_t mono_ns);
json_t *result_sync(const Hist *sync);
/* `effective` with DIRECT and SYNC_FLAGS as read back. */
json_t *result_effective(const Job *job, const Storage *storage, bool direct, const char *sync_flags);

#endif
