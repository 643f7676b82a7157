/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/import/load.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "harness/base/error.h"

#define CHUNK (256 * 1024)

typedef struct archive Reader;
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Reader, archive_read_free)

static gboolean fail(GError **error, const char *name, const char *why)
{
	g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED, "%s: %s", name, why ? why : "no reason given");
	return FALSE;
}

static gboolean too_large(GError **error, const char *name, const char *what)
{
	g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED, "%s: %s more than %d MiB; split it", name, what,
		(int)(IMPORT_MOST_BYTES >> 20));
	return FALSE;
}

void import_loaded_free(ImportLoaded *loaded)
{
	if (!loaded)
		return;
	g_clear_pointer(&loaded->text, g_byte_array_unref);
	g_free(loaded->name);
	g_free(loaded->sha256);
	g_free(loaded);
}

static gboolean read_all(int fd, const char *name, GByteArray *out, GError **error)
{
	for (;;) {
		guint before = out->len;
		ssize_t got;

		g_byte_array_set_size(out, before + CHUNK);
		got = TEMP_FAILURE_RETRY(read(fd, out->data + before, CHUNK));
		g_byte_array_set_size(out, before + (guint)MAX(got, 0));
		if (got < 0)
			return fail(error, name, g_strerror(errno));
		if (got == 0)
			return TRUE;
		if (out->len > IMPORT_MOST_BYTES)
			return too_large(error, name, "it has");
	}
}

static GByteArray *read_path(const char *path, const char *name, GError **error)
{
	g_autoptr(GByteArray) out = g_byte_array_new();
	gboolean fine;
	int fd;

	if (g_str_equal(path, "-"))
		return read_all(STDIN_FILENO, name, out, error) ? g_steal_pointer(&out) : NULL;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		fail(error, name, g_strerror(errno));
		return NULL;
	}
	fine = read_all(fd, name, out, error);
	close(fd);
	return fine ? g_steal_pointer(&out) : NULL;
}

/* By magic numbers, so that no text is ever taken for a compressed form. */
static gboolean is_packed(const GByteArray *bytes)
{
	static const struct {
		const char *magic;
		gsize size;
	} kinds[] = {{"\x1f\x8b", 2}, {"\xfd" "7zXZ", 5}, {"\x28\xb5\x2f\xfd", 4}, {"BZh", 3}, {"\x04\x22\x4d\x18", 4}};

	for (guint i = 0; i < G_N_ELEMENTS(kinds); i++)
		if (bytes->len >= kinds[i].size && memcmp(bytes->data, kinds[i].magic, kinds[i].size) == 0)
			return TRUE;
	return FALSE;
}

static Reader *reader_new(void)
{
	Reader *reader = archive_read_new();

	archive_read_support_filter_gzip(reader);
	archive_read_support_filter_xz(reader);
	archive_read_support_filter_bzip2(reader);
	archive_read_support_filter_lz4(reader);
	archive_read_support_filter_zstd(reader);
	archive_read_support_format_raw(reader);
	return reader;
}

static GByteArray *unpack(const GByteArray *bytes, const char *name, GError **error)
{
	g_autoptr(Reader) reader = reader_new();
	g_autoptr(GByteArray) out = g_byte_array_new();
	struct archive_entry *entry;
	int rc = archive_read_open_memory(reader, bytes->data, bytes->len);

	if (rc == ARCHIVE_OK)
		rc = archive_read_next_header(reader, &entry);
	while (rc == ARCHIVE_OK) {
		guint before = out->len;
		la_ssize_t got;

		g_byte_array_set_size(out, before + CHUNK);
		got = archive_read_data(reader, out->data + before, CHUNK);
		g_byte_array_set_size(out, before + (guint)MAX(got, 0));
		if (got == 0)
			return g_steal_pointer(&out);
		if (got < 0)
			break;
		if (out->len > IMPORT_MOST_BYTES) {
			too_large(error, name, "unpacked it has");
			return NULL;
		}
	}
	g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED, "%s: cannot unpack it: %s", name,
		archive_error_string(reader) ? archive_error_string(reader) : "it ends too early");
	return NULL;
}

/* Some shells write UTF-16 when output is redirected. */
static gboolean to_utf8(GByteArray **bytes, const char *name, GError **error)
{
	const guint8 *data = (*bytes)->data;
	const char *from = NULL;
	g_autofree char *text = NULL;
	gsize size;

	if ((*bytes)->len >= 2 && data[0] == 0xff && data[1] == 0xfe)
		from = "UTF-16LE";
	else if ((*bytes)->len >= 2 && data[0] == 0xfe && data[1] == 0xff)
		from = "UTF-16BE";
	if (!from)
		return TRUE;
	text = g_convert((const char *)data + 2, (gssize)(*bytes)->len - 2, "UTF-8", from, NULL, &size, NULL);
	if (!text)
		return fail(error, name, "it begins like UTF-16, and is none");
	g_byte_array_unref(*bytes);
	*bytes = g_byte_array_new_take((guint8 *)g_steal_pointer(&text), size);
	return TRUE;
}

static ImportLoaded *finish(const char *name, GByteArray *taken, GError **error)
{
	g_autoptr(ImportLoaded) loaded = g_new0(ImportLoaded, 1);

	loaded->text = taken;
	loaded->name = g_strdup(name);
	loaded->bytes = taken->len;
	loaded->sha256 = g_compute_checksum_for_data(G_CHECKSUM_SHA256, taken->data, taken->len);
	if (is_packed(taken)) {
		GByteArray *text = unpack(taken, name, error);

		if (!text)
			return NULL;
		g_byte_array_unref(loaded->text);
		loaded->text = text;
	}
	if (!to_utf8(&loaded->text, name, error))
		return NULL;
	loaded->input.size = loaded->text->len;
	g_byte_array_append(loaded->text, (const guint8 *)"", 1);
	loaded->input.data = (const char *)loaded->text->data;
	loaded->input.name = loaded->name;
	return g_steal_pointer(&loaded);
}

ImportLoaded *import_load(const char *path, GError **error)
{
	const char *name = g_str_equal(path, "-") ? "standard input" : path;
	GByteArray *bytes = read_path(path, name, error);

	return bytes ? finish(name, bytes, error) : NULL;
}

ImportLoaded *import_load_bytes(const char *name, const void *data, gsize size, GError **error)
{
	GByteArray *bytes = g_byte_array_new();

	g_byte_array_append(bytes, data, (guint)size);
	return finish(name, bytes, error);
}
