/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * When a child's I/O began, which it tells nobody: seen from the bytes that the kernel counts for its process.
 *
 * That the file is open says little. fio opens a block device in its set-up with the job's own flags, and a second or more of set-up may
 * follow in an emulated guest.
 * Who may include it: guest-agent. Depends on job, sample, storage.
 */
#ifndef IOGAP_AGENT_FIO_PLACE_H
#define IOGAP_AGENT_FIO_PLACE_H

#include <sys/types.h>

#include "guest-agent/job.h"
#include "guest-agent/sample.h"
#include "guest-agent/storage.h"

typedef struct {
	const Job *job;
	const Storage *storage;
	pid_t pid;
	bool calls;	  /* the bytes of its calls are counted, those of storage else */
	bool waiting;	  /* the file is open, and nothing has moved when it was last looked */
	uint64_t last_ns; /* then */
	uint64_t moved;	  /* bytes until then */
	uint64_t start_ns, slack_ns; /* begin of the I/O, known to +- slack; 0 = not seen */
} FioPlace;

void fio_place_init(FioPlace *place, const Job *job, const Storage *storage, pid_t pid);

/* To be called every few milliseconds; IS_OPEN: the process has the file open. True once its I/O has begun. */
bool fio_place_look(FioPlace *place, bool is_open);

/* What the process has read and written so far, into SAMPLE's process. */
void fio_place_sample(const FioPlace *place, Sample *sample);

/*
 * Whether the place fits: where the kernel counts every byte (psync, and direct I/O on a device) the process moved from BEGIN to END what
 * it says in BYTES (0 = read, 1 = written). What is missing or too much widens slack_ns; false, with the figures in REASON, when that is
 * more than a right place can be off by.
 */
bool fio_place_fits(FioPlace *place, const Sample *begin, const Sample *end, const uint64_t *bytes, char *reason, size_t size);

#endif
