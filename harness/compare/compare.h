/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One cell from its paired runs: the ratio guest/host with its interval. Pure: arrays in, a struct out.
 *
 * One run is one number, y = ln(bytes per second). Pairs are formed inside a block: d = y(guest) - y(host). The
 * ratio is exp(mean d), its interval exp(mean d -+ t(0.975, n - 1) s / sqrt(n)) with s the sample standard deviation of
 * d (divisor n - 1): Student's two-sided 95 % interval on the logarithm. Both sides' rates are geometric means over the
 * paired blocks, so that the ratio printed is the quotient of the rates printed.
 *
 * Who may include it: gate, export, cli. Must not depend on the store. Needs GSL for the distribution only.
 */
#ifndef IOGAP_COMPARE_COMPARE_H
#define IOGAP_COMPARE_COMPARE_H

#include <glib.h>

/* A guest more than this much faster than its host is FASTER_THAN_HOST: something besides the disk was measured. */
#define COMPARE_FASTER_RATIO 1.05
/* From this many paired blocks on the interval decides that, below it the ratio itself. */
#define COMPARE_FASTER_MIN_PAIRS 3
/* Two-sided confidence of every interval. */
#define COMPARE_LEVEL 0.95

typedef enum {
	COMPARE_NOT_FASTER,
	COMPARE_FASTER,		    /* the interval's lower bound lies above COMPARE_FASTER_RATIO */
	COMPARE_FASTER_NO_INTERVAL, /* under COMPARE_FASTER_MIN_PAIRS pairs: the ratio itself does */
} CompareFaster;

typedef struct {
	guint n;	    /* pairs; 0: nothing else is set */
	double host, guest; /* geometric means over the paired blocks, unit of the input */
	double ratio;	    /* guest / host */
	double mean_ln;	    /* mean of d */
	double sd_ln;	    /* sample standard deviation of d; NaN while n < 2 */
	gboolean has_interval; /* n >= 2 */
	double low, high;   /* bounds of the ratio; NaN without an interval */
	CompareFaster faster;
} CompareCell;

/*
 * HOST[r] and GUEST[r] are the rates of block r, any positive unit, both the same. A value that is not finite or
 * not positive (use NAN for "not measured") never enters, and takes its partner out with it.
 */
CompareCell compare_cell(const double *host, const double *guest, guint blocks);

/* TRUE when block r of both arrays enters compare_cell. */
gboolean compare_paired(double host, double guest);

/* Half width of the two-sided interval of LEVEL (0 < LEVEL < 1) on the mean of n values with sample standard
 * deviation SD; NaN while n < 2. */
double compare_half_width(double sd, guint n, double level);

/* exp of the mean of ln over the usable values; NaN when there is none. */
double compare_geomean(const double *values, guint n);

#endif
