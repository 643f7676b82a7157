/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/run/plan-xml.h"

#include "harness/base/paths.h"
#include "harness/run/guest-config.h"

#define MEMORY_FOLDER "/dev/shm"

static gboolean is(const ProfileTarget *target, const char *type)
{
	return g_str_equal(target->type, type);
}

/* Fills in where DISK, number NUMBER of the plan, will lie; texts go to OWN. Names as harness/side/target.h says. */
static void place(const ProfileTarget *target, const char *folder, guint number, SideDisk *disk, GPtrArray *own)
{
	g_autofree char *runtime = paths_runtime();
	g_autofree char *stem = g_strdup_printf("iogap-RUN-%s", target->name);
	g_autofree char *mount = target->filesystem ? g_strdup_printf("%s.mnt", stem) : NULL;
	g_autofree char *name = g_str_equal(disk->format, "raw") ? g_strconcat(stem, ".raw", NULL) :
		g_strdup_printf("%s.%u.%s", stem, number, disk->format);
	const char *where = target->path ? target->path : is(target, "tmpfs") ? MEMORY_FOLDER : folder;
	g_autofree char *beside = g_canonicalize_filename(where, NULL);
	char *path;

	disk->size = target->size;
	if (is(target, "file") || is(target, "tmpfs") || target->filesystem) {
		path = mount ? g_build_filename(beside, mount, name, NULL) : g_build_filename(beside, name, NULL);
	} else if (is(target, "nbd")) {
		path = g_strdup_printf("%s/RUN/%s.fuse/nbd", runtime, stem);
		disk->nbd_socket = g_strdup_printf("%s/RUN/%s.sock", runtime, stem);
		g_ptr_array_add(own, (char *)disk->nbd_socket);
	} else {
		/* The kernel or a tool names the device when it is made. */
		path = target->path && is(target, "block") ? g_strdup(target->path) : g_strdup_printf("/dev/%s-RUN", target->type);
		disk->block = TRUE;
	}
	disk->image = path;
	g_ptr_array_add(own, path);
}

/* Whether a leg of boot BOOT uses disk DISK: those that are plugged in later are not listed by the boot. */
static gboolean used_in(const Plan *plan, guint boot, guint disk)
{
	for (guint i = 0; i < plan->legs->len; i++) {
		const PlanLeg *leg = g_ptr_array_index(plan->legs, i);

		if (leg->side == PLAN_GUEST && leg->boot == boot && leg->disk == disk)
			return TRUE;
	}
	return FALSE;
}

char *plan_xml(const Plan *plan, guint boot, const char *accel, const char *folder, const char *uri, GError **error)
{
	g_autofree char *agent = paths_agent();
	g_autofree SideDisk *disks = g_new0(SideDisk, plan->disks->len);
	g_autoptr(GPtrArray) own = g_ptr_array_new_with_free_func(g_free);
	GuestConfig config = guest_config_of(plan, boot, accel, agent);

	config.disks = disks;
	for (guint i = 0; i < plan->disks->len; i++) {
		const PlanDisk *disk = &g_array_index(plan->disks, PlanDisk, i);

		if (!used_in(plan, boot, i))
			continue;
		disk_settings_of(disk, &disks[config.n_disks]);
		place(g_ptr_array_index(plan->profile->targets, disk->target), folder, i, &disks[config.n_disks++], own);
	}
	return guest_domain_xml(uri, &config, error);
}
