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

/*
 * What schedulers_use could make the scheduler of every disk that holds PATH: names with blanks between (new text), those included
 * that the kernel would load a module for. NULL when there is no such disk. *ret_reason (new text, or NULL) is why nothing can be
 * set, but for what is there already. Sets nothing.
 */
char *schedulers_below(const char *path, char **ret_reason);
/* The same for the disks DISKS ("vda sdb"); all files lie below ROOT, which is empty but in tests. */
char *schedulers_of(const char *root, const char *disks, char **ret_reason);
/* What a disk with hardware queues can have in this kernel; NULL when it has no such disk. */
char *schedulers_of_kernel(const char *root);

/* The scheduler that the disks of DEVICE have, new text; NULL when they have none, or not all the same. */
char *schedulers_seen(const Device *device);

#endif
