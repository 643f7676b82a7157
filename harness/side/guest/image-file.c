/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/base/error.h"
#include "harness/base/subprocess.h"
#include "harness/side/guest/image-private.h"
#include "harness/side/target.h"

#define QEMU_IMG_S 60
#define SECTOR 512
/* The smallest Linux distributions are larger. */
#define LEAST (8u << 20)

static gboolean no(GError **error, const char *file, const char *format, ...) G_GNUC_PRINTF(3, 4);

static gboolean no(GError **error, const char *file, const char *format, ...)
{
	g_autofree char *why = NULL;
	va_list args;

	va_start(args, format);
	why = g_strdup_vprintf(format, args);
	va_end(args);
	g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_USAGE, "%s: %s", file, why);
	return FALSE;
}

/* ---- what qemu-img says ---------------- */

/* What it said, as one line. New text. */
static char *words_of(const char *err)
{
	return g_strdelimit(g_strdup(g_str_has_prefix(err, "qemu-img: ") ? err + strlen("qemu-img: ") : err), "\n", ' ');
}

static gboolean info_failed(const char *file, const char *err, GError **error)
{
	g_autofree char *words = words_of(err);

	return no(error, file, "qemu-img cannot read it: %s", words);
}

/* The locks of a raw image are no matter to it; those are image_file_locked's. */
json_t *image_file_info(const char *file, GError **error)
{
	const char *argv[] = {"qemu-img", "info", "--force-share", "--output=json", file, NULL};
	g_autofree char *out = NULL;
	g_autofree char *err = NULL;
	json_t *info;
	int status;

	if (!subprocess_run(argv, QEMU_IMG_S, &out, &err, &status, error))
		return NULL;
	if (status != 0) {
		info_failed(file, err, error);
		return NULL;
	}
	info = json_loads(out, 0, NULL);
	if (!info)
		no(error, file, "qemu-img says something that is no JSON about it");
	return info;
}

static gboolean check_info(const char *file, const char *declared, const json_t *info, const char **ret_format, GError **error)
{
	static const char *const formats[] = {"raw", "qcow2", NULL};
	const char *format = json_string_value(json_object_get(info, "format"));
	const json_t *data = json_object_get(json_object_get(info, "format-specific"), "data");

	*ret_format = NULL;
	for (guint i = 0; formats[i]; i++)
		if (!g_strcmp0(format, formats[i]))
			*ret_format = formats[i];
	if (declared && g_strcmp0(format, declared))
		return no(error, file, "it is declared to be %s, and its content is %s; name the true format, or none", declared, format);
	if (!g_strcmp0(format, "luks") || json_is_true(json_object_get(info, "encrypted")))
		return no(error, file, "it is encrypted, and iogap asks for no passphrase; use an image that is not");
	if (!*ret_format)
		return no(error, file, "its format is %s; convert it: qemu-img convert -O qcow2 %s NEW.qcow2", format ? format : "unknown",
			file);
	if (json_is_true(json_object_get(data, "corrupt")))
		return no(error, file, "it is marked as corrupt; qemu-img check -r all may mend a copy");
	return TRUE;
}

/*
 * QEMU locks one byte of a file for each thing that it may do with it, and byte 100 + 1 stands for writing (RAW_LOCK_PERM_BASE and
 * BLK_PERM_WRITE of its sources; the same since 2.10). Asking is enough: nothing is locked here. A file system without such locks has no
 * answer, and then neither has QEMU.
 */
#define WRITER_BYTE 101

gboolean image_file_locked(const char *file, guint byte)
{
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1};
	int fd = open(file, O_RDONLY | O_CLOEXEC);
	gboolean locked = fd >= 0 && fcntl(fd, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;

	if (fd >= 0)
		close(fd);
	return locked;
}

/* ---- who else has it ---------------- */

