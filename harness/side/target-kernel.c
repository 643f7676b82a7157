/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Devices that the kernel makes when asked: device-mapper's zero and delay through dmsetup, LVM through its own programs, null_blk
 * through configfs. What the kernel lacks is said before anything is made.
 */
#include "harness/side/target-private.h"

#include <errno.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "harness/base/error.h"
#include "harness/base/subprocess.h"
#include "harness/side/kernel-device.h"

#define CONFIGFS "/sys/kernel/config"
#define MODPROBE "/sbin/modprobe"
#define TIMEOUT_S 60
#define MS 1000000u
#define MIB (G_GUINT64_CONSTANT(1) << 20)

/* What each type needs of the kernel and of programs; INSTEAD is said to those who lack it. */
static const struct Need {
	const char *type;
	const char *modules[2]; /* the driver, and its part */
	const char *driver, *config;
	const char *program, *package;
	const char *instead;
} needs[] = {
	{"lvm", {"dm-mod", NULL}, "device-mapper", "CONFIG_BLK_DEV_DM", "lvm", "lvm2", "`type: loop`"},
	{"dm-zero", {"dm-mod", "dm-zero"}, "device-mapper", "CONFIG_BLK_DEV_DM", "dmsetup", "dmsetup",
		"`type: nbd` with `nbd_plugin: \"null\"`"},
	{"dm-delay", {"dm-mod", "dm-delay"}, "device-mapper", "CONFIG_BLK_DEV_DM", "dmsetup", "dmsetup",
		"`type: nbd` with nbd_delay"},
	{"null_blk", {"null_blk", NULL}, "null_blk", "CONFIG_BLK_DEV_NULL_BLK", NULL, NULL,
		"`type: nbd` with `nbd_plugin: \"null\"`"},
};

static const struct Need *need_of(const char *type)
{
	for (guint i = 0; i < G_N_ELEMENTS(needs); i++)
		if (g_str_equal(needs[i].type, type))
			return &needs[i];
	return NULL;
}

/* ---- what the kernel has --------------------------------------------------------------------- */

static gboolean fail(GError **error, const char *format, ...) G_GNUC_PRINTF(2, 3);
static gboolean fail(GError **error, const char *format, ...)
{
	g_autofree char *message = NULL;
	va_list args;

	va_start(args, format);
	message = g_strdup_vprintf(format, args);
	va_end(args);
	g_set_error_literal(error, IOGAP_ERROR, IOGAP_ERROR_FAILED, message);
	return FALSE;
}

/* Of what this machine or user has not at all: FORMAT says what. */
static gboolean lacks(GError **error, const char *format, ...) G_GNUC_PRINTF(2, 3);
static gboolean lacks(GError **error, const char *format, ...)
{
	g_autofree char *message = NULL;
	va_list args;

	va_start(args, format);
	message = g_strdup_vprintf(format, args);
	va_end(args);
	g_set_error_literal(error, IOGAP_ERROR, IOGAP_ERROR_UNSUPPORTED, message);
	return FALSE;
}

/* DRY: only whether it could be loaded; drivers that are built in count. The folder of the program is not in every user's PATH. */
static gboolean modprobe(const char *module, gboolean dry)
{
	const char *program = access(MODPROBE, X_OK) == 0 ? MODPROBE : "modprobe";
	/* null_blk would make a device by itself, which nobody asked for. */
	const char *argument = g_str_equal(module, "null_blk") && !dry ? "nr_devices=0" : NULL;
	const char *argv[] = {program, dry ? "-nq" : "-q", module, argument, NULL};
	int status = 1;

	return subprocess_run(argv, TIMEOUT_S, NULL, NULL, &status, NULL) && status == 0;
}

static gboolean is_loaded(const char *module)
{
	g_autofree char *name = g_strdelimit(g_strdup(module), "-", '_');
	g_autofree char *folder = g_build_filename("/sys/module", name, NULL);

	if (g_str_equal(module, "dm-mod"))
		return kernel_device_has_mapper();
	return g_file_test(folder, G_FILE_TEST_EXISTS);
}

