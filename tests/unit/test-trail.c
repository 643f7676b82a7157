/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counters placed in time: between readings, outside of them, missing, pushed out. */
#include "harness/run/trail.h"

/* Two counters that move by 10 and by 1 each 100 ns, from 1000 ns on. */
static Trail *steady(guint readings, guint kept)
{
	Trail *trail = trail_new(2, kept);

	for (guint i = 0; i < readings; i++)
		trail_add(trail, 1000 + 100 * (gint64)i, (gint64[]){5000 + 10 * (gint64)i, i});
	return trail;
}

static void test_between(void)
{
	g_autoptr(Trail) trail = steady(20, 64);

	trail_begin(trail, 1250);
	g_assert_cmpint(trail_moved(trail, 0, 2250), ==, 100);
	g_assert_cmpint(trail_moved(trail, 1, 2200), ==, 10);
	g_assert_cmpint(trail_moved(trail, 0, 1250), ==, 0);
	/* The last begin counts. */
	trail_begin(trail, 2000);
	g_assert_cmpint(trail_moved(trail, 0, 2250), ==, 25);
}

/* A load that begins: a reading just after its begin places it, whatever the last one before. */
static void test_step(void)
{
	g_autoptr(Trail) trail = trail_new(1, 8);

	trail_add(trail, 0, (gint64[]){0});
	trail_add(trail, 1010, (gint64[]){10});	 /* it runs since 1000 */
	trail_begin(trail, 1000);
	trail_add(trail, 2000, (gint64[]){1000}); /* until here */
	trail_add(trail, 3000, (gint64[]){1000});
	g_assert_cmpint(trail_moved(trail, 0, 2000), >=, 990);
	g_assert_cmpint(trail_moved(trail, 0, 2000), <=, 1000);
	g_assert_cmpint(trail_moved(trail, 0, 2500), ==, trail_moved(trail, 0, 2000));
}

static void test_outside(void)
{
	g_autoptr(Trail) trail = steady(3, 64);

	g_assert_cmpint(trail_moved(trail, 0, 1200), ==, TRAIL_NONE); /* no begin */
	trail_begin(trail, 1);
	g_assert_cmpint(trail_moved(trail, 0, 99999), ==, 20);
}

static void test_missing(void)
{
	g_autoptr(Trail) trail = trail_new(2, 8);

	trail_add(trail, 100, (gint64[]){1, 1});
	trail_begin(trail, 100);
	trail_add(trail, 200, (gint64[]){TRAIL_NONE, 2});
	trail_add(trail, 300, (gint64[]){3, 3});
	g_assert_cmpint(trail_moved(trail, 0, 250), ==, TRAIL_NONE);
	g_assert_cmpint(trail_moved(trail, 1, 300), ==, 2);
	g_assert_cmpint(trail_moved(trail, 0, 300), ==, 2);
	trail_begin(trail, 150);
	g_assert_cmpint(trail_moved(trail, 0, 300), ==, TRAIL_NONE);
}

/* A begin that the ring no longer holds is unknown; one that was taken in time is kept for good. */
static void test_pushed_out(void)
{
	g_autoptr(Trail) trail = steady(20, 8);

	trail_begin(trail, 1250);
	g_assert_cmpint(trail_moved(trail, 0, 2900), ==, TRAIL_NONE);
	trail_begin(trail, 2800);
	for (guint i = 20; i < 60; i++)
		trail_add(trail, 1000 + 100 * (gint64)i, (gint64[]){5000 + 10 * (gint64)i, i});
	g_assert_cmpint(trail_moved(trail, 0, 6800), ==, 400);
	/* A better word for a begin that is gone changes nothing, one for a begin that is there does. */
	trail_begin(trail, 2790);
	g_assert_cmpint(trail_moved(trail, 0, 6800), ==, 400);
	trail_begin(trail, 6700);
	g_assert_cmpint(trail_moved(trail, 0, 6800), ==, 10);
}

static void test_mean(void)
{
	g_autoptr(Trail) trail = steady(5, 8);

	g_assert_cmpint(trail_mean(trail, 1, 1400), ==, TRAIL_NONE);
	trail_begin(trail, 1100);
	g_assert_cmpint(trail_mean(trail, 1, 1300), ==, 2);
	g_assert_cmpint(trail_mean(trail, 1, 1050), ==, TRAIL_NONE);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/trail/between", test_between);
	g_test_add_func("/trail/step", test_step);
	g_test_add_func("/trail/outside", test_outside);
	g_test_add_func("/trail/missing", test_missing);
	g_test_add_func("/trail/pushed-out", test_pushed_out);
	g_test_add_func("/trail/mean", test_mean);
	return g_test_run();
}
