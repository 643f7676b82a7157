/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the gate judges. Throughput decides; the others are families of their own, each with its own share of alpha and its own
 * floors, advisory unless the profile lets them gate. Who may include it: gate, export, cli.
 */
#ifndef IOGAP_GATE_METRIC_H
#define IOGAP_GATE_METRIC_H

#include "harness/base/record.h"

typedef enum {
	GATE_THROUGHPUT, /* bytes per second, or operations where there are no bytes */
	GATE_LATENCY,	 /* 99th percentile of a run's complete latency, from its histogram */
	GATE_CPU,	 /* CPU time of QEMU for each operation */
	GATE_SWITCHES,	 /* context switches of QEMU's threads for each operation */
	GATE_METRICS,
} GateMetricId;

typedef struct {
	const char *name; /* as in the profile and in every output: "latency" */
	const char *what; /* in words: "p99 latency" */
	gboolean lower;	  /* lower is better */
} GateMetric;
const GateMetric *gate_metric(GateMetricId metric);

/*
 * y of one run of the store: its logarithm, turned round where lower is better, so that a loss is one of y everywhere; a loss of 20 %
 * in such a metric is 25 % more of it. NaN when the run does not have it.
 */
double gate_metric_value(GateMetricId metric, const Record *run);

#endif
