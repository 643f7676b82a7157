/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/run/stopping.h"

#include <math.h>

#include "harness/compare/precision.h"

struct Stopping {
	const Plan *plan;
	guint blocks;
	double *rates; /* bytes/s by leg and block; NaN = no run that is ok */
	PrecisionCell *cells; /* pointers into rates */
	guint n_cells;
};

static double *rates_of(const Stopping *stopping, guint leg)
{
	return stopping->rates + (gsize)leg * stopping->blocks;
}

Stopping *stopping_new(const Plan *plan)
{
	Stopping *stopping = g_new0(Stopping, 1);
	gsize n;

	stopping->plan = plan;
	stopping->blocks = plan->profile->blocks;
	n = (gsize)plan->legs->len * stopping->blocks;
	stopping->rates = g_new(double, n);
	for (gsize i = 0; i < n; i++)
		stopping->rates[i] = NAN;
	stopping->cells = g_new(PrecisionCell, plan->legs->len);
	for (guint i = 0; i < plan->legs->len; i++) {
		const PlanLeg *leg = g_ptr_array_index(plan->legs, i);

		if (leg->side == PLAN_GUEST)
			stopping->cells[stopping->n_cells++] =
				(PrecisionCell){rates_of(stopping, (guint)leg->host), rates_of(stopping, i)};
	}
	return stopping;
}

void stopping_free(Stopping *stopping)
{
	if (!stopping)
		return;
	g_free(stopping->rates);
	g_free(stopping->cells);
	g_free(stopping);
}

void stopping_add(Stopping *stopping, guint leg, guint block, const Record *run)
{
	if (block < stopping->blocks && g_strcmp0(record_get_text(run, "status"), "ok") == 0)
		rates_of(stopping, leg)[block] = record_get_real(run, "bytes_per_s", NAN);
}

static Precision look(const Stopping *stopping, guint blocks)
{
	return precision_look(stopping->cells, stopping->n_cells, blocks, stopping->plan->profile->precision);
}

gboolean stopping_enough(const Stopping *stopping, guint blocks)
{
	return stopping->plan->profile->precision > 0 && look(stopping, blocks).reached;
}

void stopping_describe(const Stopping *stopping, guint blocks, Record *row)
{
	Precision at_end = look(stopping, blocks);

	if (stopping->plan->profile->precision <= 0)
		return;
	record_set_text(row, "stopped", at_end.reached ? "reached" : "ceiling");
	record_set_int(row, "blocks", blocks);
	record_set_int(row, "wide_cells", at_end.wide);
	if (!isnan(at_end.half_width))
		record_set_real(row, "half_width", at_end.half_width);
}

char *stopping_text(const Stopping *stopping, guint blocks)
{
	double wanted = stopping->plan->profile->precision;
	Precision at_end = look(stopping, blocks);

	if (wanted <= 0)
		return NULL;
	if (at_end.reached)
		return g_strdup_printf("precision reached after %u of at most %u blocks: every interval is within %.3g %% (widest: %.2g %%)",
			blocks, stopping->blocks, 100 * wanted, 100 * at_end.half_width);
	return g_strdup_printf("precision not reached in %u blocks, the most that the profile allows: %u of %u cells have no interval within "
			       "%.3g %%", blocks, at_end.wide, stopping->n_cells, 100 * wanted);
}
