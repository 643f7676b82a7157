/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Checks of the machine itself: folders, space, and what makes figures wander. */
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "harness/base/paths.h"
#include "harness/run/doctor-private.h"
#include "harness/run/memory-limit.h"
#include "harness/side/target.h"

/* libvirt's sockets below the runtime folder have at most 108 bytes of name. */
#define RUNTIME_MAX 60
#define WANTED_SPACE (G_GUINT64_CONSTANT(2) << 30)

static char *read_line(const char *path)
{
	char *text = NULL;

	if (g_file_get_contents(path, &text, NULL, NULL))
		g_strchomp(text);
	return text;
}

void check_cpus(DoctorContext *context, DoctorFinding *finding)
{
	guint cpus = g_get_num_processors();

	if (cpus >= 2)
		found_ok(finding, "%u for this process", cpus);
	else
		found_warn(finding, "only one: the guest and its emulator take turns, figures show that too");
}

void check_governor(DoctorContext *context, DoctorFinding *finding)
{
	g_autofree char *governor = read_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");

	if (!governor)
		found_ok(finding, "no frequency scaling in sight (a virtual machine, or fixed)");
	else if (g_str_equal(governor, "performance"))
		found_ok(finding, "performance");
	else {
		found_warn(finding, "%s: the clock follows the load, small I/O shows it", governor);
		mend(finding, TRUE, "cpupower frequency-set -g performance");
	}
}

void check_turbo(DoctorContext *context, DoctorFinding *finding)
{
	g_autofree char *no_turbo = read_line("/sys/devices/system/cpu/intel_pstate/no_turbo");
	g_autofree char *boost = read_line("/sys/devices/system/cpu/cpufreq/boost");

	if (!no_turbo && !boost)
		found_ok(finding, "no switch in sight");
	else if (no_turbo ? g_str_equal(no_turbo, "1") : g_str_equal(boost, "0"))
		found_ok(finding, "off");
	else {
		found_warn(finding, "on: the clock depends on heat and on the other cores");
		if (no_turbo)
			mend(finding, TRUE, "sh -c 'echo 1 > /sys/devices/system/cpu/intel_pstate/no_turbo'");
		else
			mend(finding, TRUE, "sh -c 'echo 0 > /sys/devices/system/cpu/cpufreq/boost'");
	}
}

void check_cgroup(DoctorContext *context, DoctorFinding *finding)
{
	guint64 limit = memory_limit("", 0);
	gboolean v2 = g_file_test("/sys/fs/cgroup/cgroup.controllers", G_FILE_TEST_EXISTS);
	const char *version = v2 ? "version 2" : g_file_test("/sys/fs/cgroup/memory", G_FILE_TEST_IS_DIR) ? "version 1" : "none";
	gboolean second;
	g_autofree char *reason = NULL;
	g_autofree char *place = memory_group_place("", &second, &reason);
	g_autofree char *own = place ? g_strdup("host_cache_limit works") : g_strdup_printf("host_cache_limit is refused: %s", reason);

	if (limit)
		found_warn(finding, "%s; memory is limited to %" G_GUINT64_FORMAT " MiB: the page cache counts too; %s", version,
			limit >> 20, own);
	else if (!place)
		found_warn(finding, "%s, no memory limit; %s", version, own);
	else
		found_ok(finding, "%s, no memory limit; %s", version, own);
}

void check_loop(DoctorContext *context, DoctorFinding *finding)
{
	if (access("/dev/loop-control", F_OK) < 0) {
		found_missing(finding, "no /dev/loop-control: targets of type loop are refused");
		mend(finding, TRUE, "modprobe loop");
	} else if (access("/dev/loop-control", R_OK | W_OK) < 0)
		found_warn(finding, "%s may not use them: targets of type loop need root", doctor_user());
	else if (geteuid() != 0)
		found_warn(finding, "raw ones only: a file system on one needs root");
	else
		found_ok(finding, "at hand");
}

/* What targets with a file system of ours need; each alone is enough for a sweep that asks for it. */
void check_filesystems(DoctorContext *context, DoctorFinding *finding)
{
	static const char *const programs[][2] = {
		{"mkfs.ext4", "e2fsprogs"}, {"mkfs.ext3", "e2fsprogs"}, {"mkfs.ext2", "e2fsprogs"}, {"mkfs.xfs", "xfsprogs"}, {"mkfs.btrfs", "btrfs-progs"}};

	for (guint i = 0; i < G_N_ELEMENTS(programs); i++) {
		g_autofree char *path = g_find_program_in_path(programs[i][0]);

		if (path)
			continue;
		found_missing(finding, "no %s: targets with filesystem: %s are refused", programs[i][0], programs[i][0] + strlen("mkfs."));
		mend(finding, TRUE, "apt-get install %s", programs[i][1]);
		return;
	}
	found_ok(finding, "ext4, ext3, ext2, xfs and btrfs can be made");
}

/* Types that the kernel makes; what is missing says itself what to do. */
static void check_types(DoctorFinding *finding, const char *const *types, const char *have)
{
	for (; *types; types++) {
		g_autoptr(GError) error = NULL;

		if (target_type_check(*types, &error))
			continue;
		found_missing(finding, "targets of type %s are refused: %s", *types, error->message);
		return;
	}
	found_ok(finding, "%s", have);
}

void check_mapper(DoctorContext *context, DoctorFinding *finding)
{
	check_types(finding, (const char *const[]){"dm-zero", "dm-delay", NULL}, "zero and delay are at hand");
}

