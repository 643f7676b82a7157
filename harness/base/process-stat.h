/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One line of /proc/PID/stat or /proc/PID/task/TID/stat (proc(5)): who it is, and the processor time that it has had. */
#ifndef IOGAP_BASE_PROCESS_STAT_H
#define IOGAP_BASE_PROCESS_STAT_H

#include <glib.h>
#include <sys/types.h>

typedef struct {
	char name[64]; /* without the parentheses; the kernel cuts at 15 characters, its workers' at 63 */
	pid_t parent;
	gint64 user_ns, system_ns; /* whole clock ticks */
	guint64 start; /* clock ticks since boot: tells a reused id */
} ProcessStat;

/* The time of so many of the kernel's clock ticks. */
gint64 process_ticks_ns(guint64 ticks);

/* FALSE when PATH cannot be read, as of a process that has just ended, or is no such line. */
gboolean process_stat_read(const char *path, ProcessStat *ret);

#endif
