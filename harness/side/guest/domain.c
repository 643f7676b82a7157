/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/side/guest/domain.h"

#include "harness/base/error.h"
#include "harness/side/guest/domain-tune.h"
#include "harness/side/guest/domain-writer.h"

#define SATA_PORTS 6
/* Its name is vdzz, far from those of data disks. */
#define BOOT_SLOT (26 * 26 + 26 - 1)

/* ---- disks ----------------------------------------------------------------------------------- */

static gboolean is_scsi(const char *bus)
{
	return g_str_equal(bus, "virtio-scsi");
}

char *domain_disk_name(const char *bus, guint slot)
{
	const char *prefix = g_str_equal(bus, "virtio") ? "vd"
			     : g_str_equal(bus, "ide")  ? "hd"
							: "sd";
	GString *letters = g_string_new(NULL);

	/* Letters count a..z, aa..zz, aaa... as in the kernel. */
	for (guint n = slot + (is_scsi(bus) ? 26 : g_str_equal(bus, "usb") ? 52 : 0) + 1; n; n = (n - 1) / 26)
		g_string_prepend_c(letters, 'a' + (n - 1) % 26);
	g_string_prepend(letters, prefix);
	return g_string_free(letters, FALSE);
}

/* Without a list of queues in each, libvirt deals them out in turn. */
static void iothread_map(Writer w, int threads)
{
	if (threads <= 0)
		return;
	begin(w, "iothreads");
	for (int i = 1; i <= threads; i++) {
		begin(w, "iothread");
		attribute_uint(w, "id", (guint)i);
		end(w);
	}
	end(w);
}

/*
 * enospace: a full host file system pauses the guest, which the harness sees as an event and
 * reports as such; passed on it would be one more EIO of the load. Every other error goes to the
 * guest, so that the agent's message tells it.
 */
static void disk_driver(Writer w, const SideDisk *disk)
{
	begin(w, "driver");
	attribute(w, "name", "qemu");
	attribute(w, "type", disk->format);
	attribute(w, "cache", disk->cache);
	attribute(w, "error_policy", "enospace");
	attribute(w, "rerror_policy", "report");
	/* QEMU's client of a network block device has ways of its own. */
	attribute(w, "io", disk->nbd_socket ? NULL : disk->io);
	attribute(w, "discard", disk->discard);
	/* On virtio-scsi these are the controller's. */
	if (!is_scsi(disk->bus)) {
		attribute_switch(w, "ioeventfd", disk->ioeventfd);
		if (disk->queues > 0)
			attribute_uint(w, "queues", disk->queues);
		if (disk->iothread > 0)
			attribute_uint(w, "iothread", disk->iothread);
		attribute_switch(w, "event_idx", disk->event_idx);
		attribute_switch(w, "packed", disk->packed);
		if (disk->queue_size > 0)
			attribute_uint(w, "queue_size", disk->queue_size);
		iothread_map(w, disk->iothread_map);
	}
	end(w);
}

/* Where libvirt would work an address out of the target name, it is given: the name is then only a
 * name. */
static void drive_address(Writer w, guint controller, guint unit)
{
	begin(w, "address");
	attribute(w, "type", "drive");
	attribute_uint(w, "controller", controller);
	attribute_uint(w, "bus", 0);
	attribute_uint(w, "target", 0);
	attribute_uint(w, "unit", unit);
	end(w);
}

/* The physical size must not be smaller than the logical one; 512 is what every bus has by itself. */
static void sectors(Writer w, const SideDisk *disk)
{
	guint logical = disk->logical_block_size ? disk->logical_block_size : 512;
	guint physical = disk->physical_block_size ? disk->physical_block_size : logical;

	if (logical == 512 && physical == 512)
		return;
	begin(w, "blockio");
	attribute_uint(w, "logical_block_size", logical);
	attribute_uint(w, "physical_block_size", physical);
	end(w);
}

static void source(Writer w, const SideDisk *disk)
{
	begin(w, "source");
	if (disk->nbd_socket) {
		attribute(w, "protocol", "nbd");
		begin(w, "host");
		attribute(w, "transport", "unix");
		attribute(w, "socket", disk->nbd_socket);
		end(w);
	} else {
		attribute(w, disk->block ? "dev" : "file", disk->image);
	}
	end(w);
}

