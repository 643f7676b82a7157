/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When a sweep has measured enough: known intervals, holes, and what the sweep's row then says. */
#include "harness/compare/precision.h"

#include <math.h>

#include "harness/run/stopping.h"

static void near(double got, double expected, double tolerance)
{
	if (!(fabs(got - expected) <= tolerance))
		g_error("got %.12g, expected %.12g", got, expected);
}

/* d = +-a in turn over six blocks: mean 0, s = a sqrt(6/5), half width = t(0.975, 5) s / sqrt 6 = 2.5705818 a / sqrt 5. */
#define T5 2.5705818356363
#define A 0.01
static const double flat[] = {100, 100, 100, 100, 100, 100, 100, 100};
static double waves[8];

static double half_of_waves(void)
{
	return T5 * A / sqrt(5);
}

static void test_known(void)
{
	const PrecisionCell cell = {flat, waves};
	double half = half_of_waves();
	Precision look = precision_look(&cell, 1, 6, half * 1.000001);

	near(look.half_width, half, 1e-12);
	g_assert_true(look.reached);
	g_assert_cmpuint(look.wide, ==, 0);
	look = precision_look(&cell, 1, 6, half * 0.999999);
	g_assert_false(look.reached);
	g_assert_cmpuint(look.wide, ==, 1);
	near(look.half_width, half, 1e-12);
}

/* Only the width counts: the same values around a ratio of 3, or of 1/3. */
static void test_place(void)
{
	for (int sign = -1; sign <= 1; sign += 2) {
		double moved[6];
		const PrecisionCell cell = {flat, moved};

		for (guint i = 0; i < 6; i++)
			moved[i] = waves[i] * pow(3, sign);
		near(precision_look(&cell, 1, 6, 1).half_width, half_of_waves(), 1e-12);
		g_assert_true(precision_look(&cell, 1, 6, half_of_waves() * 1.0001).reached);
		g_assert_false(precision_look(&cell, 1, 6, half_of_waves() * 0.9999).reached);
	}
}

/* Equal ratios have an interval without width, and still: not before six blocks. */
static void test_few_blocks(void)
{
	const PrecisionCell cell = {flat, flat};

	for (guint blocks = 0; blocks < PRECISION_MIN_BLOCKS; blocks++) {
		Precision look = precision_look(&cell, 1, blocks, 0.5);

		g_assert_false(look.reached);
		g_assert_cmpuint(look.wide, ==, 1);
		g_assert_true(isnan(look.half_width));
	}
	g_assert_true(precision_look(&cell, 1, PRECISION_MIN_BLOCKS, 0.001).reached);
	near(precision_look(&cell, 1, PRECISION_MIN_BLOCKS, 0.001).half_width, 0, 0);
}

