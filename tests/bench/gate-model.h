/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sweeps out of a random-number generator, judged by the gate's own code: how often it cries wolf and how
 * often it finds what is there. Shared by tests/bench/gate-sim.c (full numbers) and tests/unit/test-gate-sim.c (few).
 */
#ifndef IOGAP_GATE_MODEL_H
#define IOGAP_GATE_MODEL_H

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>

#include "harness/gate/gate.h"

typedef enum {
	NOISE_NORMAL,
	NOISE_T3,      /* Student's t with 3 degrees of freedom, scaled to the same SD */
	NOISE_BIMODAL, /* normal, and 30 % of runs 4 % slower */
	NOISE_STALL,   /* normal, and 5 % of runs 12 % slower */
	NOISE_AR1,     /* the mean of 30 seconds with autocorrelation 0.9, and 2 % between runs */
	NOISE_DRIFT,   /* normal, and the machine gets 5 % slower over the sweep, both arms alike */
	NOISE_COUNT,
} Noise;

static const char *const noise_names[] = {"normal", "t3", "bimodal", "stalls", "AR(1)", "drift"};

typedef struct {
	guint cells, blocks; /* stored: sweeps of the baseline */
	gboolean stored;
	Noise noise;
	double sd;	   /* of a run */
	double shift;	   /* SD of a shift common to all cells of a block's difference */
	double spread;	   /* SD of ln of the cells' own SDs; 0 = all alike */
	double loss;	   /* of the first cell: all are alike, so any will do */
	double all_loss;   /* of all cells */
} Model;

typedef struct {
	guint sweeps, alarms, found, called_ok, inconclusive, promoted, group_found, noisy, able, able_found;
} Tally;

static double model_noise(gsl_rng *rng, const Model *model, double sd)
{
	double x = gsl_ran_gaussian(rng, sd), second = 0, sum = 0;

	switch (model->noise) {
	case NOISE_T3:
		return gsl_ran_tdist(rng, 3) * sd / sqrt(3);
	case NOISE_BIMODAL:
		return x + (gsl_rng_uniform(rng) < 0.30 ? log(0.96) : 0);
	case NOISE_STALL:
		return x + (gsl_rng_uniform(rng) < 0.05 ? log(0.88) : 0);
	case NOISE_AR1:
		second = gsl_ran_gaussian(rng, sd);
		for (guint i = 0; i < 30; i++) {
			sum += second;
			second = 0.9 * second + gsl_ran_gaussian(rng, sd * sqrt(1 - 0.81));
		}
		return sum / 30 + gsl_ran_gaussian(rng, 0.02);
	default:
		return x;
	}
}

static void model_fill(gsl_rng *rng, const Model *model, double *base, double *candidate)
{
	g_autofree double *common = g_new(double, model->blocks);

	for (guint r = 0; r < model->blocks; r++)
		common[r] = gsl_ran_gaussian(rng, model->shift);
	for (guint i = 0; i < model->cells; i++) {
		double sd = model->sd * (model->spread > 0 ? exp(gsl_ran_gaussian(rng, model->spread)) : 1);

		for (guint r = 0; r < model->blocks; r++) {
			double at = model->noise == NOISE_DRIFT ? log1p(-0.05 * r / (model->blocks - 1)) : 0;
			guint k = i * model->blocks + r;

			base[k] = 18 + at + model_noise(rng, model, sd);
			candidate[k] = 18 + at + common[r] + model_noise(rng, model, sd) + log1p(-model->all_loss) +
				(i == 0 ? log1p(-model->loss) : 0);
		}
	}
}

static void model_count(Tally *tally, const GateResult *result)
{
	const GateRow *first = gate_row(result, "c000");
	GateVerdict hit = first->verdict;
	int code = gate_exit_code(result, NULL);
	gboolean alarm = FALSE, group = FALSE;

	for (guint i = 0; i < result->rows->len; i++) {
		const GateRow *row = result->rows->pdata[i];

		alarm |= row->verdict == GATE_REGRESSED;
		group |= row->group && row->verdict == GATE_REGRESSED;
		tally->promoted += row->promoted && !row->group;
	}
	tally->sweeps++;
	tally->alarms += alarm;
	tally->group_found += group;
	tally->found += hit == GATE_REGRESSED;
	tally->called_ok += hit == GATE_OK;
	tally->able += !first->too_noisy;
	tally->able_found += !first->too_noisy && hit == GATE_REGRESSED;
	tally->inconclusive += code == 3;
	tally->noisy += result->noisy;
}

