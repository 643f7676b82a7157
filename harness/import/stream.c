/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/import/stream.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "harness/base/error.h"

#define CHUNK 262144
#define PEEK 4096
#define BEHIND 32 /* bytes of the second line that are wanted */
#define MAGIC 5 /* bytes of the longest magic number */

/*
 * A class because GLib has no other way to a stream of one's own. Its buffered stream would let one look at the begin too, but waits for
 * more than a pipe has.
 */
#define SOURCE_TYPE (source_get_type())
G_DECLARE_FINAL_TYPE(Source, source, IMPORT, SOURCE, GInputStream)

struct _Source {
	GInputStream parent;
	char *name;
	int fd;
	GChecksum *sum;
	gsize bytes;
	guint8 *chunk; /* CHUNK bytes of the file; HAVE bytes from AT on were not given on yet */
	gsize at, have;
	struct archive *reader; /* unpacks; NULL = the file is not packed */
	char head[PEEK]; /* contents that were looked at and not read yet, from head_at on */
	gsize head_at, head_size;
};

G_DEFINE_TYPE(Source, source, G_TYPE_INPUT_STREAM)

/* Reads on behind what the chunk holds: how much, 0 at the end, -1 with errno. */
static gssize refill(Source *source)
{
	guint8 *to;
	gssize got;

	if (source->have == 0)
		source->at = 0;
	to = source->chunk + source->at + source->have;
	got = TEMP_FAILURE_RETRY(read(source->fd, to, (gsize)(source->chunk + CHUNK - to)));
	if (got > 0) {
		source->bytes += (gsize)got;
		source->have += (gsize)got;
	}
	return got;
}

/* For libarchive: the next bytes of the file. */
static la_ssize_t give(struct archive *reader, void *data, const void **ret)
{
	Source *source = data;
	gsize size;

	if (source->have == 0 && refill(source) < 0) {
		archive_set_error(reader, errno, "%s", g_strerror(errno));
		return -1;
	}
	*ret = source->chunk + source->at;
	source->at += source->have;
	size = source->have;
	source->have = 0;
	return (la_ssize_t)size;
}

static gboolean fail(GError **error, const Source *source, const char *why)
{
	g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED, "%s: %s", source->name, why);
	return FALSE;
}

static gssize fail_unpacking(GError **error, const Source *source)
{
	const char *why = archive_error_string(source->reader);

	/* liblzma's words for input that ends too early. */
	if (why && strstr(why, "No progress is possible"))
		why = "truncated xz input";
	g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED, "%s: cannot unpack it: %s", source->name,
		why ? why : "it ends too early");
	return -1;
}

static gssize unpack(Source *source, void *buffer, gsize size, GError **error)
{
	la_ssize_t got;

	if (source->reader) {
		got = archive_read_data(source->reader, buffer, size);
		if (got < 0)
			return fail_unpacking(error, source);
		/* What stands behind the packed part belongs to the file and its size. */
		while (got == 0 && refill(source) > 0)
			source->have = 0;
		return got;
	}
	if (source->have == 0 && refill(source) < 0) {
		fail(error, source, g_strerror(errno));
		return -1;
	}
	size = MIN(size, source->have);
	memcpy(buffer, source->chunk + source->at, size);
	source->at += size;
	source->have -= size;
	return (gssize)size;
}

/* The next bytes of the contents, as many as there are at hand. */
static gssize read_on(Source *source, void *buffer, gsize size, GError **error)
{
	gssize got = unpack(source, buffer, size, error);

	if (got > 0)
		g_checksum_update(source->sum, buffer, got);
	return got;
}

static gssize source_read(GInputStream *stream, void *buffer, gsize size, G_GNUC_UNUSED GCancellable *cancel, GError **error)
{
	Source *source = IMPORT_SOURCE(stream);

	if (source->head_at == source->head_size)
		return read_on(source, buffer, size, error);
	size = MIN(size, source->head_size - source->head_at);
	memcpy(buffer, source->head + source->head_at, size);
	source->head_at += size;
	return (gssize)size;
}