/* The loop device through which this host may write to the file of ST, new text, or NULL. QEMU's lock knows nothing of those. */
static char *loop_of(const struct stat *st)
{
	g_autoptr(GDir) dir = g_dir_open("/sys/block", 0, NULL);
	const char *name;

	while (dir && (name = g_dir_read_name(dir))) {
		g_autofree char *backing = g_build_filename("/sys/block", name, "loop/backing_file", NULL);
		g_autofree char *mark = g_build_filename("/sys/block", name, "ro", NULL);
		g_autofree char *file = NULL;
		g_autofree char *read_only = NULL;
		struct stat other;

		if (!g_file_get_contents(backing, &file, NULL, NULL) || stat(g_strchomp(file), &other) < 0 || other.st_dev != st->st_dev ||
			other.st_ino != st->st_ino)
			continue;
		if (!g_file_get_contents(mark, &read_only, NULL, NULL) || *read_only != '1')
			return g_strconcat("/dev/", name, NULL);
	}
	return NULL;
}

static gboolean check_device(const char *file, GError **error)
{
	g_autoptr(GError) cause = NULL;
	int fd;

	if (!target_device_idle(file, &cause))
		return no(error, file, "it is in use: %s", cause->message);
	/* What the kernel has claimed otherwise. */
	fd = open(file, O_RDONLY | O_EXCL | O_CLOEXEC);
	if (fd < 0 && errno == EBUSY)
		return no(error, file, "it is in use by another program or the kernel; `fuser -v %s` may show it", file);
	if (fd < 0)
		return no(error, file, "it cannot be read: %s", g_strerror(errno));
	close(fd);
	return TRUE;
}

/* Whoever else writes to it changes what lies below an overlay. */
static gboolean check_unused(const char *file, const struct stat *st, GError **error)
{
	g_autofree char *loop = NULL;

	if (image_file_locked(file, WRITER_BYTE))
		return no(error, file, "it is in use: another QEMU has it open for writing; shut that guest down first, or prepare a copy");
	if (S_ISBLK(st->st_mode))
		return check_device(file, error);
	loop = loop_of(st);
	if (loop)
		return no(error, file, "it is in use: it is attached to %s of this host; unmount that and detach it (losetup -d %s), or prepare a copy",
			loop, loop);
	return TRUE;
}

static gboolean check_file(const char *file, struct stat *ret_st, GError **error)
{
	if (stat(file, ret_st) < 0 || access(file, R_OK) < 0)
		return no(error, file, "it cannot be read: %s", g_strerror(errno));
	if (!S_ISREG(ret_st->st_mode) && !S_ISBLK(ret_st->st_mode))
		return no(error, file, "it is neither a file nor a block device");
	return check_unused(file, ret_st, error);
}

/* More below each other are a circle. */
#define CHAIN 64

/* INFO's backing file when it is a file; a name of a network is for QEMU to open. */
static const char *below_of(const json_t *info)
{
	const char *below = json_string_value(json_object_get(info, "full-backing-filename"));

	return below && *below == '/' ? below : NULL;
}

/* Below a raw file nothing can lie, whatever its content says. */
static gboolean is_raw_below(const json_t *info)
{
	return !g_strcmp0(json_string_value(json_object_get(info, "backing-filename-format")), "raw");
}

/* What lies below FILE, of this INFO, must be as good as FILE itself: all of it is read. */
static gboolean check_below(const char *file, json_t *info, GError **error)
{
	g_autoptr(GError) cause = NULL;
	guint depth = 0;
	const char *below;
	struct stat st;

	json_incref(info);
	while (info && (below = below_of(info)) && depth++ < CHAIN && check_file(below, &st, &cause)) {
		json_t *next = is_raw_below(info) ? NULL : image_file_info(below, &cause);

		json_decref(info);
		info = next;
	}
	json_decref(info);
	if (cause)
		return no(error, file, "its backing file %s", cause->message);
	return depth <= CHAIN || no(error, file, "its backing file has no end: it lies below itself");
}

