/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/export/summary.h"

#include <math.h>

#include "guest-agent/common/bonnie.h"
#include "harness/compare/compare.h"
#include "harness/export/accounting.h"
#include "harness/export/imported.h"
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

double summary_sum(const GPtrArray *runs, const char *a, const char *b)
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
	return summary_sum(runs, column, NULL) / runs->len;
}

double summary_ops(const GPtrArray *runs)
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

static gboolean any_has(const ReportData *data, gboolean guest, const char *column)
{
	for (guint i = 0; i < data->legs->len; i++) {
		const ReportLeg *leg = data->legs->pdata[i];

		for (guint k = 0; leg->guest == guest && k < leg->runs->len; k++)
			if (record_has(((const ReportRun *)leg->runs->pdata[k])->row, column))
				return TRUE;
	}
	return FALSE;
}

SummaryCpu summary_cpu(const ReportData *data)
{
	if (!any_has(data, TRUE, "host_user_ns") && any_has(data, TRUE, "qemu_user_ns"))
		return SUMMARY_CPU_QEMU;
	if ((any_has(data, TRUE, "cpu_percent") || any_has(data, FALSE, "cpu_percent")) &&
		!any_has(data, TRUE, "host_user_ns") && !any_has(data, FALSE, "machine_user_ns"))
		return SUMMARY_CPU_SOURCE;
	return SUMMARY_CPU_HOST;
}

static void set(json_t *summary, const char *key, double value)
{
	json_object_set_new(summary, key, json_number(value));
}

/* CPU time of each kind of thread, for each I/O of the load. */
static json_t *cpu_per_io(const ReportLeg *leg, const GPtrArray *runs, double ops)
{
	static const struct {
		const char *key, *a, *b;
		gboolean of_guest; /* only guest legs have it */
	} rows[] = {
		{"load", "load_user_ns", "load_system_ns"},
		{"machine", "machine_user_ns", "machine_system_ns"},
		{"host", "host_user_ns", "host_system_ns", TRUE},
		{"qemu", "qemu_user_ns", "qemu_system_ns", TRUE},
		{"qemu_vcpu", "qemu_vcpu_ns", NULL, TRUE},
		{"qemu_iothread", "qemu_iothread_ns", NULL, TRUE},
		{"qemu_worker", "qemu_worker_ns", NULL, TRUE},
		{"qemu_main", "qemu_main_ns", NULL, TRUE},
		{"qemu_other", "qemu_other_ns", NULL, TRUE},
		{"qemu_unseen", "qemu_unseen_ns", NULL, TRUE},
	};
	json_t *object = json_object();

	for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
		double sum = rows[i].of_guest && !leg->guest ? NAN : summary_sum(runs, rows[i].a, rows[i].b);

		set(object, rows[i].key, quotient(sum, ops));
	}
	return object;
}

/* Bounds of the rate over the blocks: Student's interval on the mean of ln, as the ratio has it. */
static void set_bounds(json_t *summary, const GPtrArray *runs)
{
	double mean = 0, squares = 0, half;

	for (guint i = 0; i < runs->len; i++) {
		double y = log(((const ReportRun *)runs->pdata[i])->bytes_per_s), delta = y - mean;

		mean += delta / (i + 1);
		squares += delta * (y - mean);
	}
	half = runs->len < 2 ? NAN : compare_half_width(sqrt(squares / (runs->len - 1)), runs->len, COMPARE_LEVEL);
	set(summary, "bytes_per_s_low", exp(mean - half));
	set(summary, "bytes_per_s_high", exp(mean + half));
}

/* What one direction of a mixed load did: its rate is a geometric mean over the runs too. */
static json_t *direction_json(const ReportData *data, const GPtrArray *runs, const char *direction, GError **error)
{
	const char *bytes = g_str_equal(direction, "read") ? "bytes_read" : "bytes_written";
	const char *ops = g_str_equal(direction, "read") ? "ops_read" : "ops_write";
	g_autofree double *rates = g_new(double, runs->len), *counts = g_new(double, runs->len);
	json_t *latency = latency_json(data->store, runs, direction, error), *object;
	gboolean whole = TRUE;

	if (!latency)
		return NULL;
	for (guint i = 0; i < runs->len; i++) {
		const Record *row = ((const ReportRun *)runs->pdata[i])->row;
		double seconds = record_get_real(row, "ns", NAN) / 1e9;

		rates[i] = record_get_real(row, bytes, NAN) / seconds;
		counts[i] = record_get_real(row, ops, NAN) / seconds;
		whole &= rates[i] > 0 && counts[i] > 0;
	}
	object = json_object();
	set(object, "bytes_per_s", whole ? compare_geomean(rates, runs->len) : NAN);
	set(object, "iops", whole ? compare_geomean(counts, runs->len) : NAN);
	json_object_set_new(object, "latency", latency);
	return object;
}

static gboolean is_mixed(const ReportLeg *leg)
{
	const char *rw = record_get_text(leg->row, "rw");

	return g_strcmp0(rw, "rw") == 0 || g_strcmp0(rw, "randrw") == 0;
}

