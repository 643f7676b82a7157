/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Agreement of two engines: the verdicts on both sides of every limit. */
#include <math.h>
#include <string.h>

#include "harness/compare/engines.h"

#define PAIRS 6

/* Runs that scatter by SPREAD around 1000 IOPS and 1 ms, the first engine's times RATE and LATENCY, p99 times TAIL. */
static EnginesAgreement compare(guint pairs, double rate, double latency, double tail, double spread)
{
	EnginesRun own[16], outside[16];

	for (guint i = 0; i < pairs; i++) {
		double up = 1 + (i % 2 ? spread : -spread), down = 1 + (i % 3 == 1 ? spread : -spread / 2);

		outside[i] = (EnginesRun){1000 * up, 1e6 * down, 4e6 * up};
		own[i] = (EnginesRun){1000 * rate * down, 1e6 * latency * up, 4e6 * tail * down};
	}
	return engines_compare(own, outside, pairs);
}

static void test_agree(void)
{
	EnginesAgreement a = compare(PAIRS, 1.002, 0.99, 1.01, 0.001);

	g_assert_cmpuint(a.iops.pairs.n, ==, PAIRS);
	g_assert_cmpfloat_with_epsilon(a.iops.pairs.ratio, 1.002, 1e-3);
	g_assert_cmpfloat_with_epsilon(a.mean.pairs.ratio, 0.99, 1e-3);
	g_assert_cmpint(a.iops.verdict, ==, ENGINES_AGREE);
	g_assert_cmpint(a.mean.verdict, ==, ENGINES_AGREE);
	g_assert_cmpint(compare(PAIRS, 1, 1, 1, 0.001).p99, ==, ENGINES_AGREE);
	g_assert_cmpint(compare(PAIRS, 1, 1, 1, 0.001).verdict, ==, ENGINES_AGREE);
}

static void test_differ(void)
{
	g_assert_cmpint(compare(PAIRS, 1.02, 1, 1, 0.001).iops.verdict, ==, ENGINES_DIFFER);
	g_assert_cmpint(compare(PAIRS, 0.98, 1, 1, 0.001).iops.verdict, ==, ENGINES_DIFFER);
	g_assert_cmpint(compare(PAIRS, 1.02, 1, 1, 0.001).verdict, ==, ENGINES_DIFFER);
	g_assert_cmpint(compare(PAIRS, 1, 1.05, 1, 0.001).mean.verdict, ==, ENGINES_DIFFER);
	g_assert_cmpint(compare(PAIRS, 1, 0.95, 1, 0.001).verdict, ==, ENGINES_DIFFER);
	g_assert_cmpint(compare(PAIRS, 1, 1, 1.2, 0.001).p99, ==, ENGINES_DIFFER);
	g_assert_cmpint(compare(PAIRS, 1, 1, 0.8, 0.001).verdict, ==, ENGINES_DIFFER);
}

/* Six pairs, the agent's rate and latency FACTORS of fio's. */
static EnginesAgreement of_factors(const double *factors)
{
	EnginesRun own[PAIRS], outside[PAIRS];

	for (guint i = 0; i < PAIRS; i++) {
		outside[i] = (EnginesRun){1000, 1e6, 4e6};
		own[i] = (EnginesRun){1000 * factors[i], 1e6 * factors[i], 4e6};
	}
	return engines_compare(own, outside, PAIRS);
}

/* Seen on a quiet machine: 0.9999 [0.998, 1.002]. */
static void test_quiet(void)
{
	EnginesAgreement a = of_factors((const double[]){0.998, 1.0018, 0.9985, 1.0015, 0.9975, 1.002});

	g_assert_cmpfloat_with_epsilon(a.iops.pairs.low, 0.998, 1e-3);
	g_assert_cmpfloat_with_epsilon(a.iops.pairs.high, 1.002, 1e-3);
	g_assert_cmpint(a.verdict, ==, ENGINES_AGREE);
}

