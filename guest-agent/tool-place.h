/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A folder for a tool that works on files of its own (bonnie++): beside the job's file, or in a file system made on its device.
 *
 * Who may include it: guest-agent. Depends on outside, storage.
 */
#ifndef IOGAP_AGENT_TOOL_PLACE_H
#define IOGAP_AGENT_TOOL_PLACE_H

#include <limits.h>

#include "guest-agent/run.h"
#include "guest-agent/storage.h"

typedef struct {
	char path[PATH_MAX]; /* of the folder; empty = there is none */
	bool mounted;
} ToolPlace;

/* From now on file systems are made on devices: called where this agent serves a guest, whose disks belong to the harness. Elsewhere a
 * device could be anybody's, and is refused. */
void tool_place_allow_devices(void);

/* 0 or -errno with FAULT set and nothing left: a device that is not ours, no mkfs.ext4, a kernel without ext4 ... */
int tool_place_open(const Job *job, const Storage *storage, RunContext *context, ToolPlace *ret, Fault *fault);

/* Removes the folder with all that is in it; unmounts. What cannot be undone is said on standard error. */
void tool_place_close(ToolPlace *place);

#endif
