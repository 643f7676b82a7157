/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/compare/precision.h"

#include <math.h>

#include "harness/compare/compare.h"

/* NaN under PRECISION_MIN_BLOCKS pairs. */
static double half_width(const PrecisionCell *cell, guint blocks)
{
	CompareCell compared = compare_cell(cell->host, cell->guest, blocks);

	if (compared.n < PRECISION_MIN_BLOCKS)
		return NAN;
	return compare_half_width(compared.sd_ln, compared.n, COMPARE_LEVEL);
}

Precision precision_look(const PrecisionCell *cells, guint n, guint blocks, double wanted)
{
	Precision look = {.half_width = n ? 0 : NAN};

	for (guint i = 0; i < n; i++) {
		double half = half_width(&cells[i], blocks);

		/* Not "wider": a NaN is wide too. */
		look.wide += !(half <= wanted);
		if (isnan(half) || half > look.half_width)
			look.half_width = isnan(look.half_width) ? NAN : half;
	}
	look.reached = n > 0 && look.wide == 0 && blocks >= PRECISION_MIN_BLOCKS;
	return look;
}
