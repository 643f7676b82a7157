/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What control groups leave a process of the machine's memory. The page cache is charged to the group of who filled it, so a
 * limit bounds it as the machine's own memory does. Who may include it: run.
 */
#ifndef IOGAP_RUN_MEMORY_LIMIT_H
#define IOGAP_RUN_MEMORY_LIMIT_H

#include <glib.h>
#include <sys/types.h>

/*
 * Bytes, the smallest limit of PID's groups (versions 1 and 2 of control groups) and of those above them; 0 = no limit, or none
 * that can be seen. PID 0: this process. ROOT is put before every path: "" but in tests.
 */
guint64 memory_limit(const char *root, pid_t pid);

/* Bytes of the host's memory that PID can fill with page cache: RAM, or a smaller limit. */
guint64 memory_for_cache(pid_t pid);

/*
 * The group below which this process can make one with a limit of its own, and move itself and its children there: a new path. NULL when there is
 * none; *ret_reason then gets why not, new text. *ret_second: it is of version 2. Of that, groups that hold processes pass nothing on, so it may be
 * one above this process's own. Nothing is made.
 */
char *memory_group_place(const char *root, gboolean *ret_second, char **ret_reason);

#endif
