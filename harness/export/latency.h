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

/* Of the I/Os of DIRECTION ("read", "write"; NULL = both; with one of them, columns of both together do not serve). Owned by
 * the caller; NULL with the error set when the store cannot be read. */
json_t *latency_json(Store *store, const GPtrArray *runs, const char *direction, GError **error);

/*
 * How the latencies of all I/Os of RUNS are distributed: {"edges_ns":[e0 ... en],"counts":[c1 ... cn]}, eight bins per octave,
 * from the first to the last that is not empty. JSON null when a run has no histogram, NULL with the error set on failure.
 */
json_t *latency_distribution(Store *store, const GPtrArray *runs, GError **error);

#endif
