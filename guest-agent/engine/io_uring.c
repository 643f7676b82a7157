/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <liburing.h>

#include "guest-agent/engine/table.h"

struct state {
	struct io_uring ring;
};

static const char *setup_reason(int r, char *buf, size_t size)
{
	if (r == -ENOSYS)
		return "io_uring_setup is missing: this kernel is older than 5.1, was built without CONFIG_IO_URING, or a seccomp filter hides it";
	if (r == -EPERM)
		return "io_uring_setup is not permitted: the sysctl kernel.io_uring_disabled or a seccomp filter forbids it";
	if (r == -ENOMEM)
		return "io_uring_setup found no memory: raise RLIMIT_MEMLOCK (ulimit -l)";
	snprintf(buf, size, "io_uring_setup failed: %s", strerror(-r));
	return buf;
}

static int ring_init(unsigned depth, struct io_uring *ring)
{
	/*
	 * One thread owns the ring, and completions need not interrupt it: it looks for them itself. Both flags only save time;
	 * kernels before 6.0 do not know them and get a plain ring, which does the same I/O.
	 */
	int r = io_uring_queue_init(depth, ring, IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_COOP_TASKRUN);

	return r == -EINVAL ? io_uring_queue_init(depth, ring, 0) : r;
}

static int uring_probe(char *reason, size_t size)
{
	struct io_uring ring;
	char buf[128];
	int r = ring_init(1, &ring);

	if (r < 0) {
		snprintf(reason, size, "%s", setup_reason(r, buf, sizeof(buf)));
		return r;
	}
	io_uring_queue_exit(&ring);
	return 0;
}

static void uring_close(Engine *engine)
{
	struct state *state = engine->state;

	io_uring_queue_exit(&state->ring);
	free(state);
	engine->state = NULL;
}

static int uring_open(Engine *engine, Fault *fault)
{
	struct iovec whole = {engine->buffers, engine->depth * engine->block_size};
	struct state *state = calloc(1, sizeof(*state));
	char buf[128];
	int r;

	if (!state)
		return fault_set(fault, ENOMEM, "io_uring", "no memory for the engine");
	r = ring_init(engine->depth, &state->ring);
	if (r < 0) {
		free(state);
		return fault_set(fault, -r, "io_uring", "%s", setup_reason(r, buf, sizeof(buf)));
	}
	engine->state = state;
	/* A limit on locked memory or an old kernel may refuse these; the result says what was used. */
	engine->fixed_buffers = io_uring_register_buffers(&state->ring, &whole, 1) == 0;
	engine->fixed_files = io_uring_register_files(&state->ring, &engine->fd, 1) == 0;
	return 0;
}

static void prepare(const Engine *engine, struct io_uring_sqe *sqe, EngineRequest *request)
{
	int fd = engine->fixed_files ? 0 : engine->fd;
	unsigned size = (unsigned)engine->block_size;
	int op;

	if (engine->fixed_buffers)
		op = request->write ? IORING_OP_WRITE_FIXED : IORING_OP_READ_FIXED;
	else
		op = request->write ? IORING_OP_WRITE : IORING_OP_READ;
	io_uring_prep_rw(op, sqe, fd, request->buffer, size, request->offset);
	if (engine->fixed_files)
		sqe->flags |= IOSQE_FIXED_FILE;
	io_uring_sqe_set_data(sqe, request);
}

static int uring_submit(Engine *engine, EngineRequest **requests, unsigned n)
{
	struct state *state = engine->state;
	unsigned done = 0;

	for (unsigned i = 0; i < n; i++) {
		/* Never NULL: the ring has depth entries, and no more than that are in flight. */
		struct io_uring_sqe *sqe = io_uring_get_sqe(&state->ring);

		prepare(engine, sqe, requests[i]);
	}
	while (done < n) {
		int r = io_uring_submit(&state->ring);

		if (r < 0 && r != -EINTR && r != -EAGAIN && r != -EBUSY)
			return r;
		if (r > 0)
			done += (unsigned)r;
	}
	return 0;
}

/* Takes what the completion queue holds, without a system call. */
static unsigned take_done(struct io_uring *ring, EngineRequest **done, unsigned max)
{
	struct io_uring_cqe *cqe;
	unsigned head, n = 0;

	io_uring_for_each_cqe(ring, head, cqe) {
		EngineRequest *request = io_uring_cqe_get_data(cqe);

		if (n == max)
			break;
		request->result = cqe->res;
		done[n++] = request;
	}
	io_uring_cq_advance(ring, n);
	return n;
}

static int uring_reap(Engine *engine, EngineRequest **done, unsigned max, uint64_t timeout_ns)
{
	struct state *state = engine->state;
	struct __kernel_timespec timeout = {(long long)(timeout_ns / 1000000000u), (long long)(timeout_ns % 1000000000u)};
	struct io_uring_cqe *cqe;
	unsigned n = take_done(&state->ring, done, max);
	int r;

	if (n)
		return (int)n;
	if (timeout_ns == UINT64_MAX)
		r = io_uring_wait_cqe(&state->ring, &cqe);
	else
		r = io_uring_wait_cqe_timeout(&state->ring, &cqe, &timeout);
	if (r < 0)
		return r == -EINTR || r == -ETIME || r == -EAGAIN ? 0 : r;
	return (int)take_done(&state->ring, done, max);
}

const EngineOps engine_io_uring = {
	.version = ENGINE_VERSION,
	.name = "io_uring",
	.summary = "io_uring with registered buffers and files",
	.probe = uring_probe,
	.open = uring_open,
	.submit = uring_submit,
	.reap = uring_reap,
	.close = uring_close,
};
