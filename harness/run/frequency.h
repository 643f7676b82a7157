/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How fast the host's processors run, and how often heat slowed them down. Who may include it: run. */
#ifndef IOGAP_RUN_FREQUENCY_H
#define IOGAP_RUN_FREQUENCY_H

#include "harness/base/record.h"

/* -1 = this machine does not tell, as most virtual ones. */
typedef struct {
	gint64 khz;	 /* mean of all processors, now */
	gint64 base_khz; /* what they keep up under any load, of the first one */
	gint64 events;	 /* slow-downs for heat since boot, all processors */
} Frequency;

void frequency_read(Frequency *ret);
/* Sets host_khz (at the end, still warm from the load), host_base_khz and host_throttle_events of the run in between. */
void frequency_difference(const Frequency *begin, const Frequency *end, Record *run);

#endif