static void test_holes(void)
{
	/* A failed run takes its partner out: five pairs in six blocks, six in seven. */
	const double host[] = {100, NAN, 100, 100, 100, 100, 100, 100};
	const double never[] = {NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
	const double zero[] = {0, 0, 0, 0, 0, 0, 0, 0};
	const PrecisionCell hole = {host, flat};
	const PrecisionCell cells[] = {{flat, flat}, {flat, never}, {zero, flat}, {flat, waves}};
	Precision look;

	g_assert_false(precision_look(&hole, 1, 6, 0.5).reached);
	g_assert_true(precision_look(&hole, 1, 7, 0.5).reached);
	/* One cell that never has a pair keeps the sweep going, whatever the others are. */
	look = precision_look(cells, 4, 8, 0.5);
	g_assert_false(look.reached);
	g_assert_cmpuint(look.wide, ==, 2);
	g_assert_true(isnan(look.half_width));
	/* The order of the cells does not matter to the NaN. */
	g_assert_true(isnan(precision_look(cells + 1, 3, 8, 0.5).half_width));
	g_assert_true(isnan(precision_look(cells, 2, 8, 0.5).half_width));
	g_assert_false(precision_look(NULL, 0, 8, 0.5).reached);
}

/* ---- the sweep's side -------------------------------------------------------------------------------------- */

static Plan *make_plan(Profile **ret_profile, const char *measure)
{
	g_autofree char *text = g_strdup_printf("name: p\naccel: tcg\ntargets: [{name: t, size: 1M}]\n"
						"workload: {rw: [read, write]}\nmeasure: {%s}\n", measure);
	g_auto(PlanFacts) facts;
	GError *error = NULL;
	Plan *plan;

	*ret_profile = profile_parse("p.yaml", text, -1, &error);
	g_assert_no_error(error);
	plan_facts_init(&facts, *ret_profile, "tcg");
	plan = plan_build(*ret_profile, &facts, FALSE, 1, &error);
	g_assert_no_error(error);
	return plan;
}

static void add_run(Stopping *stopping, guint leg, guint block, const char *status, double rate)
{
	g_autoptr(Record) run = record_new();

	record_set_text(run, "status", status);
	if (rate > 0)
		record_set_real(run, "bytes_per_s", rate);
	stopping_add(stopping, leg, block, run);
}

static void add_block(Stopping *stopping, const Plan *plan, guint block)
{
	for (guint leg = 0; leg < plan->legs->len; leg++)
		add_run(stopping, leg, block, "ok", 100);
}

static void test_reached(void)
{
	g_autoptr(Profile) profile = NULL;
	g_autoptr(Plan) plan = make_plan(&profile, "precision: 2%, blocks: 9");
	g_autoptr(Record) row = record_new();
	g_autofree char *text = NULL;
	Stopping *stopping = stopping_new(plan);

	g_assert_cmpuint(plan->legs->len, ==, 4);
	g_assert_cmpuint(plan->blocks->len, ==, 9);
	g_assert_cmpuint(plan_least_blocks(plan), ==, 6);
	for (guint b = 0; b < 6; b++) {
		g_assert_false(stopping_enough(stopping, b));
		add_block(stopping, plan, b);
	}
	g_assert_true(stopping_enough(stopping, 6));
	stopping_describe(stopping, 6, row);
	g_assert_cmpstr(record_get_text(row, "stopped"), ==, "reached");
	g_assert_cmpint(record_get_int(row, "blocks", 0), ==, 6);
	g_assert_cmpint(record_get_int(row, "wide_cells", -1), ==, 0);
	near(record_get_real(row, "half_width", -1), 0, 1e-12);
	text = stopping_text(stopping, 6);
	g_assert_cmpstr(text, ==, "precision reached after 6 of at most 9 blocks: every interval is within 2 % (widest: 0 %)");
	stopping_free(stopping);
}

/* A failed run is no pair, even if its row has a rate; nor is an ok one without a rate. */
static void test_ceiling(void)
{
	g_autoptr(Profile) profile = NULL;
	g_autoptr(Plan) plan = make_plan(&profile, "precision: 2%, blocks: 7");
	g_autoptr(Record) row = record_new();
	g_autofree char *text = NULL;
	Stopping *stopping = stopping_new(plan);

	for (guint b = 0; b < 7; b++)
		for (guint leg = 0; leg < plan->legs->len; leg++)
			add_run(stopping, leg, b, leg == 1 && b == 2 ? "failed" : "ok", leg == 1 && b == 3 ? 0 : 100);
	g_assert_false(stopping_enough(stopping, 7));
	stopping_describe(stopping, 7, row);
	g_assert_cmpstr(record_get_text(row, "stopped"), ==, "ceiling");
	g_assert_cmpint(record_get_int(row, "blocks", 0), ==, 7);
	g_assert_cmpint(record_get_int(row, "wide_cells", -1), ==, 1);
	g_assert_false(record_has(row, "half_width"));
	text = stopping_text(stopping, 7);
	g_assert_cmpstr(text, ==, "precision not reached in 7 blocks, the most that the profile allows: 1 of 2 cells have no interval within 2 %");
	stopping_free(stopping);
}

static void test_without(void)
{
	g_autoptr(Profile) profile = NULL;
	g_autoptr(Plan) plan = make_plan(&profile, "blocks: 8");
	g_autoptr(Record) row = record_new();
	Stopping *stopping = stopping_new(plan);

	for (guint b = 0; b < 8; b++)
		add_block(stopping, plan, b);
	g_assert_false(stopping_enough(stopping, 8));
	stopping_describe(stopping, 8, row);
	g_assert_cmpuint(record_size(row), ==, 0);
	g_assert_null(stopping_text(stopping, 8));
	g_assert_cmpuint(plan_least_blocks(plan), ==, 8);
	stopping_free(stopping);
}

/* Two legs of 8 s may be extended in each block, and 6 to 20 blocks be measured. */
static void test_estimate(void)
{
	g_autoptr(Profile) profile = NULL, steady = NULL, fixed = NULL;
	g_autoptr(Plan) plan = make_plan(&profile, "precision: 2%, settle: 0, run: 8s");
	g_autoptr(Plan) short_plan = make_plan(&steady, "precision: 2%, settle: 0, run: 8s, extend: false");
	g_autoptr(Plan) fixed_plan = make_plan(&fixed, "blocks: 6, settle: 0, run: 8s, extend: false");

	g_assert_cmpuint(profile->blocks, ==, 20);
	near(plan->seconds, fixed_plan->seconds, 1e-9);
	near(fixed_plan->seconds_most, fixed_plan->seconds, 1e-9);
	near(plan->seconds_most - short_plan->seconds_most, 20 * 4 * 8, 1e-6);
	g_assert_cmpfloat(short_plan->seconds_most, >, 2 * short_plan->seconds);
}

int main(int argc, char **argv)
{
	for (guint i = 0; i < 8; i++)
		waves[i] = 100 * exp(i % 2 ? A : -A);
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/precision/known", test_known);
	g_test_add_func("/precision/only-the-width", test_place);
	g_test_add_func("/precision/few-blocks", test_few_blocks);
	g_test_add_func("/precision/holes", test_holes);
	g_test_add_func("/precision/reached", test_reached);
	g_test_add_func("/precision/ceiling", test_ceiling);
	g_test_add_func("/precision/without", test_without);
	g_test_add_func("/precision/estimate", test_estimate);
	return g_test_run();
}
