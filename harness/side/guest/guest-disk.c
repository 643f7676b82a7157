/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Disks of a running guest: plugged in when they are first asked for, found by serial and size,
 * unplugged when slots run out. */
#include <string.h>
#include <unistd.h>

#include "harness/base/error.h"
#include "harness/side/guest/domain.h"
#include "harness/side/guest/guest-observe.h"
#include "harness/side/guest/guest-private.h"
#include "harness/side/guest/virt-error.h"

/* PCI devices plugged in at once: a pc has 31 slots, some taken; a q35 as many root ports as
 * guest.c asks for. */
#define PCI_MAX 14
#define ATTACH_S 15 /* it takes some 30 ms */
#define DETACH_S 30
#define REMOVED_MS 20000
#define FIND_NS 30000000000ll
#define CALL_MS 45000

void guest_disk_free(gpointer data)
{
	GuestDisk *disk = data;

	g_free(disk->serial);
	g_free(disk->bus);
	g_free(disk->xml);
	g_free(disk->path);
	g_clear_pointer(&disk->descriptors, g_array_unref);
	record_free(disk->seen);
	g_free(disk);
}

static gboolean is_scsi(const char *bus)
{
	return g_str_equal(bus, "virtio-scsi");
}

GuestDisk *guest_disk_find(GuestSide *guest, const char *serial)
{
	for (guint i = 0; i < guest->disks->len; i++) {
		GuestDisk *disk = guest->disks->pdata[i];

		if (g_str_equal(disk->serial, serial))
			return disk;
	}
	return NULL;
}

/* The lowest number that no disk of this bus has. */
static guint free_slot(GuestSide *guest, const char *bus)
{
	for (guint slot = 0;; slot++) {
		gboolean taken = FALSE;

		for (guint i = 0; i < guest->disks->len; i++) {
			const GuestDisk *disk = guest->disks->pdata[i];

			taken |= disk->slot == slot && g_str_equal(disk->bus, bus);
		}
		if (!taken)
			return slot;
	}
}

static GuestDisk *disk_new(GuestSide *guest, const SideDisk *asked)
{
	GuestDisk *disk = g_new0(GuestDisk, 1);

	disk->serial = g_strdup(asked->serial);
	disk->bus = g_strdup(asked->bus);
	disk->slot = free_slot(guest, asked->bus);
	disk->controller = -1;
	return disk;
}

void guest_disks_begin(GuestSide *guest)
{
	for (guint i = 0; i < guest->cold->len; i++) {
		GuestDisk *disk = disk_new(guest, &g_array_index(guest->cold, SideDisk, i));

		disk->cold = TRUE;
		g_ptr_array_add(guest->disks, disk);
	}
}

/* ---- plugging in and out: the functions with a gpointer run in a thread ---------------- */

static gboolean attach(GuestSide *guest, gpointer xml, GError **error)
{
	if (virDomainAttachDeviceFlags(guest->domain, xml, VIR_DOMAIN_AFFECT_LIVE) == 0)
		return TRUE;
	virt_set_error(error, "the guest does not take the disk");
	return FALSE;
}

static gboolean detach(GuestSide *guest, gpointer xml, GError **error)
{
	if (virDomainDetachDeviceFlags(guest->domain, xml, VIR_DOMAIN_AFFECT_LIVE) == 0)
		return TRUE;
	virt_set_error(error, "the guest does not give the disk back");
	return FALSE;
}

static gboolean add_iothread(GuestSide *guest, gpointer data, GError **error)
{
	guint id = (guint)guest->iothreads + 1;

	if (virDomainAddIOThread(guest->domain, id, VIR_DOMAIN_AFFECT_LIVE) == 0)
		return guest_tune_iothread(guest, id, error);
	virt_set_error(error, "QEMU does not make an iothread");
	return FALSE;
}

