/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <poll.h>

#include "guest-agent/common/cleanup.h"
#include "guest-agent/common/clock.h"
#include "guest-agent/common/wire.h"

void wire_init(Wire *wire, int in, int out)
{
	wire->in = in;
	wire->out = out;
	wire->used = wire->taken = 0;
	wire->skipping = false;
}

/* Forgets the line handed out last. */
static void drop_taken(Wire *wire)
{
	if (!wire->taken)
		return;
	wire->used -= wire->taken;
	memmove(wire->buffer, wire->buffer + wire->taken, wire->used);
	wire->taken = 0;
}

/* WIRE_LINE, WIRE_TIMEOUT (no whole line yet) or -EMSGSIZE. */
static int next_line(Wire *wire, char **ret_line, size_t *ret_length)
{
	char *end;

	drop_taken(wire);
	end = memchr(wire->buffer, '\n', wire->used);
	if (wire->skipping) {
		wire->taken = end ? (size_t)(end - wire->buffer) + 1 : wire->used;
		drop_taken(wire);
		if (!end)
			return WIRE_TIMEOUT;
		wire->skipping = false;
		end = memchr(wire->buffer, '\n', wire->used);
	}
	if (end) {
		*end = 0;
		*ret_line = wire->buffer;
		*ret_length = (size_t)(end - wire->buffer);
		wire->taken = *ret_length + 1;
		return WIRE_LINE;
	}
	if (wire->used < sizeof(wire->buffer))
		return WIRE_TIMEOUT;
	wire->skipping = true;
	wire->used = 0;
	return -EMSGSIZE;
}

static int wait_input(const Wire *wire, int wake_fd, uint64_t deadline)
{
	struct pollfd fds[2] = {{.fd = wire->in, .events = POLLIN}, {.fd = wake_fd, .events = POLLIN}};
	struct timespec left, *timeout = NULL;
	int r;

	do {
		if (deadline != WIRE_FOREVER) {
			uint64_t now = clock_now();
			uint64_t ns = deadline > now ? deadline - now : 0;

			left = (struct timespec){(time_t)(ns / 1000000000u), (long)(ns % 1000000000u)};
			timeout = &left;
		}
		r = ppoll(fds, 2, timeout, NULL);
	} while (r < 0 && errno == EINTR);
	if (r < 0)
		return -errno;
	if (fds[0].revents)
		return WIRE_LINE;
	return fds[1].revents ? WIRE_WAKE : WIRE_TIMEOUT;
}

static int read_more(Wire *wire)
{
	ssize_t n;

	do {
		n = read(wire->in, wire->buffer + wire->used, sizeof(wire->buffer) - wire->used);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return errno == EAGAIN ? 0 : -errno;
	if (!n)
		return -EPIPE;
	wire->used += (size_t)n;
	return 0;
}

int wire_read(Wire *wire, int wake_fd, uint64_t timeout_ns, char **ret_line, size_t *ret_length)
{
	uint64_t deadline = WIRE_FOREVER;
	int r;

	if (timeout_ns != WIRE_FOREVER)
		deadline = clock_now() + timeout_ns;
	for (;;) {
		r = next_line(wire, ret_line, ret_length);
		if (r)
			return r;
		r = wait_input(wire, wake_fd, deadline);
		if (r != WIRE_LINE)
			return r;
		r = read_more(wire);
		if (r < 0)
			return r;
	}
}

static int write_all(const Wire *wire, const char *text, size_t length)
{
	struct pollfd out = {.fd = wire->out, .events = POLLOUT};

	while (length) {
		ssize_t n;

		/* A virtio-serial port whose other end is closed blocks writers for ever, but tells it here. */
		if (poll(&out, 1, -1) < 0 && errno != EINTR)
			return -errno;
		if (out.revents & (POLLHUP | POLLERR))
			return -EPIPE;
		n = write(wire->out, text, length);
		if (n < 0 && errno != EINTR && errno != EAGAIN)
			return -errno;
		if (n > 0) {
			text += n;
			length -= (size_t)n;
		}
	}
	return 0;
}

int wire_send(Wire *wire, const json_t *json)
{
	CLEANUP_FREE char *text = json_dumps(json, JSON_COMPACT);
	size_t length;

	if (!text)
		return -ENOMEM;
	length = strlen(text);
	if (length + 1 > WIRE_MAX_ANSWER)
		return -EMSGSIZE;
	text[length] = '\n'; /* in place of the NUL: one write, so that a line is not torn for no reason */
	return write_all(wire, text, length + 1);
}
