/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One run of one leg: caches dropped, the job given to the agent, the answer made a row. */
#ifndef IOGAP_RUN_LEG_H
#define IOGAP_RUN_LEG_H

#include "harness/plan/plan.h"
#include "harness/run/absent.h"
#include "harness/run/neighbours.h"
#include "harness/run/shared.h"
#include "harness/side/side.h"
#include "results/store.h"

typedef struct {
	const Plan *plan;
	guint leg, block, position;
	Side *host;	      /* always there: drops the host's cache for either side */
	Side *side;	      /* where the load runs: host or the guest */
	const SideDisk *disk; /* what the load works on */
	guint64 size;	      /* bytes of it */
	pid_t qemu;	      /* 0 on the host side */
	Neighbours *neighbours; /* that do the same at the same time, their disks plugged in; NULL = none */
	const Record *row;    /* the leg's columns in the store, for its flags */
	guint64 host_memory;  /* bytes */
	guint cpus;	      /* of the host */
	const GPtrArray *rows; /* of Record *: the columns of every leg, for those that share the run; NULL = nobody shares */
	Shared *shared;	      /* gets their rows; NULL as rows */
	Absent *absent;	      /* notes what could not be measured; may be NULL */
} LegRun;

/*
 * Measures once. Returns the row: status ok, or failed with the reason. NULL only with IOGAP_ERROR_INTERRUPTED (nothing to
 * store). When the guest was lost, *ret_lost is TRUE beside the failed row; a lost host side too.
 */
StoreRun *leg_run(const LegRun *run, GCancellable *cancel, gboolean *ret_lost, GError **error);

/* A row for a leg that could not be tried, with the reason. */
StoreRun *leg_not_run(guint block, guint position, const char *reason);

#endif