static gboolean unplug(GuestSide *guest, GuestDisk *disk, GCancellable *cancel, GError **error)
{
	/* One detachment is under way at a time: the next removal is this one. */
	guest->removed = FALSE;
	/* Success only says that the guest was asked. */
	if (!guest_call(guest, "unplugging a disk", detach, disk->xml, DETACH_S, cancel, error))
		return FALSE;
	if (!guest_wait(&guest->removed, REMOVED_MS) || guest->gone) {
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_LOST,
			"the guest did not let go of disk %s within %d s", disk->serial,
			REMOVED_MS / 1000);
		return FALSE;
	}
	g_ptr_array_remove(guest->disks, disk);
	return TRUE;
}

static guint count_pci(GuestSide *guest)
{
	guint n = guest->controllers->len;

	for (guint i = 0; i < guest->disks->len; i++) {
		const GuestDisk *disk = guest->disks->pdata[i];

		n += !disk->cold && g_str_equal(disk->bus, "virtio");
	}
	return n;
}

static GuestDisk *least_recently_used(GuestSide *guest)
{
	GuestDisk *oldest = NULL;

	for (guint i = 0; i < guest->disks->len; i++) {
		GuestDisk *disk = guest->disks->pdata[i];

		if (!disk->cold && g_str_equal(disk->bus, "virtio") &&
			(!oldest || disk->last_used < oldest->last_used))
			oldest = disk;
	}
	return oldest;
}

static gboolean make_room(GuestSide *guest, GCancellable *cancel, GError **error)
{
	while (count_pci(guest) >= PCI_MAX) {
		GuestDisk *disk = least_recently_used(guest);

		if (!disk) {
			g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_UNSUPPORTED,
				"the guest has no PCI slot left: %u virtio-scsi controllers with "
				"different settings fill them",
				guest->controllers->len);
			return FALSE;
		}
		if (!unplug(guest, disk, cancel, error))
			return FALSE;
	}
	return TRUE;
}

/* ---- virtio-scsi: queues, iothread and ioeventfd belong to the controller ---------------- */

static int find_controller(GuestSide *guest, const SideDisk *disk)
{
	for (guint i = 0; i < guest->controllers->len; i++) {
		const GuestController *c = &g_array_index(guest->controllers, GuestController, i);

		if (c->queues == disk->queues && c->iothread == disk->iothread &&
			c->ioeventfd == disk->ioeventfd && c->packed == disk->packed)
			return (int)i;
	}
	return -1;
}

static int get_controller(
	GuestSide *guest, const SideDisk *disk, GCancellable *cancel, GError **error)
{
	GuestController made = {disk->queues, disk->iothread, disk->ioeventfd, disk->packed, 0};
	int index = find_controller(guest, disk);
	g_autofree char *xml = NULL;

	if (index >= 0)
		return index;
	if (!make_room(guest, cancel, error))
		return -1;
	index = (int)guest->controllers->len;
	xml = domain_scsi_controller_xml((guint)index, made.queues, made.iothread, made.ioeventfd,
		made.packed);
	if (!guest_call(
		    guest, "plugging in a SCSI controller", attach, xml, ATTACH_S, cancel, error))
		return -1;
	g_array_append_val(guest->controllers, made);
	return index;
}

/* ---- one disk ---------------- */

/* What QEMU opens meanwhile is this disk's own: an image may have several disks. */
static gboolean attach_disk(GuestSide *guest, GuestDisk *disk, const SideDisk *asked,
	GCancellable *cancel, GError **error)
{
	g_autoptr(GArray) before = observe_descriptors(guest->pid, asked->image);

	if (!guest_call(guest, "plugging in a disk", attach, disk->xml, ATTACH_S, cancel, error))
		return FALSE;
	disk->descriptors = observe_descriptors(guest->pid, asked->image);
	for (guint i = 0; i < before->len; i++)
		for (guint k = disk->descriptors->len; k > 0; k--)
			if (g_array_index(disk->descriptors, int, k - 1) ==
				g_array_index(before, int, i))
				g_array_remove_index(disk->descriptors, k - 1);
	/* None is new: QEMU may run where /proc cannot be read. */
	if (disk->descriptors->len == 0)
		g_clear_pointer(&disk->descriptors, g_array_unref);
	return TRUE;
}