void check_lvm(DoctorContext *context, DoctorFinding *finding)
{
	check_types(finding, (const char *const[]){"lvm", NULL}, "a volume over a loop device can be made");
}

void check_null_blk(DoctorContext *context, DoctorFinding *finding)
{
	check_types(finding, (const char *const[]){"null_blk", NULL}, "at hand");
}

void check_nbd(DoctorContext *context, DoctorFinding *finding)
{
	static const char *const programs[][2] = {{"nbdkit", "nbdkit"}, {"nbdfuse", "libnbd-bin"}};

	for (guint i = 0; i < G_N_ELEMENTS(programs); i++) {
		g_autofree char *path = g_find_program_in_path(programs[i][0]);
		g_autofree char *install = path ? NULL : g_strdup_printf("apt-get install %s", programs[i][1]);

		if (path)
			continue;
		found_missing(finding, "no %s: targets of type nbd are refused", programs[i][0]);
		mend(finding, TRUE, "%s", install);
		return;
	}
	if (access("/dev/fuse", R_OK | W_OK) < 0 || geteuid() != 0)
		found_warn(finding, "targets of type nbd need root and FUSE");
	else
		found_ok(finding, "nbdkit and nbdfuse are at hand");
}

void check_runtime(DoctorContext *context, DoctorFinding *finding)
{
	g_autofree char *folder = paths_runtime();
	g_autoptr(GError) error = NULL;

	if (strlen(folder) > RUNTIME_MAX) {
		found_missing(finding, "%s has %zu bytes, libvirt's sockets below it allow %d", folder, strlen(folder),
			RUNTIME_MAX);
		mend(finding, FALSE, "export IOGAP_RUNTIME=/tmp/iogap-%u", (guint)geteuid());
	} else if (!paths_ensure(folder, &error)) {
		found_missing(finding, "%s", error->message);
		mend(finding, FALSE, "export IOGAP_RUNTIME=/tmp/iogap-%u", (guint)geteuid());
	} else if (access(folder, R_OK | W_OK | X_OK) < 0) {
		found_missing(finding, "%s may not write to %s", doctor_user(), folder);
		mend(finding, FALSE, "export IOGAP_RUNTIME=/tmp/iogap-%u", (guint)geteuid());
	} else
		found_ok(finding, "%s", folder);
}

void check_cache(DoctorContext *context, DoctorFinding *finding)
{
	g_autofree char *folder = paths_cache();
	g_autoptr(GError) error = NULL;

	if (!paths_ensure(folder, &error) || access(folder, R_OK | W_OK | X_OK) < 0) {
		found_missing(finding, "%s%s", error ? error->message : folder, error ? "" : " cannot be written to");
		mend(finding, FALSE, "export IOGAP_CACHE=/tmp/iogap-cache-%u", (guint)geteuid());
	} else
		found_ok(finding, "%s", folder);
}

/* A file target of one megabyte in the store's folder: permission, read-only file systems, direct I/O. */
static gboolean look_at_store(DoctorContext *context, Record *record, GError **error)
{
	g_autofree char *folder = g_path_get_dirname(context->options->store);
	TargetSpec spec = {.name = "store", .type = "file", .size = 1 << 20, .folder = folder};

	return target_check(&spec, record, error);
}

/* Free bytes where FOLDER is or will be made. */
static guint64 free_space(const char *folder)
{
	g_autofree char *part = g_strdup(folder);
	struct statvfs vfs;

	while (statvfs(part, &vfs) < 0) {
		char *parent = g_path_get_dirname(part);

		if (g_str_equal(parent, part)) {
			g_free(parent);
			return 0;
		}
		g_free(part);
		part = parent;
	}
	return (guint64)vfs.f_bavail * vfs.f_frsize;
}

void check_store(DoctorContext *context, DoctorFinding *finding)
{
	g_autofree char *folder = g_path_get_dirname(context->options->store);
	g_autoptr(GError) error = NULL;
	g_autoptr(Record) record = record_new();
	guint64 space = free_space(folder);

	if (!look_at_store(context, record, &error)) {
		found_missing(finding, "%s", error->message);
		mend(finding, FALSE, "export IOGAP_STORE=%s/iogap.sqlite", g_get_home_dir());
	} else if (space < WANTED_SPACE)
		found_warn(finding, "%s: %" G_GUINT64_FORMAT " MiB free; a target of 1G and its store want %" G_GUINT64_FORMAT " MiB",
			folder, space >> 20, WANTED_SPACE >> 20);
	else
		found_ok(finding, "%s: %" G_GUINT64_FORMAT " GiB free on %s", folder, space >> 30,
			record_get_text(record, "filesystem") ? record_get_text(record, "filesystem") : "an unknown file system");
}

void check_direct(DoctorContext *context, DoctorFinding *finding)
{
	g_autofree char *folder = g_path_get_dirname(context->options->store);
	g_autoptr(Record) record = record_new();
	const char *reason;

	if (!look_at_store(context, record, NULL)) {
		found_missing(finding, "cannot be tried: no file can be made in the store's folder");
		return;
	}
	reason = record_get_text(record, "direct_reason");
	if (record_get_int(record, "direct", 0) == 0)
		found_missing(finding, "%s: %s; name another folder as a target's path", folder, reason);
	else if (reason)
		found_warn(finding, "%s: %s", folder, reason);
	else
		found_ok(finding, "works in %s, unit %" G_GINT64_FORMAT " bytes", folder,
			record_get_int(record, "sector_size", 0));
}
