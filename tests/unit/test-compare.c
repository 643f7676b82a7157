/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Cells from pairs, against answers worked out by hand from tables of Student's t. */
#include "harness/compare/compare.h"

#include <math.h>

static void near(double got, double expected, double tolerance)
{
	if (!(fabs(got - expected) <= tolerance))
		g_error("got %.12g, expected %.12g", got, expected);
}

static void test_half_width(void)
{
	/* t(0.975; 1, 2, 4, 9) = 12.7062, 4.30265, 2.77645, 2.26216 */
	near(compare_half_width(1, 2, 0.95), 12.7062047 / sqrt(2), 1e-6);
	near(compare_half_width(1, 3, 0.95), 4.3026527 / sqrt(3), 1e-6);
	near(compare_half_width(0.5, 5, 0.95), 0.5 * 2.7764451 / sqrt(5), 1e-6);
	near(compare_half_width(2, 10, 0.95), 2 * 2.2621572 / sqrt(10), 1e-6);
	/* t(0.95; 9) = 1.83311 */
	near(compare_half_width(1, 10, 0.90), 1.8331129 / sqrt(10), 1e-6);
	g_assert_true(isnan(compare_half_width(1, 1, 0.95)));
	g_assert_true(isnan(compare_half_width(1, 0, 0.95)));
}

static void test_two_blocks(void)
{
	/* d = ln 0.5, ln 0.25: mean = ln(0.5) 1.5, s = ln 2 / sqrt 2, half width = 12.7062 * ln 2 / 2 */
	const double host[] = {200, 400}, guest[] = {100, 100};
	CompareCell cell = compare_cell(host, guest, 2);
	double half = 12.706204736 * M_LN2 / 2;

	g_assert_cmpuint(cell.n, ==, 2);
	near(cell.ratio, exp2(-1.5), 1e-12);
	near(cell.host, sqrt(200.0 * 400.0), 1e-9);
	near(cell.guest, 100, 1e-9);
	near(cell.guest / cell.host, cell.ratio, 1e-15);
	near(cell.sd_ln, M_LN2 / M_SQRT2, 1e-12);
	g_assert_true(cell.has_interval);
	near(cell.low, exp(-1.5 * M_LN2 - half), 1e-9);
	near(cell.high, exp(-1.5 * M_LN2 + half), 1e-6);
	g_assert_cmpint(cell.faster, ==, COMPARE_NOT_FASTER);
}

static void test_five_blocks(void)
{
	/* d = -0.2, -0.1, 0, 0.1, 0.2: mean 0, s = sqrt(0.1 / 4), half width = 2.776445 s / sqrt 5 = 0.196324 */
	double host[5], guest[5];
	CompareCell cell;

	for (int i = 0; i < 5; i++) {
		host[i] = 1e8 * (i + 1);
		guest[i] = host[i] * exp(0.1 * (i - 2));
	}
	cell = compare_cell(host, guest, 5);
	near(cell.ratio, 1, 1e-12);
	near(cell.low, exp(-0.1963243), 1e-6);
	near(cell.high, exp(0.1963243), 1e-6);
	g_assert_cmpint(cell.faster, ==, COMPARE_NOT_FASTER);
}

static void test_no_spread(void)
{
	const double host[] = {3, 3, 3}, guest[] = {6, 6, 6};
	CompareCell cell = compare_cell(host, guest, 3);

	near(cell.ratio, 2, 1e-12);
	near(cell.low, 2, 1e-9);
	near(cell.high, 2, 1e-9);
	g_assert_cmpint(cell.faster, ==, COMPARE_FASTER);
}

static void test_one_block(void)
{
	const double host[] = {100}, slow[] = {90}, fast[] = {105.1};
	CompareCell cell = compare_cell(host, slow, 1);

	g_assert_cmpuint(cell.n, ==, 1);
	near(cell.ratio, 0.9, 1e-12);
	g_assert_false(cell.has_interval);
	g_assert_true(isnan(cell.low) && isnan(cell.high) && isnan(cell.sd_ln));
	g_assert_cmpint(cell.faster, ==, COMPARE_NOT_FASTER);
	g_assert_cmpint(compare_cell(host, fast, 1).faster, ==, COMPARE_FASTER_NO_INTERVAL);
}

static void test_missing(void)
{
	const double bad[] = {NAN, INFINITY, -INFINITY, 0, -1};
	const double good[] = {10, 10, 10, 10, 10};
	const double host[] = {NAN, 100, 100, 100}, guest[] = {50, 50, NAN, 80};
	CompareCell cell;

	g_assert_cmpuint(compare_cell(bad, good, 5).n, ==, 0);
	g_assert_cmpuint(compare_cell(good, bad, 5).n, ==, 0);
	g_assert_cmpuint(compare_cell(good, bad, 5).faster, ==, COMPARE_NOT_FASTER);
	g_assert_cmpuint(compare_cell(NULL, NULL, 0).n, ==, 0);
	g_assert_true(isnan(compare_geomean(bad, 5)));
	near(compare_geomean(host, 4), 100, 1e-12);

	cell = compare_cell(host, guest, 4);
	g_assert_cmpuint(cell.n, ==, 2);
	near(cell.ratio, sqrt(0.5 * 0.8), 1e-12);
	near(cell.host, 100, 1e-9);
}

static void test_faster(void)
{
	/* Two blocks far above 1.05 have an interval, but too few blocks for it to decide. */
	const double host[] = {100, 100, 100, 100}, two[] = {110, 200};
	const double wide[] = {90, 200, 110, 300}, narrow[] = {120, 121, 119, 120};
	const double limit_host[] = {120 * 1048576.0, 120 * 1048576.0, 120 * 1048576.0}, just_over = 105.0001;
	const double limit_guest[] = {126 * 1048576.0, 126 * 1048576.0, 126 * 1048576.0};

	g_assert_cmpint(compare_cell(host, two, 2).faster, ==, COMPARE_FASTER_NO_INTERVAL);
	g_assert_cmpint(compare_cell(host, wide, 4).faster, ==, COMPARE_NOT_FASTER);
	g_assert_cmpint(compare_cell(host, narrow, 4).faster, ==, COMPARE_FASTER);
	/* 5 % is not over 5 %, whatever the logarithms round to. */
	g_assert_cmpint(compare_cell(limit_host, limit_guest, 1).faster, ==, COMPARE_NOT_FASTER);
	g_assert_cmpint(compare_cell(limit_host, limit_guest, 3).faster, ==, COMPARE_NOT_FASTER);
	g_assert_cmpint(compare_cell(host, &just_over, 1).faster, ==, COMPARE_FASTER_NO_INTERVAL);
}

static void test_order(void)
{
	/* The order of blocks must not matter beyond rounding. */
	const double host[] = {100, 300, 200}, guest[] = {70, 250, 180};
	const double host2[] = {200, 100, 300}, guest2[] = {180, 70, 250};
	CompareCell a = compare_cell(host, guest, 3), b = compare_cell(host2, guest2, 3);

	near(a.ratio, b.ratio, 1e-14);
	near(a.low, b.low, 1e-12);
	near(a.high, b.high, 1e-12);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/compare/half-width", test_half_width);
	g_test_add_func("/compare/two-blocks", test_two_blocks);
	g_test_add_func("/compare/five-blocks", test_five_blocks);
	g_test_add_func("/compare/no-spread", test_no_spread);
	g_test_add_func("/compare/one-block", test_one_block);
	g_test_add_func("/compare/missing", test_missing);
	g_test_add_func("/compare/faster", test_faster);
	g_test_add_func("/compare/order", test_order);
	return g_test_run();
}
