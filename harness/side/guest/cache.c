/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/side/guest/cache.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "harness/base/error.h"
#include "harness/base/paths.h"

#define KEEP_S (30 * 24 * 3600)

char *cache_digest(const void *data, gsize size)
{
	return g_compute_checksum_for_data(G_CHECKSUM_SHA256, data, size);
}

static char *digest_path(const char *path)
{
	return g_strconcat(path, ".sha256", NULL);
}

/* The time of the last use, for sweep_old. */
static void touch(const char *path)
{
	g_autofree char *digest = digest_path(path);

	utimensat(AT_FDCWD, path, NULL, 0);
	utimensat(AT_FDCWD, digest, NULL, 0);
}

/* Also takes what a killed maker left half made. */
static void sweep_old(const char *folder)
{
	GDir *dir = g_dir_open(folder, 0, NULL);
	time_t now = time(NULL);
	const char *name;

	while (dir && (name = g_dir_read_name(dir))) {
		g_autofree char *path = g_build_filename(folder, name, NULL);
		struct stat st;

		if (!lstat(path, &st) && S_ISREG(st.st_mode) && now - st.st_mtime > KEEP_S)
			unlink(path);
	}
	if (dir)
		g_dir_close(dir);
}

static gboolean put_file(const char *path, const char *data, gsize size, GError **error)
{
	g_autoptr(GError) cause = NULL;

	/* CONSISTENT: a file of its own first, then a rename, in every case. */
	if (g_file_set_contents_full(
		    path, data, size, G_FILE_SET_CONTENTS_CONSISTENT, 0600, &cause))
		return TRUE;
	g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED,
		"cannot write to the cache: %s; make room there, or name another folder with "
		"IOGAP_CACHE",
		cause->message);
	return FALSE;
}

char *cache_get(const char *folder, const char *name)
{
	g_autofree char *path = g_build_filename(folder, name, NULL);
	g_autofree char *digest_file = digest_path(path);
	g_autofree char *noted = NULL;
	g_autofree char *digest = NULL;
	GMappedFile *content;

	if (!g_file_get_contents(digest_file, &noted, NULL, NULL))
		return NULL;
	content = g_mapped_file_new(path, FALSE, NULL);
	if (!content)
		return NULL;
	digest = cache_digest(
		g_mapped_file_get_contents(content), g_mapped_file_get_length(content));
	g_mapped_file_unref(content);
	if (!g_str_equal(g_strchomp(noted), digest))
		return NULL;
	touch(path);
	return g_steal_pointer(&path);
}

char *cache_put(const char *folder, const char *name, GBytes *content, GError **error)
{
	g_autofree char *path = g_build_filename(folder, name, NULL);
	g_autofree char *digest_file = digest_path(path);
	gsize size;
	const char *data = g_bytes_get_data(content, &size);
	g_autofree char *digest = cache_digest(data, size);
	g_autofree char *there = NULL;
	g_autofree char *noted = NULL;

	if (!paths_ensure(folder, error))
		return NULL;
	sweep_old(folder);
	there = cache_get(folder, name);
	if (there && g_file_get_contents(digest_file, &noted, NULL, NULL) &&
		g_str_equal(g_strchomp(noted), digest))
		return g_steal_pointer(&there);
	/* Should this stop between the two, the digest does not fit and the file is made anew. */
	if (!put_file(digest_file, digest, strlen(digest), error) ||
		!put_file(path, data, size, error))
		return NULL;
	return g_steal_pointer(&path);
}
