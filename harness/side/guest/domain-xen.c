/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The domain of a guest under Xen, by what libvirt's manual says of the libxl driver. No machine of ours runs Xen: libvirt's schema is
 * all that it was held against.
 */
#include "harness/side/guest/domain.h"

#include "harness/side/guest/domain-tune.h"
#include "harness/side/guest/domain-writer.h"

static char *disk_name(guint slot)
{
	g_autofree char *virtio = domain_disk_name("virtio", slot);

	return g_strconcat("x", virtio, NULL);
}

/* A block device goes to Xen's own back end, an image to the one in QEMU. What is served over a socket is given as the host's file of it. */
static void disk_element(Writer w, const SideDisk *disk, guint slot)
{
	g_autofree char *name = disk_name(slot);

	begin(w, "disk");
	attribute(w, "type", disk->block ? "block" : "file");
	attribute(w, "device", "disk");
	begin(w, "driver");
	attribute(w, "name", disk->block ? "phy" : "qemu");
	attribute(w, "type", disk->format);
	attribute(w, "discard", disk->discard);
	end(w);
	begin(w, "source");
	attribute(w, disk->block ? "dev" : "file", disk->image);
	end(w);
	begin(w, "target");
	attribute(w, "dev", name);
	attribute(w, "bus", "xen");
	end(w);
	/* As under QEMU: several disks, and the host's own load, use one image. */
	if (g_str_equal(disk->format, "raw")) {
		begin(w, "shareable");
		end(w);
	}
	end(w);
}

static void note(GString *list, gboolean asked, const char *what)
{
	if (asked)
		g_string_append_printf(list, "%s%s", list->len ? ", " : "", what);
}

/* Serials are not told either: the guest would have to find a disk by its name. */
static void untold(Writer w, const DomainSpec *spec)
{
	g_autoptr(GString) list = g_string_new(NULL);
	gboolean iothread = FALSE, queues = FALSE, ioeventfd = FALSE, rings = FALSE, sectors = FALSE, limit = FALSE, rate = FALSE;
	g_autofree char *comment = NULL;

	for (guint i = 0; i < spec->n_disks; i++) {
		const SideDisk *d = &spec->disks[i];

		iothread |= d->iothread > 0 || d->iothread_map > 0;
		queues |= d->queues > 1;
		ioeventfd |= d->ioeventfd == 0;
		rings |= d->event_idx == 0 || d->packed == 1 || d->queue_size > 0;
		sectors |= d->logical_block_size > 512 || d->physical_block_size > 512;
		rate |= d->rotation_rate > 0;
		limit |= d->iops_limit > 0;
	}
	note(list, spec->n_disks > 0, "bus (xen in its place), cache, io, serial");
	note(list, iothread, "iothread");
	note(list, queues, "queues");
	note(list, ioeventfd, "ioeventfd");
	note(list, rings, "event_idx, packed, queue_size");
	note(list, sectors, "sector sizes");
	note(list, rate, "rotation_rate");
	note(list, limit, "iops_limit");
	note(list, spec->tuning.pin_emulator != NULL, "pin_emulator");
	note(list, spec->tuning.pin_iothread != NULL, "pin_iothread");
	note(list, spec->tuning.numa != NULL, "numa");
	note(list, spec->tuning.hugepages > 0, "hugepages");
	note(list, TRUE, "machine and accelerator");
	comment = g_strdup_printf(" iogap has never run a guest of Xen. Asked for, and nothing that libvirt's Xen driver can be told: %s ",
		list->str);
	must(xmlTextWriterWriteComment(w, BAD_CAST comment));
}

static void boot(Writer w, const DomainSpec *spec)
{
	begin(w, "os");
	begin(w, "type");
	attribute(w, "arch", "x86_64");
	attribute(w, "machine", "xenfv");
	must(xmlTextWriterWriteString(w, BAD_CAST "hvm"));
	end(w);
	text(w, "kernel", spec->kernel);
	text(w, "initrd", spec->initramfs);
	text(w, "cmdline", spec->cmdline);
	end(w);
}

static void features(Writer w)
{
	begin(w, "features");
	begin(w, "acpi");
	end(w);
	begin(w, "apic");
	end(w);
	begin(w, "pae");
	end(w);
	end(w);
}

static void devices(Writer w, const DomainSpec *spec)
{
	begin(w, "devices");
	text(w, "emulator", spec->emulator);
	for (guint i = 0; i < spec->n_disks; i++)
		disk_element(w, &spec->disks[i], i);
	if (spec->boot_disk)
		disk_element(w, spec->boot_disk, spec->n_disks);
	console(w, spec, NULL);
	channel(w, spec, "xen");
	end(w);
}

char *domain_xen_xml(const DomainSpec *spec)
{
	xmlBufferPtr buffer = xmlBufferCreate();
	Writer w = writer_new(buffer);

	begin(w, "domain");
	attribute(w, "type", "xen");
	untold(w, spec);
	text(w, "name", spec->name);
	text(w, "uuid", spec->uuid);
	text(w, "title", spec->title);
	begin(w, "memory");
	attribute(w, "unit", "b");
	must(xmlTextWriterWriteFormatString(w, "%" G_GUINT64_FORMAT, spec->memory));
	end(w);
	text_uint(w, "vcpu", spec->vcpus);
	domain_tune(w, &(SideTuning){.pin_vcpu = spec->tuning.pin_vcpu}, spec->vcpus, 0);
	boot(w, spec);
	features(w);
	begin(w, "clock");
	attribute(w, "offset", "utc");
	end(w);
	text(w, "on_poweroff", "destroy");
	text(w, "on_reboot", "destroy");
	text(w, "on_crash", "destroy");
	devices(w, spec);
	end(w);
	return writer_finish(w, buffer);
}
