/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/plan/rng.h"

#define GOLDEN 0x9e3779b97f4a7c15ull

static guint64 mix(guint64 z)
{
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
	return z ^ (z >> 31);
}

Rng rng_new(guint64 seed, guint64 stream)
{
	return (Rng){mix(mix(seed + GOLDEN) + GOLDEN * (stream + 1))};
}

guint64 rng_next(Rng *rng)
{
	rng->state += GOLDEN;
	return mix(rng->state);
}

guint64 rng_below(Rng *rng, guint64 n)
{
	/* The lowest 2^64 mod n numbers would make small results more likely: draw again. */
	guint64 reject = (0 - n) % n, drawn;

	do {
		drawn = rng_next(rng);
	} while (drawn < reject);
	return drawn % n;
}

void rng_shuffle(Rng *rng, guint *items, guint n)
{
	for (guint i = n; i > 1; i--) {
		guint j = rng_below(rng, i);
		guint swap = items[i - 1];

		items[i - 1] = items[j];
		items[j] = swap;
	}
}