/* CONTROLLER and UNIT: of a virtio-scsi disk; for others the slot says all. */
static void disk_element(Writer w, const SideDisk *disk, guint slot, guint controller, guint unit)
{
	g_autofree char *name = domain_disk_name(disk->bus, slot);

	begin(w, "disk");
	attribute(w, "type", disk->nbd_socket ? "network" : disk->block ? "block" : "file");
	attribute(w, "device", "disk");
	disk_driver(w, disk);
	source(w, disk);
	begin(w, "target");
	attribute(w, "dev", name);
	attribute(w, "bus", is_scsi(disk->bus) ? "scsi" : disk->bus);
	if (disk->rotation_rate > 0)
		attribute_uint(w, "rotation_rate", disk->rotation_rate);
	end(w);
	sectors(w, disk);
	/* Several disks of one guest, and the host's own load, use one image. libvirt refuses it
	 * for qcow2, rightly: an image whose tables two writers cache is lost. */
	if (g_str_equal(disk->format, "raw")) {
		begin(w, "shareable");
		end(w);
	}
	if (disk->iops_limit > 0) {
		begin(w, "iotune");
		text_uint(w, "total_iops_sec", (guint)disk->iops_limit);
		end(w);
	}
	text(w, "serial", disk->serial);
	if (is_scsi(disk->bus))
		drive_address(w, controller, unit);
	else if (g_str_equal(disk->bus, "sata"))
		drive_address(w, slot / SATA_PORTS, slot % SATA_PORTS);
	end(w);
}

char *domain_disk_xml(const SideDisk *disk, guint slot)
{
	return domain_scsi_disk_xml(disk, slot, 0, slot);
}

char *domain_scsi_disk_xml(const SideDisk *disk, guint slot, guint controller, guint unit)
{
	xmlBufferPtr buffer = xmlBufferCreate();
	Writer w = writer_new(buffer);

	disk_element(w, disk, slot, controller, unit);
	return writer_finish(w, buffer);
}

static guint count_bus(const DomainSpec *spec, const char *bus)
{
	guint n = 0;

	for (guint i = 0; i < spec->n_disks; i++)
		n += g_str_equal(spec->disks[i].bus, bus);
	return n;
}

static void disks(Writer w, const DomainSpec *spec)
{
	if (spec->boot_disk)
		disk_element(w, spec->boot_disk, BOOT_SLOT, 0, 0);
	for (guint i = 0; i < spec->n_disks; i++) {
		guint slot = 0;

		for (guint j = 0; j < i; j++)
			slot += g_str_equal(spec->disks[j].bus, spec->disks[i].bus);
		disk_element(w, &spec->disks[i], slot, 0, slot);
	}
}

/* ---- controllers ----------------------------------------------------------------------------- */

static void controller(Writer w, const char *type, guint index, const char *model)
{
	begin(w, "controller");
	attribute(w, "type", type);
	attribute_uint(w, "index", index);
	attribute(w, "model", model);
}

static void scsi_controller(Writer w, guint index, int queues, int iothread, int ioeventfd, int packed)
{
	/* Without a model libvirt takes the LSI one, for which guest kernels have no driver. */
	controller(w, "scsi", index, "virtio-scsi");
	if (queues > 0 || iothread > 0 || ioeventfd >= 0 || packed >= 0) {
		begin(w, "driver");
		if (queues > 0)
			attribute_uint(w, "queues", queues);
		if (iothread > 0)
			attribute_uint(w, "iothread", iothread);
		attribute_switch(w, "ioeventfd", ioeventfd);
		attribute_switch(w, "packed", packed);
		end(w);
	}
	end(w);
}

char *domain_scsi_controller_xml(guint index, int queues, int iothread, int ioeventfd, int packed)
{
	xmlBufferPtr buffer = xmlBufferCreate();
	Writer w = writer_new(buffer);

	scsi_controller(w, index, queues, iothread, ioeventfd, packed);
	return writer_finish(w, buffer);
}

/* The devices that are there from the boot take root ports too: the channel, the controller, virtio
 * disks. */
static void root_ports(Writer w, const DomainSpec *spec)
{
	guint n = 1 + (spec->scsi_controller ? 1 : 0) + (count_bus(spec, "usb") ? 1 : 0) + count_bus(spec, "virtio") +
		  (spec->boot_disk ? 1 : 0) + spec->hotplug_slots;

	controller(w, "pci", 0, "pcie-root");
	end(w);
	for (guint i = 1; i <= n; i++) {
		controller(w, "pci", i, "pcie-root-port");
		end(w);
	}
}

