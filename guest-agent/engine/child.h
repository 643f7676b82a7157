/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One child program: an argument vector, never a shell; its input given beforehand, its output collected.
 *
 * Life: child_start -> { wait for wake_fd; child_collect } -> child_reap; or child_kill at any time after
 * child_start. A child never outlives the agent: the kernel kills it when the thread that started it ends. One child at a time.
 *
 * Who may include it: guest-agent. Depends on guest-agent/common.
 */
#ifndef IOGAP_ENGINE_CHILD_H
#define IOGAP_ENGINE_CHILD_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "guest-agent/common/fault.h"

#define CHILD_MAX_OUTPUT (16u << 20) /* bytes of each stream; more is an error, not cut */

/* What a stream gave so far, NUL-terminated. */
typedef struct {
	int fd; /* -1 after its end */
	char *text;
	size_t used, size;
} ChildStream;

typedef struct {
	pid_t pid;
	int wake_fd; /* an epoll descriptor: readable when there is something to collect */
	ChildStream out, err;
	struct sigaction before; /* what SIGCHLD did */
} Child;

/* Absolute path of PROGRAM in PATH, or in the usual folders where PATH is not set (process 1). False: not there. */
bool child_find(const char *program, char *ret, size_t size);

/*
 * Starts ARGV (argv[0] is the absolute path) with INPUT (may be NULL: empty) on its standard input. 0, or -errno with FAULT
 * set and nothing left.
 */
int child_start(Child *child, char *const *argv, const char *input, Fault *fault);
/* Reads what is there. 1: more may come; 0: both streams ended; -EFBIG or another -errno. */
int child_collect(Child *child);
/* Waits for its end and frees all but the texts (child_release): the exit status, or 128 + signal. */
int child_reap(Child *child);
/* SIGKILL, then reap. */
void child_kill(Child *child);
void child_release(Child *child);

#endif
