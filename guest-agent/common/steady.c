/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "guest-agent/common/steady.h"

#include <string.h>

static double batch_mean(const uint64_t *ops, unsigned batch)
{
	double sum = 0;

	for (unsigned i = 0; i < STEADY_BATCH; i++)
		sum += (double)ops[batch * STEADY_BATCH + i];
	return sum / STEADY_BATCH;
}

/*
 * The number of batches to cut. The sums of squares of all tails come from one pass from the end, by Welford's update,
 * so that a long series costs no more than its length.
 */
static unsigned find_cut(const uint64_t *ops, unsigned batches)
{
	double mean = 0, squares = 0, least = 0;
	unsigned best = 0, count = 0;

	for (unsigned d = batches; d--;) {
		double z = batch_mean(ops, d), delta = z - mean, score;

		count++;
		mean += delta / count;
		squares += delta * (z - mean);
		if (d > batches / 2)
			continue;
		score = squares / ((double)count * count);
		/* Of equal scores the smallest cut counts: a constant rate is not cut at all. */
		if (d == batches / 2 || score <= least) {
			least = score;
			best = d;
		}
	}
	return best;
}

/*
 * Mean of the samples in window W of those from FIRST on. The windows are equal in time, so that a sample on a border
 * belongs to both in parts.
 */
static double window_sum(const uint64_t *ops, unsigned first, unsigned n, unsigned w)
{
	double width = (double)(n - first) / STEADY_WINDOWS, from = w * width, to = from + width, sum = 0;

	for (unsigned i = (unsigned)from; first + i < n && i < to; i++) {
		double low = i > from ? i : from, high = i + 1 < to ? i + 1 : to;

		sum += (high - low) * (double)ops[first + i];
	}
	return sum;
}

static void judge_windows(const double *sums, Steady *ret)
{
	double mean = 0, low = sums[0], high = sums[0], slope = 0, weight = 0;

	for (unsigned w = 0; w < STEADY_WINDOWS; w++) {
		double x = w - (STEADY_WINDOWS - 1) / 2.0;

		mean += sums[w] / STEADY_WINDOWS;
		low = sums[w] < low ? sums[w] : low;
		high = sums[w] > high ? sums[w] : high;
		slope += x * sums[w];
		weight += x * x;
	}
	ret->range = (high - low) / mean;
	ret->slope = slope / weight * (STEADY_WINDOWS - 1) / mean;
	ret->steady = ret->settled && ret->range <= STEADY_MAX_RANGE && ret->slope <= STEADY_MAX_SLOPE &&
		      ret->slope >= -STEADY_MAX_SLOPE;
}

static void unknown(Steady *ret, const char *reason)
{
	memset(ret, 0, sizeof(*ret));
	ret->reason = reason;
}

void steady_judge(const uint64_t *ops, unsigned n, Steady *ret)
{
	unsigned batches = n / STEADY_BATCH, cut;
	double sums[STEADY_WINDOWS], total = 0;

	memset(ret, 0, sizeof(*ret));
	if (n < STEADY_MIN_SAMPLES) {
		unknown(ret, "the series has fewer than 100 intervals: measure longer, or in shorter intervals");
		return;
	}
	cut = find_cut(ops, batches);
	for (unsigned w = 0; w < STEADY_WINDOWS; w++) {
		sums[w] = window_sum(ops, cut * STEADY_BATCH, n, w);
		total += sums[w];
	}
	/* On average: one window that holds next to nothing among full ones is a stall, and no lack of data. */
	if (total < STEADY_WINDOWS * STEADY_MIN_OPS) {
		unknown(ret, "a fifth of the run holds fewer than 20 operations: measure longer");
		return;
	}
	ret->known = true;
	ret->cut = cut * STEADY_BATCH;
	ret->settled = cut < batches / 2;
	judge_windows(sums, ret);
}
