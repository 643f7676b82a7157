/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Between the refuse*.c files: combinations that cannot be measured, with the reason. QEMU and libvirt accept several of them
 * and then do something else, so they are found here. One function per reason, in the table of its subject; the tables are gone
 * through in the order in which they stand here, and the first reason that applies is the one that is listed. Asking for what a bus
 * does anyway (iothread: false on IDE) is no refusal; it simply does not apply.
 *
 * Who may include it: harness/plan.
 */
#ifndef IOGAP_PLAN_REFUSE_H
#define IOGAP_PLAN_REFUSE_H

#include "harness/plan/cell.h"

#define IS(text, word) g_str_equal(text, word)

typedef struct {
	const Profile *profile;
	const PlanFacts *facts;
	const Combination *combination;
	Cell cell; /* the combination, decoded */
	const ProfileTarget *target;
} Case;

/* REASON: why not, a new text, or NULL when nothing is against it. DIMS: those to blame, the one whose place is named first. */
typedef struct {
	char *(*reason)(const Case *c);
	MatrixDim dims[REFUSE_DIMS];
} RefuseRow;

/* Each ends with a row without reason. */
extern const RefuseRow refuse_disk[];
extern const RefuseRow refuse_image[];
extern const RefuseRow refuse_load[];
extern const RefuseRow refuse_target[];
extern const RefuseRow refuse_machine[];
extern const RefuseRow refuse_isolation[];

/* The memory file system that the target's files lie in as a whole, whatever lies between ("tmpfs"); NULL = none. */
const char *refuse_in_memory(const Case *c);
/* "4k". New text. */
char *refuse_size_text(guint64 bytes);
/* Reason why BLOCK_SIZE does not go with SECTOR (0 = unknown, all go), or NULL. WHOSE: "the guest's sectors". New text. */
char *refuse_alignment(guint64 block_size, guint sector, const char *whose);

#endif
