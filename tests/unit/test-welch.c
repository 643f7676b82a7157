/* SPDX-License-Identifier: GPL-2.0-or-later */
/* compare_change against values worked out by hand with Student's t from a printed table. */
#include <math.h>

#include "harness/compare/welch.h"

static void near(double got, double expected)
{
	g_assert_cmpfloat_with_epsilon(got, expected, 1e-5 * fabs(expected));
}

/* Equal sizes and variances: the degrees of freedom are those of the pooled test, 4; t(0.975, 4) = 2.776445. */
static void test_equal(void)
{
	const double a[] = {exp(1), exp(2), exp(3)}, b[] = {exp(2), exp(3), exp(4)};
	CompareChange c = compare_change(a, 3, b, 3);

	g_assert_cmpuint(c.n_a, ==, 3);
	near(c.a, exp(2));
	near(c.b, exp(3));
	near(c.change, exp(1));
	near(c.df, 4);
	g_assert_true(c.has_interval);
	near(log(c.low), 1 - 2.776445 * sqrt(2.0 / 3));
	near(log(c.high), 1 + 2.776445 * sqrt(2.0 / 3));
}

/* Only A varies: its single degree of freedom is all there is; t(0.975, 1) = 12.706205. Student's pooled test would claim 3. */
static void test_unequal(void)
{
	const double a[] = {exp(1), exp(3)}, b[] = {1, 1, 1};
	CompareChange c = compare_change(a, 2, b, 3);

	near(c.df, 1);
	near(log(c.low), -2 - 12.706205);
	near(log(c.high), -2 + 12.706205);
}

static void test_little(void)
{
	const double one[] = {2}, two[] = {4, 4}, bad[] = {NAN, 0, -1, INFINITY};
	CompareChange c = compare_change(one, 1, two, 2);

	near(c.change, 2);
	g_assert_false(c.has_interval);
	g_assert_true(isnan(c.low) && isnan(c.high));
	c = compare_change(two, 2, two, 2);
	g_assert_true(c.has_interval);
	near(c.low, 1);
	near(c.high, 1);
	c = compare_change(bad, 4, two, 2);
	g_assert_cmpuint(c.n_a, ==, 0);
	g_assert_cmpuint(c.n_b, ==, 2);
	g_assert_false(c.has_interval);
}

/* Exchanged sweeps give the inverse. */
static void test_inverse(void)
{
	const double a[] = {90, 100, 120, 95}, b[] = {80, 85, 99};
	CompareChange c = compare_change(a, 4, b, 3), d = compare_change(b, 3, a, 4);

	near(c.change, 1 / d.change);
	near(c.low, 1 / d.high);
	near(c.df, d.df);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/welch/equal", test_equal);
	g_test_add_func("/welch/unequal", test_unequal);
	g_test_add_func("/welch/little", test_little);
	g_test_add_func("/welch/inverse", test_inverse);
	return g_test_run();
}
