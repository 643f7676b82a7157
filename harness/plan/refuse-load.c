/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the load cannot do: engines, depth, rates, syncs. */
#include "harness/plan/refuse.h"

#include "guest-agent/common/bonnie.h"

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
	if (workload_bonnie(w))
		return NULL;
	if (workload_mixes(w))
		return g_strdup_printf("%s either reads or writes", w->engine);
	if (IS(w->engine, "dd") && g_str_has_prefix(w->rw, "rand"))
		return g_strdup("dd goes from the first byte to the last; use rw: read or write");
	if (IS(w->sync, "fsync"))
		return g_strdup_printf("%s has no fsync between its writes; use sync: dsync or sync", w->engine);
	return NULL;
}

/* What bonnie++ has a test for. */
static char *tests_of_bonnie(const Case *c)
{
	const PlanWorkload *w = &c->cell.workload;

	if (!workload_bonnie(w))
		return NULL;
	if (!IS(w->sync, "none"))
		return g_strdup_printf("%s syncs at the end of its tests only; use sync: none", w->engine);
	if (IS(w->engine, BONNIE_CHARS))
		return IS(w->rw, "write") || IS(w->rw, "read") ? NULL : g_strdup("bonnie++ writes or reads single bytes; use rw: write or read");
	return IS(w->rw, "randread") || IS(w->rw, "randwrite") ?
		g_strdup("bonnie++ has no such test; use rw: write, read, rw (its rewrite) or randrw (its seeks)") : NULL;
}

static char *chars_are_buffered(const Case *c)
{
	if (!IS(c->cell.workload.engine, BONNIE_CHARS) || !c->cell.workload.direct)
		return NULL;
	return g_strdup("bonnie++ cannot write single bytes with direct I/O; use direct: false");
}

static char *blocks_of_bonnie(const Case *c)
{
	const PlanWorkload *w = &c->cell.workload;

	if (!IS(w->engine, BONNIE_BLOCKS) || (w->block_size >= BONNIE_LEAST_CHUNK && w->block_size <= BONNIE_MOST_CHUNK &&
		(w->block_size & (w->block_size - 1)) == 0))
		return NULL;
	return g_strdup("bonnie++ takes blocks of 256 bytes to 1 MiB, in powers of two");
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

static char *block_size_of_guest(const Case *c)
{
	return c->cell.workload.direct
		? refuse_alignment(c->cell.workload.block_size, c->cell.disk.logical_block_size, "the guest's sectors")
		: NULL;
}

static char *engine_missing(const Case *c)
{
	const char *engine = plan_engine_of_agent(&c->cell.workload);
	const char *why = c->facts->engines ? g_hash_table_lookup(c->facts->engines, engine) : NULL;

	return why ? g_strdup_printf("the engine %s does not work here: %s", engine, why) : NULL;
}

const RefuseRow refuse_load[] = {
	{depth_needs_async, {DIM_QUEUE_DEPTH, DIM_ENGINE, DIM_NONE}},
	{libaio_needs_direct, {DIM_ENGINE, DIM_DIRECT, DIM_NONE}},
	{rate_of_fio, {DIM_RATE, DIM_JOBS, DIM_ENGINE, DIM_NONE}},
	{tool_is_one, {DIM_JOBS, DIM_RATE, DIM_ENGINE, DIM_NONE}},
	{tool_cannot, {DIM_RW, DIM_SYNC, DIM_ENGINE, DIM_NONE}},
	{tests_of_bonnie, {DIM_RW, DIM_SYNC, DIM_ENGINE, DIM_NONE}},
	{chars_are_buffered, {DIM_DIRECT, DIM_ENGINE, DIM_NONE}},
	{blocks_of_bonnie, {DIM_BLOCK_SIZE, DIM_ENGINE, DIM_NONE}},
	{ioping_never_syncs, {DIM_DIRECT, DIM_SYNC, DIM_ENGINE, DIM_NONE}},
	{sync_of_reads, {DIM_SYNC, DIM_RW, DIM_NONE}},
	{block_size_of_guest, {DIM_BLOCK_SIZE, DIM_DIRECT, DIM_LOGICAL_BLOCK_SIZE, DIM_NONE}},
	{engine_missing, {DIM_ENGINE, DIM_NONE}},
	{NULL, {DIM_NONE}},
};
