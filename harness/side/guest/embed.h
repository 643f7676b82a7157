/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The embedded driver's folder: its configuration, its lock, and what a killed harness left in it.
 *
 * ROOT (paths_runtime()/embed) belongs to one process at a time, so that under its lock everything
 * alive in it is a leftover. Who may include it: harness/side/guest. Knows libvirt's file layout,
 * calls no libvirt.
 */
#ifndef IOGAP_SIDE_GUEST_EMBED_H
#define IOGAP_SIDE_GUEST_EMBED_H

#include <glib.h>

#define EMBED_PREFIX "qemu:///embed?root="

/* New text: ROOT. */
char *embed_root(void);

/*
 * Takes ROOT's lock for the rest of this process's life (libvirt never lets go of its own either),
 * writes the configuration and removes leftovers. Again in the same process it does nothing.
 * IOGAP_ERROR_BUSY when another process has it, with its pid.
 */
gboolean embed_claim(const char *root, GError **error);

/* Kills the QEMU of guest NAME in ROOT, and removes its files. TRUE when nothing is left;
 * *ret_was_there as for keepers. */
gboolean embed_destroy(const char *root, const char *name, gboolean *ret_was_there);

/* Removes the files that libvirt keeps after guest NAME has ended: its log. */
void embed_forget(const char *root, const char *name);

/* For the keeper of a harness that died while it had ROOT: all that is left there, unless somebody
 * else has it now. */
gboolean embed_sweep(const char *root, gboolean *ret_was_there);

/* The process whose command line has an argument that begins with TEXT or holds TEXT, of this user;
 * 0 = none. */
pid_t embed_find_process(const char *text);

#endif
