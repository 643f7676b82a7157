/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/run/facts-machine.h"

#include <sched.h>
#include <string.h>

#include "harness/base/cpu-list.h"
#include "harness/run/cpu-clock.h"
#include "harness/run/environment.h"
#include "harness/run/facts-memory.h"
#include "harness/run/memory-limit.h"

/* A list of the kernel's, or NULL. */
static char *list_of(const char *root, const char *file)
{
	g_autofree char *text = environment_read(root, "%s", file);

	return text ? cpu_list_canonical(text) : NULL;
}

/* In a thread of its own, whose affinity goes with it: a cpuset gives no processor away that is not in it, and no file tells that everywhere. */
static gpointer try_each(gpointer data)
{
	GArray *cpus = data;

	for (guint i = cpus->len; i > 0; i--) {
		guint cpu = g_array_index(cpus, guint, i - 1);
		cpu_set_t *set = CPU_ALLOC(CPU_LIST_MOST + 1);
		size_t size = CPU_ALLOC_SIZE(CPU_LIST_MOST + 1);

		CPU_ZERO_S(size, set);
		CPU_SET_S(cpu, size, set);
		if (sched_setaffinity(0, size, set) < 0)
			g_array_remove_index(cpus, i - 1);
		CPU_FREE(set);
	}
	return NULL;
}

char *facts_cpus(const char *root)
{
	g_autofree char *online = list_of(root, "/sys/devices/system/cpu/online");
	g_autoptr(GArray) cpus = online ? cpu_list_parse(online) : NULL;

	if (!cpus || *root)
		return g_steal_pointer(&online);
	g_thread_join(g_thread_new("cpus", try_each, cpus));
	return cpu_list_format(cpus);
}

static void facts_hugepages(const char *root, PlanFacts *facts)
{
	static const char folder[] = "/sys/kernel/mm/hugepages";
	g_autofree char *path = g_strconcat(root, folder, NULL);
	g_autoptr(GPtrArray) names = environment_list(path);
	g_autofree char *mounts = environment_read(root, "/proc/self/mounts");

	for (guint i = 0; i < names->len; i++) {
		const char *name = names->pdata[i];
		g_autofree char *free_text = environment_read(root, "%s/%s/free_hugepages", folder, name);
		guint64 size = g_str_has_prefix(name, "hugepages-") ? g_ascii_strtoull(name + strlen("hugepages-"), NULL, 10) << 10 : 0;

		if (size && free_text)
			plan_facts_hugepages(facts, size, size * g_ascii_strtoull(free_text, NULL, 10));
	}
	if (!mounts || !strstr(mounts, " hugetlbfs "))
		plan_facts_no_hugepages(facts, "QEMU gets huge pages through a file system of the kernel's that is not mounted; as root: "
					       "mkdir -p /dev/hugepages && mount -t hugetlbfs none /dev/hugepages");
}

static void facts_frequency(const char *root, PlanFacts *facts)
{
	g_autofree char *no_governor = NULL;
	g_autofree char *governors = cpu_clock_governors(root, &no_governor);
	g_autofree char *no_turbo = cpu_clock_no_turbo(root);

	plan_facts_frequency(facts, governors, no_governor, no_turbo);
}

void facts_machine(const char *root, PlanFacts *facts)
{
	gboolean second;
	g_autofree char *reason = NULL;
	g_autofree char *place = memory_group_place(root, &second, &reason);
	g_autofree char *cpus = facts_cpus(root);
	g_autofree char *nodes = list_of(root, "/sys/devices/system/node/online");

	facts->memory = facts_memory();
	plan_facts_memory_limit(facts, place ? NULL : reason);
	plan_facts_cpus(facts, cpus, nodes);
	facts_hugepages(root, facts);
	facts_frequency(root, facts);
}
