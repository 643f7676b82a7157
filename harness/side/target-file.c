/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Targets that are files, in a folder or on a tmpfs; and what all targets with files share. */
#include "harness/side/target-private.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/base/error.h"

#define SHM "/dev/shm"
#define MIN_SIZE (G_GUINT64_CONSTANT(1) << 20)

gboolean target_usage(GError **error, const char *what)
{
	g_set_error_literal(error, IOGAP_ERROR, IOGAP_ERROR_USAGE, what);
	return FALSE;
}

/* ---- what was made, for the keeper and for the way back ------------------------------------- */

void target_announce(Target *target, const char *kind, const char *what)
{
	target_made_add(target->made, target->keeper, kind, what);
}

/* The latest announcement was wrong: nothing was made, or the thing is somebody else's. */
void target_take_back(Target *target)
{
	target_made_take_back(target->made, target->keeper);
}

/* ---- folders and files ----------------------------------------------------------------------- */

const char *target_folder_of(const TargetSpec *spec)
{
	return spec->path ? spec->path : spec->folder;
}

char *target_existing_part(const char *path)
{
	char *part = g_canonicalize_filename(path, NULL);

	while (!g_file_test(part, G_FILE_TEST_EXISTS)) {
		char *parent = g_path_get_dirname(part);
		gboolean stuck = g_str_equal(parent, part);

		g_free(part);
		part = parent;
		if (stuck)
			break;
	}
	return part;
}

gboolean target_make_folder(Target *target, const char *path, GError **error)
{
	g_autofree char *parent = NULL;
	int saved;

	if (g_file_test(path, G_FILE_TEST_IS_DIR))
		return TRUE;
	parent = g_path_get_dirname(path);
	if (!target_make_folder(target, parent, error))
		return FALSE;
	target_announce(target, "dir", path);
	if (mkdir(path, 0755) == 0)
		return TRUE;
	saved = errno;
	target_take_back(target);
	if (saved == EEXIST)
		return TRUE;
	g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED, "cannot make the folder %s: %s", path, g_strerror(saved));
	return FALSE;
}

gboolean target_check_size(const TargetSpec *spec, GError **error)
{
	if (spec->size < MIN_SIZE)
		return target_usage(error, "its size must be at least 1M");
	if (spec->size > G_MAXINT64 / 2)
		return target_usage(error, "its size is beyond what a file can have");
	if (spec->size % 4096)
		return target_usage(error, "its size must be a multiple of 4096 bytes");
	return TRUE;
}

/* A folder that the user named must be there; the default one may be made. */
static char *check_folder(const TargetSpec *spec, GError **error)
{
	const char *path = target_folder_of(spec);
	struct stat st;

	if (!path) {
		target_usage(error, "it has neither a path nor a default folder");
		return NULL;
	}
	if (spec->path && stat(path, &st) < 0) {
		if (errno == EACCES)
			target_may_write(path, error);
		else
			g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED,
				"there is no folder %s (%s); make it or name another", path,
				g_strerror(errno));
		return NULL;
	}
	if (spec->path && S_ISREG(st.st_mode)) {
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED,
			"%s is a file that exists already and is never overwritten; name the folder in which to make one",
			path);
		return NULL;
	}
	if (spec->path && !S_ISDIR(st.st_mode)) {
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED,
			"%s is not a folder%s", path,
			S_ISBLK(st.st_mode) ? "; for a device use `type: block`" : "");
		return NULL;
	}
	return target_existing_part(path);
}

gboolean target_check_files(const TargetSpec *spec, guint64 space, Record *record, GError **error)
{
	g_autofree char *folder = target_check_size(spec, error) ? check_folder(spec, error) : NULL;

	if (!folder || !target_may_write(folder, error) || !target_has_space(folder, space, error))
		return FALSE;
	if (record) {
		target_probe_folder(folder, record);
		record_set_int(record, "size", (gint64)spec->size);
	}
	return TRUE;
}

/* Makes PATH with SIZE reserved bytes. Never opens what exists: O_EXCL follows no links either. */
gboolean target_make_file(Target *target, const char *path, guint64 size, GError **error)
{
	int fd, rc, saved;

	target_announce(target, "file", path);
	fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	saved = errno;
	if (fd < 0) {
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED, "cannot make the file %s: %s", path,
			g_strerror(saved));
		target_take_back(target);
		return FALSE;
	}
	rc = fallocate(fd, 0, 0, (off_t)size) < 0 ? -errno : 0;
	/* NFS and ZFS cannot reserve; the fill that follows writes every byte and meets the limit then. */
	if (rc == -EOPNOTSUPP)
		rc = ftruncate(fd, (off_t)size) < 0 ? -errno : 0;
	close(fd);
	if (rc == 0)
		return TRUE;
	g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED,
		"cannot reserve %" G_GUINT64_FORMAT " bytes for %s: %s; make the target's size smaller or name another folder",
		size, path, g_strerror(-rc));
	return FALSE;
}

