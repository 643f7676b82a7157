/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/plan/plan.h"

/* Seconds from create to hello that the appliance takes when nothing better is known. */
#define BOOT_KVM_S 2.0
#define BOOT_TCG_S 8.0

void plan_facts_init(PlanFacts *facts, const Profile *profile, const char *accel)
{
	guint n = profile->targets->len;

	*facts = (PlanFacts){
		.accel = accel,
		.sector_sizes = g_array_sized_new(FALSE, TRUE, sizeof(guint), n),
		.sizes = g_array_sized_new(FALSE, TRUE, sizeof(guint64), n),
		.hugepages = g_array_new(FALSE, FALSE, sizeof(PlanHugepages)),
		.no_direct = g_ptr_array_new_with_free_func(g_free),
		.lacking = g_ptr_array_new_with_free_func(g_free),
		.in_memory = g_ptr_array_new_with_free_func(g_free),
		.schedulers = g_ptr_array_new_with_free_func(g_free),
		.no_scheduler = g_ptr_array_new_with_free_func(g_free),
		.paths = g_ptr_array_new_with_free_func(g_free),
		.engines = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free),
		.boot_s = g_str_equal(accel, "kvm") ? BOOT_KVM_S : BOOT_TCG_S,
	};
	g_array_set_size(facts->sector_sizes, n);
	g_array_set_size(facts->sizes, n);
	g_ptr_array_set_size(facts->no_direct, n);
	g_ptr_array_set_size(facts->lacking, n);
	g_ptr_array_set_size(facts->in_memory, n);
	g_ptr_array_set_size(facts->schedulers, n);
	g_ptr_array_set_size(facts->no_scheduler, n);
	g_ptr_array_set_size(facts->paths, n);
}

void plan_facts_clear(PlanFacts *facts)
{
	g_clear_pointer(&facts->sector_sizes, g_array_unref);
	g_clear_pointer(&facts->sizes, g_array_unref);
	g_clear_pointer(&facts->no_direct, g_ptr_array_unref);
	g_clear_pointer(&facts->lacking, g_ptr_array_unref);
	g_clear_pointer(&facts->in_memory, g_ptr_array_unref);
	g_clear_pointer(&facts->schedulers, g_ptr_array_unref);
	g_clear_pointer(&facts->no_scheduler, g_ptr_array_unref);
	g_clear_pointer(&facts->paths, g_ptr_array_unref);
	g_clear_pointer(&facts->engines, g_hash_table_unref);
	g_clear_pointer(&facts->io_uring, g_free);
	g_clear_pointer(&facts->iothread_map, g_free);
	g_clear_pointer(&facts->nvme, g_free);
	g_clear_pointer(&facts->memory_limit, g_free);
	g_clear_pointer(&facts->cpus, g_free);
	g_clear_pointer(&facts->nodes, g_free);
	g_clear_pointer(&facts->hugepages, g_array_unref);
	g_clear_pointer(&facts->no_hugepages, g_free);
	g_clear_pointer(&facts->governors, g_free);
	g_clear_pointer(&facts->no_governor, g_free);
	g_clear_pointer(&facts->no_turbo, g_free);
}

void plan_facts_target(PlanFacts *facts, guint target, guint sector_size, guint64 size, const char *no_direct)
{
	g_array_index(facts->sector_sizes, guint, target) = sector_size;
	g_array_index(facts->sizes, guint64, target) = size;
	g_free(g_ptr_array_index(facts->no_direct, target));
	g_ptr_array_index(facts->no_direct, target) = g_strdup(no_direct);
}

void plan_facts_lacking(PlanFacts *facts, guint target, const char *reason)
{
	g_free(g_ptr_array_index(facts->lacking, target));
	g_ptr_array_index(facts->lacking, target) = g_strdup(reason);
}

void plan_facts_in_memory(PlanFacts *facts, guint target, const char *filesystem)
{
	g_free(g_ptr_array_index(facts->in_memory, target));
	g_ptr_array_index(facts->in_memory, target) = g_strdup(filesystem);
}

void plan_facts_scheduler(PlanFacts *facts, guint target, const char *schedulers, const char *no_scheduler)
{
	g_free(g_ptr_array_index(facts->schedulers, target));
	g_ptr_array_index(facts->schedulers, target) = g_strdup(schedulers);
	g_free(g_ptr_array_index(facts->no_scheduler, target));
	g_ptr_array_index(facts->no_scheduler, target) = g_strdup(no_scheduler);
}

void plan_facts_path(PlanFacts *facts, guint target, const char *path)
{
	g_free(g_ptr_array_index(facts->paths, target));
	g_ptr_array_index(facts->paths, target) = g_strdup(path);
}

void plan_facts_engine(PlanFacts *facts, const char *engine, const char *reason)
{
	g_hash_table_insert(facts->engines, g_strdup(engine), g_strdup(reason));
}

void plan_facts_io_uring(PlanFacts *facts, const char *reason)
{
	g_free(facts->io_uring);
	facts->io_uring = g_strdup(reason);
}

void plan_facts_memory_limit(PlanFacts *facts, const char *reason)
{
	g_free(facts->memory_limit);
	facts->memory_limit = g_strdup(reason);
}

void plan_facts_cpus(PlanFacts *facts, const char *cpus, const char *nodes)
{
	g_free(facts->cpus);
	g_free(facts->nodes);
	facts->cpus = g_strdup(cpus);
	facts->nodes = g_strdup(nodes);
}

void plan_facts_hugepages(PlanFacts *facts, guint64 size, guint64 free)
{
	PlanHugepages pages = {size, free};

	g_array_append_val(facts->hugepages, pages);
}

void plan_facts_no_hugepages(PlanFacts *facts, const char *reason)
{
	g_free(facts->no_hugepages);
	facts->no_hugepages = g_strdup(reason);
}

void plan_facts_frequency(PlanFacts *facts, const char *governors, const char *no_governor, const char *no_turbo)
{
	g_free(facts->governors);
	g_free(facts->no_governor);
	g_free(facts->no_turbo);
	facts->governors = g_strdup(governors);
	facts->no_governor = g_strdup(no_governor);
	facts->no_turbo = g_strdup(no_turbo);
}

void plan_facts_hypervisor(PlanFacts *facts, const char *iothread_map, const char *nvme)
{
	g_free(facts->iothread_map);
	g_free(facts->nvme);
	facts->iothread_map = g_strdup(iothread_map);
	facts->nvme = g_strdup(nvme);
}