static gboolean set_directions(json_t *summary, const ReportData *data, const ReportLeg *leg, const GPtrArray *runs,
	GError **error)
{
	static const char *const names[] = {"read", "write"};

	for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
		json_t *own = is_mixed(leg) ? direction_json(data, runs, names[i], error) : json_null();

		if (!own)
			return FALSE;
		json_object_set_new(summary, names[i], own);
	}
	return TRUE;
}

/* Of a table that names the host's switches a second: over its operations a second; NaN when a run lacks either. */
static double imported_switches(const ReportLeg *leg, const GPtrArray *runs)
{
	double size = record_get_real(leg->row, "block_size", NAN), switches = 0, ops = 0;

	for (guint i = 0; i < runs->len; i++) {
		const ReportRun *run = runs->pdata[i];

		switches += imported_figure(run, "context_switches_per_s");
		ops += record_has(run->row, "iops") ? record_get_real(run->row, "iops", NAN) : run->bytes_per_s / size;
	}
	return quotient(switches, ops);
}

static void set_switches(json_t *summary, const ReportLeg *leg, const GPtrArray *runs, double ops)
{
	double host = quotient(summary_sum(runs, leg->guest ? "host_switches" : "machine_switches", NULL), ops);
	double qemu = summary_sum(runs, "qemu_voluntary_switches", "qemu_involuntary_switches");

	set(summary, "load_switches_per_io",
		quotient(summary_sum(runs, "load_voluntary_switches", "load_involuntary_switches"), ops));
	set(summary, "machine_switches_per_io", quotient(summary_sum(runs, "machine_switches", NULL), ops));
	set(summary, "host_switches_per_io", isnan(host) ? imported_switches(leg, runs) : host);
	set(summary, "qemu_switches_per_io", leg->guest ? quotient(qemu, ops) : NAN);
}

/* What bonnie++ tells of files beside a test of bytes, and the data set that it had; left out where there is nothing of it. */
static void set_bonnie(json_t *summary, const ReportLeg *leg, const GPtrArray *runs)
{
	static const char *const columns[] = {"seq_create_per_s", "seq_stat_per_s", "seq_delete_per_s", "ran_create_per_s",
		"ran_stat_per_s", "ran_delete_per_s"};
	const char *engine = record_get_text(leg->row, "engine");
	json_t *files = json_object();
	gboolean any = FALSE;

	for (guint i = 0; i < G_N_ELEMENTS(columns); i++) {
		double mean = mean_of(runs, columns[i]);

		any = any || isfinite(mean);
		set(files, columns[i], mean);
	}
	if (any)
		json_object_set_new(summary, "files", files);
	else
		json_decref(files);
	/* Of an imported leg the target's size is that of the data set. */
	if (bonnie_is(engine) && record_has(((const ReportRun *)runs->pdata[0])->row, "outside_version") && record_has(leg->row, "target_size"))
		json_object_set_new(summary, "data_bytes",
			json_integer((json_int_t)bonnie_bytes(engine, (guint64)record_get_int(leg->row, "target_size", 0))));
}

json_t *summary_json(const ReportData *data, const ReportLeg *leg, const GPtrArray *runs, GError **error)
{
	json_t *summary, *latency;
	double ns, ops, machine, host, qemu, cpu;

	if (runs->len == 0)
		return json_null();
	latency = latency_json(data->store, runs, NULL, error);
	if (!latency)
		return NULL;
	ns = summary_sum(runs, "ns", NULL);
	ops = summary_ops(runs);
	machine = 100 * quotient(summary_sum(runs, "machine_user_ns", "machine_system_ns"), ns);
	/* On the host side the load's machine is the host. */
	host = leg->guest ? 100 * quotient(summary_sum(runs, "host_user_ns", "host_system_ns"), ns) : machine;
	qemu = leg->guest ? 100 * quotient(summary_sum(runs, "qemu_user_ns", "qemu_system_ns"), ns) : NAN;
	cpu = leg->guest && data->cpu == SUMMARY_CPU_QEMU ? qemu : host;
	/* Imported figures come as a share, without the times behind it. */
	if (isnan(cpu))
		cpu = mean_of(runs, "cpu_percent");

	summary = json_pack("{si}", "runs", (int)runs->len);
	set(summary, "bytes_per_s", geomean_of(runs, "bytes_per_s"));
	set_bounds(summary, runs);
	set(summary, "iops", geomean_of(runs, "iops"));
	set(summary, "cpu_percent", cpu);
	set(summary, "load_cpu_percent", 100 * quotient(summary_sum(runs, "load_user_ns", "load_system_ns"), ns));
	set(summary, "machine_cpu_percent", machine);
	set(summary, "host_cpu_percent", host);
	set(summary, "qemu_cpu_percent", qemu);
	set_switches(summary, leg, runs, ops);
	json_object_set_new(summary, "cpu_ns_per_io", cpu_per_io(leg, runs, ops));
	json_object_set_new(summary, "accounting", accounting_summary(leg, runs));
	json_object_set_new(summary, "latency", latency);
	set_bonnie(summary, leg, runs);
	if (!set_directions(summary, data, leg, runs, error)) {
		json_decref(summary);
		return NULL;
	}
	return summary;
}
