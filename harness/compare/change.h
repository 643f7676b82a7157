/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where a series of values changed its level, as advice. Pure: an array in, an array of change points out.
 *
 * For every split k of n values the squared difference of the two means, weighed by k (n - k) / n, is looked at; the largest of them is
 * the statistic. Its p is the share of random orders of the same values whose largest is at least as large: exact when nothing
 * changed and the values are exchangeable, without any assumption of normality. A drift of the machine, or values that depend on the
 * one before, are not exchangeable and may show as a change. After a split both halves are searched at the same level (binary
 * segmentation); at last every change point is placed and tested once more between its neighbours, and those whose
 * step is smaller than asked for are merged.
 * Sources: Scott and Knott, Biometrics 30 (1974) 507 (binary segmentation); Antoch and Huskova, Statistics & Probability Letters
 * 53 (2001) 37 (permutation tests for changes); Bai, Econometric Theory 13 (1997) 315 (placing again); Besag and Clifford,
 * Biometrika 78 (1991) 301 (to stop when the outcome is certain); Phipson and Smyth 2010, doi 10.2202/1544-6115.1585 (p is never 0).
 *
 * Who may include it: export, cli.
 */
#ifndef IOGAP_COMPARE_CHANGE_H
#define IOGAP_COMPARE_CHANGE_H

#include <glib.h>

typedef struct {
	double level;	/* chance of a change point in a series that has none: the family's, divided by the number of series */
	double least;	/* smallest step, a fraction of the rate: 0.03 */
	guint length;	/* fewest values between two change points: 3 */
	gulong seed;	/* of the random orders */
} ChangeSettings;

/* 0.05, 0.03, 3, 1. */
void change_settings_init(ChangeSettings *settings);

typedef struct {
	guint at;	/* the first value of the new level */
	double p;
	double step;	/* of the rate: 0.05 = 5 % higher than before */
	gboolean has_interval;
	double low, high; /* its two-sided 95 % interval (Welch); NaN without one */
} ChangePoint;

/* Change points of the N values Y = ln(rate), all finite, by place. Owned by the caller. */
GArray *change_find(const ChangeSettings *settings, const double *y, guint n);

/* The smallest p that N values can reach at all: two of the ways to part them in halves; 1 when they are too few to be parted. */
double change_smallest_p(const ChangeSettings *settings, guint n);

#endif
