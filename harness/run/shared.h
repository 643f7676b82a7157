/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows of legs that another leg's run has measured too: one run of bonnie++ holds all its tests. They wait here until it is their turn.
 *
 * Who may include it: run.
 */
#ifndef IOGAP_RUN_SHARED_H
#define IOGAP_RUN_SHARED_H

#include "results/store.h"

typedef struct Shared Shared;

Shared *shared_new(void);
void shared_free(Shared *shared); /* NULL is allowed */

/* Takes ROW; one that waits for the same leg and block is replaced. */
void shared_put(Shared *shared, guint leg, guint block, StoreRun *row);
/* Hands out the row, or NULL. */
StoreRun *shared_take(Shared *shared, guint leg, guint block);

#endif
