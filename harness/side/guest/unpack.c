/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/side/guest/unpack.h"

#include <archive.h>
#include <archive_entry.h>

#include "harness/base/error.h"

#define MOST_MODULE (256u << 20)

typedef struct archive Reader;
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Reader, archive_read_free)

static gboolean fail(GError **error, const char *what, const char *why)
{
	g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED, "cannot unpack %s: %s", what,
		why ? why : "no reason given");
	return FALSE;
}

/* lzop is not among them: libarchive would start a program for it. */
static Reader *reader_new(void)
{
	Reader *reader = archive_read_new();

	archive_read_support_filter_gzip(reader);
	archive_read_support_filter_xz(reader);
	archive_read_support_filter_lzma(reader);
	archive_read_support_filter_bzip2(reader);
	archive_read_support_filter_lz4(reader);
	archive_read_support_filter_zstd(reader);
	archive_read_support_format_raw(reader);
	return reader;
}

static gboolean read_all(
	Reader *reader, GByteArray *out, gsize most, const char *what, GError **error)
{
	const void *block;
	size_t size;
	la_int64_t offset;
	int rc;

	while ((rc = archive_read_data_block(reader, &block, &size, &offset)) == ARCHIVE_OK) {
		if (size > most - out->len)
			return fail(error, what,
				"it is larger than anything of its kind; is it damaged?");
		g_byte_array_append(out, block, size);
	}
	return rc == ARCHIVE_EOF || fail(error, what, archive_error_string(reader));
}

GBytes *unpack_stream(const void *data, gsize size, gsize most, const char *what, GError **error)
{
	g_autoptr(Reader) reader = reader_new();
	g_autoptr(GByteArray) out = g_byte_array_new();
	struct archive_entry *entry;

	if (archive_read_open_memory(reader, data, size) != ARCHIVE_OK ||
		archive_read_next_header(reader, &entry) != ARCHIVE_OK) {
		fail(error, what, archive_error_string(reader));
		return NULL;
	}
	if (archive_filter_code(reader, 0) == ARCHIVE_FILTER_NONE) {
		fail(error, what, "it is in no known compressed form");
		return NULL;
	}
	if (!read_all(reader, out, most, what, error))
		return NULL;
	return g_byte_array_free_to_bytes(g_steal_pointer(&out));
}

static gboolean is_packed(const char *file)
{
	return g_str_has_suffix(file, ".gz") || g_str_has_suffix(file, ".xz") ||
	       g_str_has_suffix(file, ".zst");
}

GBytes *unpack_module(const char *file, GError **error)
{
	g_autofree char *data = NULL;
	g_autoptr(GError) cause = NULL;
	gsize size;

	if (!g_file_get_contents(file, &data, &size, &cause)) {
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED,
			"cannot read a kernel module: %s", cause->message);
		return NULL;
	}
	if (is_packed(file))
		return unpack_stream(data, size, MOST_MODULE, file, error);
	return g_bytes_new_take(g_steal_pointer(&data), size);
}
