/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The same leg in two sweeps: how many times as fast B is as A, with its interval. Pure: arrays in, a struct out.
 *
 * One run (or one block's ratio) is one number, y = ln(value). Blocks of different sweeps have nothing in common, so they are
 * not paired: the difference of the two means has the standard error se = sqrt(sA^2/nA + sB^2/nB) with the sample
 * variances of either side, which need not be equal, and is compared with Student's t with the degrees of freedom
 * se^4 / ((sA^2/nA)^2/(nA-1) + (sB^2/nB)^2/(nB-1)). Sources: B. L. Welch, Biometrika 34 (1947) 28-35; F. E. Satterthwaite,
 * Biometrics Bulletin 2 (1946) 110-114. The change is exp(mean yB - mean yA), its interval exp of the ends: two-sided,
 * COMPARE_LEVEL. It covers what varies between the blocks of a sweep, not what varies between sweeps (another boot of the host,
 * another day): two sweeps of the same may differ by more.
 *
 * Who may include it: gate, export, cli.
 */
#ifndef IOGAP_COMPARE_WELCH_H
#define IOGAP_COMPARE_WELCH_H

#include <glib.h>

typedef struct {
	guint n_a, n_b;	 /* usable values; with either 0 nothing else is set */
	double a, b;	 /* geometric means */
	double change;	 /* b / a */
	double df;	 /* NaN without an interval, infinite when nothing varies */
	gboolean has_interval; /* at least two values on either side */
	double low, high;      /* of change; NaN without an interval */
} CompareChange;

/* Values that are not finite or not positive never enter (use NAN for "not measured"). */
CompareChange compare_change(const double *a, guint n_a, const double *b, guint n_b);

#endif
