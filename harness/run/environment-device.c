/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What lies below a target: its mount, and the block devices down to the disk. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "harness/run/environment.h"

/* A stack of more layers than this is a circle, or nothing that a report could explain. */
#define LAYERS 24

/* ---- block devices --------------------------------------------------------------------------- */

typedef struct {
	const char *root, *name;
	Record *environment;
	guint layers;
} Walk;

static char *key_of(const Walk *walk, const char *what)
{
	return g_strdup_printf("target.%s.stack.%u.%s", walk->name, walk->layers, what);
}

static void set_text(const Walk *walk, const char *what, const char *text)
{
	g_autofree char *key = key_of(walk, what);

	record_set_text(walk->environment, key, text);
}

/* Sets WHAT from the first of FILES (NULL-terminated, below FOLDER) that is there. */
static void set_first(const Walk *walk, const char *what, const char *folder, const char *const *files)
{
	g_autofree char *key = key_of(walk, what);

	for (; *files; files++)
		if (environment_set_file(walk->environment, key, "", "%s/%s", folder, *files))
			return;
}

#define SET(walk, what, folder, ...) set_first(walk, what, folder, (const char *const[]){__VA_ARGS__, NULL})

/* Sectors of 512 bytes, whatever the device's own are. */
static void set_size(const Walk *walk, const char *folder)
{
	g_autofree char *text = environment_read("", "%s/size", folder);
	g_autofree char *key = key_of(walk, "size");

	if (text)
		record_set_int(walk->environment, key, g_ascii_strtoll(text, NULL, 10) * 512);
}

static void set_queue(const Walk *walk, const char *folder)
{
	static const char *const names[] = {"rotational", "write_cache", "fua", "nr_requests", "read_ahead_kb", "max_sectors_kb",
		"rq_affinity", "nomerges", "wbt_lat_usec", "io_poll", "iostats", "logical_block_size", "physical_block_size",
		"minimum_io_size", "optimal_io_size", "zoned"};
	g_autofree char *scheduler = environment_read("", "%s/queue/scheduler", folder);
	g_autofree char *queues = g_strconcat(folder, "/mq", NULL);
	char *begin = scheduler ? strchr(scheduler, '[') : NULL;
	char *end = begin ? strchr(begin, ']') : NULL;
	g_autoptr(GPtrArray) list = environment_list(queues);

	if (end) {
		*end = '\0';
		set_text(walk, "queue.scheduler", begin + 1);
	} else if (scheduler) {
		set_text(walk, "queue.scheduler", scheduler);
	}
	for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
		g_autofree char *what = g_strconcat("queue.", names[i], NULL);
		g_autofree char *file = g_strconcat("queue/", names[i], NULL);

		SET(walk, what, folder, file);
	}
	if (list->len) {
		g_autofree char *key = key_of(walk, "queues");

		record_set_int(walk->environment, key, list->len);
	}
}

/* The driver's name is that of the folder that the link leads to; NVMe has it one step further up. */
static void set_driver(const Walk *walk, const char *folder)
{
	static const char *const links[] = {"device/driver", "device/device/driver"};

	for (guint i = 0; i < G_N_ELEMENTS(links); i++) {
		g_autofree char *link = g_build_filename(folder, links[i], NULL);
		char *target = realpath(link, NULL);

		if (target) {
			g_autofree char *name = g_path_get_basename(target);

			set_text(walk, "driver", name);
			free(target);
			return;
		}
	}
}

static void set_disk(const Walk *walk, const char *folder)
{
	SET(walk, "model", folder, "device/model");
	SET(walk, "vendor", folder, "device/vendor");
	SET(walk, "firmware", folder, "device/firmware_rev", "device/rev");
	SET(walk, "serial", folder, "device/serial", "serial");
	SET(walk, "wwid", folder, "wwid", "device/wwid");
	set_driver(walk, folder);
}

static gboolean has(const char *folder, const char *file)
{
	g_autofree char *path = g_build_filename(folder, file, NULL);

	return g_file_test(path, G_FILE_TEST_EXISTS);
}

static const char *mapper_kind(const char *folder)
{
	g_autofree char *uuid = environment_read("", "%s/dm/uuid", folder);

	if (uuid && g_str_has_prefix(uuid, "LVM-"))
		return "lvm";
	if (uuid && g_str_has_prefix(uuid, "CRYPT-"))
		return "crypt";
	if (uuid && g_str_has_prefix(uuid, "mpath-"))
		return "multipath";
	return "dm";
}

static const char *kind_of(const char *folder)
{
	if (has(folder, "partition"))
		return "partition";
	if (has(folder, "loop/backing_file"))
		return "loop";
	if (has(folder, "dm"))
		return mapper_kind(folder);
	if (has(folder, "md"))
		return "md";
	return "disk";
}

static void walk_folder(Walk *walk, const char *folder);

/* The whole disk is the folder above a partition; a loop's file lies on a device; mappers and arrays name theirs. */
static void walk_below(Walk *walk, const char *folder, const char *kind)
{
	g_autofree char *slaves = g_build_filename(folder, "slaves", NULL);
	g_autofree char *backing = environment_read("", "%s/loop/backing_file", folder);
	g_autoptr(GPtrArray) names = environment_list(slaves);
	struct stat status;

	for (guint i = 0; i < names->len; i++) {
		g_autofree char *link = g_build_filename(slaves, names->pdata[i], NULL);
		char *below = realpath(link, NULL);

		if (below)
			walk_folder(walk, below);
		free(below);
	}
	if (g_str_equal(kind, "partition")) {
		g_autofree char *whole = g_path_get_dirname(folder);

		walk_folder(walk, whole);
	}
	if (backing && stat(backing, &status) == 0) {
		dev_t device = S_ISBLK(status.st_mode) ? status.st_rdev : status.st_dev;
		g_autofree char *path = g_strdup_printf("%s/sys/dev/block/%u:%u", walk->root, major(device), minor(device));
		char *below = realpath(path, NULL);

		if (below)
			walk_folder(walk, below);
		free(below);
	}
}

