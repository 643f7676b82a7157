/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The sign-flip max-T test over rows of paired differences: exact, without any assumption of normality, and with the
 * error controlled over all rows at once.
 *
 * d_r is ln(candidate) - ln(baseline) of block r; negative = slower. If nothing changed, each block's sign is arbitrary, the same one
 * for all rows: so all 2^blocks sign vectors are tried, and the share of them whose largest statistic reaches a row's own is
 * that row's adjusted p. Sources: Fisher 1935 (randomisation), Westfall and Young 1993 (max-T), Smyth 2004 (moderated
 * variance), Phipson and Smyth 2010 (the identity counts, so p is never 0).
 *
 * Pure. Who may include it: gate, and tests. Needs GSL for quantiles only.
 */
#ifndef IOGAP_GATE_SIGNFLIP_H
#define IOGAP_GATE_SIGNFLIP_H

#include <glib.h>

/* More blocks than this are refused: 2^20 flips of 300 rows take seconds. */
#define SIGNFLIP_MAX_BLOCKS 20
/* Degrees of freedom that v0 counts for. */
#define SIGNFLIP_PRIOR_DF 4

typedef struct {
	/* given */
	const double *d; /* one per block; NaN = not both values present, dropped for this row only */
	double v0;	 /* prior variance, fixed before these blocks were measured */
	/* set by signflip_describe */
	guint n;	 /* blocks present; 0: nothing else is set */
	guint clipped;	 /* of them, how many lay outside of the clip limit */
	double mean_d;	 /* before clipping */
	double mean_c;	 /* after */
	double square;	 /* mean of c squared */
	double sd;	 /* moderated standard deviation of c */
	double t;	 /* positive = slower; may be infinite */
	/* set by signflip_test, of signflip_flips() */
	gboolean in_family;
	guint64 k_raw, k_slower, k_faster; /* flips that reach t; alone, and with the family in either direction */
} SignflipRow;

/* Fills what belongs to one row alone. */
void signflip_describe(SignflipRow *row, guint blocks);

/*
 * Describes and tests ROWS together. Rows with fewer than MIN_BLOCKS (at least 1) present stay outside the family.
 * BLOCKS is at most SIGNFLIP_MAX_BLOCKS.
 */
void signflip_test(SignflipRow *rows, guint n_rows, guint blocks, guint min_blocks);

/* 2^blocks. */
guint64 signflip_flips(guint blocks);

/* Flips with |T| at least |row's t|: the two-sided p of one row alone is this over signflip_flips(). */
guint64 signflip_two_sided(const SignflipRow *row, guint blocks);

/* k / 2^blocks <= alpha. */
gboolean signflip_significant(guint64 k, guint blocks, double alpha);

/* Half width of the one-sided 95 % bounds on mean_c; 0 when n is 0. */
double signflip_half_width(const SignflipRow *row);

/* Median; the mean of the two middle values of an even count. NaN when N is 0. VALUES is reordered. */
double signflip_median(double *values, guint n);

#endif
