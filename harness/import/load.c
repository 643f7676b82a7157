/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/import/load.h"

#include <string.h>

#include "harness/base/error.h"
#include "harness/import/stream.h"

#define CHUNK (256 * 1024)

static gboolean fail(GError **error, const char *name, const char *why)
{
	g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED, "%s: %s", name, why ? why : "no reason given");
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

static GByteArray *read_all(GInputStream *stream, const char *name, GError **error)
{
	g_autoptr(GByteArray) out = g_byte_array_new();

	for (;;) {
		guint before = out->len;
		gssize got;

		g_byte_array_set_size(out, before + CHUNK);
		got = g_input_stream_read(stream, out->data + before, CHUNK, NULL, error);
		g_byte_array_set_size(out, before + (guint)MAX(got, 0));
		if (got == 0)
			return g_steal_pointer(&out);
		if (got < 0)
			return NULL;
		if (out->len > IMPORT_MOST_BYTES || import_stream_bytes(stream) > IMPORT_MOST_BYTES) {
			g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED, "%s: it has more than %d MiB; split it", name,
				(int)(IMPORT_MOST_BYTES >> 20));
			return NULL;
		}
	}
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

/* Editors and shells of Windows put it before UTF-8; JSON knows no such thing. */
static void drop_byte_order_mark(GByteArray *text)
{
	if (text->len >= 3 && memcmp(text->data, "\xef\xbb\xbf", 3) == 0)
		g_byte_array_remove_range(text, 0, 3);
}

ImportLoaded *import_load_stream(GInputStream *stream, GError **error)
{
	g_autoptr(ImportLoaded) loaded = g_new0(ImportLoaded, 1);

	loaded->name = g_strdup(import_stream_name(stream));
	loaded->text = read_all(stream, loaded->name, error);
	if (!loaded->text || !to_utf8(&loaded->text, loaded->name, error))
		return NULL;
	drop_byte_order_mark(loaded->text);
	loaded->bytes = import_stream_bytes(stream);
	loaded->sha256 = g_strdup(import_stream_sha256(stream));
	loaded->input.size = loaded->text->len;
	g_byte_array_append(loaded->text, (const guint8 *)"", 1);
	loaded->input.data = (const char *)loaded->text->data;
	loaded->input.name = loaded->name;
	return g_steal_pointer(&loaded);
}

ImportLoaded *import_load(const char *path, GError **error)
{
	g_autoptr(GInputStream) stream = import_stream_open(path, error);

	return stream ? import_load_stream(stream, error) : NULL;
}
