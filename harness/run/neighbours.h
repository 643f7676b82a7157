/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The other guests of a boot that has several: started beside the first one, each with disks of its own, they do the same load at the
 * same time. What is kept of them are sums and flags; a run's own figures are those of the first guest.
 */
#ifndef IOGAP_RUN_NEIGHBOURS_H
#define IOGAP_RUN_NEIGHBOURS_H

#include <gio/gio.h>
#include <jansson.h>
#include "harness/plan/plan.h"
#include "harness/side/side.h"
#include "results/store.h"

typedef struct Neighbours Neighbours;

Neighbours *neighbours_new(void);
void neighbours_free(Neighbours *neighbours); /* stops them; NULL is allowed */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Neighbours, neighbours_free)

/* Starts GUEST (taken over, also on failure) and adds it. */
gboolean neighbours_add(Neighbours *neighbours, Side *guest, GCancellable *cancel, GError **error);
guint neighbours_count(const Neighbours *neighbours); /* NULL = 0 */

/* Plugs DISK into neighbour NUMBER (0 ...) and drops what its guest and HOST cache of it; the load goes there from now on. */
gboolean neighbours_disk(Neighbours *neighbours, guint number, Side *host, const SideDisk *disk, GCancellable *cancel,
	GError **error);

/*
 * Sends JOB, with the path of its own disk, to every neighbour and returns at once: whoever gives the first guest its job next, has all
 * loads begin within milliseconds. IOGAP_ERROR_LOST when one is gone.
 */
gboolean neighbours_begin(Neighbours *neighbours, const json_t *job, GCancellable *cancel, GError **error);

/* Waits for all that neighbours_begin reached. An error of any of them is an error: the load was not what was asked for. */
gboolean neighbours_finish(Neighbours *neighbours, const PlanWorkload *workload, guint timeout_ms, GCancellable *cancel,
	GError **error);
/*
 * Sets in ROW, whose own bytes_per_s and iops are there already, all_guests_bytes_per_s, all_guests_iops, other_guests_bytes and
 * other_guests_cpu_ns of the last load, and adds the flags of the others ("guest 2: ..."): caches that neighbours_disk could not
 * drop, settings that were not as asked. Nothing without neighbours.
 */
void neighbours_sum(const Neighbours *neighbours, StoreRun *row);

#endif
