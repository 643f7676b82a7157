/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opens what a job works on, exactly as asked, and refuses what cannot be done with it: before any load.
 *
 * Who may include it: guest-agent. Depends on common, disk, job.
 */
#ifndef IOGAP_AGENT_STORAGE_H
#define IOGAP_AGENT_STORAGE_H

#include "guest-agent/disk.h"
#include "guest-agent/job.h"

typedef struct {
	int fd; /* -1 for engines without a file */
	DiskFacts facts;
	bool direct;		/* read back by F_GETFL */
	const char *sync_flags; /* "none", "dsync", "sync": read back; static */
	char sysfs[64];		/* of the device underneath; empty = none */
} Storage;

int storage_open(const Job *job, Storage *ret, Fault *fault);
void storage_close(Storage *storage);

#endif
