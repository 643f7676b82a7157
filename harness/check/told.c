/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Little's law and byte counts of figures that another program printed: rounded, and without a count of what was in flight. */
#include "harness/check/private.h"

/* Times are told in milliseconds at best: below this a whole one is more than CHECK_LITTLE allows. */
#define SHORTEST_NS 50e6

static gint compare(gconstpointer a, gconstpointer b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static gboolean near(double value, double expected)
{
	return fabs(value / expected - 1) <= CHECK_LITTLE;
}

double check_common_depth(const double *in_flight, guint n, guint *ret_n)
{
	g_autofree double *sorted = g_new(double, n);
	guint usable = 0, agree = 0;
	double median;

	for (guint i = 0; i < n; i++)
		if (isfinite(in_flight[i]) && in_flight[i] > 0)
			sorted[usable++] = in_flight[i];
	*ret_n = usable;
	if (usable < CHECK_PEERS)
		return NAN;
	qsort(sorted, usable, sizeof(double), compare);
	median = (sorted[(usable - 1) / 2] + sorted[usable / 2]) / 2;
	for (guint i = 0; i < usable; i++)
		agree += near(sorted[i], median);
	return agree >= CHECK_PEERS_SHARE * usable ? median : NAN;
}

static void check_depth(const Record *leg, const Record *run, double in_flight, const CheckSink *sink)
{
	double most = check_get(leg, "queue_depth") * check_get(leg, "jobs"), ns = check_get(run, "ns");

	/* Fewer are no contradiction: the load may have waited or computed in between. */
	if (!(most > 0) || !(in_flight > most * (1 + CHECK_LITTLE)) || ns < SHORTEST_NS)
		return;
	g_autofree char *got = check_number(in_flight, 1);
	g_autofree char *want = check_number(most, 0);

	check_flag(sink, "INCONSISTENT",
		"Little's law: operations per second x mean latency is %s requests in flight, more than the %s of the queue depth", got,
		want);
}

static void check_peer(double in_flight, double common, guint peers, const CheckSink *sink)
{
	if (!(in_flight > 0) || isnan(common) || near(in_flight, common))
		return;
	g_autofree char *got = check_number(in_flight, 1);
	g_autofree char *want = check_number(common, 1);

	check_flag(sink, "INCONSISTENT",
		"Little's law: operations per second x mean latency is %s requests in flight, the median of %u rows %s", got,
		peers, want);
}

static void check_bytes_told(const Record *leg, const Record *run, const char *ops, const char *bytes, const CheckSink *sink)
{
	gint64 size = record_get_int(leg, "block_size", 0), n = record_get_int(run, ops, 0);
	gint64 moved = record_get_int(run, bytes, 0);
	double jobs = record_get_real(leg, "jobs", 1), product = (double)n * (double)size;
	/* Bytes may be told in KiB, and the last request of each process may be a part. */
	double slack = MAX(1024, (double)size * jobs);

	if (size <= 0 || !record_has(run, ops) || !record_has(run, bytes) || !record_has(leg, "jobs"))
		return;
	if (fabs((double)moved - product) > MAX(slack, 1e-3 * product))
		check_flag(sink, "INCONSISTENT",
			"%s is %" G_GINT64_FORMAT ", but %s x block size is %" G_GINT64_FORMAT " x %" G_GINT64_FORMAT, bytes, moved, ops,
			n, size);
}

void check_told(const Record *leg, const Record *run, double in_flight, double common, guint peers, const CheckSink *sink)
{
	check_depth(leg, run, in_flight, sink);
	if (!record_has(leg, "queue_depth"))
		check_peer(in_flight, common, peers, sink);
	check_bytes_told(leg, run, "ops_read", "bytes_read", sink);
	check_bytes_told(leg, run, "ops_write", "bytes_written", sink);
}
