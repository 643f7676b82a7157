/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The sweep under way, shared by the files of this room: sweep.c makes it, stage.c measures with it. No other room
 * includes this header.
 */
#ifndef IOGAP_RUN_STAGE_H
#define IOGAP_RUN_STAGE_H

#include "harness/plan/plan.h"
#include "harness/run/absent.h"
#include "harness/run/cpu-clock.h"
#include "harness/run/memory-group.h"
#include "harness/run/placement.h"
#include "harness/run/scheduler.h"
#include "harness/run/shared.h"
#include "harness/run/stopping.h"
#include "harness/run/sweep.h"
#include "harness/side/guest/guest.h"
#include "harness/side/target.h"
#include "results/store.h"

typedef struct {
	const Profile *profile;
	const SweepOptions *options;
	GCancellable *cancel;
	char *agent; /* path of the agent program */
	Keeper *keeper;
	Store *store;
	int lock; /* of the store */
	int machine_lock;  /* -1 when the sweep is PARALLEL */
	gboolean parallel; /* another sweep measured on this machine when this one began */
	Hypervisor *hypervisor; /* NULL while no guest is planned */
	Side *host;
	Schedulers *schedulers; /* of the host's disks */
	CpuClock *cpu_clock; /* of the host's processors */
	LoadPin *load_pin; /* of the host's agent */
	MemoryGroup *group; /* of QEMU and the host's load; NULL where no leg has a limit */
	Plan *plan;
	GPtrArray *targets; /* of Target *, as profile->targets */
	Progress *progress;
	const char *accel;
	gint64 sweep;	   /* id in the store */
	gint64 *legs;	   /* store id of each leg of the plan */
	GPtrArray *leg_rows; /* of Record *: the columns of each leg */
	GHashTable *hashes; /* path -> SHA-256 of a program, "" = cannot be read; NULL until the first */
	Absent *absent;	   /* why columns of its runs are NULL */
	GHashTable *done;  /* "LEG BLOCK" of what the store already has */
	gboolean *wanted;  /* by leg, from block options->selection->from on; NULL = all */
	Shared *shared;	   /* rows that are measured and whose legs come later */
	Stopping *stopping; /* whether more blocks are needed */
	char *busy;	   /* evidence that the host was not calm before the block under way; NULL = it was, or was not looked at */
	guint blocks;	   /* measured whole, those of the interrupted sweep included */
	guint position;	   /* in the block under way */
	SweepOutcome *outcome;
} Sweep;

/* One stage of one block: boots its guest, measures its legs in order, ends the guest. FALSE: interrupted, or the store or
 * the host side failed. A guest that fails makes rows, not errors. */
gboolean stage_run(Sweep *sweep, guint block, guint number, const PlanStage *stage, GError **error);

/* The guest of boot BOOT of the plan, without disks; borrows everything from the sweep. */
GuestConfig stage_guest_config(const Sweep *sweep, guint boot);

/* TRUE when this leg is still to be measured in this block: the store does not have it, and a selection wants it. */
gboolean stage_wants(const Sweep *sweep, guint leg, guint block);

#endif
