/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A file or standard input as a stream of what it holds: unpacked while it is read, so that memory does not grow with it.
 * Who may include it: harness/import, harness/cli, tests.
 */
#ifndef IOGAP_IMPORT_STREAM_H
#define IOGAP_IMPORT_STREAM_H

#include <gio/gio.h>

/*
 * Opens PATH ("-" = standard input, which stays open); gzip, xz, zstd, bzip2 and lz4 are unpacked by what the content is. Free with
 * g_object_unref. NULL with IOGAP_ERROR_FAILED "NAME: cause".
 */
GInputStream *import_stream_open(const char *path, GError **error);
/* What messages call it: the path, or "standard input". Borrowed. */
const char *import_stream_name(GInputStream *stream);

/* The first bytes that it unpacks to, without taking them: the first line and the begin of the next at least, 4096 at most. Borrowed until
 * the next read; to be called before the first one. NULL with the error set when they cannot be read. */
const char *import_stream_peek(GInputStream *stream, gsize *ret_size, GError **error);

/* Bytes as they lie in the file, packed or not, and the SHA-256 of what they unpack to, in hexadecimal (borrowed), so that a file is known
 * however it is packed: of all of them once the stream has ended. */
gsize import_stream_bytes(GInputStream *stream);
const char *import_stream_sha256(GInputStream *stream);

#endif
