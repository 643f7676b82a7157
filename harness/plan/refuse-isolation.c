/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is to keep a leg apart from the rest of the host. */
#include "harness/plan/refuse.h"

/* What a QEMU was seen to hold beside its guest's memory, rounded up: itself, its libraries, and under TCG the code that it translates. */
#define QEMU_OWN (64ull << 20)
#define QEMU_OWN_TCG (128ull << 20)

static char *cache_limit_of_qemu(const Case *c)
{
	const PlanMachine *m = &c->cell.machine;
	guint64 own = IS(c->facts->accel, "kvm") ? QEMU_OWN : QEMU_OWN_TCG, need = m->guests * (m->memory + own);
	g_autofree char *needed = refuse_size_text(need);
	g_autofree char *own_text = refuse_size_text(own);

	if (c->cell.host_cache_limit == 0)
		return NULL;
	if (c->facts->memory_limit)
		return g_strdup_printf("no memory can be limited here: %s", c->facts->memory_limit);
	if (c->cell.host_cache_limit >= need)
		return NULL;
	return g_strdup_printf("QEMU would be killed for want of memory: its guest%s memory and %s%s beside it are %s; use a higher limit "
			       "or less guest memory", m->guests > 1 ? "s'" : "'s", own_text, m->guests > 1 ? " each" : "", needed);
}

static char *cache_limit_of_tmpfs(const Case *c)
{
	if (c->cell.host_cache_limit == 0 || !IS(c->target->type, "tmpfs"))
		return NULL;
	return g_strdup("a tmpfs lies in memory as a whole, whatever the page cache may have");
}

const RefuseRow refuse_isolation[] = {
	{cache_limit_of_tmpfs, {DIM_HOST_CACHE_LIMIT, DIM_TARGET, DIM_NONE}},
	{cache_limit_of_qemu, {DIM_HOST_CACHE_LIMIT, DIM_MEMORY, DIM_GUESTS, DIM_NONE}},
	{NULL, {DIM_NONE}},
};
