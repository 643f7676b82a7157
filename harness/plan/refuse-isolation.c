/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is to keep a leg apart from the rest of the host. */
#include "harness/plan/refuse.h"

#include "harness/base/cpu-list.h"

/* What a QEMU was seen to hold beside its guest's memory, rounded up: itself, its libraries, and under TCG the code that it translates. */
#define QEMU_OWN (64ull << 20)
#define QEMU_OWN_TCG (128ull << 20)

static char *cache_limit_of_qemu(const Case *c)
{
	const PlanMachine *m = &c->cell.machine;
	guint64 own = IS(c->facts->accel, "kvm") ? QEMU_OWN : QEMU_OWN_TCG;
	/* Huge pages are not charged to control groups of memory. */
	guint64 need = m->guests * ((m->hugepages ? 0 : m->memory) + own);
	g_autofree char *needed = refuse_size_text(need);
	g_autofree char *own_text = refuse_size_text(own);

	if (c->cell.host_cache_limit == 0)
		return NULL;
	if (c->facts->memory_limit)
		return g_strdup_printf("no memory can be limited here: %s", c->facts->memory_limit);
	if (c->cell.host_cache_limit >= need)
		return NULL;
	if (m->hugepages)
		return g_strdup_printf("QEMU would be killed for want of memory: beside the guest's memory, which is of huge pages and counts for "
				       "nothing here, %s are needed%s; use a higher limit", own_text, m->guests > 1 ? " for each guest" : "");
	return g_strdup_printf("QEMU would be killed for want of memory: its guest%s memory and %s%s beside it are %s; use a higher limit "
			       "or less guest memory", m->guests > 1 ? "s'" : "'s", own_text, m->guests > 1 ? " each" : "", needed);
}

static char *cache_limit_of_tmpfs(const Case *c)
{
	if (c->cell.host_cache_limit == 0 || !refuse_in_memory(c))
		return NULL;
	return g_strdup_printf("a %s lies in memory as a whole, whatever the page cache may have", refuse_in_memory(c));
}

/* One processor that is not there would be left out by the kernel without a word, as long as one of the list is. */
static char *pin_to(const Case *c, const char *lists)
{
	g_auto(GStrv) each = g_strsplit(lists ? lists : "", "/", -1);

	for (guint i = 0; c->facts->cpus && each[i]; i++) {
		g_autofree char *missing = cpu_list_lacks(each[i], c->facts->cpus);

		if (missing)
			return g_strdup_printf("processor %s is offline or not there; those that can be used are %s", missing, c->facts->cpus);
	}
	return NULL;
}

static char *pin_of_vcpu(const Case *c)
{
	const PlanMachine *m = &c->cell.machine;
	g_auto(GStrv) each = g_strsplit(m->pin_vcpu ? m->pin_vcpu : "", "/", -1);
	guint n = g_strv_length(each);

	if (n > 1 && n != m->vcpus)
		return g_strdup_printf("there are %u lists for %u vCPU%s; give one for all of them, or one for each", n, m->vcpus,
			m->vcpus == 1 ? "" : "s");
	return pin_to(c, m->pin_vcpu);
}

static char *pin_of_iothread(const Case *c)
{
	if (!c->cell.machine.pin_iothread)
		return NULL;
	if (c->cell.disk.iothread <= 0 && c->cell.disk.iothread_map <= 0)
		return g_strdup("no I/O thread serves this disk; use iothread: true, or leave it out");
	return pin_to(c, c->cell.machine.pin_iothread);
}

static char *pin_of_emulator(const Case *c)
{
	return pin_to(c, c->cell.machine.pin_emulator);
}

static char *pin_of_load(const Case *c)
{
	return pin_to(c, c->cell.pin_load);
}

static char *numa_node(const Case *c)
{
	const char *nodes = c->cell.machine.numa;
	g_autofree char *missing = nodes && c->facts->nodes ? cpu_list_lacks(nodes, c->facts->nodes) : NULL;

	return missing ? g_strdup_printf("the host has no NUMA node %s; it has %s", missing, c->facts->nodes) : NULL;
}

static char *governor(const Case *c)
{
	const char *asked = c->cell.governor;
	g_auto(GStrv) there = g_strsplit(c->facts->governors ? c->facts->governors : "", " ", -1);

	if (!asked)
		return NULL;
	if (c->facts->no_governor)
		return g_strdup_printf("the governor cannot be set: %s", c->facts->no_governor);
	/* Old drivers do not tell. */
	if (!c->facts->governors || !*c->facts->governors || g_strv_contains((const char *const *)there, asked))
		return NULL;
	return g_strdup_printf("the host's processors have no such governor; they have: %s", c->facts->governors);
}

static char *turbo(const Case *c)
{
	if (!c->cell.turbo || !c->facts->no_turbo)
		return NULL;
	return g_strdup_printf("turbo cannot be switched: %s", c->facts->no_turbo);
}

static const PlanHugepages *pages_of(const PlanFacts *facts, guint64 size)
{
	for (guint i = 0; i < facts->hugepages->len; i++)
		if (g_array_index(facts->hugepages, PlanHugepages, i).size == size)
			return &g_array_index(facts->hugepages, PlanHugepages, i);
	return NULL;
}

static char *huge_pages(const Case *c)
{
	const PlanMachine *m = &c->cell.machine;
	const PlanHugepages *pages = pages_of(c->facts, m->hugepages);
	guint64 memory = m->memory * m->guests;
	g_autofree char *size = refuse_size_text(m->hugepages);

	if (m->hugepages == 0)
		return NULL;
	if (c->facts->no_hugepages)
		return g_strdup(c->facts->no_hugepages);
	if (!pages)
		return g_strdup_printf("the host's kernel has no huge pages of %s (/sys/kernel/mm/hugepages)", size);
	if (m->memory % m->hugepages)
		return g_strdup_printf("the guest's memory is no multiple of pages of %s", size);
	if (pages->free >= memory)
		return NULL;
	return g_strdup_printf("%" G_GUINT64_FORMAT " pages of %s are needed and %" G_GUINT64_FORMAT " are free; as root: echo %" G_GUINT64_FORMAT
			       " >/sys/kernel/mm/hugepages/hugepages-%" G_GUINT64_FORMAT "kB/nr_hugepages", memory / m->hugepages, size,
		pages->free / m->hugepages, memory / m->hugepages, m->hugepages >> 10);
}

const RefuseRow refuse_isolation[] = {
	{cache_limit_of_tmpfs, {DIM_HOST_CACHE_LIMIT, DIM_TARGET, DIM_NONE}},
	{cache_limit_of_qemu, {DIM_HOST_CACHE_LIMIT, DIM_MEMORY, DIM_GUESTS, DIM_NONE}},
	{pin_of_vcpu, {DIM_PIN_VCPU, DIM_VCPUS, DIM_NONE}},
	{pin_of_iothread, {DIM_PIN_IOTHREAD, DIM_IOTHREAD, DIM_NONE}},
	{pin_of_emulator, {DIM_PIN_EMULATOR, DIM_NONE}},
	{pin_of_load, {DIM_PIN_LOAD, DIM_NONE}},
	{numa_node, {DIM_NUMA, DIM_NONE}},
	{huge_pages, {DIM_HUGEPAGES, DIM_MEMORY, DIM_GUESTS, DIM_NONE}},
	{governor, {DIM_GOVERNOR, DIM_NONE}},
	{turbo, {DIM_TURBO, DIM_NONE}},
	{NULL, {DIM_NONE}},
};
