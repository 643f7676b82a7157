/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A sweep with `precision:` looks at its cells after every block, and ends with the first in which all of them are narrow enough.
 * Part of sweep.c's room alone.
 */
#ifndef IOGAP_RUN_STOPPING_H
#define IOGAP_RUN_STOPPING_H

#include "harness/base/record.h"
#include "harness/plan/plan.h"

typedef struct Stopping Stopping;

/* PLAN (borrowed) must outlive it. */
Stopping *stopping_new(const Plan *plan);
void stopping_free(Stopping *stopping); /* NULL is allowed */

/* A stored run, of this call or of the one that is resumed. Only runs that are ok count. */
void stopping_add(Stopping *stopping, guint leg, guint block, const Record *run);

/* TRUE when the BLOCKS measured so far suffice; always FALSE without `precision:`. */
gboolean stopping_enough(const Stopping *stopping, guint blocks);

/* The sweep's columns stopped, half_width, wide_cells and blocks, now that BLOCKS are measured and no more will be. Nothing without
 * `precision:`. */
void stopping_describe(const Stopping *stopping, guint blocks, Record *row);

/* The same for people; NULL without `precision:`. New text. */
char *stopping_text(const Stopping *stopping, guint blocks);

#endif
