/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/gate/gate-private.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <string.h>

#define LEVEL 0.95

/* One row's sweeps, each a value or NaN. */
typedef struct {
	double mean, variance;
	guint n;
} Sample;

static Sample sample_of(const double *values, guint n)
{
	Sample sample = {.variance = NAN};

	for (guint i = 0; i < n; i++)
		if (isfinite(values[i])) {
			sample.mean += values[i];
			sample.n++;
		}
	sample.mean = sample.n ? sample.mean / sample.n : NAN;
	if (sample.n < 2)
		return sample;
	sample.variance = 0;
	for (guint i = 0; i < n; i++)
		if (isfinite(values[i]))
			sample.variance += (values[i] - sample.mean) * (values[i] - sample.mean) / (sample.n - 1);
	return sample;
}

typedef struct {
	GateResult *result;
	const GateInput *input;
	guint baselines, candidates;
	GHashTable *values; /* row name -> double[baselines + candidates] */
	double v0;
	double *peaks[2]; /* by sweep, PEAKS; NULL when they are not sought */
} Against;

/* Has every candidate's value, and enough of the baseline's to be judged itself. */
static gboolean joins_groups(const Against *against, const GateCell *cell)
{
	guint n = 0;

	if (cell->no_baseline || cell->no_candidate || cell->waived)
		return FALSE;
	for (guint j = 0; j < against->baselines; j++)
		n += isfinite(cell->baseline[j]);
	for (guint j = 0; j < against->candidates; j++)
		if (!isfinite(cell->candidate[j]))
			return FALSE;
	return n >= GATE_MIN_BASELINES;
}

static double *cell_values(const Against *against, const GateCell *cell)
{
	double *values = g_new(double, against->baselines + against->candidates);

	for (guint j = 0; j < against->baselines; j++)
		values[j] = cell->no_baseline ? NAN : cell->baseline[j];
	for (guint j = 0; j < against->candidates; j++)
		values[against->baselines + j] = cell->no_candidate ? NAN : cell->candidate[j];
	return values;
}

static int compare_cells(const void *a, const void *b)
{
	return strcmp((*(const GateCell *const *)a)->name, (*(const GateCell *const *)b)->name);
}

/* By sweep, the mean over CELLS (of GateCell *). A sweep without all of them has no value: another set of cells would be another mean. */
static double *mean_values(const Against *against, GPtrArray *cells)
{
	guint total = against->baselines + against->candidates;
	double *values = g_new0(double, total);

	g_ptr_array_sort(cells, compare_cells);
	for (guint i = 0; i < cells->len; i++) {
		g_autofree double *own = cell_values(against, cells->pdata[i]);

		for (guint j = 0; j < total; j++)
			values[j] += own[j] / cells->len;
	}
	for (guint j = 0; cells->len == 0 && j < total; j++)
		values[j] = NAN;
	return values;
}

static double *group_values(const Against *against, const GateGroup *group, guint *ret_members)
{
	g_autoptr(GPtrArray) cells = g_ptr_array_new();

	for (guint i = 0; i < group->n_cells; i++) {
		const GateCell *cell = &against->input->cells[group->cells[i]];

		if (joins_groups(against, cell))
			g_ptr_array_add(cells, (gpointer)cell);
	}
	*ret_members = cells->len;
	return mean_values(against, cells);
}

static void collect(Against *against)
{
	const GateInput *input = against->input;

	for (guint i = 0; i < input->n_cells; i++)
		g_hash_table_insert(against->values, (char *)input->cells[i].name, cell_values(against, &input->cells[i]));
	for (guint i = 0; i < input->n_groups; i++) {
		GateRow *row = (GateRow *)gate_row(against->result, input->groups[i].name);

		g_hash_table_insert(against->values, (char *)input->groups[i].name,
			group_values(against, &input->groups[i], &row->members));
	}
}

static double median_variance(const Against *against)
{
	g_autofree double *all = g_new(double, against->input->n_cells + 1);
	guint n = 0;

	for (guint i = 0; i < against->input->n_cells; i++) {
		const double *values = g_hash_table_lookup(against->values, against->input->cells[i].name);
		Sample sample = sample_of(values, against->baselines);

		if (isfinite(sample.variance))
			all[n++] = sample.variance;
	}
	return n ? signflip_median(all, n) : 0;
}

/* The sample without the value Y that is in it. */
static Sample without(const Sample *all, double y)
{
	Sample rest = *all;

	if (!isfinite(y))
		return rest;
	rest.n--;
	rest.mean = all->mean - (y - all->mean) / rest.n;
	rest.variance = rest.n < 2 ? NAN
				   : fmax(0, (all->variance * (all->n - 1) - (y - all->mean) * (y - all->mean) * all->n / rest.n) /
						     (rest.n - 1));
	return rest;
}