/* A part of device-mapper that is built into a kernel without a list of what is. */
static gboolean is_listed(const char *module)
{
	const char *argv[] = {"dmsetup", "targets", NULL};
	g_autofree char *out = NULL;
	g_auto(GStrv) lines = NULL;
	gboolean found = FALSE;
	int status;

	if (!g_str_has_prefix(module, "dm-") || !kernel_device_has_mapper() || geteuid() != 0 ||
		!subprocess_run(argv, TIMEOUT_S, &out, NULL, &status, NULL))
		return FALSE;
	lines = g_strsplit(out, "\n", 0);
	for (guint i = 0; lines[i]; i++)
		found |= g_str_has_prefix(lines[i], module + strlen("dm-")) && lines[i][strlen(module + strlen("dm-"))] == ' ';
	return found;
}

static gboolean kernel_has(const char *module)
{
	return is_loaded(module) || modprobe(module, TRUE) || is_listed(module);
}

gboolean target_kernel_check(const char *type, GError **error)
{
	const struct Need *need = need_of(type);
	g_autofree char *program = NULL;
	struct utsname kernel;

	uname(&kernel);
	if (!kernel_has(need->modules[0]))
		return lacks(error, "this kernel (%s) has no %s, neither running nor as a module (%s); use a kernel with %s, or %s",
			kernel.release, need->driver, need->modules[0], need->config, need->instead);
	if (geteuid() != 0)
		return lacks(error, "this user may not make devices of %s; run as root or use `type: file`", need->driver);
	if (need->modules[1] && !kernel_has(need->modules[1]))
		return lacks(error, "the device-mapper of this kernel (%s) has no module %s; use another kernel, or %s", kernel.release,
			need->modules[1], need->instead);
	program = need->program ? g_find_program_in_path(need->program) : NULL;
	if (need->program && !program)
		return lacks(error, "%s is missing; as root: apt-get install %s", need->program, need->package);
	return TRUE;
}

/* What a look at the device does not show. */
static void set_memory(const TargetSpec *spec, Record *record)
{
	record_set_int(record, "memory", 1);
	record_set_text(record, "direct_reason", spec->memory_backed ?
		"lies in memory: direct I/O does not reach a disk" :
		"made of nothing: what is written is not kept, and direct I/O does not reach a disk");
}

gboolean target_nothing_check(const TargetSpec *spec, Record *record, GError **error)
{
	if (!target_check_size(spec, error))
		return FALSE;
	if (spec->path || spec->filesystem)
		return target_usage(error, "it has no path and no filesystem: the kernel makes it of nothing");
	if (g_str_equal(spec->type, "null_blk") && spec->size % MIB)
		return target_usage(error, "its size must be a multiple of 1M");
	if (!target_kernel_check(spec->type, error) ||
		(spec->memory_backed && !target_has_space("/dev/shm", spec->size, error)))
		return FALSE;
	if (record) {
		record_set_null(record, "filesystem");
		record_set_int(record, "direct", 1);
		record_set_int(record, "sector_size", 512);
		record_set_int(record, "size", (gint64)spec->size);
		set_memory(spec, record);
	}
	return TRUE;
}

static gboolean load(const char *type, GError **error)
{
	const struct Need *need = need_of(type);

	for (guint i = 0; i < G_N_ELEMENTS(need->modules) && need->modules[i]; i++)
		if (!is_loaded(need->modules[i]) && !modprobe(need->modules[i], FALSE) && !is_listed(need->modules[i]))
			return fail(error, "the module %s cannot be loaded; `dmesg` may say why", need->modules[i]);
	return TRUE;
}

/* The device is there: target->path. */
static gboolean take_device(Target *target, const TargetSpec *spec, GError **error)
{
	target->block = TRUE;
	target->forgets = !spec->memory_backed;
	if (!target->path || !target_block_look(target->path, spec->size, target->facts, error))
		return FALSE;
	set_memory(spec, target->facts);
	return TRUE;
}

/* ---- device-mapper --------------------------------------------------------------------------- */

