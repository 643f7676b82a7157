/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <glib.h>
#include <math.h>

#include "guest-agent/common/hist.h"

static Hist *hist_new(void)
{
	Hist *hist = g_new(Hist, 1);

	hist_clear(hist);
	return hist;
}

/* The first slot whose low end is above NS, by the definition alone. */
static int slot_by_definition(guint64 ns)
{
	for (int i = 0; i < HIST_SLOTS; i++)
		if (hist_slot_low((unsigned)i + 1) > ns)
			return i;
	return HIST_SLOTS;
}

static void test_bounds(void)
{
	g_assert_cmpuint(hist_slot_low(0), ==, 100);
	g_assert_cmpuint(hist_slot_low(128), ==, 200);
	g_assert_cmpuint(hist_slot_low(32), ==, 125);
	g_assert_cmpuint(hist_slot_low(HIST_SLOTS), ==, G_GUINT64_CONSTANT(100) << HIST_OCTAVES);
	for (unsigned i = 0; i < HIST_SLOTS; i++) {
		double exact = 100.0 * pow(2, i / 128) * (1 + (i % 128) / 128.0);

		g_assert_cmpuint(hist_slot_low(i), ==, (guint64)ceil(exact));
	}
}

/* Each bound, and its neighbours on both sides, lies in the slot that hist_slot_low says. */
static void test_every_boundary(void)
{
	for (unsigned i = 0; i <= HIST_SLOTS; i++) {
		guint64 low = hist_slot_low(i);

		for (guint64 ns = low - 1; ns <= low + 1; ns++) {
			int expected = ns < HIST_LOW_NS ? -1 : ns > HIST_HIGH_NS ? HIST_SLOTS : slot_by_definition(ns);

			if (hist_slot(ns) != expected)
				g_error("%" G_GUINT64_FORMAT " ns is in slot %d, not %d", ns, hist_slot(ns), expected);
		}
	}
	for (guint64 ns = 0; ns < 20000; ns++)
		g_assert_cmpint(hist_slot(ns), ==, ns < HIST_LOW_NS ? -1 : slot_by_definition(ns));
}

static void test_outside(void)
{
	g_autofree Hist *hist = hist_new();
	guint64 in_slots = 0;

	g_assert_true(isnan(hist_mean(hist)));
	hist_add(hist, 0);
	hist_add(hist, 99);
	hist_add(hist, 100);
	hist_add(hist, HIST_HIGH_NS);
	hist_add(hist, HIST_HIGH_NS + 1);
	hist_add_many(hist, 150, 3);
	for (unsigned i = 0; i < HIST_SLOTS; i++)
		in_slots += hist->slots[i];
	g_assert_cmpuint(hist->n, ==, 8);
	g_assert_cmpuint(hist->below, ==, 2);
	g_assert_cmpuint(hist->above, ==, 1);
	g_assert_cmpuint(in_slots, ==, 5);
	g_assert_cmpuint(hist->min_ns, ==, 0);
	g_assert_cmpuint(hist->max_ns, ==, HIST_HIGH_NS + 1);
	g_assert_cmpuint(hist->sum_ns, ==, 99 + 100 + 2 * HIST_HIGH_NS + 1 + 450);
}

static void test_merge(void)
{
	g_autofree Hist *a = hist_new(), *b = hist_new(), *both = hist_new();

	for (int i = 0; i < 5000; i++) {
		guint64 ns = (guint64)pow(10, g_test_rand_double_range(1, 11.5));

		hist_add(i % 3 ? a : b, ns);
		hist_add(both, ns);
	}
	hist_merge(a, b);
	g_assert_cmpmem(a, sizeof(*a), both, sizeof(*both));
	hist_clear(b);
	hist_merge(a, b);
	g_assert_cmpmem(a, sizeof(*a), both, sizeof(*both));
}

static void test_quantile(void)
{
	g_autofree Hist *hist = hist_new();
	double value = -1;

	g_assert_false(hist_quantile(hist, 0.5, true, &value));
	for (guint64 i = 1; i <= 1000; i++)
		hist_add(hist, i * 1000);
	g_assert_true(hist_quantile(hist, 0.5, false, &value));
	g_assert_cmpfloat_with_epsilon(value, 500e3, 500e3 / 128);
	g_assert_true(hist_quantile(hist, 0.99, false, &value));
	g_assert_cmpfloat_with_epsilon(value, 990e3, 990e3 / 128);
	value = -1;
	g_assert_false(hist_quantile(hist, 0.991, false, &value)); /* 9 values beyond */
	g_assert_false(hist_quantile(hist, 1.0, true, &value));
	g_assert_false(hist_quantile(hist, 0.0, true, &value));
	g_assert_cmpfloat(value, ==, -1);
	g_assert_true(hist_quantile(hist, 0.9999, true, &value));
	g_assert_cmpfloat(value, <=, 1000e3); /* clamped to max_ns */
	g_assert_cmpfloat(hist_mean(hist), ==, 500500);
}

static void test_quantile_of_one_value(void)
{
	g_autofree Hist *hist = hist_new();
	double value = -1;

	hist_add_many(hist, 123457, 100);
	g_assert_true(hist_quantile(hist, 0.5, false, &value));
	g_assert_cmpfloat(value, ==, 123457);
}

static void test_quantile_outside(void)
{
	g_autofree Hist *hist = hist_new();
	double value = -1;

	hist_add_many(hist, 5, 50);
	hist_add_many(hist, 1000, 100);
	hist_add_many(hist, 2 * HIST_HIGH_NS, 50);
	g_assert_false(hist_quantile(hist, 0.25, true, &value));
	g_assert_cmpfloat(value, ==, -1);
	g_assert_true(hist_quantile(hist, 0.26, true, &value));
	g_assert_cmpfloat_with_epsilon(value, 1000, 4);
	value = -1;
	g_assert_false(hist_quantile(hist, 0.8, true, &value));
	g_assert_cmpfloat(value, ==, -1);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/hist/bounds", test_bounds);
	g_test_add_func("/hist/every-boundary", test_every_boundary);
	g_test_add_func("/hist/outside", test_outside);
	g_test_add_func("/hist/merge", test_merge);
	g_test_add_func("/hist/quantile", test_quantile);
	g_test_add_func("/hist/quantile-of-one-value", test_quantile_of_one_value);
	g_test_add_func("/hist/quantile-outside", test_quantile_outside);
	return g_test_run();
}
