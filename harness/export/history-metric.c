/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What `iogap history` can follow. */
#include <math.h>

#include "harness/base/error.h"
#include "harness/base/nearest.h"
#include "harness/export/history.h"

static double rate(const Record *run)
{
	return record_get_real(run, "bytes_per_s", record_get_real(run, "iops", NAN));
}

static double iops(const Record *run)
{
	return record_get_real(run, "iops", NAN);
}

static double p99(const Record *run)
{
	return record_get_real(run, "complete_p99_ns", NAN);
}

static double latency(const Record *run)
{
	return record_get_real(run, "complete_mean_ns", NAN);
}

static double per_io(const Record *run, const char *a, const char *b)
{
	return (record_get_real(run, a, NAN) + record_get_real(run, b, NAN)) /
		(record_get_real(run, "ops_read", 0) + record_get_real(run, "ops_write", 0));
}

static double cpu(const Record *run)
{
	return per_io(run, "qemu_user_ns", "qemu_system_ns");
}

static double switches(const Record *run)
{
	return per_io(run, "qemu_voluntary_switches", "qemu_involuntary_switches");
}

static const char *const rate_columns[] = {"bytes_per_s", "iops", NULL};
static const char *const p99_columns[] = {"complete_p99_ns", NULL};
static const char *const latency_columns[] = {"complete_mean_ns", NULL};
static const char *const cpu_columns[] = {"qemu_user_ns", "qemu_system_ns", "ops_read", "ops_write", NULL};
static const char *const switch_columns[] = {
	"qemu_voluntary_switches", "qemu_involuntary_switches", "ops_read", "ops_write", NULL};

const HistoryMetric history_metrics[] = {
	{"rate", "bytes/s", TRUE, "bytes per second of the guest", rate_columns, rate},
	{"ratio", "guest/host", TRUE, "the guest's rate over its host's, block by block", rate_columns, rate, TRUE},
	{"iops", "1/s", TRUE, "operations per second of the guest", rate_columns, iops},
	{"latency", "ns", FALSE, "mean completion latency in the guest", latency_columns, latency},
	{"p99", "ns", FALSE, "99th percentile of a run's completion latency in the guest", p99_columns, p99},
	{"cpu", "ns per I/O", FALSE, "CPU time of the hypervisor's process for each I/O", cpu_columns, cpu},
	{"switches", "per I/O", FALSE, "context switches of the hypervisor's threads for each I/O", switch_columns, switches},
	{NULL},
};

const HistoryMetric *history_metric_find(const char *name, GError **error)
{
	const char *names[G_N_ELEMENTS(history_metrics)];
	g_autofree char *all = NULL;
	const char *hint;

	for (guint i = 0; i < G_N_ELEMENTS(history_metrics); i++)
		names[i] = history_metrics[i].name;
	for (guint i = 0; names[i]; i++)
		if (!name || g_str_equal(names[i], name))
			return &history_metrics[i];
	hint = nearest(name, names);
	all = g_strjoinv(", ", (char **)names);
	g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_USAGE, "there is no metric \"%s\"; there are %s%s%s%s", name, all,
		hint ? "; did you mean \"" : "", hint ? hint : "", hint ? "\"?" : "");
	return NULL;
}
