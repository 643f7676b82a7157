/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The bus of the disk, and what goes with it: cache and I/O of QEMU, I/O threads, queues, sectors. */
#include "harness/plan/refuse.h"

static gboolean cold_bus(const Case *c)
{
	return !c->cell.disk.hotplug;
}

static char *bus_name(const Case *c)
{
	return g_ascii_strup(c->cell.disk.bus, -1);
}

static char *native_needs_direct(const Case *c)
{
	const PlanDisk *d = &c->cell.disk;

	if (!IS(d->io, "native") || IS(d->cache, "none") || IS(d->cache, "directsync"))
		return NULL;
	return g_strdup("QEMU refuses native AIO on an image that is not opened with O_DIRECT; use cache none or "
			"directsync, or io threads or io_uring");
}

static char *ide_on_q35(const Case *c)
{
	if (!IS(c->cell.disk.bus, "ide") || !IS(c->cell.machine.machine, "q35"))
		return NULL;
	return g_strdup("q35 has no IDE controller; use machine pc or bus sata");
}

static char *large_sectors(const Case *c)
{
	g_autofree char *bus = bus_name(c);

	if (!cold_bus(c) || c->cell.disk.logical_block_size == 512)
		return NULL;
	/* The same hand-over as in usb_keeps_cache. */
	if (IS(c->cell.disk.bus, "usb"))
		return g_strdup("QEMU gives a USB disk sectors of 512 bytes whatever is asked, without a word; use virtio or virtio-scsi");
	return g_strdup_printf("QEMU refuses 4096-byte sectors on %s; use virtio or virtio-scsi", bus);
}

static char *no_iothread(const Case *c)
{
	g_autofree char *bus = bus_name(c);

	if (!cold_bus(c) || !matrix_number(c->combination, DIM_IOTHREAD, 0))
		return NULL;
	return g_strdup_printf("%s disks are served by QEMU's main loop, never by an iothread; use virtio or "
			       "virtio-scsi", bus);
}

static char *no_ioeventfd(const Case *c)
{
	g_autofree char *bus = bus_name(c);

	if (!cold_bus(c) || matrix_number(c->combination, DIM_IOEVENTFD, 1))
		return NULL;
	return g_strdup_printf("%s has no ioeventfd to switch off; use virtio or virtio-scsi", bus);
}

static char *no_queues(const Case *c)
{
	g_autofree char *bus = bus_name(c);

	if (!cold_bus(c) || matrix_number(c->combination, DIM_QUEUES, 1) == 1)
		return NULL;
	return g_strdup_printf("%s has one queue of its own kind; use virtio or virtio-scsi", bus);
}

/* Linux takes no more queues than it has processors, and says nothing (virtio_blk and virtio_scsi alike). */
static char *queues_need_vcpus(const Case *c)
{
	guint vcpus = c->cell.machine.vcpus;

	if (c->cell.disk.queues <= (int)vcpus)
		return NULL;
	return g_strdup_printf("a guest with %u vCPU%s uses no more queues than that; give it more vcpus", vcpus,
		vcpus == 1 ? "" : "s");
}

static char *iothread_needs_ioeventfd(const Case *c)
{
	if (c->cell.disk.iothread != 1 || c->cell.disk.ioeventfd != 0)
		return NULL;
	return g_strdup("QEMU refuses an iothread without ioeventfd");
}

/* libvirt asks for it and QEMU's usb-storage, which makes the disk by itself, does not hand it on (seen with 7.2). */
static char *usb_keeps_cache(const Case *c)
{
	const char *cache = c->cell.disk.cache;

	if (!IS(c->cell.disk.bus, "usb") || !(IS(cache, "writethrough") || IS(cache, "directsync")))
		return NULL;
	return g_strdup_printf("QEMU leaves the write cache of a USB disk on without a word, so this would be %s under another name; "
			       "use another bus", IS(cache, "directsync") ? "none" : "writeback");
}

static char *no_nvme(const Case *c)
{
	if (!IS(c->cell.disk.bus, "nvme"))
		return NULL;
	return g_strdup(c->facts->nvme ? c->facts->nvme :
		"libvirt can, but iogap has only been taught virtio, virtio-scsi, ide, sata and usb; use one of these");
}

