/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How another process has the file of a job open: what its program was asked for and what it did are two things.
 *
 * Who may include it: guest-agent. Depends on disk, storage.
 */
#ifndef IOGAP_AGENT_OPEN_FILE_H
#define IOGAP_AGENT_OPEN_FILE_H

#include <sys/types.h>

#include "guest-agent/storage.h"

/* Flags of a descriptor of process PID on what STORAGE has open, or -1; of several one that has all of WANTED (O_DIRECT, O_SYNC ...). */
int open_file_flags(pid_t pid, const Storage *storage, int wanted);

/* Flags of a descriptor of process PID on a regular file below FOLDER, or -1. */
int open_file_flags_below(pid_t pid, const char *folder);

/* What they mean for a result: "none", "dsync" or "sync". */
const char *open_file_sync(int flags);

#endif
