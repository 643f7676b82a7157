/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Samples around the begin and the end of what is measured, and the counters at exactly that moment.
 *
 * On a busy machine whoever samples is woken late, by many milliseconds in an emulated guest with one processor. So one sample
 * is taken somewhat before the moment and one after it, and the counters are read between the two in proportion.
 * Who may include it: guest-agent. Depends on sample.
 */
#ifndef IOGAP_AGENT_TRACK_H
#define IOGAP_AGENT_TRACK_H

#include "guest-agent/sample.h"

#define TRACK_LEAD_NS 20000000 /* how long before a moment it is sampled for the first time */
#define TRACK_KEPT 64

typedef struct {
	Sample kept[TRACK_KEPT]; /* a ring: the latest is kept[(n - 1) % TRACK_KEPT] */
	unsigned n;
} Track;

/* SYSFS as for sample_take. The new sample, which the caller may complete. */
Sample *track_take(Track *track, const char *sysfs);

/*
 * The counters when CLOCK_MONOTONIC read MONO_NS, and that moment on all clocks; before the first or after the last sample kept those of
 * that one. What either neighbour lacks is lacking. False, and *ret untouched, when there is no sample.
 */
bool track_at(const Track *track, uint64_t mono_ns, Sample *ret);

/* The two neighbours between which the process last moved bytes, of direction 0 = read, 1 = written, or either (2). False: none are kept. */
bool track_last_move(const Track *track, unsigned direction, uint64_t *ret_from_ns, uint64_t *ret_to_ns);

#endif
