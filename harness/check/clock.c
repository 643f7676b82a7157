/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/check/private.h"

static double middle(const CheckStamp *stamp)
{
	return stamp->sent_ns + (double)(stamp->came_ns - stamp->sent_ns) / 2;
}

void check_clock(const CheckStamp *before, const CheckStamp *after, Record *run, const CheckSink *sink)
{
	double host = middle(after) - middle(before), other = (double)(after->other_ns - before->other_ns);
	double trip = (double)(before->came_ns - before->sent_ns) / 2 + (double)(after->came_ns - after->sent_ns) / 2;
	double drift, limit, rate = check_get(run, "bytes_per_s");

	if (!(host > 0) || after->other_ns <= before->other_ns) {
		check_absent(sink, run, "drift", "the clock of the other side stood still or went back");
		record_set_null(run, "round_trip_ns");
		record_set_null(run, "host_bytes_per_s");
		return;
	}
	drift = other / host - 1;
	limit = CHECK_DRIFT + trip / host;
	record_set_real(run, "drift", drift);
	record_set_int(run, "round_trip_ns", llround(trip));
	/* Bytes in time by this clock: the other one counted (1 + drift) seconds in each second. */
	record_set_real(run, "host_bytes_per_s", rate * (1 + drift));
	if (fabs(drift) <= limit)
		return;
	g_autofree char *share = check_percent(drift);
	g_autofree char *allowed = check_percent(limit);
	g_autofree char *own = check_number(other / 1e9, 3);
	g_autofree char *seconds = check_number(host / 1e9, 3);
	g_autofree char *megabytes = check_number(rate * (1 + drift) / 1e6, 1);

	check_flag(sink, "CLOCK_DRIFT",
		"the clock of the load's side counted %s s while the host's counted %s s: %s, limit %s; by the host's clock the rate "
		"is %s MB/s", own, seconds, share, allowed, megabytes);
}
