/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/compare/engines.h"

#include <math.h>

static EnginesVerdict judge_ratio(const CompareCell *pairs, double limit)
{
	if (pairs->n < ENGINES_MIN_PAIRS)
		return ENGINES_UNCLEAR;
	if (pairs->low >= 1 - limit && pairs->high <= 1 + limit)
		return ENGINES_AGREE;
	return pairs->low > 1 + limit || pairs->high < 1 - limit ? ENGINES_DIFFER : ENGINES_UNCLEAR;
}

static double value_of(const EnginesRun *run, gsize field)
{
	return G_STRUCT_MEMBER(double, run, field);
}

static EnginesRatio compare_field(const EnginesRun *own, const EnginesRun *outside, guint blocks, gsize field, double limit)
{
	g_autofree double *a = g_new(double, blocks);
	g_autofree double *b = g_new(double, blocks);
	EnginesRatio ratio = {.limit = limit};

	for (guint i = 0; i < blocks; i++) {
		a[i] = value_of(&own[i], field);
		b[i] = value_of(&outside[i], field);
	}
	ratio.pairs = compare_cell(b, a, blocks);
	ratio.verdict = judge_ratio(&ratio.pairs, limit);
	return ratio;
}

static EnginesInterval interval_of_p99(const EnginesRun *runs, guint blocks)
{
	EnginesInterval interval = {.middle = NAN, .low = NAN, .high = NAN};
	double mean = 0, squares = 0, half;

	for (guint i = 0; i < blocks; i++) {
		double delta;

		if (!(isfinite(runs[i].p99_ns) && runs[i].p99_ns > 0))
			continue;
		interval.n++;
		delta = log(runs[i].p99_ns) - mean;
		mean += delta / interval.n;
		squares += delta * (log(runs[i].p99_ns) - mean);
	}
	if (interval.n == 0)
		return interval;
	interval.middle = exp(mean);
	if (interval.n < 2)
		return interval;
	half = compare_half_width(sqrt(squares / (interval.n - 1)), interval.n, COMPARE_LEVEL);
	interval.low = exp(mean - half);
	interval.high = exp(mean + half);
	return interval;
}

static EnginesVerdict judge_p99(const EnginesInterval *a, const EnginesInterval *b)
{
	if (a->n < ENGINES_MIN_PAIRS || b->n < ENGINES_MIN_PAIRS)
		return ENGINES_UNCLEAR;
	return a->low <= b->high && b->low <= a->high ? ENGINES_AGREE : ENGINES_DIFFER;
}

EnginesVerdict engines_worse(EnginesVerdict a, EnginesVerdict b)
{
	if (a == ENGINES_DIFFER || b == ENGINES_DIFFER)
		return ENGINES_DIFFER;
	return a == ENGINES_UNCLEAR || b == ENGINES_UNCLEAR ? ENGINES_UNCLEAR : ENGINES_AGREE;
}

EnginesAgreement engines_compare(const EnginesRun *own, const EnginesRun *outside, guint blocks)
{
	EnginesAgreement agreement = {
		.iops = compare_field(own, outside, blocks, G_STRUCT_OFFSET(EnginesRun, iops), ENGINES_IOPS_LIMIT),
		.mean = compare_field(own, outside, blocks, G_STRUCT_OFFSET(EnginesRun, mean_ns), ENGINES_MEAN_LIMIT),
		.own_p99 = interval_of_p99(own, blocks),
		.outside_p99 = interval_of_p99(outside, blocks),
	};

	agreement.p99 = judge_p99(&agreement.own_p99, &agreement.outside_p99);
	agreement.verdict = engines_worse(engines_worse(agreement.iops.verdict, agreement.mean.verdict), agreement.p99);
	return agreement;
}

const char *engines_unmet(gboolean limited, gint64 settle_ns, gint64 run_ns)
{
	if (!limited)
		return "no rate and no iops_limit holds both to one ceiling, so that the faster load generator would differ from the slower";
	if (settle_ns < ENGINES_SETTLE_NS)
		return "each run settled for less than 1 s (measure: settle)";
	if (run_ns < ENGINES_RUN_NS)
		return "each run was measured for less than 4 s (measure: run)";
	return NULL;
}

void engines_withdraw(EnginesAgreement *agreement)
{
	agreement->iops.verdict = agreement->mean.verdict = agreement->p99 = agreement->verdict = ENGINES_UNCLEAR;
}

const char *engines_verdict_name(EnginesVerdict verdict)
{
	static const char *const names[] = {"agree", "differ", "unclear"};

	return names[verdict];
}
