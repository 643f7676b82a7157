/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Scope-exit cleanup for the agent: CLEANUP_FREE, CLEANUP_CLOSE and CLEANUP_JSON before a variable free, close or
 * drop what it holds when the scope ends. Set the variable to NULL or -1 to hand the thing over.
 *
 * Who may include it: the agent. Needs libc and Jansson.
 */
#ifndef IOGAP_COMMON_CLEANUP_H
#define IOGAP_COMMON_CLEANUP_H

#include <jansson.h>
#include <unistd.h>

static inline void cleanup_free(void *at)
{
	free(*(void **)at);
}

static inline void cleanup_close(int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

static inline void cleanup_json(json_t **json)
{
	json_decref(*json);
}

#define CLEANUP_FREE __attribute__((cleanup(cleanup_free)))
#define CLEANUP_CLOSE __attribute__((cleanup(cleanup_close)))
#define CLEANUP_JSON __attribute__((cleanup(cleanup_json)))

#endif
