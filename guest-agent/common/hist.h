/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Latency histogram: 128 slots per octave from 100 ns to 100 s, what lies outside counted apart.
 *
 * Slot i holds values in [hist_slot_low(i), hist_slot_low(i + 1)); an octave starts at 100 ns * 2^k and is cut into 128
 * equal slots, so a value is known within 1/128 of the octave's low end (<= 0.79 % of the value, half of it to either side).
 * hist_add has no branch that depends on data beyond range checks, takes no lock, allocates nothing. Merging is
 * adding. Who may include it: everybody. Needs libc only.
 */
#ifndef IOGAP_COMMON_HIST_H
#define IOGAP_COMMON_HIST_H

#include <stdbool.h>
#include <stdint.h>

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
uint64_t hist_slot_low(unsigned slot); /* ns; slot may be HIST_SLOTS */
int hist_slot(uint64_t ns);	       /* -1 = below, HIST_SLOTS = above */

/*
 * The value below which a share Q (0 < q < 1) of all values lies: the middle of the slot that holds the value of rank
 * ceil(q n), or min_ns/max_ns clamp. False, and *ret untouched, when n = 0, or when that rank lies in below or above, or
 * when fewer than 10 values lie beyond it (n (1 - q) < 10), unless ANY is true.
 */
bool hist_quantile(const Hist *hist, double q, bool any, double *ret_ns);
double hist_mean(const Hist *hist); /* NaN when n = 0 */

#endif
