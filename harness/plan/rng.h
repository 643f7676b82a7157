/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The plan's random numbers: SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number
 * generators", 2014). Written here in full so that a seed gives the same order on every machine and with
 * every version of every library.
 *
 * Who may include it: harness/plan.
 */
#ifndef IOGAP_PLAN_RNG_H
#define IOGAP_PLAN_RNG_H

#include <glib.h>

typedef struct {
	guint64 state;
} Rng;

/* Independent streams of one seed: block 0, block 1 ... A longer sweep begins with the order of a shorter one. */
Rng rng_new(guint64 seed, guint64 stream);
guint64 rng_next(Rng *rng);
/* Uniform in 0 ... n - 1, without bias; n > 0. */
guint64 rng_below(Rng *rng, guint64 n);
/* Fisher-Yates, in place. */
void rng_shuffle(Rng *rng, guint *items, guint n);

#endif
