/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A leg as the columns of the store. */
#include "harness/plan/plan.h"

/* Sets VALUE, or NULL when it is negative: does not apply. */
static void set_count(Record *record, const char *name, gint64 value)
{
	if (value < 0)
		record_set_null(record, name);
	else
		record_set_int(record, name, value);
}

static void set_workload(Record *record, const PlanWorkload *w)
{
	record_set_text(record, "rw", w->rw);
	set_count(record, "mix_read", w->mix_read);
	record_set_int(record, "block_size", w->block_size);
	record_set_int(record, "direct", w->direct);
	record_set_text(record, "sync", w->sync);
	set_count(record, "fsync_every", w->fsync_every ? (gint64)w->fsync_every : -1);
	record_set_int(record, "queue_depth", w->queue_depth);
	record_set_int(record, "jobs", w->jobs);
	record_set_text(record, "engine", w->engine);
	set_count(record, "rate_iops", w->rate_iops);
}

/* An image brings the kernel that it boots, so it stands in the same column, which every report and comparison knows as an axis. */
static void set_kernel(Record *record, const PlanMachine *m)
{
	g_autofree char *of_image = m->image ? g_strconcat("image ", m->image, NULL) : NULL;

	record_set_text(record, "kernel", of_image ? of_image : m->kernel);
}

static void set_guest(Record *record, const PlanDisk *d, const PlanMachine *m)
{
	record_set_text(record, "bus", d->bus);
	record_set_text(record, "cache", d->cache);
	record_set_text(record, "io", d->io);
	set_count(record, "iothread", d->iothread);
	set_count(record, "ioeventfd", d->ioeventfd);
	set_count(record, "queues", d->queues);
	record_set_text(record, "format", d->format);
	set_count(record, "cluster_size", d->cluster_size ? (gint64)d->cluster_size : -1);
	record_set_text(record, "preallocation", d->preallocation);
	set_count(record, "backing", d->backing);
	set_count(record, "extended_l2", d->extended_l2);
	record_set_int(record, "logical_block_size", d->logical_block_size);
	record_set_int(record, "physical_block_size", d->physical_block_size);
	set_count(record, "iothread_map", d->iothread_map);
	set_count(record, "event_idx", d->event_idx);
	set_count(record, "packed", d->packed);
	set_count(record, "queue_size", d->queue_size);
	record_set_text(record, "discard", d->discard);
	set_count(record, "rotation_rate", d->rotation_rate);
	set_count(record, "iops_limit", d->iops_limit);
	record_set_text(record, "guest_scheduler", d->scheduler);
	record_set_int(record, "guests", m->guests);
	record_set_int(record, "vcpus", m->vcpus);
	record_set_int(record, "memory", m->memory);
	record_set_text(record, "machine", m->machine);
	set_kernel(record, m);
	record_set_text(record, "emulator", m->emulator);
	record_set_text(record, "pin_vcpu", m->pin_vcpu);
	record_set_text(record, "pin_iothread", m->pin_iothread);
	record_set_text(record, "pin_emulator", m->pin_emulator);
	record_set_text(record, "numa", m->numa);
	set_count(record, "hugepages", m->hugepages ? (gint64)m->hugepages : -1);
}

Record *plan_leg_record(const Plan *plan, guint leg)
{
	static const char *const guest_only[] = {"bus", "cache", "io", "iothread", "ioeventfd", "queues", "format", "cluster_size", "preallocation", "backing", "extended_l2",
		"logical_block_size", "physical_block_size", "iothread_map", "event_idx", "packed", "queue_size", "discard",
		"rotation_rate", "iops_limit", "guest_scheduler", "guests", "vcpus", "memory", "machine", "kernel", "emulator",
		"pin_vcpu", "pin_iothread", "pin_emulator", "numa", "hugepages"};
	const PlanLeg *l = g_ptr_array_index(plan->legs, leg);
	const ProfileTarget *target = g_ptr_array_index(plan->profile->targets, l->target);
	Record *record = record_new();

	record_set_text(record, "side", l->side == PLAN_GUEST ? "guest" : "host");
	record_set_text(record, "label", l->label);
	record_set_text(record, "arm", l->arm);
	record_set_text(record, "target", target->name);
	record_set_text(record, "target_type", target->type);
	set_count(record, "target_size", target->size ? (gint64)target->size : -1);
	set_workload(record, &g_array_index(plan->workloads, PlanWorkload, l->workload));
	record_set_text(record, "host_scheduler", l->host_scheduler);
	record_set_text(record, "pin_load", l->pin_load);
	record_set_text(record, "governor", l->governor);
	record_set_text(record, "turbo", l->turbo);
	set_count(record, "host_cache_limit", l->host_cache_limit ? (gint64)l->host_cache_limit : -1);
	if (l->side == PLAN_GUEST)
		set_guest(record, &g_array_index(plan->disks, PlanDisk, l->disk),
			&((PlanBoot *)g_ptr_array_index(plan->boots, l->boot))->machine);
	else
		for (guint i = 0; i < G_N_ELEMENTS(guest_only); i++)
			record_set_null(record, guest_only[i]);
	return record;
}
