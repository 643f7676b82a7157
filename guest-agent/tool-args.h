/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A job as the arguments of dd, ioping or bonnie++.
 *
 * Who may include it: guest-agent. Depends on job. Pure but for memory.
 */
#ifndef IOGAP_AGENT_TOOL_ARGS_H
#define IOGAP_AGENT_TOOL_ARGS_H

#include "guest-agent/job.h"

#define TOOL_MAX_ARGS 24

/* What the tool of JOB's engine cannot do: EINVAL with the key. */
int tool_args_check(const Job *job, Fault *fault);

/* Its program works in a folder (guest-agent/tool-place.h), not on the job's file itself. */
bool tool_args_need_folder(const Job *job);

/*
 * argv without its first element, NULL-terminated, each to be freed by tool_args_free. JOB passed tool_args_check; FOLDER is where it
 * works, NULL unless it needs one. -ENOMEM.
 */
int tool_args_make(const Job *job, const char *folder, char *ret[TOOL_MAX_ARGS]);
void tool_args_free(char *args[TOOL_MAX_ARGS]);

/* dd does not know a time: it is asked to end (SIGINT, which makes it print its figures) unless it has a pass to finish, since the data
 * would otherwise not be synced. */
bool tool_args_is_stopped(const Job *job);

#endif
