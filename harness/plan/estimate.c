/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How long a plan takes. The constants are what the parts were seen to take; they move the time left, not a result. */
#include "harness/plan/stages.h"

#include "guest-agent/common/bonnie.h"
#include "harness/plan/cell.h"

#define LEG_S 0.15	   /* dropping caches, a request and its answer, storing the run */
#define LEG_GUEST_S 0.15   /* the same through the guest's channel, emulated or not */
#define FINAL_SYNC_S 0.5   /* buffered writes end with an fsync, which is measured */
#define OUTSIDE_S 1.0	   /* starting an outside program, and the whole seconds in which fio ends */
#define PLUG_S 0.2	   /* plugging a disk in and finding it */
#define SHUTDOWN_S 1.0	   /* power-off of a guest */
#define FILL_BYTES_PER_S 400e6 /* filling a target with incompressible data */
#define LEAST_BLOCKS 6	   /* with precision; PRECISION_MIN_BLOCKS of harness/compare */
#define START_S 7.0	   /* first opening of the hypervisor, capabilities included */

/*
 * bonnie++ goes over its data some five times and makes its files; an emulated guest needs that long for it. Shared among the legs
 * that have their figures from one run.
 */
#define BONNIE_BYTES_PER_S 60e6
#define BONNIE_FIXED_S 25

static double bonnie_seconds(const Plan *plan, guint leg)
{
	const PlanLeg *l = g_ptr_array_index(plan->legs, leg);
	const PlanWorkload *w = &g_array_index(plan->workloads, PlanWorkload, l->workload);
	const ProfileTarget *target = g_ptr_array_index(plan->profile->targets, l->target);
	guint sharers = 0;

	for (guint i = 0; i < plan->legs->len; i++)
		sharers += plan_legs_share(plan, leg, i);
	return (5.0 * (double)bonnie_bytes(w->engine, target->size) / BONNIE_BYTES_PER_S + BONNIE_FIXED_S) / sharers;
}

double plan_leg_seconds(const Plan *plan, guint leg)
{
	const PlanLeg *l = g_ptr_array_index(plan->legs, leg);
	const PlanWorkload *w = &g_array_index(plan->workloads, PlanWorkload, l->workload);
	double seconds = (plan->profile->settle_ns + plan->profile->run_ns) / 1e9 + LEG_S;

	if (workload_bonnie(w))
		return bonnie_seconds(plan, leg);
	if (l->side == PLAN_GUEST)
		seconds += LEG_GUEST_S;
	if (plan_engine_program(w->engine))
		seconds += OUTSIDE_S;
	if (!w->direct && workload_writes(w))
		seconds += FINAL_SYNC_S;
	return seconds;
}

/* Copies of the targets that the largest number of guests needs. */
static guint copies(const Plan *plan)
{
	guint most = 1;

	for (guint b = 0; b < plan->boots->len; b++)
		most = MAX(most, ((const PlanBoot *)g_ptr_array_index(plan->boots, b))->machine.guests);
	return most - 1;
}

/* Every qcow2 disk is an image of its own, for each guest. */
static double fill_seconds(const Plan *plan)
{
	double bytes = 0;

	for (guint t = 0; t < plan->profile->targets->len; t++) {
		const ProfileTarget *target = g_ptr_array_index(plan->profile->targets, t);
		guint images = 0;

		for (guint d = 0; d < plan->disks->len; d++) {
			const PlanDisk *disk = &g_array_index(plan->disks, PlanDisk, d);

			images += disk->target == t && g_str_equal(disk->format, "qcow2");
		}
		bytes += (double)target->size * (1 + copies(plan)) * (1 + images);
	}
	return bytes / FILL_BYTES_PER_S;
}

double plan_leg_extension(const Plan *plan, guint leg)
{
	const PlanLeg *l = g_ptr_array_index(plan->legs, leg);
	const PlanWorkload *w = &g_array_index(plan->workloads, PlanWorkload, l->workload);

	/* Buffered writes are judged as a whole, and what an outside program does is its own. */
	if (!plan->profile->extend || plan_engine_program(w->engine) || (!w->direct && workload_writes(w)))
		return 0;
	return (double)plan->profile->run_ns / 1e9;
}

guint plan_least_blocks(const Plan *plan)
{
	return plan->profile->precision > 0 ? MIN(plan->profile->blocks, LEAST_BLOCKS) : plan->profile->blocks;
}

/* RET_EXTENSION is what it grows by when every run is extended that can be. */
static double block_seconds(const Plan *plan, double *ret_extension)
{
	double block = 0, extension = 0;

	for (guint i = 0; i < plan->legs->len; i++) {
		block += plan_leg_seconds(plan, i);
		extension += plan_leg_extension(plan, i);
	}
	for (guint b = 0; b < plan->boots->len; b++) {
		const PlanBoot *boot = g_ptr_array_index(plan->boots, b);

		block += (plan->boot_s + SHUTDOWN_S + PLUG_S * boot->disks->len) * boot->machine.guests;
	}
	*ret_extension = extension;
	return block;
}

void plan_estimate(Plan *plan)
{
	double extension, block = block_seconds(plan, &extension), before = START_S + fill_seconds(plan);

	plan->seconds = before + block * plan_least_blocks(plan);
	plan->seconds_most = before + (block + extension) * plan->profile->blocks;
}

void plan_gate_seconds(const Plan *plan, double *ret_least, double *ret_most)
{
	const ProfileGate *gate = &plan->profile->gate;
	double extension, block = block_seconds(plan, &extension);

	*ret_least = START_S + fill_seconds(plan) + block * gate->screen_blocks;
	*ret_most = *ret_least + block * gate->confirm_blocks;
}
