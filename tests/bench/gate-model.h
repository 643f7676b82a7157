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
#include <string.h>

#include "harness/gate/families.h"

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
	double lost[2];	   /* share of runs that are flagged and left out, of the baseline and of the candidate */
	double failed[2];  /* share of runs that fail */
	guint families;	   /* that gate and share alpha; 0 = throughput alone */
	double own;	   /* of the families beside throughput: the part of their noise that is their own; the rest is throughput's */
	gboolean control;  /* a host of its own in each arm */
	double host_drift; /* of the candidate's arm and host alike */
} Model;

/* Failed: exit status 5, a cell without a good run. Withheld: the control moved. */
typedef struct {
	guint sweeps, alarms, found, called_ok, inconclusive, promoted, group_found, noisy, able, able_found, failed, withheld;
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
				(i == 0 ? log1p(-model->loss) : 0) + log1p(-model->host_drift);
		}
	}
}

/* Values that a run does not give: NaN in Y. Counts them as the loaders do. */
static void model_lose(gsl_rng *rng, const Model *model, GateCell *cell, double *y[2], guint n[2])
{
	for (guint side = 0; side < 2; side++)
		for (guint r = 0; r < n[side]; r++) {
			gboolean failed = model->failed[side] > 0 && gsl_rng_uniform(rng) < model->failed[side];
			gboolean lost = !failed && model->lost[side] > 0 && gsl_rng_uniform(rng) < model->lost[side];

			cell->failed[side] += failed;
			cell->flagged[side] += lost;
			/* The baseline's side comes first, so that what it has in this block is known. */
			if (!model->stored)
				cell->lost += side && failed && isfinite(y[0][r]);
			if (failed || lost)
				y[side][r] = NAN;
		}
	if (model->stored && cell->failed[1] * n[0] > cell->failed[0] * n[1])
		cell->lost = cell->failed[1];
}