gboolean image_file_check(const char *file, const char *declared, const char **ret_format, guint64 *ret_size, GError **error)
{
	struct stat st;
	json_t *info;
	gboolean ok;

	if (declared && !g_str_equal(declared, "raw") && !g_str_equal(declared, "qcow2"))
		return no(error, file, "format %s is not raw or qcow2", declared);
	if (!check_file(file, &st, error))
		return FALSE;
	info = image_file_info(file, error);
	if (!info)
		return FALSE;
	ok = check_info(file, declared, info, ret_format, error) && check_below(file, info, error);
	*ret_size = (guint64)json_integer_value(json_object_get(info, "virtual-size"));
	json_decref(info);
	if (!ok)
		return FALSE;
	/* QEMU rounds such a file up, and its last sector would end outside. */
	if (g_str_equal(*ret_format, "raw") && S_ISREG(st.st_mode) && st.st_size % SECTOR)
		return no(error, file, "its size, %lld bytes, is no multiple of %d: it was cut short, or it is packed", (long long)st.st_size,
			SECTOR);
	if (*ret_size < LEAST)
		return no(error, file, "it is too small for a Linux distribution: %" G_GUINT64_FORMAT " bytes", *ret_size);
	return TRUE;
}

/* ---- overlays, marks, folders ---------------- */

gboolean image_overlay_create(const char *path, const char *backing, const char *format, GError **error)
{
	const char *argv[] = {"qemu-img", "create", "-q", "-f", "qcow2", "-b", backing, "-F", format, path, NULL};
	g_autofree char *err = NULL;
	g_autofree char *words = NULL;
	int status;

	if (!subprocess_run(argv, QEMU_IMG_S, NULL, &err, &status, error))
		return FALSE;
	if (status == 0)
		return TRUE;
	g_unlink(path);
	words = words_of(err);
	g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED, "the overlay %s cannot be made: %s", path, words);
	return FALSE;
}

gboolean image_overlay_of(const char *path, const char *backing)
{
	json_t *info = image_file_info(path, NULL);
	gboolean ours = !g_strcmp0(json_string_value(json_object_get(info, "format")), "qcow2") &&
		!g_strcmp0(json_string_value(json_object_get(info, "backing-filename")), backing);

	json_decref(info);
	return ours;
}

/* Some file systems (NFS) have no rename that keeps what is there, but links, which never replace. */
static gboolean put_by_link(const char *from, const char *to)
{
	return link(from, to) == 0 && unlink(from) == 0;
}

gboolean image_put(const char *from, const char *to, GError **error)
{
	int failed = renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) < 0 ? errno : 0;

	if (failed == EINVAL || failed == ENOSYS) {
		/* There are no links of folders; a rename replaces none but an empty one. */
		if (g_file_test(from, G_FILE_TEST_IS_DIR) ? g_rename(from, to) == 0 : put_by_link(from, to))
			return TRUE;
		failed = errno;
	}
	if (failed)
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED, "what was prepared cannot be put in place at %s: %s", to,
			g_strerror(failed));
	return failed == 0;
}

gboolean image_file_mark(const char *file, json_t *record, GError **error)
{
	struct stat st;

	if (stat(file, &st) < 0) {
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED, "%s: %s", file, g_strerror(errno));
		return FALSE;
	}
	json_object_set_new(record, "size", json_integer(st.st_size));
	json_object_set_new(record, "mtime_ns", json_integer((json_int_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec));
	return TRUE;
}

gboolean image_folder_remove(const char *folder, GError **error)
{
	g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
	const char *name;

	while (dir && (name = g_dir_read_name(dir))) {
		g_autofree char *path = g_build_filename(folder, name, NULL);

		g_unlink(path);
	}
	if (g_rmdir(folder) == 0 || errno == ENOENT)
		return TRUE;
	g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED, "%s cannot be removed: %s", folder, g_strerror(errno));
	return FALSE;
}
