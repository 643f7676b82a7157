/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether a load ran at one rate: what to leave out at the beginning, and whether the rest is steady.
 *
 * The warm-up is cut by MSER-5 (White 1997): with z the means of 5 samples each and M of them, the cut d minimises
 * sum over j > d of (z_j - mean)^2 / (M - d)^2, for 0 <= d <= M/2 only. A minimum at that bound means that the rate had not
 * settled in half of the time. What is left is divided into 5 equal windows, which are steady when their means
 * range over at most 20 % of their mean and the line fitted to them rises or falls by at most 10 % of it (the SNIA's rule).
 *
 * Who may include it: everybody; the agent decides with it whether a run is extended, the harness judges the whole run.
 * Needs libc only.
 */
#ifndef IOGAP_COMMON_STEADY_H
#define IOGAP_COMMON_STEADY_H

#include <stdbool.h>
#include <stdint.h>

#define STEADY_BATCH 5
#define STEADY_WINDOWS 5
#define STEADY_MAX_RANGE 0.20 /* of the windows' mean, inclusive */
#define STEADY_MAX_SLOPE 0.10
#define STEADY_MIN_SAMPLES 100
#define STEADY_MIN_OPS 20 /* in a window, on average */

typedef struct {
	bool known;	    /* false: reason says why there is no verdict, and cut, range and slope are 0 */
	const char *reason; /* static; NULL when known */
	bool settled;	    /* the minimum lies below the bound */
	bool steady;	    /* settled, and range and slope are within the limits */
	unsigned cut;	    /* samples of warm-up */
	double range, slope; /* of the five windows, as shares of their mean; slope with its sign */
} Steady;

/* OPS[i] is the number of operations that completed in the i-th of N equal intervals. */
void steady_judge(const uint64_t *ops, unsigned n, Steady *ret);

#endif
