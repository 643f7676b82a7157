/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "guest-agent/common/steady.h"
#include "harness/check/private.h"

/* The run's number is that of its accepted part. */
static void apply_cut(const Record *leg, const guint64 *ops, guint cut, guint64 interval_ns, Record *run)
{
	double total = record_get_real(run, "ops_read", 0) + record_get_real(run, "ops_write", 0);
	double seconds = (record_get_real(run, "ns", 0) - (double)cut * (double)interval_ns) / 1e9;

	for (guint i = 0; i < cut; i++)
		total -= (double)ops[i];
	record_set_int(run, "cut_ns", (gint64)(cut * interval_ns));
	if (cut == 0 || !(total > 0) || !(seconds > 0))
		return;
	record_set_real(run, "iops", total / seconds);
	record_set_real(run, "bytes_per_s", total * (double)record_get_int(leg, "block_size", 0) / seconds);
}

static void say(const Steady *steady, gboolean extended, const CheckSink *sink)
{
	g_autofree char *range = check_percent(steady->range);
	g_autofree char *slope = check_percent(steady->slope);
	const char *how = extended ? "the run was extended once already" : "the run was not extended";

	if (!steady->settled)
		check_flag(sink, "NOT_STEADY", "the rate had not settled after half of the time (MSER-5); %s", how);
	else
		check_flag(sink, "NOT_STEADY",
			"the means of five windows range over %s (limit 20 %%) and their line changes by %s (limit 10 %%); %s",
			range, slope, how);
}

void check_steady(const Record *leg, const guint64 *ops, guint n, guint64 interval_ns, gboolean extended, Record *run,
	const CheckSink *sink)
{
	Steady steady;

	record_set_null(run, "cut_ns");
	if (check_buffered_writes(leg)) {
		check_absent(sink, run, "steady",
			"buffered writes: their rate falls by nature when the cache is full; the whole time counts, final sync included");
		return;
	}
	steady_judge((const uint64_t *)ops, n, &steady);
	if (!steady.known) {
		check_absent(sink, run, "steady", steady.reason);
		return;
	}
	record_set_int(run, "steady", steady.steady);
	/* Half of a run that never settled is no better than the whole. */
	apply_cut(leg, ops, steady.settled ? steady.cut : 0, interval_ns, run);
	if (!steady.steady)
		say(&steady, extended, sink);
}
