/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "guest-agent/pattern.h"

uint64_t pattern_mix(uint64_t seed, uint64_t index)
{
	uint64_t z = seed + (index + 1) * 0x9e3779b97f4a7c15u;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

void shuffle_next_pass(Shuffle *shuffle)
{
	uint64_t seed = pattern_mix(shuffle->seed, shuffle->pass++);

	shuffle->left = shuffle->count;
	shuffle->state = pattern_mix(seed, 0) & shuffle->mask;
	shuffle->multiplier = (pattern_mix(seed, 1) & ~UINT64_C(7)) | 5;
	shuffle->increment = pattern_mix(seed, 2) | 1;
	shuffle->scramble = pattern_mix(seed, 3) | 1;
}

void shuffle_init(Shuffle *shuffle, uint64_t count, uint64_t seed)
{
	unsigned bits = count > 1 ? 64 - (unsigned)__builtin_clzll(count - 1) : 0;

	shuffle->mask = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
	/* One value has no bits to shift; any shift keeps its 0. */
	shuffle->shift = bits ? (bits + 1) / 2 : 1;
	shuffle->count = count;
	shuffle->left = 0;
	shuffle->seed = seed;
	shuffle->pass = 0;
}

void mix_init(Mix *mix, unsigned percent, uint64_t seed)
{
	mix->random = pattern_mix(seed, 77) | 1; /* an xorshift must not start at 0 */
	mix->percent = percent;
	mix->reads_left = mix->left = 0;
}

void pattern_slice(uint64_t blocks, unsigned job, unsigned jobs, uint64_t *ret_first, uint64_t *ret_count)
{
	uint64_t each = blocks / jobs, rest = blocks % jobs;

	*ret_first = each * job + (job < rest ? job : rest);
	*ret_count = each + (job < rest);
}

void pattern_fill(unsigned char *buffer, size_t size, uint64_t seed)
{
	uint64_t x = pattern_mix(seed, 0) | 1;
	size_t at = 0;

	for (; at + 8 <= size; at += 8) {
		uint64_t word;

		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		word = x * 0x2545f4914f6cdd1du;
		memcpy(buffer + at, &word, 8);
	}
	for (; at < size; at++)
		buffer[at] = (unsigned char)(x >> (8 * (at % 8)));
}
