/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Crossovers whose place is known: by hand, from a model, and from the figures of the thread of 2010. */
#include "harness/compare/crossover.h"

#include <math.h>

static void near(double got, double expected, double tolerance)
{
	if (!(fabs(got - expected) <= tolerance))
		g_error("got %.12g, expected %.12g", got, expected);
}

static const Crossover *only(const GArray *found)
{
	g_assert_cmpuint(found->len, ==, 1);
	return &g_array_index(found, Crossover, 0);
}

/* a - b = -100 at 1024, 100 at 4096: the middle of the logarithms is 2048. One block: no interval. */
static void test_by_hand(void)
{
	const double a[] = {100, 300}, b[] = {200, 200};
	const CrossoverPoint points[] = {{1024, &a[0], &b[0]}, {4096, &a[1], &b[1]}};
	const CrossoverPoint swapped[] = {{1024, &b[0], &a[0]}, {4096, &b[1], &a[1]}};
	guint sizes;
	int leader = 7;
	g_autoptr(GArray) found = crossover_find(points, 2, 1, &sizes, &leader);
	g_autoptr(GArray) other = crossover_find(swapped, 2, 1, NULL, NULL);

	near(only(found)->size, 2048, 1e-9);
	g_assert_true(only(found)->a_overtakes);
	g_assert_false(only(found)->has_interval);
	g_assert_true(isnan(only(found)->low) && isnan(only(found)->high));
	g_assert_cmpuint(sizes, ==, 2);
	g_assert_cmpint(leader, ==, 0);
	near(only(other)->size, 2048, 1e-9);
	g_assert_false(only(other)->a_overtakes);
}

/*
 * Two blocks, differences -100 -+ 1 and 100 -+ 1: s = sqrt 2, half width = 12.7062 * sqrt 2 / sqrt 2 = 12.7062. The interval
 * holds zero while |mean| < 12.7062, in the line from -100 to 100 over two octaves: 1 -+ 0.127062 octaves.
 */
static void test_interval(void)
{
	const double a1[] = {99, 101}, b1[] = {200, 200}, a2[] = {301, 299}, b2[] = {200, 200};
	const CrossoverPoint points[] = {{1024, a1, b1}, {4096, a2, b2}};
	g_autoptr(GArray) found = crossover_find(points, 2, 2, NULL, NULL);
	const Crossover *crossing = only(found);

	near(crossing->size, 2048, 1e-9);
	g_assert_true(crossing->has_interval);
	near(crossing->low, 2048 * exp2(-0.127062047), 1e-4);
	near(crossing->high, 2048 * exp2(0.127062047), 1e-4);
	g_assert_false(crossing->open_low || crossing->open_high);
}

/* Blocks that scatter so far that no size tells who is ahead: both ends are open, none is guessed. */
static void test_open(void)
{
	const double a1[] = {150, 240}, b1[] = {200, 200}, a2[] = {160, 250}, b2[] = {200, 200};
	const CrossoverPoint points[] = {{1024, a1, b1}, {4096, a2, b2}};
	g_autoptr(GArray) found = crossover_find(points, 2, 2, NULL, NULL);
	const Crossover *crossing = only(found);

	g_assert_true(crossing->has_interval && crossing->open_low && crossing->open_high);
	g_assert_true(isnan(crossing->low) && isnan(crossing->high));
}

/* The end of an interval may lie beyond the neighbouring size. */
static void test_wide(void)
{
	const double a0[] = {100, 101}, a1[] = {185, 210}, a2[] = {301, 299}, b[] = {200, 200};
	const CrossoverPoint points[] = {{1024, a0, b}, {4096, a1, b}, {16384, a2, b}};
	g_autoptr(GArray) found = crossover_find(points, 3, 2, NULL, NULL);
	const Crossover *crossing = only(found);

	g_assert_cmpfloat(crossing->size, >, 4096);
	g_assert_cmpfloat(crossing->low, >, 1024);
	g_assert_cmpfloat(crossing->low, <, 4096);
	g_assert_cmpfloat(crossing->high, >, crossing->size);
	g_assert_cmpfloat(crossing->high, <, 16384);
}

