/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One combination of the matrix, decoded, with what does not apply left out: two combinations that would measure
 * the same thing decode to equal cells.
 *
 * Who may include it: harness/plan.
 */
#ifndef IOGAP_PLAN_CELL_H
#define IOGAP_PLAN_CELL_H

#include "harness/plan/matrix.h"
#include "harness/plan/plan.h"

typedef struct {
	PlanWorkload workload;
	PlanMachine machine;
	PlanDisk disk; /* serial is empty */
	guint target;
	const char *host_scheduler; /* NULL = leave it */
	guint64 host_cache_limit; /* bytes; 0 = none */
	const char *pin_load; /* NULL = any */
	const char *governor, *turbo; /* NULL = leave it */
	const char *arm; /* NULL = none */
} Cell;

Cell cell_of(const Profile *profile, const Combination *combination);

/* All texts in these structs are interned: equality is that of pointers. */
gboolean workload_equal(const PlanWorkload *a, const PlanWorkload *b);
gboolean machine_equal(const PlanMachine *a, const PlanMachine *b);
gboolean disk_equal(const PlanDisk *a, const PlanDisk *b);

gboolean workload_mixes(const PlanWorkload *workload);	/* rw, randrw */
/* The kernel interface that its engine uses, whoever drives it: psync, libaio, io_uring, null. */
const char *workload_interface(const PlanWorkload *workload);
/* Its engine is a program whose printed figures are read: dd, ioping, bonnie++. */
gboolean workload_tool(const PlanWorkload *workload);
gboolean workload_bonnie(const PlanWorkload *workload);
gboolean workload_writes(const PlanWorkload *workload); /* write, randwrite, and the mixed ones */

/* What a short and unique label is made of: every setting that is not at its default. New texts. */
char *cell_label(const Profile *profile, const Cell *cell, PlanSide side);

/*
 * Why this combination cannot be measured, or NULL when it can. A new text; *ret_dims gets the dimensions to
 * blame, the one whose place is named first; ends with DIM_NONE.
 */
#define REFUSE_DIMS 4
char *refuse(const Profile *profile, const PlanFacts *facts, const Combination *combination,
	MatrixDim ret_dims[REFUSE_DIMS]);

#endif