static gboolean plug_in(GuestSide *guest, GuestDisk *disk, const SideDisk *asked,
	GCancellable *cancel, GError **error)
{
	if (!guest_disk_image_check(asked, error))
		return FALSE;
	for (int wanted = MAX(asked->iothread, asked->iothread_map); guest->iothreads < wanted; guest->iothreads++)
		if (!guest_call(guest, "making an iothread", add_iothread, NULL, ATTACH_S, cancel,
			    error))
			return FALSE;
	if (is_scsi(asked->bus)) {
		GuestController *controller;

		disk->controller = get_controller(guest, asked, cancel, error);
		if (disk->controller < 0)
			return FALSE;
		controller = &g_array_index(
			guest->controllers, GuestController, (guint)disk->controller);
		disk->xml = domain_scsi_disk_xml(
			asked, disk->slot, (guint)disk->controller, controller->units++);
	} else {
		if (!make_room(guest, cancel, error))
			return FALSE;
		disk->slot = free_slot(guest, asked->bus);
		disk->xml = domain_disk_xml(asked, disk->slot);
	}
	return attach_disk(guest, disk, asked, cancel, error);
}

/* The path of the disk in the guest. */
static char *find_in_guest(
	GuestSide *guest, const SideDisk *asked, GCancellable *cancel, GError **error)
{
	json_t *arguments = json_pack("{s:s, s:I, s:I}", "serial", asked->serial, "size",
		(json_int_t)asked->size, "timeout_ns", (json_int_t)FIND_NS);
	json_t *found = link_call(
		guest->side.link, "find_disk", arguments, CALL_MS, NULL, NULL, cancel, error);
	char *path = g_strdup(json_string_value(json_object_get(found, "path")));

	if (found && !path)
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_LOST,
			"the guest's agent found disk %s but names no path", asked->serial);
	json_decref(arguments);
	json_decref(found);
	return path;
}

static gboolean set_scheduler(GuestSide *guest, const char *path, const char *scheduler,
	GCancellable *cancel, GError **error)
{
	json_t *arguments, *answer;
	gboolean done;

	if (!scheduler)
		return TRUE;
	arguments = json_pack("{s:s, s:s}", "path", path, "scheduler", scheduler);
	answer = link_call(
		guest->side.link, "schedule", arguments, CALL_MS, NULL, NULL, cancel, error);
	done = answer != NULL;
	json_decref(arguments);
	json_decref(answer);
	return done;
}

static GuestDisk *new_disk(
	GuestSide *guest, const SideDisk *asked, GCancellable *cancel, GError **error)
{
	GuestDisk *disk = disk_new(guest, asked);

	if (!plug_in(guest, disk, asked, cancel, error)) {
		guest_disk_free(disk);
		return NULL;
	}
	g_ptr_array_add(guest->disks, disk);
	return disk;
}

static gboolean make_ready(GuestSide *guest, GuestDisk *disk, const SideDisk *asked,
	GCancellable *cancel, GError **error)
{
	g_autofree char *path = find_in_guest(guest, asked, cancel, error);

	if (!path || !set_scheduler(guest, path, asked->scheduler, cancel, error))
		return FALSE;
	disk->path = g_steal_pointer(&path);
	return TRUE;
}

char *guest_disk(Side *side, const SideDisk *asked, GCancellable *cancel, GError **error)
{
	GuestSide *guest = (GuestSide *)side;
	GuestDisk *disk = guest_disk_find(guest, asked->serial);

	if (link_lost(side->link)) {
		g_set_error_literal(error, IOGAP_ERROR, IOGAP_ERROR_LOST, link_lost(side->link));
		return NULL;
	}
	if (!disk && !g_str_has_prefix(asked->bus, "virtio")) {
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_UNSUPPORTED,
			"disk %s on %s was not there at boot, and %s disks cannot be plugged in "
			"later",
			asked->serial, asked->bus, asked->bus);
		return NULL;
	}
	if (!disk)
		disk = new_disk(guest, asked, cancel, error);
	if (!disk)
		return NULL;
	disk->last_used = ++guest->uses;
	if (!disk->path && !make_ready(guest, disk, asked, cancel, error)) {
		if (!disk->cold && !link_lost(side->link))
			unplug(guest, disk, cancel, NULL);
		return NULL;
	}
	return g_strdup(disk->path);
}
