/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One sweep at a time writes into a store, and one at a time measures on a machine: both locks are held while the sweep lives. */
#ifndef IOGAP_RUN_LOCK_H
#define IOGAP_RUN_LOCK_H

#include <glib.h>

/*
 * Takes the lock of STORE (its folder exists). Returns a descriptor that holds it, for lock_release, or -1: IOGAP_ERROR_BUSY names
 * the process that has it. The file stays: removing it would let two holders in.
 */
int lock_take(const char *store, GError **error);

/*
 * Takes the lock NAME of the machine (LOCK_MACHINE but in tests): an abstract UNIX socket, so that no folder, store or user has a lock
 * of its own, and a killed holder leaves none. Containers with a network namespace of their own are not seen. Returns a
 * descriptor for lock_release, or -1: IOGAP_ERROR_BUSY names the process that has it and says what to do.
 */
#define LOCK_MACHINE "iogap-sweep"
int lock_take_machine(const char *name, GError **error);
/* TRUE when the user wants sweeps to measure at the same time (IOGAP_ALLOW_PARALLEL=1). */
gboolean lock_parallel_allowed(void);

void lock_release(int fd); /* -1 is allowed */

#endif
