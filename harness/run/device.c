/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/run/device.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#define MAX_LEVELS 16 /* deeper than any stack that makes sense; ends a loop */

struct Device {
	gboolean memory; /* disks that are memory count too */
	GPtrArray *files; /* of char *: stat files */
	GString *names;
};

static gboolean find_path(Device *device, const char *path, guint level, char **ret_reason);

static gboolean no(char **ret_reason, const char *format, ...) G_GNUC_PRINTF(2, 3);
static gboolean no(char **ret_reason, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	g_free(*ret_reason);
	*ret_reason = g_strdup_vprintf(format, arguments);
	va_end(arguments);
	return FALSE;
}

static char *read_line(const char *folder, const char *file)
{
	g_autofree char *path = g_build_filename(folder, file, NULL);
	char *text = NULL;

	return g_file_get_contents(path, &text, NULL, NULL) ? g_strchomp(text) : NULL;
}

static gboolean exists(const char *folder, const char *file)
{
	g_autofree char *path = g_build_filename(folder, file, NULL);

	return g_file_test(path, G_FILE_TEST_EXISTS);
}

/* Disks that are memory or nothing at all: what reaches them reaches no storage. */
static gboolean is_synthetic(const char *name)
{
	return g_str_has_prefix(name, "zram") || g_str_has_prefix(name, "ram") || g_str_has_prefix(name, "nullb");
}

static gboolean add_lowest(Device *device, const char *folder, const char *name, char **ret_reason)
{
	g_autofree char *file = g_build_filename(folder, "stat", NULL);

	if (is_synthetic(name) && !device->memory)
		return no(ret_reason, "%s is no storage: it lies in memory", name);
	if (!exists(folder, "stat"))
		return no(ret_reason, "the kernel keeps no counters of %s", name);
	/* Two volumes may lie on one disk, which counts once. */
	for (guint i = 0; i < device->files->len; i++)
		if (g_str_equal(device->files->pdata[i], file))
			return TRUE;
	g_ptr_array_add(device->files, g_steal_pointer(&file));
	g_string_append_printf(device->names, "%s%s", device->names->len ? " " : "", name);
	return TRUE;
}

static gboolean find_folder(Device *device, const char *folder, guint level, char **ret_reason);