/* Makes NAME of TABLE; returns its path (g_free). Without udev, which need not be there, and with nothing for it to do. */
static char *make_mapped(Target *target, const char *name, const char *table, GError **error)
{
	const char *argv[] = {"dmsetup", "--noudevsync", "--noudevrules", "create", name, "--table", table, NULL};
	char *node;

	if (!load(target->type, error))
		return NULL;
	if (kernel_device_is_mapped(name)) {
		fail(error, "device-mapper has a device %s already; `dmsetup remove %s` if it is a leftover", name, name);
		return NULL;
	}
	target_announce(target, "mapper", name);
	if (!subprocess_run(argv, TIMEOUT_S, NULL, NULL, NULL, error))
		return NULL;
	node = kernel_device_node(name);
	if (!node)
		fail(error, "cannot make the node of %s in /dev/mapper: %s", name, g_strerror(errno));
	return node;
}

char *target_delay_over(Target *target, const TargetSpec *spec, const char *device, guint64 size, GError **error)
{
	g_autofree char *table = g_strdup_printf("0 %" G_GUINT64_FORMAT " delay %s 0 %" G_GUINT64_FORMAT, size / 512, device,
		spec->delay_ns / MS);

	return make_mapped(target, target->stem, table, error);
}

gboolean target_zero_make(Target *target, const TargetSpec *spec, GError **error)
{
	g_autofree char *table = g_strdup_printf("0 %" G_GUINT64_FORMAT " zero", spec->size / 512);

	target->path = make_mapped(target, target->stem, table, error);
	return take_device(target, spec, error);
}

/* ---- LVM ------------------------------------------------------------------------------------- */

#define LV "data"
#define EXTENT (4 * MIB)

guint64 target_lvm_backing_size(guint64 size)
{
	/* Whole extents, and LVM's own area in front, which it rounds up too. */
	return (size + EXTENT - 1) / EXTENT * EXTENT + 2 * EXTENT;
}

/*
 * DEVICE (NULL = all) is the only one that LVM sees. It makes the nodes itself, since there need not be a udev, and leaves nothing in
 * /etc/lvm and /run/lvm: what it would write there outlives the volume.
 */
static char *lvm_config(const char *device)
{
	g_autofree char *filter = device ? g_strdup_printf("\"a|^%s$|\",\"r|.*|\"", device) : g_strdup("\"a|.*|\"");

	return g_strdup_printf(
		"devices{filter=[%s] global_filter=[%s] use_devicesfile=0 obtain_device_list_from_udev=0 "
		"external_device_info_source=\"none\" hints=\"none\"} "
		"global{event_activation=0 use_lvmlockd=0 use_lvmpolld=0 notify_dbus=0} backup{backup=0 archive=0} "
		"activation{udev_sync=0 udev_rules=0 monitoring=0}",
		filter, filter);
}

static gboolean is_group(const char *group)
{
	g_autofree char *config = lvm_config(NULL);
	const char *argv[] = {"lvm", "vgs", "--config", config, "--noheadings", "-o", "vg_name", group, NULL};
	int status = 1;

	return subprocess_run(argv, TIMEOUT_S, NULL, NULL, &status, NULL) && status == 0;
}

/* The folder and the link that LVM makes, which the device itself does not take with it. */
static void announce_volume(Target *target, const char *group)
{
	g_autofree char *folder = g_build_filename("/dev", group, NULL);
	g_autofree char *link = g_build_filename(folder, LV, NULL);
	g_autofree char *name = g_strconcat(group, "-" LV, NULL);

	target_announce(target, "dir", folder);
	target_announce(target, "file", link);
	target_announce(target, "mapper", name);
}

char *target_lvm_over(Target *target, const TargetSpec *spec, const char *device, guint64 size, GError **error)
{
	/* Device-mapper writes a hyphen of a group's name twice. */
	g_autofree char *group = g_strdelimit(g_strdup(target->stem), "-", '_');
	g_autofree char *folder = g_build_filename("/dev", group, NULL);
	g_autofree char *config = lvm_config(device);
	g_autofree char *bytes = g_strdup_printf("%" G_GUINT64_FORMAT "b", size);
	/* A udev that is there would activate the volume by itself, as it does with those of a disk that is plugged in. */
	const char *make_group[] = {"lvm", "vgcreate", "--config", config, "-q", "-y", "--setautoactivation", "n", group, device, NULL};
	const char *make_volume[] = {"lvm", "lvcreate", "--config", config, "-q", "-y", "-Wn", "-Zn", "-L", bytes, "-n", LV, group, NULL};

	if (!load(target->type, error))
		return NULL;
	if (g_file_test(folder, G_FILE_TEST_EXISTS) || is_group(group)) {
		fail(error, "there is a volume group %s already; `vgremove %s` if it is a leftover", group, group);
		return NULL;
	}
	announce_volume(target, group);
	if (!subprocess_run(make_group, TIMEOUT_S, NULL, NULL, NULL, error) ||
		!subprocess_run(make_volume, TIMEOUT_S, NULL, NULL, NULL, error))
		return NULL;
	return g_build_filename(folder, LV, NULL);
}

