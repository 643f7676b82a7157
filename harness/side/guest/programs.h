/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Programs of the host with everything that they need to start elsewhere: loader and libraries.
 *
 * Who may include it: harness/side/guest. Needs no hypervisor.
 */
#ifndef IOGAP_SIDE_GUEST_PROGRAMS_H
#define IOGAP_SIDE_GUEST_PROGRAMS_H

#include <glib.h>

/*
 * Absolute paths (char *), sorted, each once: of all PROGRAMS (names with a space between) the file as found in PATH, the loader that
 * it names, and the libraries that this loader finds for it on this host, all as they must be called in the guest. IOGAP_ERROR_FAILED,
 * naming the mend, when one is not there, is no program for 64-bit x86 (a script, say), or misses a library.
 */
GPtrArray *programs_resolve(const char *programs, GError **error);

/*
 * What keeps the file content DATA from being a program of the guest: "it is no ELF program" and the like, static; NULL = nothing. Then
 * *ret_loader is the loader that it names (new text), or NULL when it is linked statically.
 */
const char *programs_inspect(const void *data, gsize size, char **ret_loader);

#endif
