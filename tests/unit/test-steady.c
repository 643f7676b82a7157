/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Synthetic series with known verdicts, and how often noise alone is called unsteady. */
#include <glib.h>
#include <math.h>

#include "guest-agent/common/steady.h"

#define N 200

/* Series of N samples around 1000 operations. */
static double flat(guint i, GRand *rand) { return 1000; }
static double noise(guint i, GRand *rand) { return 1000 + g_rand_double_range(rand, -100, 100); }
static double ramp(guint i, GRand *rand) { return 1000 + 2.0 * i; }
static double gentle(guint i, GRand *rand) { return 1000 + 0.2 * i + g_rand_double_range(rand, -50, 50); }
static double cliff(guint i, GRand *rand) { return i < 40 ? 3000 : 1000; }
static double late_cliff(guint i, GRand *rand) { return i < 140 ? 3000 : 1000; }
static double late_step(guint i, GRand *rand) { return i < 170 ? 1000 : 1600; }
static double fast_saw(guint i, GRand *rand) { return 500 + 100.0 * (i % 10); }
static double slow_saw(guint i, GRand *rand) { return 500 + 10.0 * (i % 100); }
static double stall(guint i, GRand *rand) { return i >= 120 && i < 160 ? 0 : 1000; }

typedef struct {
	const char *name;
	double (*rate)(guint i, GRand *rand);
	gboolean steady;
	int cut; /* -1 = any */
} Row;

static const Row rows[] = {
	{"flat", flat, TRUE, 0},
	{"noise", noise, TRUE, -1},
	{"gentle slope", gentle, TRUE, -1},
	{"ramp", ramp, FALSE, -1},
	{"cliff at a fifth is warm-up", cliff, TRUE, 40},
	{"cliff beyond half", late_cliff, FALSE, -1},
	{"late step", late_step, FALSE, -1},
	{"fast sawtooth", fast_saw, TRUE, -1},
	{"slow sawtooth", slow_saw, FALSE, -1},
	{"stall", stall, FALSE, -1},
};

static void make(uint64_t *ops, guint n, double (*rate)(guint, GRand *), GRand *rand)
{
	for (guint i = 0; i < n; i++)
		ops[i] = (uint64_t)llround(rate(i, rand));
}

static void test_shape(gconstpointer data)
{
	const Row *row = data;
	g_autoptr(GRand) rand = g_rand_new_with_seed(7);
	uint64_t ops[N];
	Steady steady;

	make(ops, N, row->rate, rand);
	steady_judge(ops, N, &steady);
	g_test_message("cut %u, range %.3f, slope %.3f, settled %d", steady.cut, steady.range, steady.slope, steady.settled);
	g_assert_true(steady.known);
	g_assert_null(steady.reason);
	g_assert_cmpint(steady.steady, ==, row->steady);
	if (row->cut >= 0)
		g_assert_cmpuint(steady.cut, ==, (guint)row->cut);
	g_assert_cmpuint(steady.cut, <=, N / 2);
	g_assert_cmpuint(steady.cut % STEADY_BATCH, ==, 0);
}

/* 0.1 % of the first rate more in each of 1800 seconds. */
static void test_slow_ramp(void)
{
	uint64_t ops[1800];
	Steady steady;

	for (guint i = 0; i < G_N_ELEMENTS(ops); i++)
		ops[i] = 1000 + i;
	steady_judge(ops, G_N_ELEMENTS(ops), &steady);
	g_assert_true(steady.known);
	g_assert_false(steady.steady);
}

/* Ranges that can be told by hand. */
static void test_figures(void)
{
	uint64_t ops[N];
	Steady steady;

	for (guint i = 0; i < N; i++)
		ops[i] = 1000 + (i % 2 ? 100 : -100);
	steady_judge(ops, N, &steady);
	g_assert_cmpfloat_with_epsilon(steady.range, 0, 0.02);
	/* One window 21 % above the other four: range 0.21 / 1.042. Inside the limit at 20 %. */
	for (guint i = 0; i < N; i++)
		ops[i] = i >= 80 && i < 120 ? 1300 : 1000;
	steady_judge(ops, N, &steady);
	g_assert_false(steady.steady);
	for (guint i = 0; i < N; i++)
		ops[i] = i >= 80 && i < 120 ? 1200 : 1000;
	steady_judge(ops, N, &steady);
	if (steady.cut == 0) {
		g_assert_cmpfloat_with_epsilon(steady.range, 0.2 / 1.04, 1e-9);
		g_assert_true(steady.steady);
	}
}

static void unknown(guint n, uint64_t each, const char *part)
{
	g_autofree uint64_t *ops = g_new(uint64_t, n + 1);
	Steady steady = {.cut = 99};

	for (guint i = 0; i < n; i++)
		ops[i] = each && i % 10 == 0 ? each : 0;
	steady_judge(ops, n, &steady);
	g_assert_false(steady.known);
	g_assert_false(steady.steady);
	g_assert_cmpuint(steady.cut, ==, 0);
	if (!strstr(steady.reason, part))
		g_error("\"%s\" is not in \"%s\"", part, steady.reason);
}

static void test_unknown(void)
{
	unknown(0, 0, "fewer than 100 intervals");
	unknown(99, 1000, "fewer than 100 intervals");
	unknown(100, 0, "fewer than 20 operations");
	unknown(100, 1, "fewer than 20 operations");
}

/* White noise of 5 % is no lack of steadiness: how often it is called one. */
static void test_false_alarms(void)
{
	g_autoptr(GRand) rand = g_rand_new_with_seed(11);
	uint64_t ops[N];
	guint alarms = 0, cut = 0;

	for (guint k = 0; k < 2000; k++) {
		Steady steady;

		make(ops, N, noise, rand);
		steady_judge(ops, N, &steady);
		alarms += !steady.steady;
		cut += steady.cut;
	}
	g_test_message("%u of 2000 called unsteady, mean cut %.1f of %d samples", alarms, cut / 2000.0, N);
	g_assert_cmpuint(alarms, <, 200);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
		g_autofree char *name = g_strdup_printf("/steady/%s", rows[i].name);

		g_test_add_data_func(name, &rows[i], test_shape);
	}
	g_test_add_func("/steady/slow-ramp", test_slow_ramp);
	g_test_add_func("/steady/figures", test_figures);
	g_test_add_func("/steady/unknown", test_unknown);
	g_test_add_func("/steady/false-alarms", test_false_alarms);
	return g_test_run();
}
