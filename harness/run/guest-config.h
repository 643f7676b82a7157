/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A plan's guests and disks in the words of harness/side. Everything that is returned borrows from the plan. Who may include it: run, cli. */
#ifndef IOGAP_RUN_GUEST_CONFIG_H
#define IOGAP_RUN_GUEST_CONFIG_H

#include "harness/plan/plan.h"
#include "harness/side/guest/guest.h"
#include "harness/side/target.h"

/* The guest of boot BOOT, without disks. ACCEL: kvm or tcg. AGENT: path of the agent program. */
GuestConfig guest_config_of(const Plan *plan, guint boot, const char *accel, const char *agent);

/* All that the plan says of a disk; image, block, nbd_socket and size are the target's, and NULL or 0 here. */
void disk_settings_of(const PlanDisk *plan, SideDisk *ret);

/* Of a qcow2 disk. */
TargetQcow2 qcow2_form_of(const PlanDisk *plan);

/* Bytes of the images that the disks of TARGET need beside it, for all guests of a boot. */
guint64 images_beside(const Plan *plan, guint target);

#endif
