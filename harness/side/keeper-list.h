/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The keeper's list: what must be undone, as lines on the pipe and in the journal, and how it is
 * undone.
 *
 * A line is "SUM + KIND WHAT" or "SUM - KIND WHAT": SUM is eight hex digits over the rest, WHAT is
 * escaped as in C. A line whose sum is wrong, that lacks its newline, or whose kind is unknown is
 * skipped: half a path must never be removed. Who may include it: keeper.c, keeper-list.c and their
 * test. Needs libc and GLib only.
 */
#ifndef IOGAP_SIDE_KEEPER_LIST_H
#define IOGAP_SIDE_KEEPER_LIST_H

#include <glib.h>
#include "harness/side/keeper.h"

typedef struct {
	char *kind, *what;
} KeeperEntry;

/* An empty array of KeeperEntry *, which frees its entries. */
GPtrArray *keeper_list_new(void);

/* New text with its newline. SIGN is '+' or '-'. */
char *keeper_line(char sign, const char *kind, const char *what);

/* Applies one line (with or without its newline); FALSE, and LIST untouched, when it is damaged. */
gboolean keeper_list_apply(GPtrArray *list, const char *line);

/* Applies all complete lines of TEXT; *ret_damaged (may be NULL) counts the others. Returns the
 * number of bytes taken: up to and with the last newline. */
gsize keeper_list_apply_text(GPtrArray *list, const char *text, guint *ret_damaged);

/* Domains and processes first, then all else; each latest first. What is undone leaves the list.
 * REMARK (may be NULL) gets a line for each thing that was there. TRUE when nothing is left in the
 * list. */
gboolean keeper_list_undo(GPtrArray *list, KeeperDomain destroy_domain, GPtrArray *remark);

/* Kills PID if it started at START (clock ticks after boot, 0 = do not check) and waits until it is
 * gone, at most 10 s. TRUE when it is gone or was another process; *ret_killed (may be NULL) tells
 * whether it was there. */
gboolean keeper_kill(pid_t pid, guint64 start, gboolean *ret_killed);

/* Start time of PID in clock ticks after boot (field 22 of its stat), 0 when there is no such
 * process. */
guint64 keeper_start_time(pid_t pid);

#endif