static void source_finalize(GObject *object)
{
	Source *source = IMPORT_SOURCE(object);

	archive_read_free(source->reader);
	if (source->fd > STDIN_FILENO)
		close(source->fd);
	g_checksum_free(source->sum);
	g_free(source->chunk);
	g_free(source->name);
	G_OBJECT_CLASS(source_parent_class)->finalize(object);
}

static void source_class_init(SourceClass *class)
{
	G_OBJECT_CLASS(class)->finalize = source_finalize;
	G_INPUT_STREAM_CLASS(class)->read_fn = source_read;
}

static void source_init(Source *source)
{
	source->fd = -1;
	source->chunk = g_malloc(CHUNK);
	source->sum = g_checksum_new(G_CHECKSUM_SHA256);
}

/* By magic numbers, so that no text is ever taken for a compressed form. */
static gboolean is_packed(const Source *source)
{
	static const struct {
		const char *magic;
		gsize size;
	} kinds[] = {{"\x1f\x8b", 2}, {"\xfd" "7zXZ", 5}, {"\x28\xb5\x2f\xfd", 4}, {"BZh", 3}, {"\x04\x22\x4d\x18", 4}};

	for (guint i = 0; i < G_N_ELEMENTS(kinds); i++)
		if (source->have >= kinds[i].size && memcmp(source->chunk, kinds[i].magic, kinds[i].size) == 0)
			return TRUE;
	return FALSE;
}

static gboolean open_reader(Source *source, GError **error)
{
	struct archive_entry *entry;

	source->reader = archive_read_new();
	archive_read_support_filter_gzip(source->reader);
	archive_read_support_filter_xz(source->reader);
	archive_read_support_filter_bzip2(source->reader);
	archive_read_support_filter_lz4(source->reader);
	archive_read_support_filter_zstd(source->reader);
	archive_read_support_format_raw(source->reader);
	if (archive_read_open(source->reader, source, NULL, give, NULL) == ARCHIVE_OK &&
		archive_read_next_header(source->reader, &entry) == ARCHIVE_OK)
		return TRUE;
	fail_unpacking(error, source);
	return FALSE;
}

static gboolean start(Source *source, GError **error)
{
	gssize got = 1;

	/* A pipe may give the magic number in pieces. */
	while (got > 0 && source->have < MAGIC)
		got = refill(source);
	if (got < 0)
		return fail(error, source, g_strerror(errno));
	return !is_packed(source) || open_reader(source, error);
}

GInputStream *import_stream_open(const char *path, GError **error)
{
	gboolean standard = g_str_equal(path, "-");
	Source *source = g_object_new(SOURCE_TYPE, NULL);

	source->name = g_strdup(standard ? "standard input" : path);
	source->fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	if (source->fd < 0)
		fail(error, source, g_strerror(errno));
	else if (start(source, error))
		return G_INPUT_STREAM(source);
	g_object_unref(source);
	return NULL;
}

const char *import_stream_name(GInputStream *stream)
{
	return IMPORT_SOURCE(stream)->name;
}

/* A line and the begin of the next one: more, and a pipe whose writer waits for us would never go on. */
static gboolean has_seen(const Source *source)
{
	const char *end = memchr(source->head, '\n', source->head_size);

	return end && source->head + source->head_size - end > BEHIND;
}

const char *import_stream_peek(GInputStream *stream, gsize *ret_size, GError **error)
{
	Source *source = IMPORT_SOURCE(stream);
	gssize got = 1;

	while (got > 0 && source->head_size < PEEK && !has_seen(source)) {
		got = read_on(source, source->head + source->head_size, PEEK - source->head_size, error);
		if (got < 0)
			return NULL;
		source->head_size += (gsize)got;
	}
	*ret_size = source->head_size;
	return source->head;
}

gsize import_stream_bytes(GInputStream *stream)
{
	return IMPORT_SOURCE(stream)->bytes;
}

const char *import_stream_sha256(GInputStream *stream)
{
	return g_checksum_get_string(IMPORT_SOURCE(stream)->sum);
}
