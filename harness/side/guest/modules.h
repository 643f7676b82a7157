/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which files make a kernel's modules work, in the order in which they are to be loaded, as libkmod
 * tells from MODULES_DIR/VERSION (modules.dep, modules.softdep, modules.builtin). The host's own
 * modprobe configuration has no part in it: the same kernel gives the same answer everywhere. Who
 * may include it: harness/side/guest.
 */
#ifndef IOGAP_SIDE_GUEST_MODULES_H
#define IOGAP_SIDE_GUEST_MODULES_H

#include <glib.h>

typedef struct {
	const char *name;
	gboolean optional; /* FALSE: neither built in nor there is an error */
	const char *why;   /* what needs it, for messages */
} ModuleWanted;

/*
 * Absolute paths (char *) of all that WANTED (ended by a NULL name) and its dependencies, hard and
 * soft, need; what is built in needs no file. Each path once, dependencies first. Fails with
 * IOGAP_ERROR_FAILED for a missing folder or index and for a missing module, naming the mend.
 */
GPtrArray *modules_resolve(
	const char *modules_dir, const char *version, const ModuleWanted *wanted, GError **error);

#endif