static gint by_name(gconstpointer a, gconstpointer b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* What FOLDER holds, in the same order every time; empty when there is no such folder. */
static GPtrArray *entries_of(const char *folder)
{
	GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
	g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
	const char *name;

	while (dir && (name = g_dir_read_name(dir)))
		g_ptr_array_add(names, g_strdup(name));
	g_ptr_array_sort(names, by_name);
	return names;
}

/* *ret_n: how many there are; that they were found before, below another device, makes no difference. */
static gboolean find_members(Device *device, const char *folder, guint level, guint *ret_n, char **ret_reason)
{
	g_autofree char *slaves = g_build_filename(folder, "slaves", NULL);
	g_autoptr(GPtrArray) names = entries_of(slaves);

	*ret_n = names->len;
	for (guint i = 0; i < names->len; i++) {
		g_autofree char *member = g_build_filename(slaves, (char *)names->pdata[i], NULL);

		if (!find_folder(device, member, level + 1, ret_reason))
			return FALSE;
	}
	return TRUE;
}

/*
 * An NVMe namespace that several controllers lead to has a head below nvme-subsystem, which counts nothing before kernel 6.4, and
 * a hidden disk for each path, which always counts: of nvme0n1 those are nvme0c0n1, nvme0c1n1 ... in the controllers' folders.
 * FALSE with *ret_reason NULL: FOLDER is no such head.
 */
static gboolean find_paths(Device *device, const char *folder, const char *name, char **ret_reason)
{
	g_autofree char *subsystem = g_path_get_dirname(folder);
	const char *namespace = strrchr(name, 'n');
	g_autofree char *pattern = NULL;
	g_autoptr(GPtrArray) controllers = NULL;
	gboolean any = FALSE;

	if (!g_str_has_prefix(name, "nvme") || !strstr(subsystem, "nvme-subsystem/") || namespace == name)
		return FALSE;
	pattern = g_strdup_printf("%.*sc*%s", (int)(namespace - name), name, namespace);
	controllers = entries_of(subsystem);
	for (guint i = 0; i < controllers->len; i++) {
		g_autofree char *controller = g_build_filename(subsystem, (char *)controllers->pdata[i], NULL);
		g_autoptr(GPtrArray) disks = entries_of(controller);

		for (guint k = 0; k < disks->len; k++) {
			g_autofree char *path = g_build_filename(controller, (char *)disks->pdata[k], NULL);

			if (!g_pattern_match_simple(pattern, disks->pdata[k]))
				continue;
			if (!add_lowest(device, path, disks->pdata[k], ret_reason))
				return FALSE;
			any = TRUE;
		}
	}
	return any;
}

/* The folder of the device that FOLDER is a partition of, if others do its work; else NULL. */
static char *stacked_parent(const char *folder)
{
	g_autofree char *parent = exists(folder, "partition") ? g_path_get_dirname(folder) : NULL;
	g_autofree char *slaves = parent ? g_build_filename(parent, "slaves", NULL) : NULL;
	g_autoptr(GPtrArray) lower = slaves ? entries_of(slaves) : NULL;

	if (parent && (lower->len || exists(parent, "loop/backing_file") || strstr(parent, "nvme-subsystem/")))
		return g_steal_pointer(&parent);
	return NULL;
}

/* FOLDER is a device's folder in sysfs. */
static gboolean find_folder(Device *device, const char *folder, guint level, char **ret_reason)
{
	g_autofree char *real = realpath(folder, NULL);
	g_autofree char *name = real ? g_path_get_basename(real) : NULL;
	g_autofree char *backing = real ? read_line(real, "loop/backing_file") : NULL;
	g_autofree char *parent = real ? stacked_parent(real) : NULL;
	guint members = 0;

	if (!real)
		return no(ret_reason, "%s does not exist", folder);
	if (level > MAX_LEVELS)
		return no(ret_reason, "more than %d devices lie on each other", MAX_LEVELS);
	if (backing)
		return find_path(device, backing, level + 1, ret_reason);
	if (parent)
		return find_folder(device, parent, level + 1, ret_reason);
	if (!find_members(device, real, level, &members, ret_reason))
		return FALSE;
	if (members)
		return TRUE;
	if (exists(real, "dm"))
		return no(ret_reason, "%s is no storage: device-mapper makes it from nothing", name);
	if (find_paths(device, real, name, ret_reason))
		return TRUE;
	if (*ret_reason)
		return FALSE;
	return add_lowest(device, real, name, ret_reason);
}

static gboolean find_number(Device *device, dev_t number, guint level, char **ret_reason)
{
	g_autofree char *folder = g_strdup_printf("/sys/dev/block/%u:%u", major(number), minor(number));

	return find_folder(device, folder, level, ret_reason);
}

/* The word of LIST ("a=1,b=2") after KEY, or NULL. New text. */
static char *mount_option(const char *list, const char *key)
{
	g_auto(GStrv) options = g_strsplit(list, ",", 0);

	for (guint i = 0; options[i]; i++)
		if (g_str_has_prefix(options[i], key))
			return g_strcompress(options[i] + strlen(key));
	return NULL;
}

/* A line of mountinfo: 36 35 98:0 /root /point rw,noatime master:1 - TYPE SOURCE OPTIONS. */
static gboolean find_source(Device *device, const char *line, guint level, char **ret_reason)
{
	const char *tail = strstr(line, " - ");
	g_auto(GStrv) words = g_strsplit(tail ? tail + 3 : "", " ", 3);
	g_autofree char *source = NULL, *upper = NULL;
	struct stat st;

	if (g_strv_length(words) < 3)
		return no(ret_reason, "its mount cannot be understood");
	if (g_str_equal(words[0], "overlay")) {
		upper = mount_option(words[2], "upperdir=");
		if (upper && g_file_test(upper, G_FILE_TEST_EXISTS))
			return find_path(device, upper, level + 1, ret_reason);
		return no(ret_reason, "it lies on an overlay whose upper folder cannot be seen from here");
	}
	source = g_strcompress(words[1]); /* a blank is \040 there */
	if (source[0] == '/' && stat(source, &st) == 0 && S_ISBLK(st.st_mode))
		return find_number(device, st.st_rdev, level + 1, ret_reason);
	if (g_str_equal(words[0], "tmpfs") || g_str_equal(words[0], "ramfs"))
		return no(ret_reason, "%s lies in memory", words[0]);
	return no(ret_reason, "%s does not lie on a block device of this machine", words[0]);
}

/* File systems that have no device number of their own (btrfs, overlay, tmpfs): by the mount that the file lies in. */
static gboolean find_mount(Device *device, const char *path, guint level, char **ret_reason)
{
	struct statx stx;
	g_autofree char *text = NULL;
	g_auto(GStrv) lines = NULL;

	if (statx(AT_FDCWD, path, 0, STATX_MNT_ID, &stx) < 0 || !(stx.stx_mask & STATX_MNT_ID) ||
		!g_file_get_contents("/proc/self/mountinfo", &text, NULL, NULL))
		return no(ret_reason, "the mount of %s cannot be told", path);
	lines = g_strsplit(text, "\n", 0);
	for (guint i = 0; lines[i]; i++)
		if (g_ascii_strtoull(lines[i], NULL, 10) == stx.stx_mnt_id)
			return find_source(device, lines[i], level, ret_reason);
	return no(ret_reason, "the mount of %s is not listed", path);
}

static gboolean find_path(Device *device, const char *path, guint level, char **ret_reason)
{
	struct stat st;

	if (level > MAX_LEVELS)
		return no(ret_reason, "more than %d devices lie on each other", MAX_LEVELS);
	if (stat(path, &st) < 0)
		return no(ret_reason, "%s: %s", path, g_strerror(errno));
	if (S_ISBLK(st.st_mode))
		return find_number(device, st.st_rdev, level, ret_reason);
	if (major(st.st_dev) != 0)
		return find_number(device, st.st_dev, level, ret_reason);
	return find_mount(device, path, level, ret_reason);
}

static Device *find(gboolean (*from)(Device *, const char *, guint, char **), const char *path, gboolean memory, char **ret_reason)
{
	Device *device = g_new0(Device, 1);

	*ret_reason = NULL;
	device->memory = memory;
	device->files = g_ptr_array_new_with_free_func(g_free);
	device->names = g_string_new(NULL);
	if (from(device, path, 0, ret_reason))
		return device;
	device_free(device);
	return NULL;
}

Device *device_find(const char *path, char **ret_reason)
{
	return find(find_path, path, FALSE, ret_reason);
}

Device *device_find_folder(const char *folder, char **ret_reason)
{
	return find(find_folder, folder, FALSE, ret_reason);
}

Device *device_find_queue(const char *path, char **ret_reason)
{
	return find(find_path, path, TRUE, ret_reason);
}

void device_free(Device *device)
{
	if (!device)
		return;
	g_ptr_array_unref(device->files);
	g_string_free(device->names, TRUE);
	g_free(device);
}

const char *device_names(const Device *device)
{
	return device->names->str;
}

static gboolean add_one(const char *file, DeviceCounters *ret)
{
	g_autofree char *text = NULL;
	long long n[11];

	if (!g_file_get_contents(file, &text, NULL, NULL) ||
		sscanf(text, "%lld %lld %lld %lld %lld %lld %lld %lld %lld %lld %lld", &n[0], &n[1], &n[2], &n[3], &n[4], &n[5],
			&n[6], &n[7], &n[8], &n[9], &n[10]) != 11)
		return FALSE;
	ret->reads += n[0];
	ret->read_merges += n[1];
	ret->read_bytes += n[2] * 512;
	ret->writes += n[4];
	ret->write_merges += n[5];
	ret->write_bytes += n[6] * 512;
	ret->io_ns = MAX(ret->io_ns, n[9] * 1000000);
	ret->queue_ns += n[10] * 1000000;
	return TRUE;
}

gboolean device_read(const Device *device, DeviceCounters *ret)
{
	*ret = (DeviceCounters){0};
	for (guint i = 0; i < device->files->len; i++)
		if (!add_one(g_ptr_array_index(device->files, i), ret))
			return FALSE;
	return TRUE;
}