char *target_in_folder(const Target *target, const char *folder, const char *ending)
{
	g_autofree char *name = g_strconcat(target->stem, ending, NULL);

	return g_build_filename(folder, name, NULL);
}

gboolean target_mount_on(Target *target, const char *source, const char *type, const char *data,
	char **ret_folder, GError **error)
{
	g_autofree char *folder = g_canonicalize_filename(target->folder, NULL);
	g_autofree char *point = target_in_folder(target, folder, ".mnt");

	if (!target_make_folder(target, point, error))
		return FALSE;
	target_announce(target, "mount", point);
	if (mount(source, point, type, MS_NOSUID | MS_NODEV | MS_NOEXEC, data) < 0) {
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED, "cannot mount %s (%s) at %s: %s", source, type,
			point, errno == ENODEV ? "the kernel does not have this file system" : g_strerror(errno));
		target_take_back(target);
		return FALSE;
	}
	*ret_folder = g_steal_pointer(&point);
	return TRUE;
}

/* ---- file -------------------------------------------------------------------------------------- */

gboolean target_file_check(const TargetSpec *spec, Record *record, GError **error)
{
	return target_check_files(spec, spec->size, record, error);
}

gboolean target_file_make(Target *target, const TargetSpec *spec, GError **error)
{
	g_autofree char *folder = g_canonicalize_filename(target->folder, NULL);

	if (!target_make_folder(target, folder, error))
		return FALSE;
	target->path = target_in_folder(target, folder, ".raw");
	if (!target_make_file(target, target->path, spec->size, error))
		return FALSE;
	target_probe_folder(folder, target->facts);
	return TRUE;
}

/* ---- tmpfs ------------------------------------------------------------------------------------- */

static gboolean on_tmpfs(const char *folder)
{
	g_autofree char *filesystem = target_filesystem(folder);

	return g_strcmp0(filesystem, "tmpfs") == 0;
}

const char *target_tmpfs_folder(const TargetSpec *spec)
{
	return spec->path ? spec->path : on_tmpfs(SHM) ? SHM : NULL;
}

gboolean target_tmpfs_check(const TargetSpec *spec, Record *record, GError **error)
{
	TargetSpec inside = *spec;

	inside.path = target_tmpfs_folder(spec);
	if (!inside.path) {
		if (geteuid() != 0) {
			g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED,
				SHM " is no tmpfs and this user may not mount one; give a path on a tmpfs");
			return FALSE;
		}
		if (!target_check_files(spec, 0, NULL, error))
			return FALSE;
		if (record) {
			record_set_text(record, "filesystem", "tmpfs");
			record_set_int(record, "memory", 1);
			record_set_null(record, "direct");
			record_set_int(record, "size", (gint64)spec->size);
		}
		return TRUE;
	}
	if (g_file_test(inside.path, G_FILE_TEST_IS_DIR) && !on_tmpfs(inside.path)) {
		g_autofree char *filesystem = target_filesystem(inside.path);

		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED,
			"%s lies on %s, not on a tmpfs; leave out path, or use `type: file`", inside.path,
			filesystem ? filesystem : "an unknown file system");
		return FALSE;
	}
	return target_check_files(&inside, spec->size, record, error);
}

gboolean target_tmpfs_make(Target *target, const TargetSpec *spec, GError **error)
{
	g_autofree char *data = NULL;
	g_autofree char *folder = NULL;

	if (target_tmpfs_folder(spec))
		return target_file_make(target, spec, error);
	data = g_strdup_printf("mode=0700,size=%" G_GUINT64_FORMAT, spec->size + spec->size / 20 + MIN_SIZE);
	if (!target_mount_on(target, "tmpfs", "tmpfs", data, &folder, error) ||
		!target_has_space(folder, spec->size, error))
		return FALSE;
	target->path = target_in_folder(target, folder, ".raw");
	if (!target_make_file(target, target->path, spec->size, error))
		return FALSE;
	target_probe_folder(folder, target->facts);
	return TRUE;
}
