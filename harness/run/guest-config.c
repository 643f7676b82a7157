/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/run/guest-config.h"

#include <string.h>

#define SECOND G_GUINT64_CONSTANT(1000000000)

static void add_program(GString *programs, const char *program)
{
	if (!strstr(programs->str, program))
		g_string_append_printf(programs, "%s%s", programs->len ? " " : "", program);
}

/* The outside programs that legs of BOOT need, or NULL: the others boot faster without them. Interned. */
static const char *guest_programs(const Plan *plan, guint boot)
{
	g_autoptr(GString) programs = g_string_new(NULL);

	for (guint i = 0; i < plan->legs->len; i++) {
		const PlanLeg *leg = g_ptr_array_index(plan->legs, i);
		const char *program;

		if (leg->side != PLAN_GUEST || leg->boot != boot)
			continue;
		program = plan_engine_program(g_array_index(plan->workloads, PlanWorkload, leg->workload).engine);
		if (program)
			add_program(programs, program);
		if (g_strcmp0(program, "bonnie++") == 0) /* it works in a file system */
			add_program(programs, "mkfs.ext4");
	}
	return programs->len ? g_intern_string(programs->str) : NULL;
}

GuestConfig guest_config_of(const Plan *plan, guint boot, const char *accel, const char *agent)
{
	const PlanMachine *machine = &((const PlanBoot *)g_ptr_array_index(plan->boots, boot))->machine;

	return (GuestConfig){
		.accel = accel,
		.machine = machine->machine,
		.kernel = machine->kernel,
		.image = machine->image,
		.emulator = machine->emulator,
		.agent = agent,
		.programs = guest_programs(plan, boot),
		.vcpus = machine->vcpus,
		.memory = machine->memory,
		.hello_timeout_s = (guint)((plan->profile->boot_limit_ns + SECOND - 1) / SECOND),
		.tuning = {
			.pin_vcpu = machine->pin_vcpu,
			.pin_iothread = machine->pin_iothread,
			.pin_emulator = machine->pin_emulator,
			.numa = machine->numa,
			.hugepages = machine->hugepages,
		},
	};
}

void disk_settings_of(const PlanDisk *plan, SideDisk *ret)
{
	*ret = (SideDisk){
		.serial = plan->serial,
		.bus = plan->bus,
		.cache = plan->cache,
		.io = plan->io,
		.format = plan->format,
		.iothread = plan->iothread,
		.ioeventfd = plan->ioeventfd,
		.queues = plan->queues,
		.iothread_map = plan->iothread_map,
		.event_idx = plan->event_idx,
		.packed = plan->packed,
		.queue_size = plan->queue_size,
		.logical_block_size = plan->logical_block_size,
		.physical_block_size = plan->physical_block_size,
		.discard = plan->discard,
		.rotation_rate = plan->rotation_rate,
		.iops_limit = plan->iops_limit,
		.scheduler = plan->scheduler,
	};
}

TargetQcow2 qcow2_form_of(const PlanDisk *plan)
{
	return (TargetQcow2){
		.cluster_size = plan->cluster_size,
		.preallocation = plan->preallocation,
		.backing = (guint)MAX(plan->backing, 0),
		.extended_l2 = plan->extended_l2 == 1,
	};
}

guint64 images_beside(const Plan *plan, guint target)
{
	const ProfileTarget *wanted = g_ptr_array_index(plan->profile->targets, target);
	guint guests = 1, images = 0;
	gboolean raw = FALSE;

	for (guint i = 0; i < plan->boots->len; i++)
		guests = MAX(guests, ((const PlanBoot *)g_ptr_array_index(plan->boots, i))->machine.guests);
	for (guint i = 0; i < plan->disks->len; i++) {
		const PlanDisk *disk = &g_array_index(plan->disks, PlanDisk, i);

		if (disk->target != target)
			continue;
		if (g_str_equal(disk->format, "raw"))
			raw = TRUE;
		else
			images += guests * (disk->backing > 0 ? 2 : 1);
	}
	return wanted->size * (images + (raw ? guests - 1 : 0));
}
