/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/plan/stages.h"

#include "harness/plan/cell.h"

typedef struct {
	Plan *plan;
	const GArray *needs;
	guint machine;
	GArray *disks; /* of guint, of this machine, each once */
} Packing;

static const PlanDisk *disk_at(const Plan *plan, guint disk)
{
	return &g_array_index(plan->disks, PlanDisk, disk);
}

static gboolean on_bus(const Packing *packing, guint index, const char *bus)
{
	return g_str_equal(disk_at(packing->plan, g_array_index(packing->disks, guint, index))->bus, bus);
}

static gboolean same_controller(const PlanDisk *a, const PlanDisk *b)
{
	return a->queues == b->queues && a->iothread == b->iothread && a->ioeventfd == b->ioeventfd &&
		a->packed == b->packed;
}

/* The number of the virtio-scsi controller that disk INDEX needs, counted in order of appearance; *ret_count (may be
 * NULL) gets how many there are. */
static guint controller_of(const Packing *packing, guint index, guint *ret_count)
{
	const PlanDisk *wanted = index < packing->disks->len
		? disk_at(packing->plan, g_array_index(packing->disks, guint, index))
		: NULL;
	g_autoptr(GPtrArray) kinds = g_ptr_array_new();
	guint found = 0;

	for (guint i = 0; i < packing->disks->len; i++) {
		const PlanDisk *disk = disk_at(packing->plan, g_array_index(packing->disks, guint, i));
		guint k = 0;

		if (!on_bus(packing, i, "virtio-scsi"))
			continue;
		while (k < kinds->len && !same_controller(disk, g_ptr_array_index(kinds, k)))
			k++;
		if (k == kinds->len)
			g_ptr_array_add(kinds, (gpointer)disk);
		if (wanted == disk)
			found = k;
	}
	if (ret_count)
		*ret_count = kinds->len;
	return found;
}

static guint count_on(const Packing *packing, const char *bus)
{
	guint count = 0;

	for (guint i = 0; i < packing->disks->len; i++)
		count += on_bus(packing, i, bus);
	return count;
}

static guint boots_needed(const Packing *packing)
{
	guint ide = (count_on(packing, "ide") + SLOTS_IDE - 1) / SLOTS_IDE;
	guint sata = (count_on(packing, "sata") + SLOTS_SATA - 1) / SLOTS_SATA;
	guint usb = (count_on(packing, "usb") + SLOTS_USB - 1) / SLOTS_USB;
	guint controllers;

	controller_of(packing, G_MAXUINT, &controllers);
	return MAX(MAX(1, controllers), MAX(MAX(ide, sata), usb));
}

static void set_boot(Packing *packing, guint disk, guint boot)
{
	Plan *plan = packing->plan;

	g_array_append_val(((PlanBoot *)g_ptr_array_index(plan->boots, boot))->disks, disk);
	for (guint i = 0; i < plan->legs->len; i++) {
		PlanLeg *leg = g_ptr_array_index(plan->legs, i);

		if (leg->side == PLAN_GUEST && leg->disk == disk &&
			g_array_index(packing->needs, guint, i) == packing->machine)
			leg->boot = boot;
	}
}

static void pack_machine(Packing *packing, const PlanMachine *machine)
{
	Plan *plan = packing->plan;
	guint first = plan->boots->len, count = boots_needed(packing), ide = 0, sata = 0, usb = 0;

	for (guint i = 0; i < count; i++) {
		PlanBoot *boot = g_new0(PlanBoot, 1);

		boot->machine = *machine;
		boot->disks = g_array_new(FALSE, FALSE, sizeof(guint));
		g_ptr_array_add(plan->boots, boot);
	}
	for (guint i = 0; i < packing->disks->len; i++) {
		guint boot = 0;

		if (on_bus(packing, i, "ide"))
			boot = ide++ % count;
		else if (on_bus(packing, i, "sata"))
			boot = sata++ % count;
		else if (on_bus(packing, i, "usb"))
			boot = usb++ % count;
		else if (on_bus(packing, i, "virtio-scsi"))
			boot = controller_of(packing, i, NULL);
		set_boot(packing, g_array_index(packing->disks, guint, i), first + boot);
	}
}

static GArray *disks_of(const Plan *plan, const GArray *needs, guint machine)
{
	GArray *disks = g_array_new(FALSE, FALSE, sizeof(guint));
	g_autofree gboolean *seen = g_new0(gboolean, plan->disks->len);

	for (guint i = 0; i < plan->legs->len; i++) {
		const PlanLeg *leg = g_ptr_array_index(plan->legs, i);

		if (leg->side != PLAN_GUEST || g_array_index(needs, guint, i) != machine || seen[leg->disk])
			continue;
		seen[leg->disk] = TRUE;
		g_array_append_val(disks, leg->disk);
	}
	return disks;
}

void plan_pack(Plan *plan, const GArray *machines, const GArray *needs)
{
	for (guint m = 0; m < machines->len; m++) {
		g_autoptr(GArray) disks = disks_of(plan, needs, m);
		Packing packing = {plan, needs, m, disks};

		pack_machine(&packing, &g_array_index(machines, PlanMachine, m));
	}
}
