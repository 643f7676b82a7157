/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The guest as a machine, and the host that it runs on. */
#include "harness/plan/refuse.h"

/* A share that leaves the guest's kernel and the agent enough to live. */
static char *buffers_of_guest(const Case *c)
{
	const PlanWorkload *w = &c->cell.workload;
	guint64 buffers = w->block_size * w->queue_depth * w->jobs;
	g_autofree char *text = refuse_size_text(buffers);

	if (buffers <= c->cell.machine.memory / 4)
		return NULL;
	return g_strdup_printf("the requests in flight need %s of buffers, more than a quarter of the guest's memory",
		text);
}

/* QEMU asks for all of it at once, and gets ENOMEM. */
static char *memory_of_host(const Case *c)
{
	guint64 memory = c->cell.machine.memory * c->cell.machine.guests;
	g_autofree char *asked = refuse_size_text(memory);
	g_autofree char *there = refuse_size_text(c->facts->memory);

	if (c->facts->memory == 0 || memory <= c->facts->memory)
		return NULL;
	return g_strdup_printf("the guest%s for %s of memory, and the host has %s (swap included)",
		c->cell.machine.guests > 1 ? "s ask" : " asks", asked, there);
}

/*
 * fio comes with some 85 MiB of libraries, and the kernel gives the file system in memory that they are unpacked into half of the
 * memory that is left: in 256M fio is missing, in 384M it is there. A distribution image brings its own, on a disk.
 */
#define OUTSIDE_MEMORY (384ull << 20)

static char *memory_of_outside(const Case *c)
{
	const char *program = plan_engine_program(c->cell.workload.engine);

	/* The tools come with the C library alone. */
	if (!program || c->cell.machine.image || workload_tool(&c->cell.workload) || c->cell.machine.memory >= OUTSIDE_MEMORY)
		return NULL;
	return g_strdup_printf("%s and its libraries do not fit into so small a guest; give it memory 384M or more", program);
}

static char *image_with_kernel(const Case *c)
{
	if (!c->cell.machine.image || !c->cell.machine.kernel)
		return NULL;
	return g_strdup("a distribution image boots its own kernel; leave out kernel or image");
}

static char *qemu_io_uring(const Case *c)
{
	if (!c->facts->io_uring || !IS(c->cell.disk.io, "io_uring"))
		return NULL;
	return g_strdup_printf("QEMU cannot use io_uring here: %s", c->facts->io_uring);
}

const RefuseRow refuse_machine[] = {
	{buffers_of_guest, {DIM_BLOCK_SIZE, DIM_QUEUE_DEPTH, DIM_JOBS, DIM_NONE}},
	{memory_of_host, {DIM_MEMORY, DIM_GUESTS, DIM_NONE}},
	{memory_of_outside, {DIM_MEMORY, DIM_ENGINE, DIM_IMAGE, DIM_NONE}},
	{image_with_kernel, {DIM_IMAGE, DIM_KERNEL, DIM_NONE}},
	{qemu_io_uring, {DIM_IO, DIM_NONE}},
	{NULL, {DIM_NONE}},
};
