/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Preparing storage: filling it, so that no hole or unwritten extent is ever read, and emptying the caches.
 *
 * Who may include it: guest-agent. Depends on common, disk, pattern.
 */
#ifndef IOGAP_AGENT_FILL_H
#define IOGAP_AGENT_FILL_H

#include <jansson.h>
#include <stdint.h>

#include <stdint.h>

#include "guest-agent/common/fault.h"

/*
 * Writes incompressible data that follows from (SEED, place) over SIZE bytes from OFFSET, direct where possible, and
 * syncs. A file grows to hold it and is never created. {"bytes", "ns"}, or NULL with FAULT.
 */
json_t *fill_range(const char *path, uint64_t offset, uint64_t size, uint64_t seed, Fault *fault);

/* Syncs and drops cached pages: docs/protocol.md, `drop`. NULL with FAULT only when PATH cannot be opened or synced. */
json_t *fill_drop(const char *path, Fault *fault);

#endif
