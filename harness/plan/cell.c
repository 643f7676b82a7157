/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/plan/cell.h"

#include <string.h>

#include "guest-agent/common/bonnie.h"
#include "guest-agent/common/units.h"

/* Text, or NULL for the word that means "leave it". */
static const char *text_or_null(const Combination *combination, MatrixDim dim, const char *word)
{
	const char *text = matrix_text(combination, dim);

	return g_str_equal(text, word) ? NULL : text;
}

gboolean workload_mixes(const PlanWorkload *workload)
{
	return g_str_equal(workload->rw, "rw") || g_str_equal(workload->rw, "randrw");
}

gboolean workload_writes(const PlanWorkload *workload)
{
	return workload_mixes(workload) || g_str_has_suffix(workload->rw, "write");
}

/* Interned, as all texts of a cell. */
static const char *engine_of(const char *asked)
{
	return g_str_equal(asked, "fio") ? g_intern_static_string("fio:io_uring") : asked;
}

const char *plan_engine_program(const char *engine)
{
	static const char *const tools[] = {"dd", "ioping"};

	if (bonnie_is(engine))
		return "bonnie++";
	for (guint i = 0; i < G_N_ELEMENTS(tools); i++)
		if (g_str_equal(engine, tools[i]))
			return tools[i];
	return g_str_has_prefix(engine, "fio:") ? "fio" : NULL;
}

gboolean workload_tool(const PlanWorkload *workload)
{
	const char *program = plan_engine_program(workload->engine);

	return program && !g_str_equal(program, "fio");
}

gboolean workload_bonnie(const PlanWorkload *workload)
{
	return bonnie_is(workload->engine);
}

const char *workload_interface(const PlanWorkload *workload)
{
	const char *colon = strchr(workload->engine, ':');

	if (workload->fio_file && fio_file_is_synchronous(workload->fio_file))
		return "psync";
	if (workload->fio_file)
		return workload->fio_file->ioengine;
	if (workload_tool(workload))
		return "psync";
	return colon ? colon + 1 : workload->engine;
}

const char *plan_engine_of_agent(const PlanWorkload *workload)
{
	return workload->fio_file ? "fio:file" : workload->engine;
}

static PlanWorkload workload_of_file(const ProfileFioFile *file)
{
	return (PlanWorkload){
		.rw = g_intern_string(file->rw),
		.sync = g_intern_string(file->sync),
		.engine = g_intern_string(file->name),
		.mix_read = file->mix_read,
		.block_size = file->block_size,
		.direct = file->direct,
		.fsync_every = file->fsync_every,
		.queue_depth = file->queue_depth,
		.jobs = file->jobs,
		.rate_iops = file->rate_iops,
		.fio_file = file,
	};
}

static PlanWorkload decode_workload(const Profile *profile, const Combination *c)
{
	const ProfileFioFile *file = profile_fio_file(profile, matrix_text(c, DIM_ENGINE));
	PlanWorkload w = {
		.rw = matrix_text(c, DIM_RW),
		.sync = matrix_text(c, DIM_SYNC),
		.engine = engine_of(matrix_text(c, DIM_ENGINE)),
		.block_size = matrix_number(c, DIM_BLOCK_SIZE, 0),
		.direct = matrix_number(c, DIM_DIRECT, 0),
		.queue_depth = matrix_number(c, DIM_QUEUE_DEPTH, 0),
		.jobs = matrix_number(c, DIM_JOBS, 0),
		.rate_iops = g_str_equal(matrix_text(c, DIM_RATE), "none") ? -1 : (gint64)matrix_number(c, DIM_RATE, 0),
	};

	if (file)
		return workload_of_file(file);
	if (g_str_equal(w.engine, BONNIE_CHARS))
		w.block_size = 1; /* whatever the others have */
	w.mix_read = workload_mixes(&w) && !workload_bonnie(&w) ? (int)matrix_number(c, DIM_MIX_READ, 0) : -1;
	w.fsync_every = g_str_equal(w.sync, "fsync") ? matrix_number(c, DIM_FSYNC_EVERY, 0) : 0;
	return w;
}

/* -1 for a word such as "none". */
static int count_or_none(const Combination *c, MatrixDim dim)
{
	guint64 number = matrix_number(c, dim, G_MAXUINT64);

	return number == G_MAXUINT64 ? -1 : (int)number;
}

