/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/export/summary.h"

#include <math.h>

#include "harness/compare/compare.h"
#include "harness/export/json.h"
#include "harness/export/latency.h"

static double geomean_of(const GPtrArray *runs, const char *column)
{
	g_autofree double *values = g_new(double, runs->len);

	for (guint i = 0; i < runs->len; i++) {
		values[i] = record_get_real(((const ReportRun *)runs->pdata[i])->row, column, NAN);
		if (!(values[i] > 0))
			return NAN;
	}
	return compare_geomean(values, runs->len);
}

/* Sum over runs of A + B (B may be NULL); NaN when a run lacks one of them. */
static double sum_of(const GPtrArray *runs, const char *a, const char *b)
{
	double sum = 0;

	for (guint i = 0; i < runs->len; i++) {
		const Record *row = ((const ReportRun *)runs->pdata[i])->row;

		sum += record_get_real(row, a, NAN);
		if (b)
			sum += record_get_real(row, b, NAN);
	}
	return runs->len ? sum : NAN;
}

static double quotient(double a, double b)
{
	return b > 0 ? a / b : NAN;
}

/* Plain mean; NaN when a run lacks it. */
static double mean_of(const GPtrArray *runs, const char *column)
{
	return sum_of(runs, column, NULL) / runs->len;
}

/* Reads plus writes of the load; a side that did nothing may be 0 or not measured. */
static double ops_of(const GPtrArray *runs)
{
	double sum = 0;

	for (guint i = 0; i < runs->len; i++) {
		const Record *row = ((const ReportRun *)runs->pdata[i])->row;

		if (!record_has(row, "ops_read") && !record_has(row, "ops_write"))
			return NAN;
		sum += record_get_real(row, "ops_read", 0) + record_get_real(row, "ops_write", 0);
	}
	return sum;
}

static gboolean any_guest_has(const ReportData *data, const char *column)
{
	for (guint i = 0; i < data->legs->len; i++) {
		const ReportLeg *leg = data->legs->pdata[i];

		for (guint k = 0; leg->guest && k < leg->runs->len; k++)
			if (record_has(((const ReportRun *)leg->runs->pdata[k])->row, column))
				return TRUE;
	}
	return FALSE;
}

SummaryCpu summary_cpu(const ReportData *data)
{
	if (!any_guest_has(data, "host_user_ns") && any_guest_has(data, "qemu_user_ns"))
		return SUMMARY_CPU_QEMU;
	return SUMMARY_CPU_HOST;
}

static void set(json_t *summary, const char *key, double value)
{
	json_object_set_new(summary, key, json_number(value));
}

json_t *summary_json(const ReportData *data, const ReportLeg *leg, const GPtrArray *runs, GError **error)
{
	json_t *summary, *latency;
	double ns, ops, machine, host, qemu, cpu;

	if (runs->len == 0)
		return json_null();
	latency = latency_json(data->store, runs, error);
	if (!latency)
		return NULL;
	ns = sum_of(runs, "ns", NULL);
	ops = ops_of(runs);
	machine = 100 * quotient(sum_of(runs, "machine_user_ns", "machine_system_ns"), ns);
	/* On the host side the load's machine is the host. */
	host = leg->guest ? 100 * quotient(sum_of(runs, "host_user_ns", "host_system_ns"), ns) : machine;
	qemu = leg->guest ? 100 * quotient(sum_of(runs, "qemu_user_ns", "qemu_system_ns"), ns) : NAN;
	cpu = leg->guest && summary_cpu(data) == SUMMARY_CPU_QEMU ? qemu : host;
	/* Imported figures come as a share, without the times behind it. */
	if (isnan(cpu))
		cpu = mean_of(runs, "cpu_percent");

	summary = json_pack("{si}", "runs", (int)runs->len);
	set(summary, "bytes_per_s", geomean_of(runs, "bytes_per_s"));
	set(summary, "iops", geomean_of(runs, "iops"));
	set(summary, "cpu_percent", cpu);
	set(summary, "load_cpu_percent", 100 * quotient(sum_of(runs, "load_user_ns", "load_system_ns"), ns));
	set(summary, "machine_cpu_percent", machine);
	set(summary, "host_cpu_percent", host);
	set(summary, "qemu_cpu_percent", qemu);
	set(summary, "load_switches_per_io",
		quotient(sum_of(runs, "load_voluntary_switches", "load_involuntary_switches"), ops));
	set(summary, "machine_switches_per_io", quotient(sum_of(runs, "machine_switches", NULL), ops));
	set(summary, "host_switches_per_io",
		quotient(sum_of(runs, leg->guest ? "host_switches" : "machine_switches", NULL), ops));
	json_object_set_new(summary, "latency", latency);
	return summary;
}
