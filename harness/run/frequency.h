/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How fast the host's processors run during a run, and how often heat slowed them down.
 *
 * Idle processors clock down, so their mean says nothing of those that work: each reading is that of the fastest one, against the
 * base of the same one. Runs in the default main context. Who may include it: run.
 */
#ifndef IOGAP_RUN_FREQUENCY_H
#define IOGAP_RUN_FREQUENCY_H

#include "harness/base/record.h"

/* One reading; -1 = this machine does not tell, as most virtual ones. */
typedef struct {
	gint64 khz;	 /* of the fastest processor, now */
	gint64 base_khz; /* what that one keeps up under any load */
	gint64 events;	 /* slow-downs for heat since boot, all processors */
} Frequency;

/* ROOT: "", or where a test has planted a sysfs. CPUS: how many processors are looked at. */
void frequency_read(const char *root, guint cpus, Frequency *ret);

typedef struct FrequencyWatch FrequencyWatch;

/* Reads four times a second, or more seldom where a reading takes over 2 ms. ROOT is borrowed. */
FrequencyWatch *frequency_watch(const char *root, guint cpus);
/* As window.h: measuring began at HOST_NS, some time ago; it is over by now. NULL is allowed in all of them. */
void frequency_begin(FrequencyWatch *watch, gint64 host_ns);
void frequency_stop(FrequencyWatch *watch);
/*
 * It ended at HOST_NS. Sets in RUN host_khz and host_base_khz, the means of the readings in between, and host_throttle_events; NULL where
 * it was not told, and then REASONS has by column why.
 */
void frequency_end(const FrequencyWatch *watch, gint64 host_ns, Record *run, Record *reasons);
void frequency_unwatch(FrequencyWatch *watch);

#endif