static void walk_folder(Walk *walk, const char *folder)
{
	const char *kind = kind_of(folder);
	g_autofree char *name = g_path_get_basename(folder);

	if (walk->layers >= LAYERS)
		return;
	set_text(walk, "kind", kind);
	set_text(walk, "name", name);
	set_size(walk, folder);
	if (g_str_equal(kind, "md"))
		SET(walk, "level", folder, "md/level");
	if (g_str_equal(kind, "disk"))
		set_disk(walk, folder);
	/* A partition has the queue of its disk. */
	if (!g_str_equal(kind, "partition"))
		set_queue(walk, folder);
	walk->layers++;
	walk_below(walk, folder, kind);
}

guint environment_stack(const char *root, const char *name, dev_t device, Record *environment)
{
	Walk walk = {.root = root, .name = name, .environment = environment};
	g_autofree char *path = g_strdup_printf("%s/sys/dev/block/%u:%u", root, major(device), minor(device));
	char *folder = realpath(path, NULL);

	if (folder)
		walk_folder(&walk, folder);
	free(folder);
	return walk.layers;
}

/* ---- mounts ---------------------------------------------------------------------------------- */

typedef struct {
	char *point, *type, *source, *options;
} Mount;

static void mount_clear(Mount *mount)
{
	g_free(mount->point);
	g_free(mount->type);
	g_free(mount->source);
	g_free(mount->options);
}

/* Blanks stand as \040 there. */
static char *unescape(const char *text)
{
	return g_strcompress(text);
}

/* One line of /proc/self/mountinfo: ID PARENT DEVICE ROOT POINT OPTIONS [TAGS ...] - TYPE SOURCE SUPER_OPTIONS. */
static gboolean parse_mount(const char *line, Mount *ret)
{
	g_auto(GStrv) fields = g_strsplit(line, " ", -1);
	guint n = g_strv_length(fields), dash = 6;

	while (dash < n && !g_str_equal(fields[dash], "-"))
		dash++;
	if (n < 10 || dash + 3 >= n)
		return FALSE;
	ret->point = unescape(fields[4]);
	ret->type = g_strdup(fields[dash + 1]);
	ret->source = unescape(fields[dash + 2]);
	ret->options = g_strjoin(",", fields[5], fields[dash + 3], NULL);
	return TRUE;
}

static gboolean lies_below(const char *path, const char *point)
{
	gsize length = strlen(point);

	return g_str_equal(point, "/") || (strncmp(path, point, length) == 0 && (path[length] == '/' || !path[length]));
}

/* The mount that PATH lies in: the longest point wins, of equal ones the last, which covers the others. */
static gboolean find_mount(const char *root, const char *path, Mount *ret)
{
	g_autofree char *text = environment_read(root, "/proc/self/mountinfo");
	g_auto(GStrv) lines = text ? g_strsplit(text, "\n", -1) : NULL;
	gboolean found = FALSE;

	for (guint i = 0; lines && lines[i]; i++) {
		Mount mount = {NULL};

		if (!parse_mount(lines[i], &mount))
			continue;
		if (!lies_below(path, mount.point) || (found && strlen(mount.point) < strlen(ret->point))) {
			mount_clear(&mount);
			continue;
		}
		if (found)
			mount_clear(ret);
		*ret = mount;
		found = TRUE;
	}
	return found;
}

static void set_target(const char *name, const char *what, const char *text, Record *environment)
{
	g_autofree char *key = g_strdup_printf("target.%s.%s", name, what);

	record_set_text(environment, key, text);
}

/* btrfs and others give their files device numbers that no block device has: the source of the mount has. */
static dev_t device_of(const struct stat *status, const Mount *mount)
{
	struct stat source;

	if (S_ISBLK(status->st_mode))
		return status->st_rdev;
	if (major(status->st_dev) == 0 && mount->source && *mount->source == '/' && stat(mount->source, &source) == 0 &&
		S_ISBLK(source.st_mode))
		return source.st_rdev;
	return status->st_dev;
}

/* A dot parts the parts of a key. */
static char *key_name(const char *target)
{
	return g_strdelimit(g_strdup(target), ".", '-');
}

void environment_target_kind(const char *target, const char *type, guint64 size, Record *environment)
{
	g_autofree char *name = key_name(target);
	g_autofree char *key = g_strdup_printf("target.%s.size", name);

	set_target(name, "type", type, environment);
	record_set_int(environment, key, (gint64)size);
}

void environment_target(const char *root, const char *target, const char *path, Record *environment)
{
	g_autofree char *name = key_name(target);
	char *real = realpath(path, NULL);
	Mount mount = {NULL};
	struct stat status;

	if (real && stat(real, &status) == 0) {
		if (!S_ISBLK(status.st_mode) && find_mount(root, real, &mount)) {
			set_target(name, "filesystem", mount.type, environment);
			set_target(name, "mount_options", mount.options, environment);
			set_target(name, "mount_source", mount.source, environment);
		}
		if (environment_stack(root, name, device_of(&status, &mount), environment) == 0) {
			g_autofree char *why = g_strdup_printf(
				"%s has no block device of its own", mount.type ? mount.type : "it");

			set_target(name, "no_device", why, environment);
		}
		mount_clear(&mount);
	}
	free(real);
}
