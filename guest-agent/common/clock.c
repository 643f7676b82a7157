/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "guest-agent/common/clock.h"

#define ROUNDS 31
#define READS 1000
#define LOOKS 3

/* One look; returns how long it took. */
static uint64_t look(ClockMoment *ret)
{
	uint64_t before = clock_now(), took;

	ret->boot_ns = clock_read(CLOCK_BOOTTIME);
	ret->real_ns = clock_read(CLOCK_REALTIME);
	took = clock_now() - before;
	/* The middle of the readings, so that a pause between them errs to neither side. */
	ret->mono_ns = before + took / 2;
	return took;
}

ClockMoment clock_moment(void)
{
	ClockMoment best, next;
	uint64_t least = look(&best), took;

	/* Another process may have had the processor in between: the shortest look errs least. */
	for (int i = 1; i < LOOKS; i++) {
		took = look(&next);
		if (took < least) {
			least = took;
			best = next;
		}
	}
	return best;
}

ClockMoment clock_moment_at(const ClockMoment *now, uint64_t mono_ns)
{
	uint64_t shift = mono_ns - now->mono_ns; /* wraps round for the past, which the sums below undo */

	return (ClockMoment){mono_ns, now->boot_ns + shift, now->real_ns + shift};
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

double clock_cost(void)
{
	uint64_t rounds[ROUNDS];

	for (int i = 0; i < ROUNDS; i++) {
		uint64_t begin = clock_now();

		for (int j = 0; j < READS; j++)
			(void)clock_now();
		rounds[i] = clock_now() - begin;
	}
	qsort(rounds, ROUNDS, sizeof(rounds[0]), compare);
	return (double)rounds[ROUNDS / 2] / (READS + 1);
}

void clock_sleep_until(uint64_t mono_ns)
{
	struct timespec ts = {(time_t)(mono_ns / 1000000000u), (long)(mono_ns % 1000000000u)};

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL);
}
