/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Domain and disk XML, written with libxml2's writer; pure functions of their arguments.
 */
#ifndef IOGAP_SIDE_GUEST_DOMAIN_H
#define IOGAP_SIDE_GUEST_DOMAIN_H

#include <glib.h>
#include "harness/side/side.h"

typedef struct {
	const char *name;      /* "iogap-" + run id + boot */
	const char *uuid;      /* may be NULL: libvirt makes one */
	const char *title;     /* free text for people */
	const char *accel;     /* kvm -> type='kvm', tcg -> type='qemu' */
	const char *machine;   /* pc, q35 */
	const char *emulator;  /* NULL = leave it to libvirt */
	const char *kernel, *initramfs, *cmdline;
	guint vcpus;
	guint64 memory;
	const char *channel_socket; /* UNIX socket that QEMU listens on, port org.iogap.agent.0 */
	const char *console_log;    /* file that gets the serial console */
	guint iothreads;	    /* how many <iothreads>; disks with iothread=1 use number 1 */
	guint hotplug_slots;	    /* q35: how many pcie-root-ports are made beforehand */
	const SideDisk *disks;
	guint n_disks;
	/* virtio-scsi controller, made beforehand when a hot-plugged virtio-scsi disk may come */
	gboolean scsi_controller;
	int scsi_queues, scsi_iothread, scsi_ioeventfd;
} DomainSpec;

/* New text, never NULL. */
char *domain_xml(const DomainSpec *spec);

/* The <disk> element alone, as for attach. SLOT: number among the disks of its bus (vda + slot, sda + slot, hda + slot). */
char *domain_disk_xml(const SideDisk *disk, guint slot);

#endif
