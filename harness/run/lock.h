/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One sweep at a time writes into a store: a lock file beside it, held while the sweep lives. */
#ifndef IOGAP_RUN_LOCK_H
#define IOGAP_RUN_LOCK_H

#include <glib.h>

/*
 * Takes the lock of STORE (its folder exists). Returns a descriptor that holds it, for lock_release, or -1: IOGAP_ERROR_BUSY names
 * the process that has it. The file stays: removing it would let two holders in.
 */
int lock_take(const char *store, GError **error);
void lock_release(int fd); /* -1 is allowed */

#endif
