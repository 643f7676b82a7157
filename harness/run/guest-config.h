/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A plan's guests and disks in the words of harness/side. Everything that is returned borrows from the plan. Who may include it: run. */
#ifndef IOGAP_RUN_GUEST_CONFIG_H
#define IOGAP_RUN_GUEST_CONFIG_H

#include "harness/plan/plan.h"
#include "harness/side/guest/guest.h"

/* The guest of boot BOOT, without disks. ACCEL: kvm or tcg. AGENT: path of the agent program. */
GuestConfig guest_config_of(const Plan *plan, guint boot, const char *accel, const char *agent);

/* All that the plan says of a disk; image, block, nbd_socket and size are the target's, and NULL or 0 here. */
void disk_settings_of(const PlanDisk *plan, SideDisk *ret);

#endif
