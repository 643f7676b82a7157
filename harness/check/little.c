/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/check/private.h"

static gboolean off(double value, double expected)
{
	return fabs(value / expected - 1) > CHECK_LITTLE;
}

/* Syncs belong to the measured time, and nothing of what is counted here is in flight meanwhile. */
static gboolean waits_for_syncs(const Record *leg)
{
	return record_has(leg, "fsync_every") || check_buffered_writes(leg);
}

static void check_product(const Record *leg, double asked, const Record *run, double ops, const CheckSink *sink)
{
	double ns = check_get(run, "ns"), latency = check_get(run, "complete_mean_ns");
	double counted = check_get(run, "depth_mean"), expected = isnan(counted) ? asked : counted;
	double in_flight = ops * latency / ns;

	if (!(ns > 0) || !(expected > 0) || isnan(in_flight) || !off(in_flight, expected))
		return;
	/* How long they took is in a depth that was counted, not in one that was asked for. */
	if (isnan(counted) && in_flight < expected && waits_for_syncs(leg))
		return;
	g_autofree char *got = check_number(in_flight, 2);
	g_autofree char *want = check_number(expected, 2);

	check_flag(sink, "INCONSISTENT", "Little's law: operations per second x mean latency is %s requests in flight, %s %s", got,
		isnan(counted) ? "asked were" : "counted were", want);
}

/* A queue that the engine never fills is another load than the one that was asked for. */
static void check_depth(const Record *leg, double asked, const Record *run, const CheckSink *sink)
{
	double counted = check_get(run, "depth_mean");

	if (record_get_int(leg, "queue_depth", 0) < 2 || record_has(leg, "rate_iops") || waits_for_syncs(leg) || isnan(counted) ||
		!off(counted, asked))
		return;
	g_autofree char *got = check_number(counted, 2);
	g_autofree char *want = check_number(asked, 0);

	check_flag(sink, "NOT_AS_ASKED", "queue depth: asked %s, reached %s on average", want, got);
}

static void check_size(const Record *leg, const Record *run, const char *ops, const char *bytes, const CheckSink *sink)
{
	gint64 size = record_get_int(leg, "block_size", 0), n = record_get_int(run, ops, 0);

	if (size && record_has(run, ops) && record_has(run, bytes) && record_get_int(run, bytes, 0) != n * size)
		check_flag(sink, "INCONSISTENT",
			"%s is %" G_GINT64_FORMAT ", but %s x block size is %" G_GINT64_FORMAT " x %" G_GINT64_FORMAT, bytes,
			record_get_int(run, bytes, 0), ops, n, size);
}

void check_little(const Record *leg, const Record *run, const CheckSink *sink)
{
	double ops = record_get_real(run, "ops_read", 0) + record_get_real(run, "ops_write", 0);
	double asked = check_get(leg, "queue_depth") * record_get_real(leg, "jobs", 1);

	/* A limited load has nothing in flight for much of the time, and nobody asked how much. */
	if (record_has(leg, "rate_iops"))
		asked = NAN;
	if (ops > 0)
		check_product(leg, asked, run, ops, sink);
	check_depth(leg, asked, run, sink);
	check_size(leg, run, "ops_read", "bytes_read", sink);
	check_size(leg, run, "ops_write", "bytes_written", sink);
}