/* ---- null_blk -------------------------------------------------------------------------------- */

#define NAME_MAX_LENGTH 31 /* newer kernels name the disk as its folder, and a disk's name has no more */

/* A long name is cut, and told apart from others by a sum. */
static char *nullb_name(const Target *target)
{
	char *name = g_strconcat("nullb-", target->stem, NULL);

	if (strlen(name) > NAME_MAX_LENGTH)
		g_snprintf(name + NAME_MAX_LENGTH - 5, 6, "-%04x", g_str_hash(target->stem) & 0xffff);
	return name;
}

static gboolean set(const char *folder, const char *attribute, guint64 value, GError **error)
{
	g_autofree char *path = g_build_filename(folder, attribute, NULL);
	g_autofree char *text = g_strdup_printf("%" G_GUINT64_FORMAT "\n", value);
	/* configfs takes a value in one write. */
	FILE *file = fopen(path, "we");
	gboolean ok = file && fputs(text, file) >= 0 && fflush(file) == 0;
	int saved = errno;

	if (file)
		fclose(file);
	return ok || fail(error, "null_blk does not take %" G_GUINT64_FORMAT " for %s: %s", value, attribute, g_strerror(saved));
}

/* A mounted configfs stays, as a loaded module does: others may use it meanwhile. */
static gboolean have_configfs(GError **error)
{
	if (g_file_test(KERNEL_DEVICE_NULLB, G_FILE_TEST_IS_DIR))
		return TRUE;
	if (mount("configfs", CONFIGFS, "configfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) < 0 && errno != EBUSY)
		return fail(error, "configfs, by which null_blk is told what to make, cannot be mounted at " CONFIGFS ": %s",
			g_strerror(errno));
	return g_file_test(KERNEL_DEVICE_NULLB, G_FILE_TEST_IS_DIR) ||
		fail(error, "null_blk takes no requests here: there is no " KERNEL_DEVICE_NULLB " (CONFIG_CONFIGFS_FS)");
}

static char *nullb_device(const char *name, const char *item)
{
	g_autofree char *sysfs = g_build_filename("/sys/block", name, NULL);
	g_autofree char *file = g_build_filename(item, "index", NULL);
	g_autofree char *index = NULL;

	if (g_file_test(sysfs, G_FILE_TEST_EXISTS))
		return g_build_filename("/dev", name, NULL);
	return g_file_get_contents(file, &index, NULL, NULL) ? g_strconcat("/dev/nullb", g_strchomp(index), NULL) : NULL;
}

gboolean target_null_make(Target *target, const TargetSpec *spec, GError **error)
{
	g_autofree char *name = nullb_name(target);
	g_autofree char *item = g_build_filename(KERNEL_DEVICE_NULLB, name, NULL);

	if (!load(target->type, error) || !have_configfs(error))
		return FALSE;
	target_announce(target, "nullb", name);
	if (mkdir(item, 0700) < 0) {
		fail(error, "null_blk makes no device %s: %s", name, g_strerror(errno));
		target_take_back(target);
		return FALSE;
	}
	/* A timer completes requests that have a delay, else the interrupt's second half does, as with a real disk. */
	if (!set(item, "size", spec->size >> 20, error) || !set(item, "memory_backed", spec->memory_backed, error) ||
		!set(item, "irqmode", spec->delay_ns ? 2 : 1, error) ||
		(spec->delay_ns && !set(item, "completion_nsec", spec->delay_ns, error)) || !set(item, "power", 1, error))
		return FALSE;
	target->path = nullb_device(name, item);
	return take_device(target, spec, error);
}
