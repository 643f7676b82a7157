/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The I/O scheduler of the host's disks below a target, set for a leg and set back when the sweep ends, however it ends:
 * each change is announced to the keeper first.
 */
#ifndef IOGAP_RUN_SCHEDULER_H
#define IOGAP_RUN_SCHEDULER_H

#include "harness/run/device.h"
#include "harness/side/keeper.h"

typedef struct Schedulers Schedulers;

/* KEEPER is borrowed and must outlive it. */
Schedulers *schedulers_new(Keeper *keeper);
/* Sets everything back. NULL is allowed. */
void schedulers_free(Schedulers *schedulers);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Schedulers, schedulers_free)

/*
 * Makes NAME the scheduler of every disk that holds PATH, and reads it back; NULL sets back what was there. Fails with
 * IOGAP_ERROR_UNSUPPORTED: no disk below, no permission, or a scheduler that this kernel does not have (the ones that it has are named).
 */
gboolean schedulers_use(Schedulers *schedulers, const char *path, const char *name, GError **error);

/* The scheduler that the disks of DEVICE have, new text; NULL when they have none, or not all the same. */
char *schedulers_seen(const Device *device);

#endif
