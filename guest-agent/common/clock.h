/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The clocks. Durations are taken from CLOCK_MONOTONIC, which the kernel corrects and the vDSO reads
 * without a system call where the clock source allows it. The processor's own counter is not used: in an
 * emulated guest, or on a machine whose counters differ, it can be wrong, and then the result is too.
 *
 * Who may include it: everybody. Needs libc only.
 */
#ifndef IOGAP_COMMON_CLOCK_H
#define IOGAP_COMMON_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline uint64_t clock_read(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static inline uint64_t clock_now(void)
{
	return clock_read(CLOCK_MONOTONIC);
}

/* The same moment on three clocks, ns. */
typedef struct {
	uint64_t mono_ns, boot_ns, real_ns;
} ClockMoment;

ClockMoment clock_moment(void);
/* NOW shifted to the moment when CLOCK_MONOTONIC read MONO_NS; right while nobody steps the clocks in between. */
ClockMoment clock_moment_at(const ClockMoment *now, uint64_t mono_ns);

/* What one clock_now() costs, ns: the median of 31 rounds of 1000 reads. Takes about a millisecond. */
double clock_cost(void);

/* Sleeps until CLOCK_MONOTONIC reads MONO_NS; a signal may end it early. */
void clock_sleep_until(uint64_t mono_ns);

#endif