/* What only some buses have stays at -1 on the others. */
static void decode_virtio(const Combination *c, PlanDisk *d, guint vcpus)
{
	gboolean blk = g_str_equal(d->bus, "virtio");

	d->iothread = d->ioeventfd = d->queues = d->iothread_map = d->event_idx = d->packed = d->queue_size = -1;
	if (g_str_has_prefix(d->bus, "virtio")) {
		d->iothread = matrix_number(c, DIM_IOTHREAD, 0);
		d->ioeventfd = matrix_number(c, DIM_IOEVENTFD, 0);
		d->queues = matrix_number(c, DIM_QUEUES, vcpus);
		d->packed = matrix_number(c, DIM_PACKED, 0);
	}
	if (blk) {
		d->iothread_map = matrix_number(c, DIM_IOTHREAD_MAP, 0);
		d->event_idx = matrix_number(c, DIM_EVENT_IDX, 1);
		d->queue_size = count_or_none(c, DIM_QUEUE_SIZE);
	}
}

static void decode_qcow2(const Combination *c, PlanDisk *d)
{
	d->backing = d->extended_l2 = -1;
	if (!g_str_equal(d->format, "qcow2"))
		return;
	d->cluster_size = matrix_number(c, DIM_CLUSTER_SIZE, 0);
	d->preallocation = matrix_text(c, DIM_PREALLOCATION);
	d->backing = matrix_number(c, DIM_BACKING, 0);
	d->extended_l2 = matrix_number(c, DIM_EXTENDED_L2, 0);
}

static PlanDisk decode_disk(const Combination *c, guint target, guint vcpus)
{
	PlanDisk d = {
		.target = target,
		.bus = matrix_text(c, DIM_BUS),
		.cache = matrix_text(c, DIM_CACHE),
		.io = matrix_text(c, DIM_IO),
		.format = matrix_text(c, DIM_FORMAT),
		.logical_block_size = matrix_number(c, DIM_LOGICAL_BLOCK_SIZE, 0),
		.discard = matrix_text(c, DIM_DISCARD),
		.rotation_rate = count_or_none(c, DIM_ROTATION_RATE),
		.iops_limit = g_str_equal(matrix_text(c, DIM_IOPS_LIMIT), "none") ? -1 :
			(gint64)matrix_number(c, DIM_IOPS_LIMIT, 0),
		.scheduler = text_or_null(c, DIM_GUEST_SCHEDULER, "keep"),
	};

	d.physical_block_size = matrix_number(c, DIM_PHYSICAL_BLOCK_SIZE, d.logical_block_size);
	d.hotplug = g_str_has_prefix(d.bus, "virtio");
	decode_virtio(c, &d, vcpus);
	decode_qcow2(c, &d);
	return d;
}

static guint target_index(const Profile *profile, const char *name)
{
	for (guint i = 0; i < profile->targets->len; i++)
		if (g_str_equal(((ProfileTarget *)g_ptr_array_index(profile->targets, i))->name, name))
			return i;
	g_error("there is no target %s", name);
}

Cell cell_of(const Profile *profile, const Combination *c)
{
	Cell cell = {
		.workload = decode_workload(profile, c),
		.target = target_index(profile, matrix_text(c, DIM_TARGET)),
		.host_scheduler = text_or_null(c, DIM_HOST_SCHEDULER, "keep"),
		.host_cache_limit = matrix_number(c, DIM_HOST_CACHE_LIMIT, 0),
		.pin_load = text_or_null(c, DIM_PIN_LOAD, "none"),
		.governor = text_or_null(c, DIM_GOVERNOR, "keep"),
		.turbo = text_or_null(c, DIM_TURBO, "keep"),
		.machine = {
			.machine = matrix_text(c, DIM_MACHINE),
			.kernel = text_or_null(c, DIM_KERNEL, "default"),
			.image = text_or_null(c, DIM_IMAGE, "none"),
			.emulator = text_or_null(c, DIM_EMULATOR, "default"),
			.vcpus = matrix_number(c, DIM_VCPUS, 0),
			.memory = matrix_number(c, DIM_MEMORY, 0),
			.guests = matrix_number(c, DIM_GUESTS, 1),
			.pin_vcpu = text_or_null(c, DIM_PIN_VCPU, "none"),
			.pin_iothread = text_or_null(c, DIM_PIN_IOTHREAD, "none"),
			.pin_emulator = text_or_null(c, DIM_PIN_EMULATOR, "none"),
			.numa = text_or_null(c, DIM_NUMA, "none"),
			.hugepages = matrix_number(c, DIM_HUGEPAGES, 0),
		},
	};

	cell.disk = decode_disk(c, cell.target, cell.machine.vcpus);
	/* QEMU's client of a network block device does its I/O in a way of its own, whatever io says. */
	if (g_str_equal(((ProfileTarget *)g_ptr_array_index(profile->targets, cell.target))->type, "nbd"))
		cell.disk.io = g_intern_static_string("network");
	return cell;
}

