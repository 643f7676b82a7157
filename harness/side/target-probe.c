/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a folder can do: direct I/O (tried, never guessed from a name), space, permission. */
#include "harness/side/target-private.h"

#include <errno.h>
#include <fcntl.h>
#include <libmount.h>
#include <pwd.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "harness/base/error.h"

#define PROBE_BYTES 4096

/* Names of errno values that the probe can meet; people search for these. */
static const char *errno_name(int number)
{
	const char *name = strerrorname_np(number);

	return name ? name : "unknown error";
}

int target_direct_verdict(const char *filesystem, gboolean memory, int open_errno, int write_errno,
	char **ret_reason)
{
	*ret_reason = NULL;
	if (open_errno || write_errno) {
		*ret_reason = g_strdup_printf("direct I/O not supported (%s at %s)",
			errno_name(open_errno ? open_errno : write_errno),
			open_errno ? "open" : "first write");
		return 0;
	}
	if (memory)
		*ret_reason = g_strdup("memory file system: direct I/O does not reach a disk");
	/* ZFS takes O_DIRECT and may still answer from its own cache (ARC). */
	else if (g_strcmp0(filesystem, "zfs") == 0)
		*ret_reason = g_strdup("file system caches direct I/O itself");
	return 1;
}

char *target_filesystem(const char *path)
{
	struct libmnt_table *table = mnt_new_table_from_file("/proc/self/mountinfo");
	struct libmnt_fs *fs = NULL;
	char *real = realpath(path, NULL);
	char *mountpoint = real ? mnt_get_mountpoint(real) : NULL;
	char *type = NULL;

	if (table && mountpoint)
		fs = mnt_table_find_target(table, mountpoint, MNT_ITER_BACKWARD);
	if (fs)
		type = g_strdup(mnt_fs_get_fstype(fs));
	free(mountpoint);
	free(real);
	mnt_unref_table(table);
	return type;
}

static gboolean is_memory(const char *filesystem)
{
	return g_strcmp0(filesystem, "tmpfs") == 0 || g_strcmp0(filesystem, "ramfs") == 0;
}

char *target_in_memory(const char *path)
{
	g_autofree char *filesystem = target_filesystem(path);

	return is_memory(filesystem) ? g_steal_pointer(&filesystem) : NULL;
}

/* An open file without a name in FOLDER, or -1 with errno set. */
static int open_unnamed(const char *folder, int flags)
{
	g_autofree char *name = NULL;
	int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC | flags, 0600);
	int saved;

	/* EINVAL may mean "no O_DIRECT" as well as "no O_TMPFILE" (overlay, FUSE): the named try tells. */
	if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL && errno != ENOENT))
		return fd;
	name = g_strdup_printf("%s/.iogap-probe-%d-%08x", folder, (int)getpid(), g_random_int());
	fd = open(name, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC | flags, 0600);
	saved = errno;
	/* Old kernels refuse O_DIRECT only after they made the file. */
	unlink(name);
	errno = saved;
	return fd;
}

/* Smallest unit of direct I/O of an open file, 0 = unknown. */
static guint unit_of(int fd, const char *filesystem)
{
	struct statx stx = {0};
	struct statfs sfs;
	g_autofree char *file = NULL;
	g_autofree char *text = NULL;

#ifdef STATX_DIOALIGN
	if (statx(fd, "", AT_EMPTY_PATH, STATX_DIOALIGN, &stx) == 0 && (stx.stx_mask & STATX_DIOALIGN) &&
		stx.stx_dio_offset_align)
		return stx.stx_dio_offset_align;
#endif
	/* btrfs takes smaller direct requests and serves them through the page cache without a word. */
	if (g_strcmp0(filesystem, "btrfs") == 0 && fstatfs(fd, &sfs) == 0)
		return (guint)sfs.f_bsize;
	if (statx(fd, "", AT_EMPTY_PATH, STATX_BASIC_STATS, &stx) < 0)
		return 0;
	file = g_strdup_printf("/sys/dev/block/%u:%u/queue/logical_block_size", stx.stx_dev_major, stx.stx_dev_minor);
	if (!g_file_get_contents(file, &text, NULL, NULL)) {
		g_free(file);
		/* A partition has its queue in the disk's folder. */
		file = g_strdup_printf("/sys/dev/block/%u:%u/../queue/logical_block_size", stx.stx_dev_major,
			stx.stx_dev_minor);
		if (!g_file_get_contents(file, &text, NULL, NULL))
			return 0;
	}
	return (guint)g_ascii_strtoull(text, NULL, 10);
}

