/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compressed kernels and modules: one stream in, its bytes out, by libarchive's filters.
 * Who may include it: harness/side/guest.
 */
#ifndef IOGAP_SIDE_GUEST_UNPACK_H
#define IOGAP_SIDE_GUEST_UNPACK_H

#include <glib.h>

/*
 * Unpacks one gzip, xz, lzma, bzip2, lz4 (also the legacy form that kernels use) or zstd stream;
 * bytes of no known form are an error, as are more than MOST bytes of output. WHAT names the source
 * in messages.
 */
GBytes *unpack_stream(const void *data, gsize size, gsize most, const char *what, GError **error);

/* The content of a module file: the file's own bytes, or unpacked when its name ends in .gz, .xz or
 * .zst. */
GBytes *unpack_module(const char *file, GError **error);

#endif