static void controllers(Writer w, const DomainSpec *spec)
{
	guint sata = (count_bus(spec, "sata") + SATA_PORTS - 1) / SATA_PORTS;

	if (g_str_equal(spec->machine, "q35"))
		root_ports(w, spec);
	controller(w, "usb", 0, count_bus(spec, "usb") ? "qemu-xhci" : "none");
	end(w);
	controller(w, "virtio-serial", 0, NULL);
	end(w);
	for (guint i = 0; i < sata; i++) {
		controller(w, "sata", i, NULL);
		end(w);
	}
	if (spec->scsi_controller)
		scsi_controller(w, 0, spec->scsi_queues, spec->scsi_iothread, spec->scsi_ioeventfd,
			spec->scsi_packed);
}

/* ---- the rest of the machine ----------------------------------------------------------------- */

static gboolean is_kvm(const DomainSpec *spec)
{
	return g_str_equal(spec->accel, "kvm");
}

static void boot(Writer w, const DomainSpec *spec)
{
	begin(w, "os");
	begin(w, "type");
	attribute(w, "arch", "x86_64");
	attribute(w, "machine", spec->machine);
	must(xmlTextWriterWriteString(w, BAD_CAST "hvm"));
	end(w);
	text(w, "kernel", spec->kernel);
	text(w, "initrd", spec->initramfs);
	text(w, "cmdline", spec->cmdline);
	end(w);
}

/* ACPI: hot-plug and power-off go through it. APIC: more than one vCPU, and the interrupts of
 * virtio's queues. */
static void features(Writer w)
{
	begin(w, "features");
	begin(w, "acpi");
	end(w);
	begin(w, "apic");
	end(w);
	end(w);
}

/*
 * KVM: the host's own CPU, not migratable, which alone shows the guest an invariant TSC. TCG: all
 * that it can emulate; a named model would hide what newer kernels and libraries are built for.
 */
static void cpu(Writer w, const DomainSpec *spec)
{
	begin(w, "cpu");
	if (is_kvm(spec)) {
		attribute(w, "mode", "host-passthrough");
		attribute(w, "check", "none");
		attribute(w, "migratable", "off");
	} else {
		attribute(w, "mode", "maximum");
	}
	end(w);
}

static void timer(Writer w, const char *name, const char *present, const char *policy)
{
	begin(w, "timer");
	attribute(w, "name", name);
	attribute(w, "tickpolicy", policy);
	attribute(w, "present", present);
	end(w);
}

/* Guest time is compared with the host's: kvmclock where there is one, and no timer that replays
 * lost ticks late. */
static void clocks(Writer w, const DomainSpec *spec)
{
	begin(w, "clock");
	attribute(w, "offset", "utc");
	if (is_kvm(spec)) {
		timer(w, "rtc", NULL, "catchup");
		timer(w, "pit", NULL, "delay");
		timer(w, "hpet", "no", NULL);
		timer(w, "kvmclock", "yes", NULL);
	}
	end(w);
}

static void devices(Writer w, const DomainSpec *spec)
{
	begin(w, "devices");
	text(w, "emulator", spec->emulator);
	disks(w, spec);
	controllers(w, spec);
	console(w, spec, "isa-serial");
	channel(w, spec, "virtio");
	/* A balloon could take memory away from the guest's page cache during a measurement. */
	begin(w, "memballoon");
	attribute(w, "model", "none");
	end(w);
	end(w);
}

/* Nothing changes hands: QEMU gets the rights of the one who made the files, instead of the files a
 * new owner. */
static void identity(Writer w, const DomainSpec *spec)
{
	if (!spec->identity)
		return;
	begin(w, "seclabel");
	attribute(w, "type", "static");
	attribute(w, "model", "dac");
	attribute(w, "relabel", "no");
	text(w, "label", spec->identity);
	end(w);
}

/*
 * TCG translates for a machine that can never have a second processor without any memory barrier and without locked
 * operations (seen with 7.2), which are the barriers of Linux on x86. QEMU's main loop and iothreads run beside that
 * processor all the same, and the protocol of virtqueues needs the barriers: without them a notification or an interrupt is lost
 * now and then, and the guest waits for ever. The second processor may be plugged in, and never is.
 */
