/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A job: what one run does (docs/protocol.md). job_keys is the one table of its keys: types, ranges, defaults, help.
 *
 * Who may include it: guest-agent. Depends on common and engine.
 */
#ifndef IOGAP_AGENT_JOB_H
#define IOGAP_AGENT_JOB_H

#include "guest-agent/common/keys.h"
#include "guest-agent/engine/engine.h"

typedef enum { RW_READ, RW_WRITE, RW_RANDREAD, RW_RANDWRITE, RW_RW, RW_RANDRW } JobRw;
typedef enum { SYNC_NONE, SYNC_DSYNC, SYNC_SYNC, SYNC_FSYNC } JobSync;

typedef struct {
	const char *path; /* borrowed from the JSON object */
	uint64_t offset, size, block_size;
	unsigned rw;	    /* JobRw */
	uint64_t mix_read;  /* percent; KEY_NONE unless mixed */
	bool direct;
	unsigned sync;	       /* JobSync */
	uint64_t fsync_every;  /* writes; KEY_NONE unless SYNC_FSYNC */
	uint64_t queue_depth, jobs;
	unsigned engine;      /* index into engines[] */
	uint64_t rate_iops;   /* KEY_NONE = as fast as possible */
	uint64_t seed, settle_ns, run_ns, interval_ns;
	const char *fio_options; /* borrowed: lines for fio's job file in place of our own; NULL unless the engine is fio:file */
	bool extend; /* a run that is not steady at its end goes on for as long again */
} Job;

extern const Key job_keys[];
extern const char *const job_rw_names[], *const job_sync_names[];

#define JOB_MAX_INTERVALS 20000 /* so that the series fit into one answer */

/* Types, ranges and what contradicts itself; nothing is opened. */
int job_parse(const json_t *object, Job *ret, Fault *fault);

bool job_reads(const Job *job);	 /* some of its operations are reads */
bool job_writes(const Job *job); /* some are writes */
bool job_is_random(const Job *job);
/* Writes that stay in the page cache until somebody syncs: the run then ends with an fsync of its own. */
bool job_needs_final_sync(const Job *job);

#endif
