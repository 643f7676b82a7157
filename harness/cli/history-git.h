/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The order that git gives to commits. Who may include it: harness/cli. */
#ifndef IOGAP_CLI_HISTORY_GIT_H
#define IOGAP_CLI_HISTORY_GIT_H

#include <glib.h>

/*
 * COMMITS (of char *, at least one, each once) as full ids, ancestors first, by the checkout that the working folder is in;
 * NULL-terminated, owned by the caller. NULL when that checkout does not know all of them; *ret_why (a new text) says why.
 */
char **history_git_order(const GPtrArray *commits, char **ret_why);

#endif