gboolean workload_equal(const PlanWorkload *a, const PlanWorkload *b)
{
	return a->rw == b->rw && a->sync == b->sync && a->engine == b->engine && a->mix_read == b->mix_read &&
		a->block_size == b->block_size && a->direct == b->direct && a->fsync_every == b->fsync_every &&
		a->queue_depth == b->queue_depth && a->jobs == b->jobs && a->rate_iops == b->rate_iops;
}

gboolean machine_equal(const PlanMachine *a, const PlanMachine *b)
{
	return a->machine == b->machine && a->kernel == b->kernel && a->image == b->image && a->emulator == b->emulator &&
		a->vcpus == b->vcpus && a->memory == b->memory && a->guests == b->guests && a->pin_vcpu == b->pin_vcpu &&
		a->pin_iothread == b->pin_iothread && a->pin_emulator == b->pin_emulator && a->numa == b->numa &&
		a->hugepages == b->hugepages && a->arm == b->arm;
}

gboolean disk_equal(const PlanDisk *a, const PlanDisk *b)
{
	return a->target == b->target && a->bus == b->bus && a->cache == b->cache && a->io == b->io &&
		a->format == b->format && a->cluster_size == b->cluster_size && a->preallocation == b->preallocation &&
		a->backing == b->backing && a->extended_l2 == b->extended_l2 && a->iothread == b->iothread && a->ioeventfd == b->ioeventfd &&
		a->queues == b->queues && a->logical_block_size == b->logical_block_size &&
		a->physical_block_size == b->physical_block_size && a->iothread_map == b->iothread_map &&
		a->event_idx == b->event_idx && a->packed == b->packed && a->queue_size == b->queue_size &&
		a->discard == b->discard && a->rotation_rate == b->rotation_rate &&
		a->iops_limit == b->iops_limit && a->scheduler == b->scheduler;
}

/* ---- labels ------------------------------------------------------------------------------- */

static void append_size(GString *label, const char *before, guint64 bytes)
{
	char buf[32];

	g_string_append(label, before);
	g_string_append(label, units_format_size(bytes, buf, sizeof(buf)));
}

/* " key=VALUE" for a number that is set and not at its default. */
static void append_number(GString *label, MatrixDim dim, gint64 value, gint64 usual)
{
	if (value >= 0 && value != usual)
		g_string_append_printf(label, " %s=%" G_GINT64_FORMAT, matrix_row(dim)->key, value);
}

/* " key=VALUE" for a text that is set. */
static void append_text(GString *label, MatrixDim dim, const char *value)
{
	if (value)
		g_string_append_printf(label, " %s=%s", matrix_row(dim)->key, value);
}

static void label_placement(GString *label, const PlanMachine *m)
{
	append_text(label, DIM_PIN_VCPU, m->pin_vcpu);
	append_text(label, DIM_PIN_IOTHREAD, m->pin_iothread);
	append_text(label, DIM_PIN_EMULATOR, m->pin_emulator);
	append_text(label, DIM_NUMA, m->numa);
	if (m->hugepages)
		append_size(label, " hugepages=", m->hugepages);
}

