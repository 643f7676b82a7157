/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <libaio.h>
#include <time.h>

#include "guest-agent/engine/table.h"

/*
 * The completion ring that the kernel maps at the address of an io_context_t; user space may take events from it
 * (the kernel says so by magic and feature words). That needs no system call.
 */
struct ring {
	unsigned id, nr, head, tail, magic, compat_features, incompat_features, header_length;
	struct io_event events[];
};
#define RING_MAGIC 0xa10a10a1u

struct state {
	io_context_t context;
	struct ring *ring; /* NULL: not the layout that we know, so io_getevents alone is used */
	struct iocb *iocbs, **batch;
	struct io_event *events;
};

static const char *setup_reason(int r, char *buf, size_t size)
{
	if (r == -ENOSYS)
		return "io_setup is missing: this kernel was built without CONFIG_AIO, or a seccomp filter hides it";
	if (r == -EPERM)
		return "io_setup is not permitted: a seccomp filter forbids it";
	if (r == -EAGAIN)
		return "io_setup found no free events: raise the sysctl fs.aio-max-nr";
	snprintf(buf, size, "io_setup failed: %s", strerror(-r));
	return buf;
}

static int libaio_probe(char *reason, size_t size)
{
	io_context_t context = NULL;
	char buf[128];
	int r = io_setup(1, &context);

	if (r < 0) {
		snprintf(reason, size, "%s", setup_reason(r, buf, sizeof(buf)));
		return r;
	}
	io_destroy(context);
	return 0;
}

static void libaio_close(Engine *engine)
{
	struct state *state = engine->state;

	if (state->context)
		io_destroy(state->context);
	free(state->iocbs);
	free(state->batch);
	free(state->events);
	free(state);
	engine->state = NULL;
}

static struct ring *find_ring(io_context_t context)
{
	struct ring *ring = (struct ring *)context;

	return ring->magic == RING_MAGIC && !ring->incompat_features && ring->header_length == sizeof(*ring) ? ring
													      : NULL;
}

static int libaio_open(Engine *engine, Fault *fault)
{
	struct state *state = calloc(1, sizeof(*state));
	char buf[128];
	int r;

	if (!state)
		return fault_set(fault, ENOMEM, "libaio", "no memory for the engine");
	engine->state = state;
	state->iocbs = calloc(engine->depth, sizeof(*state->iocbs));
	state->batch = calloc(engine->depth, sizeof(*state->batch));
	state->events = calloc(engine->depth, sizeof(*state->events));
	if (!state->iocbs || !state->batch || !state->events) {
		libaio_close(engine);
		return fault_set(fault, ENOMEM, "queue_depth", "no memory for %u requests", engine->depth);
	}
	r = io_setup((int)engine->depth, &state->context);
	if (r < 0) {
		state->context = NULL;
		libaio_close(engine);
		return fault_set(fault, -r, "libaio", "%s", setup_reason(r, buf, sizeof(buf)));
	}
	state->ring = find_ring(state->context);
	return 0;
}

static int libaio_submit(Engine *engine, EngineRequest **requests, unsigned n)
{
	struct state *state = engine->state;
	unsigned done = 0;

	for (unsigned i = 0; i < n; i++) {
		EngineRequest *request = requests[i];
		struct iocb *iocb = &state->iocbs[request->index];

		if (request->write)
			io_prep_pwrite(iocb, engine->fd, request->buffer, engine->block_size, (long long)request->offset);
		else
			io_prep_pread(iocb, engine->fd, request->buffer, engine->block_size, (long long)request->offset);
		iocb->data = request;
		state->batch[i] = iocb;
	}
	/* The kernel may take a part of a batch. EAGAIN passes: the context was made for depth requests. */
	while (done < n) {
		int r = io_submit(state->context, (long)(n - done), state->batch + done);

		if (r < 0 && r != -EINTR && r != -EAGAIN)
			return r;
		if (r > 0)
			done += (unsigned)r;
	}
	return 0;
}

static void finish(const struct io_event *event, EngineRequest **done)
{
	EngineRequest *request = event->data;

	request->result = (int64_t)event->res;
	*done = request;
}

/* Takes what the ring holds, without a system call. */
static unsigned reap_ring(struct ring *ring, EngineRequest **done, unsigned max)
{
	unsigned head = ring->head, tail = __atomic_load_n(&ring->tail, __ATOMIC_ACQUIRE), n = 0;

	while (head != tail && n < max) {
		finish(&ring->events[head], &done[n++]);
		if (++head == ring->nr)
			head = 0;
	}
	if (n)
		__atomic_store_n(&ring->head, head, __ATOMIC_RELEASE);
	return n;
}

static int libaio_reap(Engine *engine, EngineRequest **done, unsigned max, uint64_t timeout_ns)
{
	struct state *state = engine->state;
	struct timespec timeout = {(time_t)(timeout_ns / 1000000000u), (long)(timeout_ns % 1000000000u)};
	int n;

	if (state->ring) {
		unsigned found = reap_ring(state->ring, done, max);

		if (found)
			return (int)found;
	}
	n = io_getevents(state->context, 1, (long)max, state->events, timeout_ns == UINT64_MAX ? NULL : &timeout);
	if (n < 0)
		return n == -EINTR ? 0 : n;
	for (int i = 0; i < n; i++)
		finish(&state->events[i], &done[i]);
	return n;
}

const EngineOps engine_libaio = {
	.version = ENGINE_VERSION,
	.name = "libaio",
	.summary = "Linux native asynchronous I/O; direct only",
	.direct_only = true,
	.probe = libaio_probe,
	.open = libaio_open,
	.submit = libaio_submit,
	.reap = libaio_reap,
	.close = libaio_close,
};
