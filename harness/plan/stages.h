/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The steps of plan_build after the legs are known. Who may include it: harness/plan. */
#ifndef IOGAP_PLAN_STAGES_H
#define IOGAP_PLAN_STAGES_H

#include "harness/plan/plan.h"

/* Slots of one boot for disks that cannot be hot-plugged. */
#define SLOTS_IDE 4  /* two channels of two disks on machine pc */
#define SLOTS_SATA 6 /* ports of one AHCI controller */
#define SLOTS_USB 4  /* ports of QEMU's USB 3 controller, as it comes */

/*
 * Packs disks into boots. MACHINES and NEEDS go together: guest leg i of plan->legs runs on machine
 * g_array_index(needs, guint, i) of MACHINES (G_MAXUINT for host legs). Sets boot of every guest leg.
 *
 * A boot has one machine, at most SLOTS_IDE, SLOTS_SATA and SLOTS_USB cold disks, and disks of at most one kind of virtio-scsi
 * controller, to which queues, iothread and ioeventfd belong. There are as few boots as that
 * allows, and cold disks are spread evenly over them; hot-plugged disks ride along.
 */
void plan_pack(Plan *plan, const GArray *machines, const GArray *needs);

/* The order of one block of a plan with arms. */
GPtrArray *plan_order_arms(const Plan *plan, guint block);

/* Fills plan->blocks: a random order for each two blocks, the second of them backwards. */
void plan_order(Plan *plan);

/* Sets plan->seconds and seconds_most. */
void plan_estimate(Plan *plan);

#endif
