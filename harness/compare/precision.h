/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * When a sweep has measured enough: by the width of the intervals alone, never by where they lie. Stopping as soon as a ratio looks
 * different, or equal, would find what it looks for. Pure: arrays in, a struct out.
 *
 * Who may include it: run, export, cli. Must not depend on the store.
 */
#ifndef IOGAP_COMPARE_PRECISION_H
#define IOGAP_COMPARE_PRECISION_H

#include <glib.h>

/* Fewer blocks never stop a sweep, and a cell with fewer pairs is never within the precision: Student's interval of a few values is
 * narrow by chance too often. */
#define PRECISION_MIN_BLOCKS 6

/* Rates of one cell by block, as for compare_cell: NAN where nothing was measured, or the run failed. */
typedef struct {
	const double *host, *guest;
} PrecisionCell;

typedef struct {
	guint wide;	   /* cells that are not within the precision, those without enough pairs included */
	double half_width; /* the widest 95 % half width of the mean ln ratio; NaN when a cell has too few pairs for one to count */
	gboolean reached;  /* PRECISION_MIN_BLOCKS are there, and no cell is wide; never without cells */
} Precision;

/* WANTED is the half width of the mean of ln(guest/host) that suffices: 0.02 is about 2 % of the ratio. Bounds are inclusive. */
Precision precision_look(const PrecisionCell *cells, guint n, guint blocks, double wanted);

#endif
