/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where two series of rates over block size cross: from which block size on one overtakes the other.
 *
 * In each block the difference a - b is formed at each size (a pair needs both). Between neighbouring sizes the mean difference
 * is interpolated linearly over ln(size); where it is zero, the series cross. Rates, not their logarithms, are
 * interpolated: a rate bends from "a constant time for each I/O" to "a constant time for each byte", and over
 * ln(size) that bend is nearly straight, while the logarithm of the ratio of two such curves is not.
 *
 * The interval is where zero lies within the two-sided Student interval (COMPARE_LEVEL) of the mean difference, both bounds
 * interpolated the same way: block sizes at which the blocks do not tell which series is ahead. An end that the data
 * leave open is said so, not guessed.
 *
 * Who may include it: gate, export. Pure: arrays in, structs out.
 */
#ifndef IOGAP_COMPARE_CROSSOVER_H
#define IOGAP_COMPARE_CROSSOVER_H

#include <glib.h>

/* One size of both series. */
typedef struct {
	double size;	    /* bytes, > 0 */
	const double *a, *b; /* rates by block; what is not finite or not positive was not measured */
} CrossoverPoint;

typedef struct {
	double size;	       /* bytes, where the mean difference is zero */
	gboolean a_overtakes;  /* a is ahead at larger sizes, b at smaller; FALSE: the other way round */
	gboolean has_interval; /* every size beside it has two pairs or more */
	double low, high;      /* bytes; NaN without an interval, or where the end is open */
	gboolean open_low, open_high; /* the interval goes beyond the smallest, the largest size */
} Crossover;

/*
 * POINTS in ascending order of size; blocks of each: BLOCKS. Returns an array of Crossover (g_array_unref), ascending,
 * empty when they never cross. *ret_sizes (may be NULL) is the number of sizes with a pair: under two nothing can be told.
 * *ret_leader (may be NULL): 1 when a is ahead at every such size, -1 when b is, 0 otherwise.
 */
GArray *crossover_find(const CrossoverPoint *points, guint n, guint blocks, guint *ret_sizes, int *ret_leader);

#endif
