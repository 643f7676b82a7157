/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gate-sim [A/A SWEEPS [POWER SWEEPS [PART]]]: the error rates of docs/gate.md, measured on the gate's own code. The limits are those
 * of a one-sided binomial test at 99 %: 123 alarms in 2000 for a rate of 5 %, 933 finds in 1000 for 95 %.
 */
#include <gsl/gsl_cdf.h>
#include <stdio.h>
#include <time.h>

#include "tests/bench/gate-model.h"

static double percent(guint n, guint of)
{
	return 100.0 * n / of;
}

/* Largest count that a rate of at most P gives in 99 % of all series of N. */
static guint most(double p, guint n)
{
	guint k = 0;

	while (k < n && gsl_cdf_binomial_P(k, p, n) < 0.99)
		k++;
	return k;
}

static int verdict(gboolean good, gboolean promised)
{
	printf("  %s\n", !promised ? "reported" : good ? "within" : "OUT OF LIMITS");
	return promised && !good;
}

static int no_change(const Model *model, guint sweeps, gulong seed)
{
	Tally t = model_run(model, sweeps, seed);
	guint limit = most(0.05, sweeps);

	printf("%-8s %5u %5.1f %6.1f %8u %6.2f %5u %8.2f %8.1f %8.1f", noise_names[model->noise], model->cells,
		100 * model->sd, model->spread, t.alarms, percent(t.alarms, sweeps), limit, (double)t.promoted / sweeps,
		percent(t.inconclusive, sweeps), percent(t.noisy, sweeps * model->cells));
	return verdict(t.alarms <= limit, TRUE);
}

static int power(const Model *model, guint sweeps, gulong seed, gboolean promised)
{
	Tally t = model_run(model, sweeps, seed);
	guint limit = sweeps - most(0.05, sweeps);

	printf("%-8s %5u %5.1f %6.1f %8u %6.2f %5u %8.2f", noise_names[model->noise], model->cells, 100 * model->sd,
		100 * model->loss, t.found, percent(t.found, sweeps), limit, percent(t.called_ok, sweeps));
	printf(" %7.1f %9.1f", percent(t.able, sweeps), t.able ? percent(t.able_found, t.able) : NAN);
	return verdict(t.found >= limit, promised);
}

static int group(const Model *model, guint sweeps, gulong seed)
{
	Tally t = model_run(model, sweeps, seed);
	guint limit = sweeps - most(0.05, sweeps);

	printf("%-8s %5u %5.1f %6.1f %8u %6.2f %5u", noise_names[model->noise], model->cells, 100 * model->sd,
		100 * model->all_loss, t.group_found, percent(t.group_found, sweeps), limit);
	return verdict(t.group_found >= limit, TRUE);
}

static int no_changes(guint sweeps)
{
	static const guint cells[] = {24, 100};
	int bad = 0;

	printf("No change, %u sweeps each: the share of sweeps with any REGRESSED row must stay at 5 %%.\n"
	       "noise    cells  SD %% spread   alarms      %% limit promoted   exit3 %%  noisy %%\n",
		sweeps);
	for (guint c = 0; c < G_N_ELEMENTS(cells); c++)
		for (Noise noise = 0; noise < NOISE_COUNT; noise++) {
			Model model = {.cells = cells[c], .blocks = 17, .noise = noise, .sd = 0.02, .shift = 0.01};

			bad += no_change(&model, sweeps, 1000 + noise);
			model.shift = 0;
			model.spread = 0.5;
			if (noise == NOISE_NORMAL)
				bad += no_change(&model, sweeps, 1100);
		}
	return bad;
}

/* What a sweep meets beside noise. */
typedef struct {
	const char *what;
	double lost[2], failed[2];
	guint families;
	gboolean control;
	double host_drift; /* the machine is slower in one arm: reported, for that is no sweep without a change */
} Trouble;

static const Trouble troubles[] = {
	{"10 % of runs flagged", {0.10, 0.10}, {0}, 0, FALSE, 0},
	{"20 % flagged, new arm", {0, 0.20}, {0}, 0, FALSE, 0},
	{"20 % flagged, base arm", {0.20, 0}, {0}, 0, FALSE, 0},
	{"5 % of runs failed", {0}, {0.05, 0.05}, 0, FALSE, 0},
	{"1 % failed, new arm", {0}, {0, 0.01}, 0, FALSE, 0},
	{"5 % failed, base arm", {0}, {0.05, 0}, 0, FALSE, 0},
	{"2 families", {0}, {0}, 2, FALSE, 0},
	{"4 families", {0}, {0}, 4, FALSE, 0},
	{"4, 10 % flagged", {0.10, 0.10}, {0}, 4, TRUE, 0},
	{"control", {0}, {0}, 0, TRUE, 0},
	{"control, 2 % drift", {0}, {0}, 0, TRUE, 0.02},
	{"control, 4 % drift", {0}, {0}, 0, TRUE, 0.04},
};