/* FAMILIES (of GateFamily *), throughput first, whose first cell is the one that may be slower. */
static void model_count(Tally *tally, const GPtrArray *families)
{
	const GateResult *result = ((const GateFamily *)families->pdata[0])->result;
	const GateRow *first = gate_row(result, "c000");
	GateVerdict hit = first->verdict;
	int code = gate_families_exit_code(families, NULL);
	gboolean alarm = FALSE, group = FALSE, withheld = FALSE;

	for (guint f = 0; f < families->len; f++) {
		const GateResult *one = ((const GateFamily *)families->pdata[f])->result;

		withheld |= one->drift;
		for (guint i = 0; i < one->rows->len; i++) {
			const GateRow *row = one->rows->pdata[i];

			alarm |= row->verdict == GATE_REGRESSED;
			group |= f == 0 && row->group && row->verdict == GATE_REGRESSED;
			tally->promoted += f == 0 && row->promoted && !row->group;
		}
	}
	tally->sweeps++;
	tally->alarms += alarm;
	tally->withheld += withheld;
	tally->group_found += group;
	tally->found += hit == GATE_REGRESSED;
	tally->called_ok += hit == GATE_OK;
	tally->able += !first->too_noisy;
	tally->able_found += !first->too_noisy && hit == GATE_REGRESSED;
	tally->inconclusive += code == 3;
	tally->failed += code == 5;
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

/* What the sweep of MODEL is judged from, for one family. Y: the values of both sides, cell by cell. */
typedef struct {
	double *y[2];
	guint n[2]; /* of each cell: blocks, or sweeps */
	GateCell *cells, host;
	guint *members;
	GateGroup groups[5];
	GateInput input;
} ModelData;

static void model_data_clear(ModelData *data)
{
	for (guint side = 0; side < 2; side++)
		g_free(data->y[side]);
	g_free(data->cells);
	g_free(data->members);
}

static void model_data_init(ModelData *data, const Model *model, GPtrArray *names)
{
	guint n = model->cells;

	*data = (ModelData){.n = {model->blocks, model->stored ? 1 : model->blocks}};
	data->cells = g_new0(GateCell, n);
	data->members = g_new(guint, 5 * n);
	for (guint side = 0; side < 2; side++)
		data->y[side] = g_new(double, n * data->n[side]);
	for (guint i = 0; i < n; i++)
		data->cells[i] = (GateCell){.baseline = data->y[0] + i * data->n[0], .candidate = data->y[1] + i * data->n[1]};
	model_input(&data->input, data->cells, n, data->groups, data->members, names);
}

/* Runs that are left out give none of the metrics. */
static void model_data_lose(gsl_rng *rng, const Model *model, ModelData *data)
{
	for (guint i = 0; i < model->cells; i++) {
		double *y[2] = {data->y[0] + i * data->n[0], data->y[1] + i * data->n[1]};

		model_lose(rng, model, &data->cells[i], y, data->n);
	}
}

static GateFamily *model_family(const Model *model, const GateSettings *settings, GateMetricId metric, const GateInput *input)
{
	GateFamily *family = gate_family_new(metric, GATE_FAMILY_GATING);
	GateSettings own = *settings;

	own.alpha /= MAX(1, model->families);
	family->result = model->stored ? gate_against(&own, input, model->blocks, 1, NULL) : gate_judge(&own, input, NULL);
	g_assert(family->result);
	return family;
}

/* Another metric of the same runs: in part it varies with the throughput, and what is lost there is lost here. */
static void model_other(gsl_rng *rng, const Model *model, const ModelData *first, ModelData *other)
{
	model_fill(rng, model, other->y[0], other->y[1]);
	for (guint side = 0; side < 2; side++)
		for (guint k = 0; k < model->cells * other->n[side]; k++)
			other->y[side][k] = sqrt(model->own) * other->y[side][k] + sqrt(1 - model->own) * first->y[side][k];
	for (guint i = 0; i < model->cells; i++) {
		memcpy(other->cells[i].flagged, first->cells[i].flagged, sizeof(other->cells[i].flagged));
		memcpy(other->cells[i].failed, first->cells[i].failed, sizeof(other->cells[i].failed));
		other->cells[i].lost = first->cells[i].lost;
	}
}

/* The host's leg of both arms: ln of the candidate's rate against the baseline's by block. */
static double *model_control(gsl_rng *rng, const Model *model)
{
	double *control = g_new(double, model->blocks);

	for (guint r = 0; r < model->blocks; r++)
		control[r] = model_noise(rng, model, model->sd) - model_noise(rng, model, model->sd) + log1p(-model->host_drift);
	return control;
}

static void model_sweep(gsl_rng *rng, const Model *model, const GateSettings *settings, Tally *tally)
{
	g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
	g_autoptr(GPtrArray) families = g_ptr_array_new_with_free_func((GDestroyNotify)gate_family_free);
	g_autofree double *control = NULL;
	ModelData first, other;

	model_data_init(&first, model, names);
	first.input.blocks = model->blocks;
	model_fill(rng, model, first.y[0], first.y[1]);
	model_data_lose(rng, model, &first);
	if (model->control)
		first.input.control = control = model_control(rng, model);
	g_ptr_array_add(families, model_family(model, settings, GATE_THROUGHPUT, &first.input));
	for (guint f = 1; f < model->families; f++) {
		model_data_init(&other, model, names);
		other.input.blocks = model->blocks;
		other.input.control = control;
		model_other(rng, model, &first, &other);
		g_ptr_array_add(families, model_family(model, settings, GATE_THROUGHPUT + f, &other.input));
		model_data_clear(&other);
	}
	model_count(tally, families);
	model_data_clear(&first);
}

/* One candidate sweep against model->blocks stored ones: one value per sweep and cell, and a shift common to all cells of a sweep. */
static void model_stored_sweep(gsl_rng *rng, const Model *model, const GateSettings *settings, Tally *tally)
{
	guint n = model->cells, m = model->blocks;
	g_autofree double *shift = g_new(double, m + 1), *host = g_new(double, m + 1);
	g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
	g_autoptr(GPtrArray) families = g_ptr_array_new_with_free_func((GDestroyNotify)gate_family_free);
	ModelData data;

	model_data_init(&data, model, names);
	for (guint j = 0; j <= m; j++)
		shift[j] = gsl_ran_gaussian(rng, model->shift);
	for (guint i = 0; i < n; i++) {
		double sd = model->sd * (model->spread > 0 ? exp(gsl_ran_gaussian(rng, model->spread)) : 1);

		for (guint j = 0; j < m; j++)
			data.y[0][i * m + j] = 18 + shift[j] + model_noise(rng, model, sd) +
				(model->noise == NOISE_DRIFT ? log1p(-0.05 * j / m) : 0);
		data.y[1][i] = 18 + shift[m] + model_noise(rng, model, sd) + log1p(-model->all_loss) +
			(i == 0 ? log1p(-model->loss) : 0) + (model->noise == NOISE_DRIFT ? log1p(-0.05) : 0) +
			log1p(-model->host_drift);
	}
	model_data_lose(rng, model, &data);
	for (guint j = 0; model->control && j <= m; j++)
		host[j] = 19 + shift[j] + model_noise(rng, model, model->sd) + (j == m ? log1p(-model->host_drift) : 0);
	data.host = (GateCell){.name = "host", .baseline = host, .candidate = host + m};
	data.input.hosts = &data.host;
	data.input.n_hosts = model->control;
	g_ptr_array_add(families, model_family(model, settings, GATE_THROUGHPUT, &data.input));
	model_count(tally, families);
	model_data_clear(&data);
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
