/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/gate/gate-private.h"

#include <gsl/gsl_cdf.h>
#include <math.h>

#define LEVEL 0.95

/* Mean, sample variance and mean square of what is present in the first BLOCKS. */
typedef struct {
	guint n;
	double mean, variance, square;
} Moments;

static Moments moments_of(const double *d, guint blocks)
{
	Moments m = {0};

	for (guint r = 0; r < blocks; r++)
		if (isfinite(d[r])) {
			m.n++;
			m.mean += d[r];
			m.square += d[r] * d[r];
		}
	if (m.n == 0)
		return (Moments){0, NAN, NAN, NAN};
	m.mean /= m.n;
	m.square /= m.n;
	for (guint r = 0; r < blocks; r++)
		if (isfinite(d[r]))
			m.variance += (d[r] - m.mean) * (d[r] - m.mean);
	m.variance = m.n > 1 ? m.variance / (m.n - 1) : NAN;
	return m;
}

static gboolean is_gated(const GateRow *row)
{
	return !row->group && row->verdict != GATE_MISSING && row->verdict != GATE_NEW;
}

/* Over all gated cells: of the promoted few it would contain the very effect that is looked for. */
static double median_of(const GateResult *result, guint blocks, gboolean square)
{
	g_autofree double *values = g_new(double, result->rows->len + 1);
	guint n = 0;

	for (guint i = 0; i < result->rows->len; i++) {
		const GateRow *row = result->rows->pdata[i];
		Moments m = is_gated(row) ? moments_of(row->d, blocks) : (Moments){.variance = NAN, .square = NAN};
		double value = square ? m.square : m.variance;

		if (isfinite(value))
			values[n++] = value;
	}
	return n ? signflip_median(values, n) : 0;
}

static void look(const GateResult *result, GateRow *row, const Moments *m, double v0)
{
	double limit = row->group ? result->settings.group_promote : result->settings.promote;
	double within = m->n > 1 ? (m->n - 1) * m->variance : 0;
	double df = m->n - 1.0 + SIGNFLIP_PRIOR_DF, sd, half;

	row->n = row->n_screen = m->n;
	row->screen_mean = row->mean_d = m->mean;
	if (m->n < gate_quorum(result->settings.screen_blocks)) {
		row->promoted = TRUE;
		return;
	}
	sd = sqrt((within + SIGNFLIP_PRIOR_DF * v0) / df);
	half = gsl_cdf_tdist_Pinv(LEVEL, df) * sd / sqrt(m->n);
	row->slowdown = 1 - exp(m->mean);
	/* Five blocks alone know a spread to within a factor of two; with the cells' median to lean on, far better. */
	row->screen_sd = sqrt((within + SIGNFLIP_PRIOR_DF * row->v0) / df);
	row->low = 1 - exp(m->mean + half);
	row->high = 1 - exp(m->mean - half);
	row->promoted = row->slowdown >= limit - ROUNDING;
	if (!row->group)
		row->promoted |= row->high >= result->settings.detect - ROUNDING || 1 - exp(-m->mean) >= limit - ROUNDING;
}

static guint64 mix(guint64 z)
{
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
	return z ^ (z >> 31);
}

/* The finaliser of SplitMix64 (Steele, Lea and Flood 2014) over the name, so that the order of cells does not matter. */
static guint64 draw(guint64 seed, const char *group, const char *cell)
{
	guint64 z = seed + 0x9e3779b97f4a7c15ull;

	for (const char *c = group; *c; c++)
		z = mix(z + (guchar)*c);
	z = mix(z + 0x100);
	for (const char *c = cell; *c; c++)
		z = mix(z + (guchar)*c);
	return z;
}

typedef struct {
	guint64 lot;
	GateRow *row;
} Lot;

static int compare_lots(gconstpointer a, gconstpointer b)
{
	const Lot *x = a, *y = b;

	return (x->lot > y->lot) - (x->lot < y->lot);
}

/* The cells that stand for a promoted group: in the confirmation, its row is made of them. */
static void draw_sentinels(GateResult *result, GateRow *group, const GateInput *input)
{
	g_autoptr(GArray) lots = g_array_new(FALSE, FALSE, sizeof(Lot));
	g_autoptr(GHashTable) drawn = g_hash_table_new(NULL, NULL);
	const GateGroup *given = NULL;

	for (guint i = 0; i < input->n_groups; i++)
		if (g_str_equal(input->groups[i].name, group->name))
			given = &input->groups[i];
	for (guint i = 0; given && i < given->n_cells; i++) {
		const char *name = input->cells[given->cells[i]].name;
		Lot lot = {draw(result->settings.seed, group->name, name), (GateRow *)gate_row(result, name)};

		if (is_gated(lot.row) && !lot.row->waived)
			g_array_append_val(lots, lot);
	}
	g_array_sort(lots, compare_lots);
	if (result->settings.sentinels && lots->len > result->settings.sentinels)
		g_array_set_size(lots, result->settings.sentinels);
	group->members = lots->len;
	for (guint r = result->settings.screen_blocks; r < group->blocks; r++) {
		double sum = 0;
		guint n = 0;

		for (guint i = 0; i < lots->len; i++) {
			double d = g_array_index(lots, Lot, i).row->d[r];

			if (isfinite(d)) {
				sum += d;
				n++;
			}
		}
		group->d[r] = n ? sum / n : NAN;
	}
	for (guint i = 0; i < lots->len; i++) {
		GateRow *row = g_array_index(lots, Lot, i).row;

		if (!row->promoted && row->verdict == GATE_OK)
			row->sentinel = TRUE;
	}
}

void gate_screen(GateResult *result, const GateInput *input)
{
	guint blocks = MIN(result->settings.screen_blocks, result->blocks);
	double square = median_of(result, blocks, TRUE), variance = median_of(result, blocks, FALSE);

	for (guint i = 0; i < result->rows->len; i++) {
		GateRow *row = result->rows->pdata[i];
		Moments m = moments_of(row->d, blocks);

		if (row->verdict == GATE_MISSING || row->verdict == GATE_NEW)
			continue;
		row->v0 = row->group ? (isfinite(m.variance) ? m.variance : 0) : variance;
		look(result, row, &m, row->group ? row->v0 : square);
	}
	for (guint i = 0; i < result->rows->len; i++) {
		GateRow *row = result->rows->pdata[i];

		if (row->group && row->promoted)
			draw_sentinels(result, row, input);
	}
}