static int trouble_row(const Trouble *trouble, Noise noise, guint cells, guint sweeps, gulong seed)
{
	Model model = {.cells = cells, .blocks = 17, .noise = noise, .sd = 0.02, .shift = 0.01, .families = trouble->families,
		.own = 0.75, .control = trouble->control, .host_drift = trouble->host_drift};
	guint limit = most(0.05, sweeps);
	Tally t;

	for (guint side = 0; side < 2; side++) {
		model.lost[side] = trouble->lost[side];
		model.failed[side] = trouble->failed[side];
	}
	t = model_run(&model, sweeps, seed);
	printf("%-24s %-8s %5u %8u %6.2f %5u %8.1f %8.1f %9.1f", trouble->what, noise_names[noise], cells, t.alarms,
		percent(t.alarms, sweeps), limit, percent(t.inconclusive, sweeps), percent(t.failed, sweeps), percent(t.withheld, sweeps));
	return verdict(t.alarms <= limit, trouble->host_drift <= 0);
}

static int troubled(guint sweeps)
{
	static const guint cells[] = {24, 100};
	static const Noise noises[] = {NOISE_NORMAL, NOISE_STALL};
	int bad = 0;

	printf("\nNo change, %u sweeps each, with runs left out, with families that share alpha, and with a host of its own in each arm.\n"
	       "what                     noise    cells   alarms      %% limit  exit3 %%  exit5 %% withheld %%\n",
		sweeps);
	for (guint k = 0; k < G_N_ELEMENTS(troubles); k++)
		for (guint i = 0; i < G_N_ELEMENTS(noises); i++)
			for (guint c = 0; c < G_N_ELEMENTS(cells); c++)
				bad += trouble_row(&troubles[k], noises[i], cells[c], sweeps, 7000 + 10 * k + i);
	return bad;
}

static int powers(guint sweeps)
{
	static const double sds[] = {0.01, 0.015, 0.02, 0.025, 0.03};
	static const double losses[] = {0.05, 0.02};
	int bad = 0;

	printf("\nOne cell slower, %u sweeps each: that cell REGRESSED. Able: its smallest detectable loss was said to be\n"
	       "at most 5 %% (of these: found).\n"
	       "noise    cells  SD %% loss %%    found      %% limit called OK %%  able %% of these %%\n",
		sweeps);
	for (guint l = 0; l < G_N_ELEMENTS(losses); l++)
		for (guint s = 0; s < G_N_ELEMENTS(sds); s++) {
			Model model = {.cells = 24, .blocks = 17, .sd = sds[s], .shift = 0.01, .loss = losses[l]};

			bad += power(&model, sweeps, 2000 + s, l == 0 && sds[s] <= 0.02);
		}
	for (Noise noise = NOISE_NORMAL; noise <= NOISE_STALL; noise++) {
		Model model = {.cells = 100, .blocks = 17, .noise = noise, .sd = 0.02, .shift = 0.01, .loss = 0.05};

		bad += power(&model, sweeps, 3000 + noise, noise <= NOISE_T3);
		model.cells = 24;
		if (noise > NOISE_NORMAL)
			bad += power(&model, sweeps, 3100 + noise, noise == NOISE_T3);
	}
	return bad;
}

static int groups(guint sweeps)
{
	Model model = {.cells = 40, .blocks = 17, .sd = 0.02, .all_loss = 0.02};
	int bad;

	printf("\nAll cells 2 %% slower, %u sweeps each: a group REGRESSED.\n"
	       "noise    cells  SD %% loss %%    found      %% limit\n",
		sweeps);
	bad = group(&model, sweeps, 4000);
	model.sd = 0.03;
	return bad + group(&model, sweeps, 4001);
}

/* From how many alarms on the promise is broken: 5 %, or 1 / (m + 1) where so few baselines cannot promise that. */
static double promised(guint baselines)
{
	return fmax(0.05, 1.0 / (baselines + 1));
}

/* AR(1) within a run leaves the sweeps exchangeable; a drift from sweep to sweep does not, and is reported. */
static int stored_row(Noise noise, guint cells, guint baselines, guint sweeps, guint found)
{
	Model model = {.cells = cells, .blocks = baselines, .stored = TRUE, .noise = noise, .sd = 0.02, .shift = 0.01};
	Tally none = model_run(&model, sweeps, 6000 + noise), five, ten;
	guint limit = most(promised(baselines), sweeps);

	model.loss = 0.05;
	five = model_run(&model, found, 6100 + noise);
	model.loss = 0.10;
	ten = model_run(&model, found, 6200 + noise);
	printf("%-8s %5u %9u %8u %6.2f %5u %8.1f %10.1f %9.1f %8.1f", noise_names[noise], cells, baselines, none.alarms,
		percent(none.alarms, sweeps), limit, percent(none.inconclusive, sweeps), percent(five.found, found),
		percent(ten.found, found), percent(five.called_ok, found));
	return verdict(none.alarms <= limit, noise != NOISE_DRIFT);
}

