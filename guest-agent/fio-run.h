/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A run by fio: the job as its job file, fio as a child, its output as our result (docs/protocol.md, "Runs by fio").
 *
 * Who may include it: guest-agent. Depends on run, fio-job, fio-output, engine/child, engine/fio.
 */
#ifndef IOGAP_AGENT_FIO_RUN_H
#define IOGAP_AGENT_FIO_RUN_H

#include "guest-agent/run.h"
#include "guest-agent/storage.h"

/*
 * The `result` object, or NULL with FAULT set, which quotes fio. The engine of JOB is an outside one that passed its probe;
 * STORAGE is open on what JOB names. No child is left, whatever happens.
 */
json_t *fio_run(const Job *job, const Storage *storage, RunContext *context, Fault *fault);

#endif