static char *iothread_map(const Case *c)
{
	guint64 threads = matrix_number(c->combination, DIM_IOTHREAD_MAP, 0);

	if (threads == 0)
		return NULL;
	if (!IS(c->cell.disk.bus, "virtio"))
		return g_strdup("only a virtio disk can have its queues served by several I/O threads; use bus virtio, or iothread");
	if (c->facts->iothread_map)
		return g_strdup_printf("%s; use iothread, which is one thread for all queues", c->facts->iothread_map);
	if (c->cell.disk.iothread == 1)
		return g_strdup("the queues go either to the one thread of iothread or to those of iothread_map; leave one of them out");
	if (threads > (guint64)c->cell.disk.queues)
		return g_strdup_printf("%d queue%s cannot keep more threads busy; give it more queues", c->cell.disk.queues,
			c->cell.disk.queues == 1 ? "" : "s");
	return c->cell.disk.ioeventfd == 0 ? g_strdup("QEMU refuses an iothread without ioeventfd") : NULL;
}

static char *event_idx_of_virtio(const Case *c)
{
	if (IS(c->cell.disk.bus, "virtio") || matrix_number(c->combination, DIM_EVENT_IDX, 1))
		return NULL;
	return g_strdup("libvirt can switch event_idx off on virtio disks only; use bus virtio");
}

static char *packed_of_virtio(const Case *c)
{
	g_autofree char *bus = bus_name(c);

	if (!cold_bus(c) || !matrix_number(c->combination, DIM_PACKED, 0))
		return NULL;
	return g_strdup_printf("%s has no virtqueues that could be packed; use virtio or virtio-scsi", bus);
}

static char *queue_size_of_virtio(const Case *c)
{
	guint64 size = matrix_number(c->combination, DIM_QUEUE_SIZE, 0);

	if (size == 0)
		return NULL;
	if (!IS(c->cell.disk.bus, "virtio"))
		return g_strdup("libvirt sets the size of queues on virtio disks only, and leaves it out elsewhere without a word; use bus "
				"virtio");
	return size & (size - 1) ? g_strdup("QEMU takes powers of two only; use 2, 4, 8 ... 1024") : NULL;
}

static char *physical_of_disk(const Case *c)
{
	const PlanDisk *d = &c->cell.disk;

	if (IS(d->bus, "usb") && d->physical_block_size != 512)
		return g_strdup("QEMU gives a USB disk sectors of 512 bytes whatever is asked, without a word; use another bus");
	if (d->physical_block_size >= d->logical_block_size)
		return NULL;
	return g_strdup("a physical sector cannot be smaller than a logical one; use 4k or leave it out");
}

static char *rotation_rate_of_bus(const Case *c)
{
	const PlanDisk *d = &c->cell.disk;

	if (d->rotation_rate < 0)
		return NULL;
	if (!IS(d->bus, "virtio-scsi") && !IS(d->bus, "ide") && !IS(d->bus, "sata"))
		return g_strdup_printf("a %s disk tells no rotation rate; use virtio-scsi, ide or sata", d->bus);
	if (d->rotation_rate > 1 && d->rotation_rate < 1025)
		return g_strdup("rates of 2 to 1024 mean nothing in the standards; use 1 (no moving parts) or 1025 and more");
	return NULL;
}

const RefuseRow refuse_disk[] = {
	{no_nvme, {DIM_BUS, DIM_NONE}},
	{native_needs_direct, {DIM_CACHE, DIM_IO, DIM_NONE}},
	{usb_keeps_cache, {DIM_CACHE, DIM_BUS, DIM_NONE}},
	{ide_on_q35, {DIM_BUS, DIM_MACHINE, DIM_NONE}},
	{large_sectors, {DIM_LOGICAL_BLOCK_SIZE, DIM_BUS, DIM_NONE}},
	{no_iothread, {DIM_IOTHREAD, DIM_BUS, DIM_NONE}},
	{no_ioeventfd, {DIM_IOEVENTFD, DIM_BUS, DIM_NONE}},
	{no_queues, {DIM_QUEUES, DIM_BUS, DIM_NONE}},
	{queues_need_vcpus, {DIM_QUEUES, DIM_VCPUS, DIM_NONE}},
	{iothread_needs_ioeventfd, {DIM_IOTHREAD, DIM_IOEVENTFD, DIM_NONE}},
	{iothread_map, {DIM_IOTHREAD_MAP, DIM_BUS, DIM_QUEUES, DIM_NONE}},
	{event_idx_of_virtio, {DIM_EVENT_IDX, DIM_BUS, DIM_NONE}},
	{packed_of_virtio, {DIM_PACKED, DIM_BUS, DIM_NONE}},
	{queue_size_of_virtio, {DIM_QUEUE_SIZE, DIM_BUS, DIM_NONE}},
	{physical_of_disk, {DIM_PHYSICAL_BLOCK_SIZE, DIM_LOGICAL_BLOCK_SIZE, DIM_BUS, DIM_NONE}},
	{rotation_rate_of_bus, {DIM_ROTATION_RATE, DIM_BUS, DIM_NONE}},
	{NULL, {DIM_NONE}},
};
