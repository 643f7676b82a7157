/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the planner must know of this machine, asked of the host's agent and of the targets. */
#ifndef IOGAP_RUN_FACTS_H
#define IOGAP_RUN_FACTS_H

#include "harness/plan/plan.h"
#include "harness/side/side.h"
#include "harness/side/target.h"

/* FOLDER: default place of target files. CONSENT: block devices named on the command line, NULL-terminated, may be NULL.
 * All texts of *ret are borrowed. */
void facts_target_spec(const ProfileTarget *target, const char *folder, const char *const *consent, TargetSpec *ret);

/*
 * Checks one target without making anything: sectors, size, direct I/O. What this machine has not at all (a driver, a program, a right)
 * is a fact, of which the planner makes a refusal; a target that is wrong in itself (no such folder, no space, a device in use) fails.
 */
gboolean facts_target(PlanFacts *facts, const Profile *profile, guint target, const char *folder,
	const char *const *consent, GError **error);

/* Asks HOST (started) which engines work, and whether QEMU can use io_uring. */
gboolean facts_engines(PlanFacts *facts, Side *host, GCancellable *cancel, GError **error);

/*
 * Probes HOST (started) and checks every target, without making anything, into FACTS (plan_facts_init was
 * called). Fails when a target cannot be used or the agent does not answer.
 */
gboolean facts_collect(PlanFacts *facts, const Profile *profile, Side *host, const char *folder,
	const char *const *consent, GCancellable *cancel, GError **error);

#endif