/* Degrees of freedom, and t of the mean Y of N sweeps against BASE: positive = slower. */
static double t_of(const Sample *base, double y, guint n, gboolean group, double v0, double *ret_sd, double *ret_df)
{
	double df = base->n - 1 + (group ? 0 : SIGNFLIP_PRIOR_DF), sd, error, loss = base->mean - y;

	sd = sqrt(group ? base->variance : ((base->n - 1) * base->variance + SIGNFLIP_PRIOR_DF * v0) / df);
	error = sd * sqrt(1.0 / base->n + 1.0 / n);
	*ret_sd = sd;
	*ret_df = df;
	return error > 0 ? loss / error : loss > 0 ? INFINITY : loss < 0 ? -INFINITY : 0;
}

/* The two peaks of sweep J taken as the candidate, all others as the baseline: the largest t of all rows, slower and faster. */
static void peaks_of(Against *against, guint j)
{
	guint total = against->baselines + 1, n = 0;
	const GPtrArray *rows = against->result->rows;
	g_autofree Sample *rest = g_new(Sample, rows->len + 1);
	g_autofree double *variances = g_new(double, rows->len + 1);
	double v0, sd, df;

	for (guint i = 0; i < rows->len; i++) {
		const GateRow *row = rows->pdata[i];
		const double *values = g_hash_table_lookup(against->values, row->name);
		Sample all = sample_of(values, total);

		rest[i] = without(&all, values[j]);
		if (!row->group && isfinite(rest[i].variance))
			variances[n++] = rest[i].variance;
	}
	v0 = n ? signflip_median(variances, n) : 0;
	against->peaks[0][j] = against->peaks[1][j] = -INFINITY;
	for (guint i = 0; i < rows->len; i++) {
		const GateRow *row = rows->pdata[i];
		double y = ((const double *)g_hash_table_lookup(against->values, row->name))[j], t;

		if (row->verdict == GATE_MISSING || row->verdict == GATE_NEW || rest[i].n < GATE_MIN_BASELINES || !isfinite(y))
			continue;
		t = t_of(&rest[i], y, 1, row->group, v0, &sd, &df);
		against->peaks[0][j] = fmax(against->peaks[0][j], t);
		against->peaks[1][j] = fmax(against->peaks[1][j], -t);
	}
}

/* How many of the sweeps, the candidate among them, have a row that stands out as far as T. */
static guint peaks_beyond(const Against *against, double t, gboolean faster)
{
	guint n = 0;

	for (guint j = 0; j <= against->baselines; j++)
		n += against->peaks[faster][j] >= t - 1e-9 * fmax(1, fabs(t));
	return n;
}

/* The rank test of gate.h; TRUE also where it cannot be made. */
static gboolean stands_out(const Against *against, double t, gboolean faster)
{
	guint total = against->baselines + 1, most = (guint)floor(against->result->settings.alpha * total + ROUNDING);

	return !against->peaks[0] || peaks_beyond(against, t, faster) <= MAX(most, 1);
}

static double limit(double p, guint family)
{
	return fmin(1, p * family);
}

static void decide(const Against *against, GateRow *row, double gain)
{
	const GateResult *result = against->result;
	const GateSettings *settings = &result->settings;
	double least = row->group ? settings->group_least : settings->least;
	double detect = row->group ? settings->group_detect : settings->detect;

	gboolean slower = row->p_slower <= settings->alpha && row->slowdown >= least - ROUNDING;

	if (slower && stands_out(against, row->test.t, FALSE))
		gate_verdict(row, GATE_REGRESSED, NULL);
	else if (slower)
		gate_verdict(row, GATE_INCONCLUSIVE, "some row of %u of the %u baseline sweeps stands out as far from the others",
			peaks_beyond(against, row->test.t, FALSE) - 1, against->baselines);
	else if (row->p_faster <= settings->alpha && gain >= least - ROUNDING && stands_out(against, -row->test.t, TRUE))
		gate_verdict(row, GATE_IMPROVED, NULL);
	else if (row->high < detect - ROUNDING)
		gate_verdict(row, GATE_OK, NULL);
	else
		gate_verdict(row, row->too_noisy ? GATE_TOO_NOISY : GATE_INCONCLUSIVE, "a loss of up to %.1f %% is possible",
			100 * row->high);
}

static void too_few(GateRow *row, const Sample *base, const Sample *own)
{
	if (row->flagged && (own->n == 0 || base->n + row->flagged >= GATE_MIN_BASELINES))
		gate_verdict(row, GATE_INVALID, "%u of its runs are flagged and left out; %u baseline and %u candidate sweeps "
			"remain", row->flagged, base->n, own->n);
	else if (own->n == 0)
		gate_verdict(row, GATE_INCONCLUSIVE, "the candidate has no good run");
	else
		gate_verdict(row, GATE_INCONCLUSIVE, "%u more baseline sweep%s needed: %u of at least %d", GATE_MIN_BASELINES - base->n,
			GATE_MIN_BASELINES - base->n == 1 ? " is" : "s are", base->n, GATE_MIN_BASELINES);
}

