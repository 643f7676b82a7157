/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/gate/gate-private.h"

#include <gsl/gsl_cdf.h>
#include <math.h>

#define POWER 0.95

double gate_mde(double sd, double df, guint confirm, guint family, double alpha, double least)
{
	double step = sd / sqrt(confirm), reach;

	if (!(df >= 1) || confirm == 0 || !isfinite(sd))
		return NAN;
	/* Student's quantiles already pay for a spread that is itself an estimate. */
	reach = gsl_cdf_tdist_Pinv(POWER, df);
	return 1 - exp(-fmax((gsl_cdf_tdist_Qinv(alpha / MAX(family, 1), df) + reach) * step, -log1p(-least) + reach * step));
}
