/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Change points whose place is known, their exact p, and how often there is one where there is none. */
#include "harness/compare/change.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>

static void near(double got, double expected, double tolerance)
{
	if (!(fabs(got - expected) <= tolerance))
		g_error("got %.12g, expected %.12g", got, expected);
}

static GArray *find(const double *rates, guint n, double level)
{
	g_autofree double *y = g_new(double, n + 1);
	ChangeSettings settings;

	for (guint i = 0; i < n; i++)
		y[i] = log(rates[i]);
	change_settings_init(&settings);
	settings.level = level;
	return change_find(&settings, y, n);
}

static const ChangePoint *point(const GArray *found, guint i)
{
	g_assert_cmpuint(i, <, found->len);
	return &g_array_index(found, ChangePoint, i);
}

/* Two clean levels: 2 of the C(12, 6) = 924 ways to part the values reach it, so p is near 2/924. */
static void test_one_step(void)
{
	const double rates[] = {100, 101, 99, 100, 102, 98, 90, 91, 89, 90, 92, 88};
	g_autoptr(GArray) found = find(rates, G_N_ELEMENTS(rates), 0.01);

	g_assert_cmpuint(found->len, ==, 1);
	g_assert_cmpuint(point(found, 0)->at, ==, 6);
	near(point(found, 0)->step, exp((log(90. * 91 * 89 * 90 * 92 * 88) - log(100. * 101 * 99 * 100 * 102 * 98)) / 6) - 1, 1e-12);
	near(point(found, 0)->p, 2. / 924, 0.0025);
	g_assert_true(point(found, 0)->has_interval && point(found, 0)->low < -0.1 && point(found, 0)->high > -0.1);
	near(change_smallest_p(&(ChangeSettings){.length = 3}, 12), 2. / 924, 1e-12);
	near(change_smallest_p(&(ChangeSettings){.length = 3}, 5), 1, 0);
}

/* Down and up again: the mean over all hides it from a first look at either side alone. */
static void test_two_steps(void)
{
	double rates[45];
	g_autoptr(GArray) found = NULL;

	for (guint i = 0; i < G_N_ELEMENTS(rates); i++)
		rates[i] = (i >= 15 && i < 30 ? 80 : 100) + (i % 3) - 1;
	found = find(rates, G_N_ELEMENTS(rates), 0.01);
	g_assert_cmpuint(found->len, ==, 2);
	g_assert_cmpuint(point(found, 0)->at, ==, 15);
	g_assert_cmpuint(point(found, 1)->at, ==, 30);
	near(point(found, 0)->step, -0.2, 0.001);
	near(point(found, 1)->step, 0.25, 0.001);
}

/* What is certain but small, too short, constant, or one odd value is no change point. */
static void test_none(void)
{
	double rates[40];
	g_autoptr(GArray) small = NULL, equal = NULL, odd = NULL, few = NULL, empty = find(NULL, 0, 0.05);

	for (guint i = 0; i < G_N_ELEMENTS(rates); i++)
		rates[i] = (i < 20 ? 100 : 98) + 0.01 * (i % 2);
	small = find(rates, G_N_ELEMENTS(rates), 0.01);
	few = find(rates + 18, 4, 0.5);
	for (guint i = 0; i < G_N_ELEMENTS(rates); i++)
		rates[i] = 1234;
	equal = find(rates, G_N_ELEMENTS(rates), 0.5);
	for (guint i = 0; i < G_N_ELEMENTS(rates); i++)
		rates[i] = i == 25 ? 50 : 100 + i % 4;
	odd = find(rates, G_N_ELEMENTS(rates), 0.01);
	g_assert_cmpuint(small->len + few->len + equal->len + odd->len + empty->len, ==, 0);
}

/* Only differences of ln matter: another unit changes neither places nor p. */
static void test_unit(void)
{
	double rates[24], scaled[24];
	g_autoptr(GArray) a = NULL, b = NULL;

	for (guint i = 0; i < 24; i++) {
		rates[i] = (i < 10 ? 2e9 : 1.8e9) * (1 + 0.003 * ((i * 7) % 5));
		scaled[i] = rates[i] / 1048576;
	}
	a = find(rates, 24, 0.01);
	b = find(scaled, 24, 0.01);
	g_assert_cmpuint(a->len, ==, 1);
	g_assert_cmpuint(b->len, ==, 1);
	g_assert_cmpuint(point(a, 0)->at, ==, point(b, 0)->at);
	near(point(a, 0)->p, point(b, 0)->p, 0);
	near(point(a, 0)->step, point(b, 0)->step, 1e-12);
}

/* Binomial limit of 99 % on 400 series without a change, heavy tails included. */
static void test_false_alarms(void)
{
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	guint alarms[2] = {0, 0}, limit = 0;
	ChangeSettings settings;

	change_settings_init(&settings);
	settings.least = 0;
	gsl_rng_set(rng, 20);
	while (gsl_cdf_binomial_P(limit, 0.05, 400) < 0.99)
		limit++;
	for (guint tails = 0; tails < 2; tails++)
		for (guint i = 0; i < 400; i++) {
			double y[30];
			g_autoptr(GArray) found = NULL;

			for (guint k = 0; k < 30; k++)
				y[k] = 18 + 0.02 * (tails ? gsl_ran_tdist(rng, 3) : gsl_ran_gaussian(rng, 1));
			found = change_find(&settings, y, 30);
			alarms[tails] += found->len > 0;
		}
	gsl_rng_free(rng);
	g_test_message("alarms in 400 series: normal %u, t3 %u, limit %u", alarms[0], alarms[1], limit);
	g_assert_cmpuint(alarms[0], <=, limit);
	g_assert_cmpuint(alarms[1], <=, limit);
	g_assert_cmpuint(alarms[0] + alarms[1], >, 0);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/change/one-step", test_one_step);
	g_test_add_func("/change/two-steps", test_two_steps);
	g_test_add_func("/change/none", test_none);
	g_test_add_func("/change/unit", test_unit);
	g_test_add_func("/change/false-alarms", test_false_alarms);
	return g_test_run();
}
