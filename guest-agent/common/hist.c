/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>

#include "guest-agent/common/hist.h"

_Static_assert(HIST_SLOTS_PER_OCTAVE == 1 << 7, "hist_index takes the top 7 bits of a mantissa");
_Static_assert(HIST_LOW_NS == 100, "hist_slot_low knows 100 = 25 * 4");

void hist_clear(Hist *hist)
{
	memset(hist, 0, sizeof(*hist));
	hist->min_ns = UINT64_MAX;
}

void hist_merge(Hist *into, const Hist *from)
{
	into->n += from->n;
	into->sum_ns += from->sum_ns;
	into->below += from->below;
	into->above += from->above;
	if (from->min_ns < into->min_ns)
		into->min_ns = from->min_ns;
	if (from->max_ns > into->max_ns)
		into->max_ns = from->max_ns;
	for (unsigned i = 0; i < HIST_SLOTS; i++)
		into->slots[i] += from->slots[i];
}

uint64_t hist_slot_low(unsigned slot)
{
	unsigned octave = slot / HIST_SLOTS_PER_OCTAVE;
	/* The bound is 100 * 2^octave * (128 + i) / 128 = 25 * (128 + i) * 2^octave / 32, rounded up. */
	uint64_t bound = 25ull * (HIST_SLOTS_PER_OCTAVE + slot % HIST_SLOTS_PER_OCTAVE);

	if (octave >= 5)
		return bound << (octave - 5);
	return (bound + (1ull << (5 - octave)) - 1) >> (5 - octave);
}

int hist_slot(uint64_t ns)
{
	if (ns < HIST_LOW_NS)
		return -1;
	return ns > HIST_HIGH_NS ? HIST_SLOTS : (int)hist_index(ns);
}

/* The middle of the whole numbers that a slot can hold. */
static double slot_middle(unsigned slot)
{
	return ((double)hist_slot_low(slot) + (double)(hist_slot_low(slot + 1) - 1)) / 2;
}

static double clamp(double value, const Hist *hist)
{
	if (value < (double)hist->min_ns)
		return (double)hist->min_ns;
	return value > (double)hist->max_ns ? (double)hist->max_ns : value;
}

bool hist_quantile(const Hist *hist, double q, bool any, double *ret_ns)
{
	double n = (double)hist->n;
	/* Products like 0.999 * 10000 may come out a hair above a whole number; a rank is a count, so forgive that. */
	double rank = ceil(q * n - n * 1e-12);
	double seen = (double)hist->below;

	if (!hist->n || !(q > 0 && q < 1) || (!any && n - rank < 10))
		return false;
	if (rank < 1)
		rank = 1;
	if (rank <= seen)
		return false;
	for (unsigned i = 0; i < HIST_SLOTS; i++) {
		seen += (double)hist->slots[i];
		if (rank <= seen) {
			*ret_ns = clamp(slot_middle(i), hist);
			return true;
		}
	}
	return false;
}

double hist_mean(const Hist *hist)
{
	return hist->n ? (double)hist->sum_ns / (double)hist->n : NAN;
}