void target_probe_folder(const char *folder, Record *record)
{
	g_autofree char *filesystem = target_filesystem(folder);
	g_autofree char *reason = NULL;
	gboolean memory = is_memory(filesystem);
	int open_errno = 0, write_errno = 0;
	void *buffer = NULL;
	int fd = open_unnamed(folder, O_DIRECT);
	int direct;
	guint unit = 0;

	if (fd < 0)
		open_errno = errno;
	else if (posix_memalign(&buffer, PROBE_BYTES, PROBE_BYTES) != 0)
		write_errno = ENOMEM;
	else {
		memset(buffer, 0x5a, PROBE_BYTES);
		if (pwrite(fd, buffer, PROBE_BYTES, 0) != PROBE_BYTES)
			write_errno = errno ? errno : EIO;
		unit = unit_of(fd, filesystem);
	}
	free(buffer);
	if (fd >= 0)
		close(fd);
	direct = target_direct_verdict(filesystem, memory, open_errno, write_errno, &reason);
	record_set_text(record, "filesystem", filesystem);
	record_set_int(record, "memory", memory);
	record_set_int(record, "direct", direct);
	record_set_text(record, "direct_reason", reason);
	if (unit)
		record_set_int(record, "sector_size", unit);
	else
		record_set_null(record, "sector_size");
}

char *target_size_text(guint64 bytes)
{
	static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
	double value = (double)bytes;
	guint unit = 0;

	/* Not g_format_size: it puts a no-break space before the unit, which no grep finds. */
	for (; value >= 1024 && unit + 1 < G_N_ELEMENTS(units); unit++)
		value /= 1024;
	return g_strdup_printf(unit ? "%.1f %s" : "%.0f %s", value, units[unit]);
}

static char *user_name(uid_t uid)
{
	const struct passwd *entry = getpwuid(uid);

	return entry ? g_strdup(entry->pw_name) : g_strdup_printf("user %u", (guint)uid);
}

/* The first folder on the way to PATH (PATH itself excluded) that this user may not pass, or NULL. */
static char *blocked_parent(const char *path)
{
	g_autofree char *part = g_strdup(path);

	for (char *slash = strchr(part + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (faccessat(AT_FDCWD, part, X_OK, AT_EACCESS) < 0 && errno == EACCES)
			return g_steal_pointer(&part);
		*slash = '/';
	}
	return NULL;
}

static gboolean refuse_access(const char *folder, GError **error)
{
	g_autofree char *blocked = blocked_parent(folder);
	const char *culprit = blocked ? blocked : folder;
	g_autofree char *me = user_name(geteuid());
	g_autofree char *owner = NULL;
	struct stat st = {0};

	if (stat(culprit, &st) == 0)
		owner = user_name(st.st_uid);
	g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED,
		"%s: %s may not %s %s (owner %s, mode %04o); name a folder that this user may write to", folder,
		me, blocked ? "pass through the parent folder" : "write to the folder", culprit,
		owner ? owner : "unknown", (guint)(st.st_mode & 07777));
	return FALSE;
}

gboolean target_may_write(const char *folder, GError **error)
{
	struct statvfs vfs;

	if (statvfs(folder, &vfs) == 0 && (vfs.f_flag & ST_RDONLY)) {
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED,
			"%s: the file system is mounted read-only; remount it read-write or name another folder",
			folder);
		return FALSE;
	}
	if (faccessat(AT_FDCWD, folder, W_OK | X_OK, AT_EACCESS) == 0)
		return TRUE;
	if (errno == EACCES)
		return refuse_access(folder, error);
	g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED, "cannot write to the folder %s: %s", folder,
		g_strerror(errno));
	return FALSE;
}

/* Bytes of memory that could still be used without swapping, or G_MAXUINT64 when unknown. */
static guint64 memory_available(void)
{
	g_autofree char *text = NULL;
	const char *line;

	if (!g_file_get_contents("/proc/meminfo", &text, NULL, NULL))
		return G_MAXUINT64;
	line = strstr(text, "MemAvailable:");
	return line ? g_ascii_strtoull(line + strlen("MemAvailable:"), NULL, 10) * 1024 : G_MAXUINT64;
}

static gboolean lacks(const char *folder, const char *what, guint64 size, guint64 need, guint64 have,
	GError **error)
{
	g_autofree char *size_text = target_size_text(size);
	g_autofree char *need_text = target_size_text(need);
	g_autofree char *have_text = target_size_text(have);

	g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED,
		"%s: no space for %s: %s of %s needed (5 %% more), %s free; make the target's size smaller or name another folder",
		folder, size_text, need_text, what, have_text);
	return FALSE;
}

gboolean target_has_space(const char *folder, guint64 size, GError **error)
{
	g_autofree char *filesystem = target_filesystem(folder);
	guint64 need = size > G_MAXUINT64 - size / 20 ? G_MAXUINT64 : size + size / 20;
	struct statvfs vfs;

	if (statvfs(folder, &vfs) < 0) {
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED, "cannot tell the free space of %s: %s", folder,
			g_strerror(errno));
		return FALSE;
	}
	/* A tmpfs without a limit says that it has no blocks at all. */
	if (vfs.f_blocks > 0 && (guint64)vfs.f_bavail * vfs.f_frsize < need)
		return lacks(folder, "disk space", size, need, (guint64)vfs.f_bavail * vfs.f_frsize, error);
	if (is_memory(filesystem) && memory_available() < need)
		return lacks(folder, "memory", size, need, memory_available(), error);
	return TRUE;
}
