/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A file or standard input as text: bounded, unpacked, in UTF-8. Who may include it: harness/import, harness/cli, tests. */
#ifndef IOGAP_IMPORT_LOAD_H
#define IOGAP_IMPORT_LOAD_H

#include <gio/gio.h>

#include "harness/import/import.h"

typedef struct {
	char *name;   /* as given, or "standard input" */
	char *sha256; /* of the contents, unpacked */
	gsize bytes;  /* of the same */
	GByteArray *text;
	ImportInput input; /* points into the others */
} ImportLoaded;

/*
 * Reads STREAM (harness/import/stream.h) to its end; UTF-16 with a byte order mark (as some shells write) becomes UTF-8. NULL with the
 * error set: not readable, a folder, damaged, or more than IMPORT_MOST_BYTES before or after unpacking.
 */
ImportLoaded *import_load_stream(GInputStream *stream, GError **error);
/* The same of a file, or of standard input ("-"). */
ImportLoaded *import_load(const char *path, GError **error);
void import_loaded_free(ImportLoaded *loaded);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(ImportLoaded, import_loaded_free)

#endif
