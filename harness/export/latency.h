/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Latency of several runs, from their merged histograms. Where no run has one (imported tables), means are
 * those of the runs' columns weighted by operations, and percentiles are a run's own only if it is alone.
 *
 * Who may include it: export only.
 */
#ifndef IOGAP_EXPORT_LATENCY_H
#define IOGAP_EXPORT_LATENCY_H

#include <jansson.h>
#include "harness/export/data.h"

/* Owned by the caller; NULL with the error set when the store cannot be read. */
json_t *latency_json(Store *store, const GPtrArray *runs, GError **error);

#endif
