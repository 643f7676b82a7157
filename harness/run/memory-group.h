/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A control group with a memory limit, for the guests' QEMU and the host's load. The page cache is charged to the group of who read it in, so its
 * members can have no more of a data set cached than the limit; what others have read before is charged to them and must be dropped. Gone when the
 * sweep ends, however it ends: it is announced to the keeper first.
 */
#ifndef IOGAP_RUN_MEMORY_GROUP_H
#define IOGAP_RUN_MEMORY_GROUP_H

#include <sys/types.h>

#include "harness/side/keeper.h"

typedef struct MemoryGroup MemoryGroup;

/* Makes one without members or limit. IOGAP_ERROR_UNSUPPORTED where that cannot be done (memory_group_place says beforehand). KEEPER is
 * borrowed and must outlive it. */
MemoryGroup *memory_group_new(Keeper *keeper, GError **error);
/* Removes it; its members must have ended, and what they started. NULL is allowed. */
void memory_group_free(MemoryGroup *group);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(MemoryGroup, memory_group_free)

/* Its file that takes process ids, one a write: moves a process with all of its threads; its later children are members too. NULL for
 * NULL. Borrowed. */
const char *memory_group_members(const MemoryGroup *group);
gboolean memory_group_add(MemoryGroup *group, pid_t pid, GError **error);

/* Sets the limit, in bytes; 0 = none. What is cached beyond it is given up at once. NULL with 0 is allowed and does nothing. */
gboolean memory_group_limit(MemoryGroup *group, guint64 bytes, GError **error);

#endif
