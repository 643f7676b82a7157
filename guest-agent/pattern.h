/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a load touches and writes: offsets, the choice of read or write, and data. All of it follows from the
 * seed, and none of it needs memory that grows with the range.
 *
 * Who may include it: guest-agent. Needs libc only.
 */
#ifndef IOGAP_AGENT_PATTERN_H
#define IOGAP_AGENT_PATTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* splitmix64: an independent number for each (seed, index). */
uint64_t pattern_mix(uint64_t seed, uint64_t index);

/*
 * A random order of 0 .. count - 1 that visits each once before any again; each pass has an order of its own.
 *
 * A linear congruential generator modulo the next power of two M has full period (multiplier = 1 mod 4, odd
 * increment: Hull and Dobell 1962). Its low bits alone are poor, so its state goes through a bijection of M (xor-shift,
 * odd multiplication, xor-shift). A value >= count is skipped, which happens for less than half of them. Key,
 * multiplier and increment come from the seed and the number of the pass.
 */
typedef struct {
	uint64_t state, multiplier, increment, mask, scramble;
	uint64_t count, left; /* values of this pass still to come */
	uint64_t seed, pass;
	unsigned shift;
} Shuffle;

void shuffle_init(Shuffle *shuffle, uint64_t count, uint64_t seed); /* count >= 1 */
void shuffle_next_pass(Shuffle *shuffle);

static inline uint64_t shuffle_next(Shuffle *shuffle)
{
	uint64_t value;

	if (__builtin_expect(!shuffle->left, 0))
		shuffle_next_pass(shuffle);
	shuffle->left--;
	do {
		shuffle->state = (shuffle->state * shuffle->multiplier + shuffle->increment) & shuffle->mask;
		value = shuffle->state;
		value ^= value >> shuffle->shift;
		value = (value * shuffle->scramble) & shuffle->mask;
		value ^= value >> shuffle->shift;
	} while (value >= shuffle->count);
	return value;
}

/*
 * Reads among writes: exactly PERCENT of each 100 operations are reads, in random order (each operation is drawn from
 * what is left of its hundred).
 */
typedef struct {
	uint64_t random;
	unsigned percent, reads_left, left;
} Mix;

void mix_init(Mix *mix, unsigned percent, uint64_t seed);

static inline bool mix_next_is_read(Mix *mix)
{
	bool read;

	if (!mix->left) {
		mix->left = 100;
		mix->reads_left = mix->percent;
	}
	mix->random ^= mix->random << 13;
	mix->random ^= mix->random >> 7;
	mix->random ^= mix->random << 17;
	/* (random / 2^32) * left < reads_left, without a division */
	read = ((mix->random >> 32) * mix->left) >> 32 < mix->reads_left;
	mix->left--;
	mix->reads_left -= read;
	return read;
}

/* The blocks of job JOB of JOBS: [*ret_first, *ret_first + *ret_count) of BLOCKS; slices touch and do not overlap. */
void pattern_slice(uint64_t blocks, unsigned job, unsigned jobs, uint64_t *ret_first, uint64_t *ret_count);

/* SIZE bytes of incompressible data that follow from SEED alone. */
void pattern_fill(unsigned char *buffer, size_t size, uint64_t seed);

#define PATTERN_STAMP_STEP 4096

/*
 * Makes each 4 KiB of the block unique by 16 bytes at its start, so that no storage finds two equal blocks (4 KiB is the
 * smallest unit of common deduplication). The rest stays incompressible. COUNTER must not repeat within SEED.
 */
static inline void pattern_stamp(unsigned char *buffer, size_t size, uint64_t seed, uint64_t counter)
{
	for (size_t at = 0; at + 16 <= size; at += PATTERN_STAMP_STEP) {
		uint64_t stamp[2] = {seed ^ (counter * 0x9e3779b97f4a7c15u), seed + counter + (at << 40)};

		__builtin_memcpy(buffer + at, stamp, sizeof(stamp));
	}
}

#endif
