/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Domain and disk XML, written with libxml2's writer; pure functions of their arguments.
 *
 * Every setting that changes a figure is written out, never left to a default of libvirt or QEMU:
 * bus, cache, io, format, queues, the SCSI controller's model. A setting that does not apply (-1,
 * NULL) is not written. What is impossible is not refused here but by plan/ before and by QEMU
 * after; nothing asked is dropped or replaced.
 *
 * Who may include it: harness/side/guest. Needs no hypervisor.
 */
#ifndef IOGAP_SIDE_GUEST_DOMAIN_H
#define IOGAP_SIDE_GUEST_DOMAIN_H

#include <glib.h>
#include "harness/side/side.h"

#define DOMAIN_CHANNEL "org.iogap.agent.0"

typedef struct {
	const char *name;     /* "iogap-" + run id + boot */
	const char *uuid;     /* may be NULL: libvirt makes one */
	const char *title;    /* one line for people; may be NULL */
	const char *accel;    /* kvm -> type='kvm', tcg -> type='qemu' */
	const char *machine;  /* pc, q35 */
	const char *emulator; /* NULL = leave it to libvirt */
	const char *kernel, *initramfs, *cmdline;
	const char *identity; /* user and group that QEMU runs as, as "+UID:+GID"; NULL = as libvirt
				 is set up */
	guint vcpus;
	guint64 memory;             /* bytes */
	SideTuning tuning;	    /* pin_iothread: of those that are there from the boot */
	const char *channel_socket; /* UNIX socket that QEMU listens on, port DOMAIN_CHANNEL */
	const char *console_log;    /* file that gets the serial console */
	guint iothreads;            /* how many <iothreads>; disks with iothread=1 use number 1 */
	guint hotplug_slots; /* q35: root ports left free for disks to be plugged in later (pc needs
				none) */
	const SideDisk *disks; /* present from the boot; each gets its place among the disks of its
				  bus as slot */
	guint n_disks;
	/* the disk of a distribution, apart from the data disks and never counted among them; NULL = none. A virtio disk. */
	const SideDisk *boot_disk;
	/* virtio-scsi controller, made beforehand when a hot-plugged virtio-scsi disk may come */
	gboolean scsi_controller;
	int scsi_queues, scsi_iothread, scsi_ioeventfd, scsi_packed; /* -1 = not set */
} DomainSpec;

/*
 * What would make a document that is no XML or that libvirt reads otherwise: control characters,
 * bytes that are not UTF-8, a slash in the name, a relative path. IOGAP_ERROR_USAGE, naming the
 * field. Newlines and tabs in paths are fine. Call it before domain_xml and domain_disk_xml, which
 * write whatever they get.
 */
gboolean domain_check(const DomainSpec *spec, GError **error);
gboolean domain_disk_check(const SideDisk *disk, GError **error);

/* New text, never NULL. */
char *domain_xml(const DomainSpec *spec);

/*
 * The same guest as an HVM domain of Xen's libxl driver; new text, never NULL. Its data disks are paravirtual (xvda, xvdb ... in the
 * order of DISKS), since that is what Xen measures beside virtio. libxl has no words for most settings of a disk, and for an accelerator:
 * a comment at the top of the document lists those that were asked for and do not stand in it. Schema-valid; never run by us.
 */
char *domain_xen_xml(const DomainSpec *spec);

/*
 * The <disk> element alone, as for attach and detach. SLOT: number among the disks of its bus, from
 * 0. virtio-scsi disks are units of the SCSI controller 0; SATA disks fill six ports of a
 * controller each.
 */
char *domain_disk_xml(const SideDisk *disk, guint slot);

/* The same for a virtio-scsi disk that is unit UNIT of SCSI controller CONTROLLER; SLOT only names
 * it. */
char *domain_scsi_disk_xml(const SideDisk *disk, guint slot, guint controller, guint unit);

/* A virtio-scsi controller, as for attach; -1 = not set. */
char *domain_scsi_controller_xml(guint index, int queues, int iothread, int ioeventfd, int packed);

/*
 * The target name of that disk, which libvirt uses to name it in other calls: vda + slot (virtio),
 * hda + slot (ide), sda + slot (sata), sdaa + slot (virtio-scsi) and sdba + slot (usb), so that they
 * never meet a SATA disk. Not the name in the guest.
 */
char *domain_disk_name(const char *bus, guint slot);

#endif
