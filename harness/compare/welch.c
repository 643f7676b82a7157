/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/compare/welch.h"

#include <gsl/gsl_cdf.h>
#include <math.h>

#include "harness/compare/compare.h"

typedef struct {
	guint n;
	double mean, squares; /* of ln; sum of squared deviations */
} Side;

/* Welford's update: no difference of large sums. */
static Side summarize(const double *values, guint n)
{
	Side side = {0, 0, 0};

	for (guint i = 0; i < n; i++) {
		double delta;

		if (!isfinite(values[i]) || values[i] <= 0)
			continue;
		delta = log(values[i]) - side.mean;
		side.n++;
		side.mean += delta / side.n;
		side.squares += delta * (log(values[i]) - side.mean);
	}
	return side;
}

CompareChange compare_change(const double *values_a, guint n_a, const double *values_b, guint n_b)
{
	Side a = summarize(values_a, n_a), b = summarize(values_b, n_b);
	CompareChange change = {.n_a = a.n, .n_b = b.n, .df = NAN, .low = NAN, .high = NAN};
	double share_a, share_b, se, half = 0;

	if (a.n == 0 || b.n == 0)
		return change;
	change.a = exp(a.mean);
	change.b = exp(b.mean);
	change.change = exp(b.mean - a.mean);
	if (a.n < 2 || b.n < 2)
		return change;
	share_a = a.squares / (a.n - 1) / a.n;
	share_b = b.squares / (b.n - 1) / b.n;
	se = sqrt(share_a + share_b);
	change.has_interval = TRUE;
	change.df = INFINITY;
	if (se > 0) {
		change.df = (share_a + share_b) * (share_a + share_b) /
			(share_a * share_a / (a.n - 1) + share_b * share_b / (b.n - 1));
		half = gsl_cdf_tdist_Pinv(0.5 + COMPARE_LEVEL / 2, change.df) * se;
	}
	change.low = exp(b.mean - a.mean - half);
	change.high = exp(b.mean - a.mean + half);
	return change;
}
