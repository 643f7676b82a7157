/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Latency histogram: 128 slots per octave from 100 ns to 100 s, what lies outside counted apart.
 *
 * Slot i holds values in [hist_slot_low(i), hist_slot_low(i + 1)); an octave starts at 100 ns * 2^k and is cut into 128
 * equal slots, so a value is known within 1/128 of the octave's low end (<= 0.79 % of the value, half of it to either side).
 * Values are whole nanoseconds, so below 3.2 us, where a slot is narrower than that, some slots stay empty.
 * hist_add has no branch that depends on data beyond range checks, takes no lock, allocates nothing. Merging is
 * adding. Who may include it: everybody. Needs libc only.
 */
#ifndef IOGAP_COMMON_HIST_H
#define IOGAP_COMMON_HIST_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define HIST_LOW_NS 100u
#define HIST_HIGH_NS 100000000000ull
#define HIST_SLOTS_PER_OCTAVE 128
#define HIST_OCTAVES 30 /* 100 ns * 2^30 = 107 s covers 100 s */
#define HIST_SLOTS (HIST_OCTAVES * HIST_SLOTS_PER_OCTAVE)

typedef struct {
	uint64_t n;		/* all values, those outside included */
	uint64_t sum_ns;	/* of all values */
	uint64_t min_ns, max_ns; /* of all values; min_ns = UINT64_MAX while n = 0 */
	uint64_t below, above;	/* < HIST_LOW_NS, > HIST_HIGH_NS */
	uint64_t slots[HIST_SLOTS];
} Hist;

void hist_clear(Hist *hist);
void hist_merge(Hist *into, const Hist *from);
uint64_t hist_slot_low(unsigned slot); /* the smallest value, ns, of this slot or a later one; slot may be HIST_SLOTS */
int hist_slot(uint64_t ns);	       /* -1 = below, HIST_SLOTS = above */

/*
 * The slot of a value from HIST_LOW_NS to HIST_HIGH_NS without a division or a table: the bits of value/100 as a
 * double are exponent (the octave) and mantissa (its top 7 bits: the place in the octave). A bound is a multiple of 1/32 ns,
 * so 1/64 ns added to a whole number keeps it on its side of every bound, far from rounding errors.
 */
static inline unsigned hist_index(uint64_t ns)
{
	double octaves = ((double)(int64_t)ns + 1.0 / 64) * (1.0 / HIST_LOW_NS);
	uint64_t bits;

	memcpy(&bits, &octaves, sizeof(bits));
	return (unsigned)(bits >> (52 - 7)) - (1023u << 7);
}

/* COUNT equal values at once. */
static inline void hist_add_many(Hist *hist, uint64_t ns, uint64_t count)
{
	hist->n += count;
	hist->sum_ns += ns * count;
	if (ns < hist->min_ns)
		hist->min_ns = ns;
	if (ns > hist->max_ns)
		hist->max_ns = ns;
	/* One comparison finds both kinds of stray value: those below wrap round to huge ones. */
	if (__builtin_expect(ns - HIST_LOW_NS > HIST_HIGH_NS - HIST_LOW_NS, 0))
		*(ns < HIST_LOW_NS ? &hist->below : &hist->above) += count;
	else
		hist->slots[hist_index(ns)] += count;
}

static inline void hist_add(Hist *hist, uint64_t ns)
{
	hist_add_many(hist, ns, 1);
}

/*
 * The value below which a share Q (0 < q < 1) of all values lies: the middle of the slot that holds the value of rank
 * ceil(q n), clamped to min_ns and max_ns. False, and *ret untouched, when n = 0, or when that rank lies in below or above, or
 * when fewer than 10 values lie beyond it (n (1 - q) < 10), unless ANY is true.
 */
bool hist_quantile(const Hist *hist, double q, bool any, double *ret_ns);
double hist_mean(const Hist *hist); /* NaN when n = 0 */

#endif
