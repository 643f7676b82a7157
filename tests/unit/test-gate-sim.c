/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The error rates of the gate, on few sweeps with fixed seeds; tests/bench/gate-sim.c has the full numbers. */
#include <gsl/gsl_cdf.h>

#include "tests/bench/gate-model.h"

#define SWEEPS 150

/* Largest count that a rate of at most 5 % gives in 99 % of all series. */
static guint limit_of(guint n)
{
	guint k = 0;

	while (gsl_cdf_binomial_P(k, 0.05, n) < 0.99)
		k++;
	return k;
}

static Tally run(Model model, gulong seed)
{
	Tally tally = model_run(&model, SWEEPS, seed);

	g_test_message("%s, %u cells: %u alarms, %u found, %u called OK, %u end inconclusive, %.2f promoted per sweep",
		noise_names[model.noise], model.cells, tally.alarms, tally.found, tally.called_ok, tally.inconclusive,
		(double)tally.promoted / SWEEPS);
	return tally;
}

static void test_no_change(void)
{
	for (Noise noise = 0; noise < NOISE_COUNT; noise++) {
		Model model = {.cells = 24, .blocks = 17, .noise = noise, .sd = 0.02, .shift = 0.01};

		g_assert_cmpuint(run(model, 10 + noise).alarms, <=, limit_of(SWEEPS));
	}
}

static void test_many_cells(void)
{
	Model model = {.cells = 100, .blocks = 17, .noise = NOISE_STALL, .sd = 0.02, .shift = 0.01};

	g_assert_cmpuint(run(model, 20).alarms, <=, limit_of(SWEEPS));
}

static void test_power(void)
{
	Model model = {.cells = 24, .blocks = 17, .sd = 0.02, .shift = 0.01, .loss = 0.05};
	Tally tally = run(model, 30);

	g_assert_cmpuint(tally.found, >=, SWEEPS - limit_of(SWEEPS));
	g_assert_cmpuint(tally.called_ok, <=, limit_of(SWEEPS));
}

/* Under the floor: flagged rarely. */
static void test_small_loss(void)
{
	Model model = {.cells = 24, .blocks = 17, .sd = 0.01, .loss = 0.015};

	g_assert_cmpuint(run(model, 40).found, <=, limit_of(SWEEPS));
}

static void test_group(void)
{
	Model model = {.cells = 40, .blocks = 17, .sd = 0.02, .all_loss = 0.02};

	g_assert_cmpuint(run(model, 50).group_found, >=, SWEEPS - limit_of(SWEEPS));
}

/* Twenty stored sweeps: the rank test holds the rate even where sweeps stall; and what is large is still found. */
static void test_stored(void)
{
	static const Noise noises[] = {NOISE_NORMAL, NOISE_BIMODAL, NOISE_STALL};
	Model model = {.cells = 24, .blocks = 20, .stored = TRUE, .sd = 0.02, .shift = 0.01};
	Tally stalls;

	for (guint i = 0; i < G_N_ELEMENTS(noises); i++) {
		model.noise = noises[i];
		g_assert_cmpuint(run(model, 70 + i).alarms, <=, limit_of(SWEEPS));
	}
	model.noise = NOISE_NORMAL;
	model.loss = 0.15;
	g_assert_cmpuint(run(model, 80).found, >=, SWEEPS - limit_of(SWEEPS));
	/* What the baseline itself does in a stall is no regression, and is not called OK either. */
	model.noise = NOISE_STALL;
	model.loss = 0.12;
	stalls = run(model, 81);
	g_assert_cmpuint(stalls.called_ok, <=, SWEEPS / 10);
}

/* A test that cannot fail proves nothing: a candidate that is always slower must be an alarm. */
static void test_is_alarmed(void)
{
	Model model = {.cells = 24, .blocks = 17, .sd = 0.02, .all_loss = 0.05};

	g_assert_cmpuint(run(model, 60).alarms, ==, SWEEPS);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/gate-sim/no-change", test_no_change);
	g_test_add_func("/gate-sim/many-cells", test_many_cells);
	g_test_add_func("/gate-sim/power", test_power);
	g_test_add_func("/gate-sim/small-loss", test_small_loss);
	g_test_add_func("/gate-sim/group", test_group);
	g_test_add_func("/gate-sim/stored", test_stored);
	g_test_add_func("/gate-sim/is-alarmed", test_is_alarmed);
	return g_test_run();
}