/* Half of the cells are reads, half writes; each half also alternates between two backends. MEMBERS has room for 5 n. */
static void model_input(GateInput *input, GateCell *cells, guint n, GateGroup groups[5], guint *members, GPtrArray *names)
{
	static const char *const titles[] = {"all", "reads", "writes", "backend a", "backend b"};

	for (guint g = 0; g < G_N_ELEMENTS(titles); g++)
		groups[g] = (GateGroup){.name = titles[g], .cells = members + g * n};
	for (guint i = 0; i < n; i++) {
		guint in[] = {0, 1 + i % 2, 3 + i / 2 % 2};

		g_ptr_array_add(names, g_strdup_printf("c%03u", i));
		cells[i].name = names->pdata[i];
		for (guint k = 0; k < G_N_ELEMENTS(in); k++)
			members[in[k] * n + groups[in[k]].n_cells++] = i;
	}
	*input = (GateInput){.cells = cells, .n_cells = n, .groups = groups, .n_groups = G_N_ELEMENTS(titles)};
}

static void model_sweep(gsl_rng *rng, const Model *model, const GateSettings *settings, Tally *tally)
{
	guint n = model->cells;
	g_autofree double *base = g_new(double, n * model->blocks), *candidate = g_new(double, n * model->blocks);
	g_autofree GateCell *cells = g_new0(GateCell, n);
	g_autofree guint *members = g_new(guint, 5 * n);
	g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
	GateGroup groups[5];
	GateInput input;
	g_autoptr(GateResult) result = NULL;

	model_fill(rng, model, base, candidate);
	for (guint i = 0; i < n; i++)
		cells[i] = (GateCell){.baseline = base + i * model->blocks, .candidate = candidate + i * model->blocks};
	model_input(&input, cells, n, groups, members, names);
	input.blocks = model->blocks;
	result = gate_judge(settings, &input, NULL);
	g_assert(result);
	model_count(tally, result);
}

/* One candidate sweep against model->blocks stored ones: one value per sweep and cell, and a shift common to all cells of a sweep. */
static void model_stored_sweep(gsl_rng *rng, const Model *model, const GateSettings *settings, Tally *tally)
{
	guint n = model->cells, m = model->blocks;
	g_autofree double *base = g_new(double, n * m), *candidate = g_new(double, n), *shift = g_new(double, m + 1);
	g_autofree GateCell *cells = g_new0(GateCell, n);
	g_autofree guint *members = g_new(guint, 5 * n);
	g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
	GateGroup groups[5];
	GateInput input;
	g_autoptr(GateResult) result = NULL;

	for (guint j = 0; j <= m; j++)
		shift[j] = gsl_ran_gaussian(rng, model->shift);
	for (guint i = 0; i < n; i++) {
		double sd = model->sd * (model->spread > 0 ? exp(gsl_ran_gaussian(rng, model->spread)) : 1);

		for (guint j = 0; j < m; j++)
			base[i * m + j] = 18 + shift[j] + model_noise(rng, model, sd) +
				(model->noise == NOISE_DRIFT ? log1p(-0.05 * j / m) : 0);
		candidate[i] = 18 + shift[m] + model_noise(rng, model, sd) + log1p(-model->all_loss) +
			(i == 0 ? log1p(-model->loss) : 0) + (model->noise == NOISE_DRIFT ? log1p(-0.05) : 0);
		cells[i] = (GateCell){.baseline = base + i * m, .candidate = candidate + i};
	}
	model_input(&input, cells, n, groups, members, names);
	result = gate_against(settings, &input, m, 1, NULL);
	g_assert(result);
	model_count(tally, result);
}

static Tally model_run(const Model *model, guint sweeps, gulong seed)
{
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	GateSettings settings;
	Tally tally = {0};

	gate_settings_init(&settings);
	gsl_rng_set(rng, seed);
	for (guint i = 0; i < sweeps; i++)
		(model->stored ? model_stored_sweep : model_sweep)(rng, model, &settings, &tally);
	gsl_rng_free(rng);
	return tally;
}

#endif