static void judge_row(Against *against, GateRow *row)
{
	const double *values = g_hash_table_lookup(against->values, row->name);
	Sample base = sample_of(values, against->baselines), own = sample_of(values + against->baselines, against->candidates);
	double prior = row->group ? base.variance : against->v0, df, error, half, t;

	if (row->verdict == GATE_MISSING || row->verdict == GATE_NEW)
		return;
	row->n = base.n;
	row->mean_d = own.mean - base.mean;
	row->slowdown = 1 - exp(row->mean_d);
	if (base.n < GATE_MIN_BASELINES || own.n == 0) {
		too_few(row, &base, &own);
		return;
	}
	row->v0 = prior;
	t = t_of(&base, own.mean, own.n, row->group, prior, &row->screen_sd, &df);
	error = row->screen_sd * sqrt(1.0 / base.n + 1.0 / own.n);
	half = gsl_cdf_tdist_Pinv(LEVEL, df) * error;
	row->low = 1 - exp(row->mean_d + half);
	row->high = 1 - exp(row->mean_d - half);
	row->test.t = t;
	row->p_raw = gsl_cdf_tdist_Q(t, df);
	row->p_slower = limit(row->p_raw, against->result->family);
	row->p_faster = limit(gsl_cdf_tdist_P(t, df), against->result->family);
	row->mde = 1 - exp(-fmax((gsl_cdf_tdist_Qinv(against->result->settings.alpha / against->result->family, df) +
					 gsl_cdf_tdist_Pinv(LEVEL, df)) * error,
			       -log1p(-(row->group ? against->result->settings.group_least : against->result->settings.least)) +
				       half));
	row->too_noisy = row->mde > (row->group ? against->result->settings.group_detect : against->result->settings.detect);
	against->result->noisy += row->too_noisy && !row->group && !row->waived;
	row->confirmed = TRUE;
	decide(against, row, 1 - exp(-row->mean_d));
}

/* The host's own rate, as a group is judged, but both ways. */
static void judge_control(Against *against)
{
	GateResult *result = against->result;
	g_autoptr(GPtrArray) hosts = g_ptr_array_new();
	g_autofree double *values = NULL;
	double t, sd, df;
	Sample base, own;

	for (guint i = 0; i < against->input->n_hosts; i++)
		if (joins_groups(against, &against->input->hosts[i]))
			g_ptr_array_add(hosts, (gpointer)&against->input->hosts[i]);
	values = mean_values(against, hosts);
	base = sample_of(values, against->baselines);
	own = sample_of(values + against->baselines, against->candidates);
	result->control_n = base.n;
	result->control_short = against->input->n_hosts && (base.n < GATE_MIN_BASELINES || own.n == 0);
	if (base.n < GATE_MIN_BASELINES || own.n == 0)
		return;
	t = t_of(&base, own.mean, own.n, TRUE, 0, &sd, &df);
	result->control_mean = own.mean - base.mean;
	result->control_p = fmin(1, 2 * gsl_cdf_tdist_Q(fabs(t), df));
	result->drift = fabs(result->control_mean) > CONTROL_LIMIT && result->control_p <= CONTROL_ALPHA;
}

GateResult *gate_against(const GateSettings *settings, const GateInput *input, guint baselines, guint candidates, GError **error)
{
	const guint n[2] = {baselines, candidates};
	GateInput shape = *input;
	g_autoptr(GateResult) result = NULL;
	g_autoptr(GHashTable) values = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, g_free);
	g_autofree double *peaks = NULL;
	Against against = {.input = input, .baselines = baselines, .candidates = candidates, .values = values};

	shape.blocks = 0;
	result = gate_result_new(settings, &shape, 0, n, error);
	if (!result)
		return NULL;
	result->stored = TRUE;
	against.result = result;
	collect(&against);
	against.v0 = median_variance(&against);
	for (guint i = 0; i < result->rows->len; i++) {
		const GateRow *row = result->rows->pdata[i];

		result->family += row->verdict != GATE_MISSING && row->verdict != GATE_NEW;
	}
	if (candidates == 1) {
		peaks = g_new(double, 2 * (baselines + 1));
		against.peaks[0] = peaks;
		against.peaks[1] = peaks + baselines + 1;
		for (guint j = 0; j <= baselines; j++)
			peaks_of(&against, j);
	}
	judge_control(&against);
	for (guint i = 0; i < result->rows->len; i++) {
		judge_row(&against, result->rows->pdata[i]);
		gate_check_lost(result->rows->pdata[i]);
		gate_withhold(result, result->rows->pdata[i]);
	}
	return g_steal_pointer(&result);
}