static void test_none(void)
{
	const double a[] = {100, 110, 120}, b[] = {200, 210, 220}, lost[] = {NAN, 0, -1};
	const CrossoverPoint apart[] = {{1024, &a[0], &b[0]}, {2048, &a[1], &b[1]}, {4096, &a[2], &b[2]}};
	const CrossoverPoint failed[] = {{1024, &a[0], &lost[0]}, {2048, &lost[1], &b[1]}, {4096, &a[2], &lost[2]}};
	guint sizes;
	int leader;
	g_autoptr(GArray) never = crossover_find(apart, 3, 1, &sizes, &leader);
	g_autoptr(GArray) nothing = NULL, empty = NULL;

	g_assert_cmpuint(never->len, ==, 0);
	g_assert_cmpuint(sizes, ==, 3);
	g_assert_cmpint(leader, ==, -1);
	nothing = crossover_find(failed, 3, 1, &sizes, &leader);
	g_assert_cmpuint(nothing->len, ==, 0);
	g_assert_cmpuint(sizes, ==, 0);
	g_assert_cmpint(leader, ==, 0);
	empty = crossover_find(NULL, 0, 1, &sizes, &leader);
	g_assert_cmpuint(empty->len + sizes, ==, 0);
}

/* Equal at one size: the crossing is there. Two crossings are both found. */
static void test_touch_and_twice(void)
{
	const double a[] = {100, 200, 300, 100}, b[] = {200, 200, 200, 200};
	const CrossoverPoint points[] = {
		{1024, &a[0], &b[0]}, {2048, &a[1], &b[1]}, {4096, &a[2], &b[2]}, {16384, &a[3], &b[3]}};
	g_autoptr(GArray) found = crossover_find(points, 4, 1, NULL, NULL);

	g_assert_cmpuint(found->len, ==, 2);
	near(g_array_index(found, Crossover, 0).size, 2048, 1e-9);
	g_assert_true(g_array_index(found, Crossover, 0).a_overtakes);
	near(g_array_index(found, Crossover, 1).size, 8192, 1e-9);
	g_assert_false(g_array_index(found, Crossover, 1).a_overtakes);
}

/*
 * The thread of 2010: direct reads overtake buffered ones "at about 150 KiB". It gives two sizes, 8 KiB (79 against
 * 750 MB/s) and 550 KiB (1000 against 770): a straight line over the 6.1 octaves between them gives 187 KiB. Were
 * each I/O a constant time plus a constant time for each byte, those figures would cross at 201 KiB, and with six sizes the
 * interpolation finds that to 2 %.
 */
static void test_thread_of_2010(void)
{
	static const double kib[] = {8, 32, 64, 128, 256, 550};
	const double direct[] = {79e6, 1000e6}, buffered[] = {750e6, 770e6};
	const CrossoverPoint two[] = {{8192, &direct[0], &buffered[0]}, {563200, &direct[1], &buffered[1]}};
	g_autoptr(GArray) found = crossover_find(two, 2, 1, NULL, NULL), modelled = NULL;
	double byte[2], fixed[2], rates[2][6], cross;
	CrossoverPoint six[6];

	near(only(found)->size / 1024, 186.8, 0.5);
	g_assert_true(only(found)->a_overtakes);
	for (int i = 0; i < 2; i++) {
		const double *rate = i ? buffered : direct;

		byte[i] = (563200 / rate[1] - 8192 / rate[0]) / (563200 - 8192);
		fixed[i] = 8192 / rate[0] - 8192 * byte[i];
	}
	cross = (fixed[0] - fixed[1]) / (byte[1] - byte[0]);
	near(cross / 1024, 201, 1);
	for (int k = 0; k < 6; k++) {
		double size = kib[k] * 1024;

		for (int i = 0; i < 2; i++)
			rates[i][k] = size / (fixed[i] + byte[i] * size);
		six[k] = (CrossoverPoint){size, &rates[0][k], &rates[1][k]};
	}
	modelled = crossover_find(six, 6, 1, NULL, NULL);
	near(only(modelled)->size / cross, 1, 0.02);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/crossover/by-hand", test_by_hand);
	g_test_add_func("/crossover/interval", test_interval);
	g_test_add_func("/crossover/open", test_open);
	g_test_add_func("/crossover/wide", test_wide);
	g_test_add_func("/crossover/none", test_none);
	g_test_add_func("/crossover/touch-and-twice", test_touch_and_twice);
	g_test_add_func("/crossover/thread-of-2010", test_thread_of_2010);
	return g_test_run();
}
