/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Combinations that cannot be measured, with the reason. QEMU and libvirt accept several of them and then do
 * something else, so they are found here. One function per reason, in the table at the end: the first that
 * applies is the one that is listed. Asking for what a bus does anyway (iothread: false on IDE) is no
 * refusal; it simply does not apply.
 */
#include "harness/plan/cell.h"

#include "guest-agent/common/fio-path.h"
#include "guest-agent/common/units.h"

typedef struct {
	const Profile *profile;
	const PlanFacts *facts;
	const Combination *combination;
	Cell cell;
	const ProfileTarget *target;
} Case;

#define IS(text, word) g_str_equal(text, word)

static gboolean cold_bus(const Case *c)
{
	return !c->cell.disk.hotplug;
}

static char *bus_name(const Case *c)
{
	return g_ascii_strup(c->cell.disk.bus, -1);
}

static char *size_text(guint64 bytes)
{
	char buf[32];

	return g_strdup(units_format_size(bytes, buf, sizeof(buf)));
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

static char *qcow2_needs_folder(const Case *c)
{
	gboolean device = IS(c->target->type, "block") || IS(c->target->type, "nbd") || (IS(c->target->type, "loop") && !c->target->filesystem);

	if (!IS(c->cell.disk.format, "qcow2") || !device)
		return NULL;
	return g_strdup_printf("the target \"%s\" is a device, and a qcow2 image is a file beside the raw one; use a "
			       "target in a file system", c->target->name);
}

static char *no_scheduler(const Case *c)
{
	if (c->cell.host_scheduler && IS(c->target->type, "nbd"))
		return g_strdup("a network block device of ours is served by a program, and no I/O scheduler works below it");
	if (!c->cell.host_scheduler || !IS(c->target->type, "tmpfs"))
		return NULL;
	return g_strdup("a tmpfs lies in memory, and no I/O scheduler works below it");
}

static char *pattern_is_fixed(const Case *c)
{
	if (!workload_writes(&c->cell.workload) || g_strcmp0(c->target->nbd_plugin, "pattern") != 0)
		return NULL;
	return g_strdup_printf("the target \"%s\" serves a fixed pattern that cannot be written; use nbd_plugin memory or null",
		c->target->name);
}

static char *depth_needs_async(const Case *c)
{
	const PlanWorkload *w = &c->cell.workload;

	if (w->queue_depth == 1 || !IS(workload_interface(w), "psync"))
		return NULL;
	return g_strdup_printf("%s has one request in flight per job whatever is asked%s; use libaio or io_uring, or jobs", w->engine,
		g_str_has_prefix(w->engine, "fio") ? " (fio caps its iodepth and goes on)" : "");
}

static char *libaio_needs_direct(const Case *c)
{
	if (!IS(workload_interface(&c->cell.workload), "libaio") || c->cell.workload.direct)
		return NULL;
	return g_strdup("Linux AIO on a buffered file blocks in the call that submits, so it is not asynchronous; use "
			"direct: true or io_uring");
}

/* fio gives each of its jobs, and in a mixed load its reads and its writes, a rate of its own in whole operations. */
static char *rate_of_fio(const Case *c)
{
	const PlanWorkload *w = &c->cell.workload;
	gint64 share = w->mix_read < 0 ? 100 : w->mix_read;
	gint64 reads = w->rate_iops * share / 100 / w->jobs, writes = w->rate_iops * (100 - share) / 100 / w->jobs;

	if (!plan_engine_program(w->engine) || workload_tool(w) || w->rate_iops < 0 || (reads + writes) * w->jobs == w->rate_iops)
		return NULL;
	return g_strdup_printf("fio cannot share a rate of %" G_GINT64_FORMAT " evenly: each of its jobs%s must get a whole number of "
			       "operations per second; use a rate that divides", w->rate_iops,
		w->mix_read < 0 ? "" : ", and its reads and writes,");
}

/* On the host fio opens the target by its path; inside a guest it is a device with a plain name. */
static char *path_of_fio(const Case *c)
{
	const GPtrArray *paths = c->facts->paths;
	const char *path = paths ? g_ptr_array_index(paths, c->cell.target) : NULL;
	char offence = path && g_str_has_prefix(c->cell.workload.engine, "fio") ? fio_path_offence(path) : 0;
	g_autofree char *shown = offence ? g_strescape((char[]){offence, '\0'}, NULL) : NULL;

	return shown ? g_strdup_printf("fio reads \"%s\" in the path %s as something else; use another folder (--data) or path",
			       shown, path) : NULL;
}

/* The next three as guest-agent/tool-args.c refuses them. */
static char *tool_is_one(const Case *c)
{
	const PlanWorkload *w = &c->cell.workload;

	if (!workload_tool(w) || (w->jobs == 1 && w->rate_iops < 0))
		return NULL;
	return g_strdup_printf("%s %s", w->engine, w->jobs > 1 ? "is one process; use jobs: 1" : "cannot be given a rate");
}

static char *tool_cannot(const Case *c)
{
	const PlanWorkload *w = &c->cell.workload;

	if (!workload_tool(w))
		return NULL;
	if (workload_mixes(w))
		return g_strdup_printf("%s either reads or writes", w->engine);
	if (IS(w->engine, "dd") && g_str_has_prefix(w->rw, "rand"))
		return g_strdup("dd goes from the first byte to the last; use rw: read or write");
	if (IS(w->sync, "fsync"))
		return g_strdup_printf("%s has no fsync between its writes; use sync: dsync or sync", w->engine);
	return NULL;
}

static char *ioping_never_syncs(const Case *c)
{
	const PlanWorkload *w = &c->cell.workload;

	if (!IS(w->engine, "ioping") || w->direct || !workload_writes(w) || !IS(w->sync, "none"))
		return NULL;
	return g_strdup("ioping leaves buffered writes in the page cache; use direct: true, or sync: dsync");
}

static char *sync_of_reads(const Case *c)
{
	const PlanWorkload *w = &c->cell.workload;

	if (workload_writes(w) || IS(w->sync, "none"))
		return NULL;
	return g_strdup_printf("a pure read has nothing to sync, so this would be the leg with sync none under another "
			       "name");
}

/* Reason why BLOCK_SIZE does not go with SECTOR, or NULL. WHOSE: "the guest's sectors". */
static char *alignment(guint64 block_size, guint sector, const char *whose)
{
	g_autofree char *text = size_text(sector);

	if (sector == 0 || block_size % sector == 0)
		return NULL;
	if (block_size < sector)
		return g_strdup_printf("direct I/O cannot be smaller than %s of %s", whose, text);
	return g_strdup_printf("direct I/O must be a multiple of %s of %s", whose, text);
}

static char *block_size_of_guest(const Case *c)
{
	return c->cell.workload.direct
		? alignment(c->cell.workload.block_size, c->cell.disk.logical_block_size, "the guest's sectors")
		: NULL;
}

static guint sector_of_target(const Case *c)
{
	const GArray *sectors = c->facts->sector_sizes;

	return sectors && c->cell.target < sectors->len ? g_array_index(sectors, guint, c->cell.target) : 0;
}

static char *block_size_of_target(const Case *c)
{
	return c->cell.workload.direct
		? alignment(c->cell.workload.block_size, sector_of_target(c), "the target's sectors")
		: NULL;
}

static guint64 size_of_target(const Case *c)
{
	const GArray *sizes = c->facts->sizes;

	if (c->target->size)
		return c->target->size;
	return sizes && c->cell.target < sizes->len ? g_array_index(sizes, guint64, c->cell.target) : 0;
}

static char *larger_than_target(const Case *c)
{
	const PlanWorkload *w = &c->cell.workload;
	guint64 size = size_of_target(c);
	g_autofree char *text = size_text(size);

	if (size == 0 || w->block_size <= size / w->jobs)
		return NULL;
	if (w->jobs == 1)
		return g_strdup_printf("one block is larger than the target, which has %s", text);
	return g_strdup_printf("one block is larger than the slice of a job, which is 1/%u of %s", w->jobs, text);
}

/* A share that leaves the guest's kernel and the agent enough to live. */
static char *buffers_of_guest(const Case *c)
{
	const PlanWorkload *w = &c->cell.workload;
	guint64 buffers = w->block_size * w->queue_depth * w->jobs;
	g_autofree char *text = size_text(buffers);

	if (buffers <= c->cell.machine.memory / 4)
		return NULL;
	return g_strdup_printf("the requests in flight need %s of buffers, more than a quarter of the guest's memory",
		text);
}

/* QEMU asks for all of it at once, and gets ENOMEM. */
static char *memory_of_host(const Case *c)
{
	guint64 memory = c->cell.machine.memory * c->cell.machine.guests;
	g_autofree char *asked = size_text(memory);
	g_autofree char *there = size_text(c->facts->memory);

	if (c->facts->memory == 0 || memory <= c->facts->memory)
		return NULL;
	return g_strdup_printf("the guest%s for %s of memory, and the host has %s (swap included)",
		c->cell.machine.guests > 1 ? "s ask" : " asks", asked, there);
}

/* Each further guest gets a copy of the target beside it, which only a file has room for. */
static char *guests_need_files(const Case *c)
{
	gboolean file = IS(c->target->type, "file") || IS(c->target->type, "tmpfs") || c->target->filesystem;

	if (c->cell.machine.guests == 1 || file)
		return NULL;
	return g_strdup_printf("every guest needs a disk of its own, and a target of type %s cannot be copied beside itself; use type file",
		c->target->type);
}

/*
 * fio comes with some 85 MiB of libraries, and the kernel gives the file system in memory that they are unpacked into half of the
 * memory that is left: in 256M fio is missing, in 384M it is there.
 */
#define OUTSIDE_MEMORY (384ull << 20)

static char *memory_of_outside(const Case *c)
{
	const char *program = plan_engine_program(c->cell.workload.engine);

	/* The tools come with the C library alone. */
	if (!program || workload_tool(&c->cell.workload) || c->cell.machine.memory >= OUTSIDE_MEMORY)
		return NULL;
	return g_strdup_printf("%s and its libraries do not fit into so small a guest; give it memory 384M or more", program);
}

static char *image_with_kernel(const Case *c)
{
	if (!c->cell.machine.image || !c->cell.machine.kernel)
		return NULL;
	return g_strdup("a distribution image boots its own kernel; leave out kernel or image");
}

static const char *no_direct(const Case *c)
{
	const GPtrArray *reasons = c->facts->no_direct;

	return reasons && c->cell.target < reasons->len ? g_ptr_array_index(reasons, c->cell.target) : NULL;
}

static char *target_without_direct(const Case *c)
{
	if (!c->cell.workload.direct || !no_direct(c))
		return NULL;
	return g_strdup_printf("the target \"%s\" takes no direct I/O: %s", c->target->name, no_direct(c));
}

static char *cache_without_direct(const Case *c)
{
	const char *cache = c->cell.disk.cache;

	if (!no_direct(c) || !(IS(cache, "none") || IS(cache, "directsync")))
		return NULL;
	return g_strdup_printf("QEMU opens the image with O_DIRECT for this cache mode, and the target \"%s\" takes no "
			       "direct I/O: %s", c->target->name, no_direct(c));
}

static char *qemu_io_uring(const Case *c)
{
	if (!c->facts->io_uring || !IS(c->cell.disk.io, "io_uring"))
		return NULL;
	return g_strdup_printf("QEMU cannot use io_uring here: %s", c->facts->io_uring);
}

static char *engine_missing(const Case *c)
{
	const char *engine = c->cell.workload.engine;
	const char *why = c->facts->engines ? g_hash_table_lookup(c->facts->engines, engine) : NULL;

	return why ? g_strdup_printf("the engine %s does not work here: %s", engine, why) : NULL;
}

static const struct {
	char *(*reason)(const Case *c);
	MatrixDim dims[REFUSE_DIMS];
} reasons[] = {
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
	{qcow2_needs_folder, {DIM_FORMAT, DIM_TARGET, DIM_NONE}},
	{no_scheduler, {DIM_HOST_SCHEDULER, DIM_TARGET, DIM_NONE}},
	{pattern_is_fixed, {DIM_RW, DIM_TARGET, DIM_NONE}},
	{depth_needs_async, {DIM_QUEUE_DEPTH, DIM_ENGINE, DIM_NONE}},
	{libaio_needs_direct, {DIM_ENGINE, DIM_DIRECT, DIM_NONE}},
	{path_of_fio, {DIM_TARGET, DIM_ENGINE, DIM_NONE}},
	{rate_of_fio, {DIM_RATE, DIM_JOBS, DIM_ENGINE, DIM_NONE}},
	{tool_is_one, {DIM_JOBS, DIM_RATE, DIM_ENGINE, DIM_NONE}},
	{tool_cannot, {DIM_RW, DIM_SYNC, DIM_ENGINE, DIM_NONE}},
	{ioping_never_syncs, {DIM_DIRECT, DIM_SYNC, DIM_ENGINE, DIM_NONE}},
	{sync_of_reads, {DIM_SYNC, DIM_RW, DIM_NONE}},
	{block_size_of_guest, {DIM_BLOCK_SIZE, DIM_DIRECT, DIM_LOGICAL_BLOCK_SIZE, DIM_NONE}},
	{block_size_of_target, {DIM_BLOCK_SIZE, DIM_DIRECT, DIM_TARGET, DIM_NONE}},
	{larger_than_target, {DIM_BLOCK_SIZE, DIM_JOBS, DIM_TARGET, DIM_NONE}},
	{buffers_of_guest, {DIM_BLOCK_SIZE, DIM_QUEUE_DEPTH, DIM_JOBS, DIM_NONE}},
	{memory_of_host, {DIM_MEMORY, DIM_GUESTS, DIM_NONE}},
	{guests_need_files, {DIM_GUESTS, DIM_TARGET, DIM_NONE}},
	{memory_of_outside, {DIM_MEMORY, DIM_ENGINE, DIM_NONE}},
	{image_with_kernel, {DIM_IMAGE, DIM_KERNEL, DIM_NONE}},
	{target_without_direct, {DIM_DIRECT, DIM_TARGET, DIM_NONE}},
	{cache_without_direct, {DIM_CACHE, DIM_TARGET, DIM_NONE}},
	{qemu_io_uring, {DIM_IO, DIM_NONE}},
	{engine_missing, {DIM_ENGINE, DIM_NONE}},
};

char *refuse(const Profile *profile, const PlanFacts *facts, const Combination *combination,
	MatrixDim ret_dims[REFUSE_DIMS])
{
	Case c = {.profile = profile, .facts = facts, .combination = combination,
		.cell = cell_of(profile, combination)};

	c.target = g_ptr_array_index(profile->targets, c.cell.target);
	for (guint i = 0; i < G_N_ELEMENTS(reasons); i++) {
		char *reason = reasons[i].reason(&c);

		if (!reason)
			continue;
		for (guint d = 0; d < REFUSE_DIMS; d++)
			ret_dims[d] = reasons[i].dims[d];
		return reason;
	}
	return NULL;
}
