/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A job as fio's job file.
 *
 * Who may include it: guest-agent. Depends on job.
 */
#ifndef IOGAP_AGENT_FIO_JOB_H
#define IOGAP_AGENT_FIO_JOB_H

#include "guest-agent/job.h"

/* What fio cannot be told exactly: a path that its job file would read otherwise, a rate that its jobs cannot share evenly. */
int fio_job_check(const Job *job, Fault *fault);

/*
 * The job file of one fio, which measures for RUN_NS after RAMP_NS of the same load; SYNC_AT_END: with a final fsync of
 * buffered writes. Owned by the caller; NULL when there is no memory. JOB passed fio_job_check and names an outside engine.
 */
char *fio_job_text(const Job *job, uint64_t ramp_ns, uint64_t run_ns, bool sync_at_end);

#endif
