/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/compare/compare.h"

#include <gsl/gsl_cdf.h>
#include <math.h>

static gboolean usable(double rate)
{
	return isfinite(rate) && rate > 0;
}

gboolean compare_paired(double host, double guest)
{
	return usable(host) && usable(guest);
}

double compare_half_width(double sd, guint n, double level)
{
	if (n < 2)
		return NAN;
	return gsl_cdf_tdist_Pinv(0.5 + level / 2, n - 1) * sd / sqrt(n);
}

double compare_geomean(const double *values, guint n)
{
	double sum = 0;
	guint used = 0;

	for (guint i = 0; i < n; i++)
		if (usable(values[i])) {
			sum += log(values[i]);
			used++;
		}
	return used ? exp(sum / used) : NAN;
}

/* Ratios come from logarithms: 126 to 120 must not count as more than 1.05 by the last digit of a double. */
static gboolean over_limit(double ratio)
{
	return ratio > COMPARE_FASTER_RATIO * (1 + 1e-12);
}

static CompareFaster is_faster(const CompareCell *cell)
{
	if (cell->n < COMPARE_FASTER_MIN_PAIRS)
		return over_limit(cell->ratio) ? COMPARE_FASTER_NO_INTERVAL : COMPARE_NOT_FASTER;
	return over_limit(cell->low) ? COMPARE_FASTER : COMPARE_NOT_FASTER;
}

CompareCell compare_cell(const double *host, const double *guest, guint blocks)
{
	CompareCell cell = {.sd_ln = NAN, .low = NAN, .high = NAN};
	double host_sum = 0, mean = 0, squares = 0, half;

	for (guint r = 0; r < blocks; r++) {
		double d, delta;

		if (!compare_paired(host[r], guest[r]))
			continue;
		cell.n++;
		host_sum += log(host[r]);
		/* Welford's update: no difference of large sums. */
		d = log(guest[r]) - log(host[r]);
		delta = d - mean;
		mean += delta / cell.n;
		squares += delta * (d - mean);
	}
	if (cell.n == 0)
		return cell;
	cell.mean_ln = mean;
	cell.host = exp(host_sum / cell.n);
	cell.ratio = exp(mean);
	cell.guest = cell.host * cell.ratio;
	if (cell.n >= 2) {
		cell.sd_ln = sqrt(squares / (cell.n - 1));
		half = compare_half_width(cell.sd_ln, cell.n, COMPARE_LEVEL);
		cell.has_interval = TRUE;
		cell.low = exp(mean - half);
		cell.high = exp(mean + half);
	}
	cell.faster = is_faster(&cell);
	return cell;
}
