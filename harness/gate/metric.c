/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/gate/metric.h"

#include <math.h>

static double throughput(const Record *run)
{
	return record_get_real(run, "bytes_per_s", record_get_real(run, "iops", NAN));
}

static double latency(const Record *run)
{
	return record_get_real(run, "complete_p99_ns", NAN);
}

/* NaN when a part is missing: what was not counted is not nothing. */
static double per_operation(const Record *run, const char *a, const char *b)
{
	double ops = record_get_real(run, "ops_read", 0) + record_get_real(run, "ops_write", 0);

	return (record_get_real(run, a, NAN) + record_get_real(run, b, NAN)) / ops;
}

static double cpu(const Record *run)
{
	return per_operation(run, "qemu_user_ns", "qemu_system_ns");
}

static double switches(const Record *run)
{
	return per_operation(run, "qemu_voluntary_switches", "qemu_involuntary_switches");
}

static const struct {
	GateMetric metric;
	double (*value)(const Record *run);
} metrics[] = {
	[GATE_THROUGHPUT] = {{"throughput", "throughput", FALSE}, throughput},
	[GATE_LATENCY] = {{"latency", "p99 latency", TRUE}, latency},
	[GATE_CPU] = {{"cpu", "CPU time of QEMU per operation", TRUE}, cpu},
	[GATE_SWITCHES] = {{"switches", "context switches of QEMU per operation", TRUE}, switches},
};

const GateMetric *gate_metric(GateMetricId metric)
{
	return &metrics[metric].metric;
}

double gate_metric_value(GateMetricId metric, const Record *run)
{
	double value = metrics[metric].value(run);

	if (!(value > 0) || !isfinite(value))
		return NAN;
	return metrics[metric].metric.lower ? -log(value) : log(value);
}