static void test_conditions(void)
{
	EnginesAgreement a = compare(PAIRS, 1, 1, 1, 0.001);

	g_assert_null(engines_unmet(TRUE, ENGINES_SETTLE_NS, ENGINES_RUN_NS));
	g_assert_nonnull(strstr(engines_unmet(FALSE, ENGINES_SETTLE_NS, ENGINES_RUN_NS), "no rate and no iops_limit"));
	g_assert_nonnull(strstr(engines_unmet(TRUE, ENGINES_SETTLE_NS - 1, ENGINES_RUN_NS), "less than 1 s"));
	g_assert_nonnull(strstr(engines_unmet(TRUE, ENGINES_SETTLE_NS, ENGINES_RUN_NS - 1), "less than 4 s"));
	engines_withdraw(&a);
	g_assert_cmpint(a.iops.verdict, ==, ENGINES_UNCLEAR);
	g_assert_cmpint(a.mean.verdict, ==, ENGINES_UNCLEAR);
	g_assert_cmpint(a.p99, ==, ENGINES_UNCLEAR);
	g_assert_cmpint(a.verdict, ==, ENGINES_UNCLEAR);
}

/* Beyond the limit, but not surely; and five pairs never tell anything. */
static void test_unclear(void)
{
	EnginesAgreement a = compare(PAIRS, 1.02, 1, 1, 0.05);

	g_assert_cmpfloat(fabs(a.iops.pairs.ratio - 1), >, ENGINES_IOPS_LIMIT);
	g_assert_cmpint(a.iops.verdict, ==, ENGINES_UNCLEAR);
	g_assert_cmpint(a.verdict, ==, ENGINES_UNCLEAR);
	/* A ratio of nearly 1 says nothing when its interval is wide, nor one whose interval reaches over the limit. */
	a = of_factors((const double[]){0.62, 1.6, 0.8, 1.25, 0.9, 1.12});
	g_assert_cmpfloat(fabs(a.iops.pairs.ratio - 1), <, ENGINES_IOPS_LIMIT);
	g_assert_cmpint(a.iops.verdict, ==, ENGINES_UNCLEAR);
	g_assert_cmpint(a.mean.verdict, ==, ENGINES_UNCLEAR);
	a = of_factors((const double[]){1.005, 1.006, 1.009, 1.012, 1.004, 1.012});
	g_assert_cmpfloat(a.iops.pairs.ratio, <, 1 + ENGINES_IOPS_LIMIT);
	g_assert_cmpfloat(a.iops.pairs.high, >, 1 + ENGINES_IOPS_LIMIT);
	g_assert_cmpint(a.iops.verdict, ==, ENGINES_UNCLEAR);
	g_assert_cmpint(a.mean.verdict, ==, ENGINES_AGREE);
	a = compare(PAIRS - 1, 2, 2, 2, 0.001);
	g_assert_cmpint(a.iops.verdict, ==, ENGINES_UNCLEAR);
	g_assert_cmpint(a.mean.verdict, ==, ENGINES_UNCLEAR);
	g_assert_cmpint(a.p99, ==, ENGINES_UNCLEAR);
	a = engines_compare(NULL, NULL, 0);
	g_assert_cmpuint(a.iops.pairs.n, ==, 0);
	g_assert_cmpint(a.verdict, ==, ENGINES_UNCLEAR);
	g_assert_true(isnan(a.own_p99.middle));
}

/* A block that one engine lacks takes no part in the ratios, and a run without a p99 not in its interval. */
static void test_missing(void)
{
	EnginesRun own[8], outside[8];

	for (guint i = 0; i < 8; i++)
		own[i] = outside[i] = (EnginesRun){1000 + i, 1e6 + i, 4e6 + i};
	own[0] = (EnginesRun){NAN, NAN, NAN};
	outside[1].p99_ns = NAN;
	{
		EnginesAgreement a = engines_compare(own, outside, 8);

		g_assert_cmpuint(a.iops.pairs.n, ==, 7);
		g_assert_cmpuint(a.mean.pairs.n, ==, 7);
		g_assert_cmpuint(a.own_p99.n, ==, 7);
		g_assert_cmpuint(a.outside_p99.n, ==, 7);
		g_assert_cmpint(a.verdict, ==, ENGINES_AGREE);
		g_assert_cmpfloat(a.iops.pairs.ratio, ==, 1);
	}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/engines/agree", test_agree);
	g_test_add_func("/engines/differ", test_differ);
	g_test_add_func("/engines/quiet", test_quiet);
	g_test_add_func("/engines/conditions", test_conditions);
	g_test_add_func("/engines/unclear", test_unclear);
	g_test_add_func("/engines/missing", test_missing);
	return g_test_run();
}