static void processors(Writer w, const DomainSpec *spec)
{
	gboolean spare = spec->vcpus == 1 && !is_kvm(spec);

	begin(w, "vcpu");
	if (spare)
		attribute_uint(w, "current", spec->vcpus);
	must(xmlTextWriterWriteFormatString(w, "%u", spec->vcpus + (spare ? 1 : 0)));
	end(w);
}

static void whole_domain(Writer w, const DomainSpec *spec)
{
	begin(w, "domain");
	attribute(w, "type", is_kvm(spec) ? "kvm" : "qemu");
	text(w, "name", spec->name);
	text(w, "uuid", spec->uuid);
	text(w, "title", spec->title);
	begin(w, "memory");
	attribute(w, "unit", "b");
	must(xmlTextWriterWriteFormatString(w, "%" G_GUINT64_FORMAT, spec->memory));
	end(w);
	processors(w, spec);
	if (spec->iothreads)
		text_uint(w, "iothreads", spec->iothreads);
	domain_tune(w, &spec->tuning, spec->vcpus, spec->iothreads);
	boot(w, spec);
	features(w);
	cpu(w, spec);
	clocks(w, spec);
	/* A guest that ends, resets or panics is over: nothing measured after that would be of the
	 * same boot. */
	text(w, "on_poweroff", "destroy");
	text(w, "on_reboot", "destroy");
	text(w, "on_crash", "destroy");
	devices(w, spec);
	identity(w, spec);
	end(w);
}

char *domain_xml(const DomainSpec *spec)
{
	xmlBufferPtr buffer = xmlBufferCreate();
	Writer w = writer_new(buffer);

	whole_domain(w, spec);
	return writer_finish(w, buffer);
}

/* ---- checks ---------------------------------------------------------------------------------- */

static gboolean refuse(GError **error, const char *field, const char *value, const char *why)
{
	g_autofree char *shown = g_strescape(value, NULL);

	g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_USAGE, "%s \"%s\" %s", field, shown, why);
	return FALSE;
}

/* XML 1.0 has no way to write most control characters, escaped or not, nor the code points FFFE and
 * FFFF. */
static gboolean check_text(const char *field, const char *value, GError **error)
{
	if (!value)
		return TRUE;
	if (!g_utf8_validate(value, -1, NULL))
		return refuse(
			error, field, value, "is not UTF-8, which libvirt's XML needs; rename it");
	for (const char *p = value; *p; p = g_utf8_next_char(p)) {
		gunichar c = g_utf8_get_char(p);

		if ((c < 0x20 && c != '\t' && c != '\n' && c != '\r') || c == 0xfffe || c == 0xffff)
			return refuse(error, field, value,
				"holds a control character, which XML cannot carry; rename it");
	}
	return TRUE;
}

static gboolean check_path(const char *field, const char *value, GError **error)
{
	if (!check_text(field, value, error))
		return FALSE;
	if (value && !g_path_is_absolute(value))
		return refuse(error, field, value, "is not an absolute path");
	return TRUE;
}

gboolean domain_disk_check(const SideDisk *disk, GError **error)
{
	return check_path("disk image", disk->image, error) && check_path("NBD socket", disk->nbd_socket, error) &&
	       check_text("disk serial", disk->serial, error);
}

gboolean domain_check(const DomainSpec *spec, GError **error)
{
	if (!check_text("domain name", spec->name, error))
		return FALSE;
	if (!*spec->name || strpbrk(spec->name, "/\n\r\t"))
		return refuse(error, "domain name", spec->name,
			"is empty or holds a slash or a line break");
	if (spec->title && strchr(spec->title, '\n'))
		return refuse(error, "domain title", spec->title, "holds a line break");
	if (!check_text("domain title", spec->title, error) ||
		!check_text("kernel command line", spec->cmdline, error) ||
		!check_text("identity", spec->identity, error) ||
		!check_path("emulator", spec->emulator, error) ||
		!check_path("kernel", spec->kernel, error) ||
		!check_path("initramfs", spec->initramfs, error) ||
		!check_path("channel socket", spec->channel_socket, error) ||
		!check_path("console log", spec->console_log, error))
		return FALSE;
	if (spec->boot_disk && !domain_disk_check(spec->boot_disk, error))
		return FALSE;
	for (guint i = 0; i < spec->n_disks; i++)
		if (!domain_disk_check(&spec->disks[i], error))
			return FALSE;
	return TRUE;
}
