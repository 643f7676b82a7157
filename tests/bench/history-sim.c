/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * history-sim [HISTORIES]: how often a history of 24 cells shows a change point where there is none, and how often it finds the one
 * that is there, by its own code (docs/history.md). The limit is that of a one-sided binomial test at 99 %.
 */
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>
#include <stdio.h>

#include "harness/compare/change.h"

#define CELLS 24

typedef enum { NORMAL, T3, STALLS, AUTOCORRELATED } Noise;
static const char *const names[] = {"normal", "t3", "stalls", "AR(1) 0.5"};

/* One value per sweep, spread 2 %. */
static void fill(gsl_rng *rng, Noise noise, double *y, guint n)
{
	double before = gsl_ran_gaussian(rng, 0.02);

	for (guint i = 0; i < n; i++)
		switch (noise) {
		case T3:
			y[i] = gsl_ran_tdist(rng, 3) * 0.02 / sqrt(3);
			break;
		case STALLS:
			y[i] = gsl_ran_gaussian(rng, 0.02) + (gsl_rng_uniform(rng) < 0.05 ? log(0.88) : 0);
			break;
		case AUTOCORRELATED:
			y[i] = before;
			before = 0.5 * before + gsl_ran_gaussian(rng, 0.02 * sqrt(0.75));
			break;
		default:
			y[i] = gsl_ran_gaussian(rng, 0.02);
		}
}

typedef struct {
	guint alarms, found, placed;
} Tally;

/* The first cell loses LOSS in the middle; a find is any change for the worse within three sweeps of it. */
static Tally run(Noise noise, guint sweeps, double loss, guint histories)
{
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	ChangeSettings settings;
	Tally tally = {0};

	change_settings_init(&settings);
	settings.level = 0.05 / CELLS;
	gsl_rng_set(rng, 7 + noise + 10 * sweeps);
	for (guint h = 0; h < histories; h++) {
		guint wrong = 0, hit = 0, exact = 0;

		for (guint c = 0; c < (loss > 0 ? 1 : CELLS); c++) {
			g_autofree double *y = g_new(double, sweeps);
			g_autoptr(GArray) found = NULL;

			fill(rng, noise, y, sweeps);
			for (guint i = sweeps / 2; i < sweeps; i++)
				y[i] += log1p(-loss);
			found = change_find(&settings, y, sweeps);
			wrong += found->len > 0;
			for (guint i = 0; i < found->len; i++) {
				const ChangePoint *point = &g_array_index(found, ChangePoint, i);

				hit += point->step < 0 && ABS((int)point->at - (int)(sweeps / 2)) <= 3;
				exact += point->step < 0 && point->at == sweeps / 2;
			}
		}
		tally.alarms += wrong > 0;
		tally.found += hit > 0;
		tally.placed += exact > 0;
	}
	gsl_rng_free(rng);
	return tally;
}

int main(int argc, char **argv)
{
	guint n = argc > 1 ? (guint)g_ascii_strtoull(argv[1], NULL, 10) : 200, limit = 0;
	static const guint lengths[] = {12, 20, 40, 100};
	gboolean bad = FALSE;

	if (n < 10) {
		fprintf(stderr, "usage: %s [HISTORIES], at least 10\n", argv[0]);
		return 2;
	}
	while (gsl_cdf_binomial_P(limit, 0.05, n) < 0.99)
		limit++;
	printf("%u histories of %u cells, 2 %% from sweep to sweep: any change point where there is none (at most %u);\n"
	       "one cell slower in the middle: found within three sweeps, and at the very sweep.\n"
	       "noise      sweeps   alarms %%   5 %% found  placed   10 %% found  placed\n",
		n, CELLS, limit);
	for (Noise noise = NORMAL; noise <= AUTOCORRELATED; noise++)
		for (guint i = 0; i < G_N_ELEMENTS(lengths); i++) {
			Tally none = run(noise, lengths[i], 0, n), five = run(noise, lengths[i], 0.05, n), ten = run(noise, lengths[i], 0.1, n);
			gboolean within = noise == AUTOCORRELATED || none.alarms <= limit;

			printf("%-10s %6u %10.1f %11.1f %7.1f %12.1f %7.1f  %s\n", names[noise], lengths[i], 100. * none.alarms / n,
				100. * five.found / n, 100. * five.placed / n, 100. * ten.found / n, 100. * ten.placed / n,
				noise == AUTOCORRELATED ? "reported" : within ? "within" : "OUT OF LIMITS");
			bad |= !within;
		}
	return bad;
}