static void label_guest(GString *label, const Cell *cell)
{
	const PlanDisk *d = &cell->disk;
	const PlanMachine *m = &cell->machine;
	guint64 memory = profile_number(matrix_row(DIM_MEMORY), matrix_row(DIM_MEMORY)->fallback, 0);

	g_string_append_printf(label, " %s %s/%s", d->bus, d->cache, d->io);
	if (!g_str_equal(d->format, "raw"))
		g_string_append_printf(label, " %s", d->format);
	if (d->cluster_size && d->cluster_size != 65536)
		append_size(label, " cluster=", d->cluster_size);
	if (d->preallocation && !g_str_equal(d->preallocation, "off"))
		g_string_append_printf(label, " preallocation=%s", d->preallocation);
	append_number(label, DIM_BACKING, d->backing, 0);
	if (d->extended_l2 == 1)
		g_string_append(label, " extended_l2");
	if (d->iothread == 1)
		g_string_append(label, " iothread");
	if (d->ioeventfd == 0)
		g_string_append(label, " no-ioeventfd");
	append_number(label, DIM_IOTHREAD_MAP, d->iothread_map, 0);
	if (d->event_idx == 0)
		g_string_append(label, " no-event_idx");
	if (d->packed == 1)
		g_string_append(label, " packed");
	append_number(label, DIM_QUEUE_SIZE, d->queue_size, -1);
	append_number(label, DIM_QUEUES, d->queues, m->vcpus);
	if (d->logical_block_size != 512)
		append_size(label, " sector=", d->logical_block_size);
	if (d->physical_block_size != d->logical_block_size)
		append_size(label, " physical=", d->physical_block_size);
	if (!g_str_equal(d->discard, "ignore"))
		g_string_append_printf(label, " discard=%s", d->discard);
	append_number(label, DIM_ROTATION_RATE, d->rotation_rate, -1);
	append_number(label, DIM_IOPS_LIMIT, d->iops_limit, -1);
	if (d->scheduler)
		g_string_append_printf(label, " guest.scheduler=%s", d->scheduler);
	append_number(label, DIM_GUESTS, m->guests, 1);
	append_number(label, DIM_VCPUS, m->vcpus, 1);
	if (m->memory != memory)
		append_size(label, " memory=", m->memory);
	if (!g_str_equal(m->machine, "pc"))
		g_string_append_printf(label, " %s", m->machine);
	if (m->kernel)
		g_string_append_printf(label, " kernel=%s", m->kernel);
	if (m->image)
		g_string_append_printf(label, " image=%s", m->image);
	if (m->emulator)
		g_string_append_printf(label, " emulator=%s", m->emulator);
	label_placement(label, m);
}

static void label_workload(GString *label, const PlanWorkload *w)
{
	g_string_append_printf(label, " %s", w->rw);
	append_number(label, DIM_MIX_READ, w->mix_read, 50);
	append_size(label, " ", w->block_size);
	g_string_append(label, w->direct ? " direct" : " buffered");
	if (!g_str_equal(w->sync, "none"))
		g_string_append_printf(label, " %s", w->sync);
	if (w->fsync_every > 1)
		g_string_append_printf(label, "/%u", w->fsync_every);
	if (!g_str_equal(w->engine, "psync"))
		g_string_append_printf(label, " %s", w->engine);
	if (w->queue_depth != 1)
		g_string_append_printf(label, " depth=%u", w->queue_depth);
	append_number(label, DIM_JOBS, w->jobs, 1);
	append_number(label, DIM_RATE, w->rate_iops, -1);
}

char *cell_label(const Profile *profile, const Cell *cell, PlanSide side)
{
	g_autoptr(GString) label = g_string_new(side == PLAN_GUEST ? "guest" : "host");
	const ProfileTarget *target = g_ptr_array_index(profile->targets, cell->target);

	if (side == PLAN_GUEST)
		label_guest(label, cell);
	label_workload(label, &cell->workload);
	if (profile->targets->len > 1)
		g_string_append_printf(label, " on %s", target->name);
	if (cell->host_scheduler)
		g_string_append_printf(label, " host.scheduler=%s", cell->host_scheduler);
	if (cell->host_cache_limit)
		append_size(label, " host_cache_limit=", cell->host_cache_limit);
	append_text(label, DIM_PIN_LOAD, cell->pin_load);
	append_text(label, DIM_GOVERNOR, cell->governor);
	append_text(label, DIM_TURBO, cell->turbo);
	return g_string_free(g_steal_pointer(&label), FALSE);
}
