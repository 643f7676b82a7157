/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/run/extents.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/base/error.h"

#define EXTENTS 256 /* asked for at once */

static gboolean refuse(GError **error, const char *path, const char *what, guint64 at)
{
	g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED,
		"%s has %s at byte %" G_GUINT64_FORMAT " although it was filled: reads there would come from memory, not from the storage. "
		"Use a target on a file system that keeps what is written (not one that compresses or looks for zeros)",
		path, what, at);
	return FALSE;
}

static const char *not_written(guint32 flags)
{
	if (flags & FIEMAP_EXTENT_UNWRITTEN)
		return "an unwritten extent";
	if (flags & (FIEMAP_EXTENT_DELALLOC | FIEMAP_EXTENT_UNKNOWN))
		return "data without a place on the disk";
	return NULL;
}

/* Passes *AT over the extents of MAP that join on; *ret_last when the file ends with them. */
static gboolean pass(const char *path, const struct fiemap *map, guint64 size, guint64 *at, gboolean *ret_last, GError **error)
{
	for (guint32 i = 0; i < map->fm_mapped_extents && *at < size; i++) {
		const struct fiemap_extent *extent = &map->fm_extents[i];
		const char *what = not_written(extent->fe_flags);

		if (extent->fe_logical > *at)
			return refuse(error, path, "a hole", *at);
		if (what)
			return refuse(error, path, what, *at);
		*at = extent->fe_logical + extent->fe_length;
		*ret_last = (extent->fe_flags & FIEMAP_EXTENT_LAST) != 0;
	}
	return TRUE;
}

static gboolean check_holes(const char *path, int fd, guint64 size, GError **error)
{
	off_t hole = lseek(fd, 0, SEEK_HOLE);

	if (hole < 0 || (guint64)hole >= size)
		return TRUE;
	return refuse(error, path, "a hole", (guint64)hole);
}

static gboolean check_map(const char *path, int fd, guint64 size, GError **error)
{
	g_autofree struct fiemap *map = g_malloc0(sizeof(*map) + EXTENTS * sizeof(struct fiemap_extent));
	gboolean last = FALSE;
	guint64 at = 0;

	while (at < size) {
		guint64 before = at;

		map->fm_start = at;
		map->fm_length = size - at;
		map->fm_flags = FIEMAP_FLAG_SYNC;
		map->fm_extent_count = EXTENTS;
		if (ioctl(fd, FS_IOC_FIEMAP, map) < 0) {
			if (errno == EOPNOTSUPP || errno == ENOTTY)
				return check_holes(path, fd, size, error);
			g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED, "the extent map of %s cannot be read: %s", path,
				g_strerror(errno));
			return FALSE;
		}
		if (!pass(path, map, size, &at, &last, error))
			return FALSE;
		if (at < size && (at == before || last))
			return refuse(error, path, "a hole", at);
	}
	return TRUE;
}

gboolean extents_check(const char *path, guint64 size, GError **error)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	gboolean ok;

	if (fd < 0 || fstat(fd, &st) < 0) {
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED, "%s cannot be opened to look at its extents: %s", path,
			g_strerror(errno));
		if (fd >= 0)
			close(fd);
		return FALSE;
	}
	ok = S_ISBLK(st.st_mode) || check_map(path, fd, size, error);
	close(fd);
	return ok;
}