/* Stored sweeps of which some runs are left out, and with a host. */
static int stored_troubled(guint sweeps)
{
	static const Trouble own[] = {
		{"10 % of runs flagged", {0.10, 0.10}, {0}, 0, FALSE, 0},
		{"5 % of runs failed", {0}, {0.05, 0.05}, 0, FALSE, 0},
		{"control", {0}, {0}, 0, TRUE, 0},
		{"control, 10 % flagged", {0.10, 0.10}, {0}, 0, TRUE, 0},
	};
	static const Noise noises[] = {NOISE_NORMAL, NOISE_STALL};
	guint limit = most(promised(20), sweeps);
	int bad = 0;

	printf("\nThe same with 20 stored sweeps and 24 cells, no change, %u each.\n"
	       "what                     noise      alarms      %% limit  exit3 %%  exit5 %% withheld %%\n",
		sweeps);
	for (guint k = 0; k < G_N_ELEMENTS(own); k++)
		for (guint i = 0; i < G_N_ELEMENTS(noises); i++) {
			Model model = {.cells = 24, .blocks = 20, .stored = TRUE, .noise = noises[i], .sd = 0.02, .shift = 0.01,
				.lost = {own[k].lost[0], own[k].lost[1]}, .failed = {own[k].failed[0], own[k].failed[1]},
				.control = own[k].control};
			Tally t = model_run(&model, sweeps, 8000 + 10 * k + i);

			printf("%-24s %-8s %8u %6.2f %5u %8.1f %8.1f %9.1f", own[k].what, noise_names[noises[i]], t.alarms,
				percent(t.alarms, sweeps), limit, percent(t.inconclusive, sweeps), percent(t.failed, sweeps),
				percent(t.withheld, sweeps));
			bad += verdict(t.alarms <= limit, TRUE);
		}
	return bad;
}

static int stored(guint sweeps, guint found)
{
	static const guint cells[] = {24, 100}, baselines[] = {5, 10, 20, 40};
	int bad = 0;

	printf("\nOne candidate sweep against stored ones, %u and %u each; 2 %% from sweep to sweep in each cell, and 1 %% common to all.\n"
	       "noise    cells baselines   alarms      %% limit  exit3 %%  5 %% found 10 %% found  5 %% OK\n",
		sweeps, found);
	for (guint c = 0; c < G_N_ELEMENTS(cells); c++)
		for (Noise noise = 0; noise < NOISE_COUNT; noise++)
			for (guint b = 0; b < G_N_ELEMENTS(baselines); b++)
				bad += stored_row(noise, cells[c], baselines[b], sweeps, found);
	return bad;
}

static void cost(void)
{
	Model model = {.cells = 300, .blocks = 17, .sd = 0.02, .loss = 0.05};
	clock_t begun = clock();

	model_run(&model, 10, 5000);
	printf("\n300 cells, the whole gate: %.1f ms a sweep", 100.0 * (clock() - begun) / CLOCKS_PER_SEC);
	model.sd = 0.2; /* everything is promoted */
	begun = clock();
	model_run(&model, 10, 5001);
	printf("; with every cell promoted (4096 flips each): %.1f ms\n", 100.0 * (clock() - begun) / CLOCKS_PER_SEC);
}

static const char *const parts[] = {"none", "trouble", "power", "stored", NULL};

static gboolean wanted(const char *part, const char *name)
{
	return !part || g_str_equal(part, name);
}

int main(int argc, char **argv)
{
	guint sweeps = argc > 1 ? (guint)g_ascii_strtoull(argv[1], NULL, 10) : 2000;
	guint found = argc > 2 ? (guint)g_ascii_strtoull(argv[2], NULL, 10) : 1000;
	const char *part = argc > 3 ? argv[3] : NULL;
	int bad = 0;

	if (sweeps < 10 || found < 10 || (part && !g_strv_contains(parts, part))) {
		fprintf(stderr, "usage: %s [SWEEPS WITHOUT A CHANGE [SWEEPS WITH ONE [none|trouble|power|stored]]], both at least 10\n", argv[0]);
		return 2;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (wanted(part, "none"))
		bad += no_changes(sweeps);
	if (wanted(part, "trouble"))
		bad += troubled(sweeps);
	if (wanted(part, "power"))
		bad += powers(found) + groups(found);
	if (wanted(part, "stored"))
		bad += stored(sweeps, found) + stored_troubled(sweeps);
	cost();
	return bad ? 1 : 0;
}
