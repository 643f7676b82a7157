/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a target cannot take or be. */
#include "harness/plan/refuse.h"

#include "guest-agent/common/bonnie.h"
#include "guest-agent/common/fio-path.h"

static char *cannot_be_made(const Case *c)
{
	const GPtrArray *lacking = c->facts->lacking;

	return lacking ? g_strdup(g_ptr_array_index(lacking, c->cell.target)) : NULL;
}

static char *no_scheduler(const Case *c)
{
	if (c->cell.host_scheduler && IS(c->target->type, "nbd"))
		return g_strdup("a network block device of ours is served by a program, and no I/O scheduler works below it");
	if (c->cell.host_scheduler && IS(c->target->type, "dm-zero"))
		return g_strdup("device-mapper makes zeros of nothing, and no I/O scheduler works below it");
	if (!c->cell.host_scheduler || !refuse_in_memory(c))
		return NULL;
	return g_strdup_printf("a %s lies in memory, and no I/O scheduler works below it", refuse_in_memory(c));
}

static char *no_such_scheduler(const Case *c)
{
	const char *asked = c->cell.host_scheduler;
	const char *have = asked && c->facts->schedulers ? g_ptr_array_index(c->facts->schedulers, c->cell.target) : NULL;
	const char *why_not = asked && c->facts->no_scheduler ? g_ptr_array_index(c->facts->no_scheduler, c->cell.target) : NULL;
	g_auto(GStrv) there = g_strsplit(have ? have : "", " ", -1);

	if (!asked || g_strv_contains((const char *const *)there, asked))
		return NULL;
	if (why_not)
		return g_strdup_printf("the I/O scheduler cannot be set: %s", why_not);
	return have ? g_strdup_printf("the disks below the target have no such scheduler; they have: %s", have) : NULL;
}

/* As nbdkit is told in harness/side/target-nbd.c. */
#define NBD_BURST_NS 100000000ull

static char *rate_without_settle(const Case *c)
{
	if (!c->target->nbd_rate || c->profile->settle_ns >= NBD_BURST_NS)
		return NULL;
	return g_strdup("after a pause nbd_rate lets through at once what would pass in 0.1 s, and that would be measured; use settle: 0.1s or more");
}

static char *pattern_is_fixed(const Case *c)
{
	if (!workload_writes(&c->cell.workload) || g_strcmp0(c->target->nbd_plugin, "pattern") != 0)
		return NULL;
	return g_strdup_printf("the target \"%s\" serves a fixed pattern that cannot be written; use nbd_plugin memory or null",
		c->target->name);
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

static guint sector_of_target(const Case *c)
{
	const GArray *sectors = c->facts->sector_sizes;

	return sectors && c->cell.target < sectors->len ? g_array_index(sectors, guint, c->cell.target) : 0;
}

static char *block_size_of_target(const Case *c)
{
	return c->cell.workload.direct
		? refuse_alignment(c->cell.workload.block_size, sector_of_target(c), "the target's sectors")
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
	g_autofree char *text = refuse_size_text(size);

	if (size == 0 || w->block_size <= size / w->jobs)
		return NULL;
	if (w->jobs == 1)
		return g_strdup_printf("one block is larger than the target, which has %s", text);
	return g_strdup_printf("one block is larger than the slice of a job, which is 1/%u of %s", w->jobs, text);
}

static char *place_of_bonnie(const Case *c)
{
	guint64 size = size_of_target(c);
	gboolean folder = IS(c->target->type, "file") || IS(c->target->type, "tmpfs") || c->target->filesystem;

	if (!workload_bonnie(&c->cell.workload))
		return NULL;
	if (!folder)
		return g_strdup_printf("bonnie++ needs a folder on the host, and the target \"%s\" is a device without a file system; use type file, "
				       "or loop with filesystem", c->target->name);
	if (size && size < BONNIE_LEAST_TARGET)
		return g_strdup("bonnie++ needs a target of 64M or more, for its files and the guest's file system");
	return NULL;
}

/* Its tests have no common begin and end that others could be measured between. */
static char *bonnie_is_alone(const Case *c)
{
	if (!workload_bonnie(&c->cell.workload) || c->cell.machine.guests == 1)
		return NULL;
	return g_strdup("the tests of bonnie++ in several guests would drift apart; use guests: 1");
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

const RefuseRow refuse_target[] = {
	{cannot_be_made, {DIM_TARGET, DIM_NONE}},
	{no_scheduler, {DIM_HOST_SCHEDULER, DIM_TARGET, DIM_NONE}},
	{no_such_scheduler, {DIM_HOST_SCHEDULER, DIM_TARGET, DIM_NONE}},
	{rate_without_settle, {DIM_TARGET, DIM_NONE}},
	{pattern_is_fixed, {DIM_RW, DIM_TARGET, DIM_NONE}},
	{path_of_fio, {DIM_TARGET, DIM_ENGINE, DIM_NONE}},
	{block_size_of_target, {DIM_BLOCK_SIZE, DIM_DIRECT, DIM_TARGET, DIM_NONE}},
	{larger_than_target, {DIM_BLOCK_SIZE, DIM_JOBS, DIM_TARGET, DIM_NONE}},
	{place_of_bonnie, {DIM_TARGET, DIM_ENGINE, DIM_NONE}},
	{bonnie_is_alone, {DIM_GUESTS, DIM_ENGINE, DIM_NONE}},
	{guests_need_files, {DIM_GUESTS, DIM_TARGET, DIM_NONE}},
	{target_without_direct, {DIM_DIRECT, DIM_TARGET, DIM_NONE}},
	{cache_without_direct, {DIM_CACHE, DIM_TARGET, DIM_NONE}},
	{NULL, {DIM_NONE}},
};
