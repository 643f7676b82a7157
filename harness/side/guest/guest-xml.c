/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The domain of a guest, in the words of its hypervisor: what a sweep starts, and what `iogap plan --xml` prints. */
#include "harness/base/error.h"
#include "harness/base/paths.h"
#include "harness/side/guest/domain.h"
#include "harness/side/guest/guest-private.h"
#include "harness/side/guest/image-private.h"

/* q35 root ports left free: as many disks as are ever plugged in together, and SCSI controllers. */
#define HOTPLUG_SLOTS 18
/* In place of the identity of a run, which is drawn when a sweep begins. */
#define SOME_RUN "RUN"

void guest_name_things(GuestSide *guest, const char *folder, const char *run)
{
	Hypervisor *hypervisor = guest->hypervisor;
	guint number = ++hypervisor->guests;

	guest->name = g_strdup_printf("iogap-%s-%u", run, number);
	guest->socket = g_strdup_printf("%s/%u.sock", folder, number);
	guest->console = g_strdup_printf("%s/%u.console", folder, number);
	guest->announced = g_strdup_printf("%s %s", hypervisor->uri, guest->name);
	guest->words = guest->image ? image_boot_cmdline(guest->image, guest->accel) : g_strdup(appliance_cmdline(guest->accel));
	if (guest->image)
		guest->overlay = g_strdup_printf("%s/%u.boot.qcow2", folder, number);
}

void guest_unname_things(GuestSide *guest)
{
	g_clear_pointer(&guest->overlay, g_free);
	g_clear_pointer(&guest->name, g_free);
	g_clear_pointer(&guest->socket, g_free);
	g_clear_pointer(&guest->console, g_free);
	g_clear_pointer(&guest->announced, g_free);
}

/* The disk that a distribution boots from. Its bus is always the same, and so is everything else of it: only the data disks change. No
 * flush of it reaches a disk. */
static SideDisk boot_disk_of(const GuestSide *guest)
{
	return (SideDisk){
		.image = guest->overlay,
		.serial = "iogap-boot",
		.bus = "virtio",
		.cache = "unsafe",
		.io = "threads",
		.format = "qcow2",
		.iothread = -1,
		.ioeventfd = -1,
		.queues = -1,
		.event_idx = -1,
		.packed = -1,
	};
}

/* The settings of virtio-scsi disks that are there from the boot are their controller's. */
static void set_controller(DomainSpec *spec)
{
	for (guint i = 0; i < spec->n_disks; i++) {
		const SideDisk *disk = &spec->disks[i];

		if (!g_str_equal(disk->bus, "virtio-scsi"))
			continue;
		spec->scsi_controller = TRUE;
		spec->scsi_queues = disk->queues;
		spec->scsi_iothread = disk->iothread;
		spec->scsi_ioeventfd = disk->ioeventfd;
		spec->scsi_packed = disk->packed;
	}
}

static guint iothreads_of(const DomainSpec *spec)
{
	int threads = 0;

	for (guint i = 0; i < spec->n_disks; i++)
		threads = MAX(threads, MAX(spec->disks[i].iothread, spec->disks[i].iothread_map));
	return (guint)threads;
}

char *guest_xml(GuestSide *guest, GError **error)
{
	SideDisk boot_disk = boot_disk_of(guest);
	DomainSpec spec = {
		.name = guest->name,
		.title = "iogap: a guest of one measurement, gone when that ends",
		.accel = guest->accel,
		.machine = guest->machine,
		.emulator = guest->emulator,
		.kernel = guest->appliance->boot_file,
		.initramfs = guest->appliance->initramfs,
		.cmdline = guest->words,
		.boot_disk = guest->image ? &boot_disk : NULL,
		.identity = hypervisor_identity(guest->hypervisor),
		.vcpus = guest->vcpus,
		.memory = guest->memory,
		.tuning = guest->tuning,
		.channel_socket = guest->socket,
		.console_log = guest->console,
		.hotplug_slots = HOTPLUG_SLOTS,
		.disks = (const SideDisk *)(gpointer)guest->cold->data,
		.n_disks = guest->cold->len,
		.scsi_queues = -1,
		.scsi_iothread = -1,
		.scsi_ioeventfd = -1,
		.scsi_packed = -1,
	};

	spec.iothreads = iothreads_of(&spec);
	set_controller(&spec);
	if (!domain_check(&spec, error))
		return NULL;
	if (!hypervisor_is_xen(guest->hypervisor->uri))
		return domain_xml(&spec);
	/* Xen's loader takes the file as it comes. */
	spec.kernel = guest->appliance->kernel_file;
	return domain_xen_xml(&spec);
}

char *guest_domain_xml(const char *uri, const GuestConfig *config, GError **error)
{
	Hypervisor *hypervisor = hypervisor_named(uri, error);
	GuestSide *guest = hypervisor ? guest_new(hypervisor, config, error) : NULL;
	g_autofree char *runtime = paths_runtime();
	g_autofree char *folder = g_build_filename(runtime, SOME_RUN, NULL);
	char *xml = NULL;

	if (guest) {
		guest_name_things(guest, folder, SOME_RUN);
		xml = guest_xml(guest, error);
		guest_unname_things(guest);
		side_free(&guest->side);
	}
	hypervisor_close(hypervisor);
	return xml;
}
