/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lines over file descriptors: the agent's end of docs/protocol.md, over pipes or a virtio-serial port.
 *
 * A line that is too long is reported once and skipped up to its newline, so that the next request is
 * read again. Not thread-safe: one thread owns a Wire.
 *
 * Who may include it: everybody (the limits), the agent (the functions). Needs libc and Jansson.
 */
#ifndef IOGAP_COMMON_WIRE_H
#define IOGAP_COMMON_WIRE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WIRE_PROTOCOL 1
#define WIRE_MAX_REQUEST 65536u	  /* bytes of a line to the agent, newline included */
#define WIRE_MAX_ANSWER 1048576u  /* bytes of a line from the agent, newline included */
#define WIRE_PORT "org.iogap.agent.0"
#define WIRE_FOREVER UINT64_MAX

typedef struct {
	int in, out; /* borrowed; may be equal */
	size_t used, taken; /* bytes in the buffer; bytes of the line handed out last */
	bool skipping;	    /* inside a line that is too long */
	char buffer[WIRE_MAX_REQUEST];
} Wire;

enum {
	WIRE_TIMEOUT = 0,
	WIRE_LINE = 1,
	WIRE_WAKE = 2,
};

void wire_init(Wire *wire, int in, int out);

/*
 * Waits for the next line. WIRE_LINE: *ret_line is the line without its newline, NUL-terminated and valid until the next
 * call, *ret_length its length (it may hold NUL bytes). WIRE_TIMEOUT: TIMEOUT_NS passed. WIRE_WAKE: WAKE_FD (-1 = none) became
 * readable. -EMSGSIZE: a line was too long. -EPIPE: the other end is gone. Other -errno: reading failed.
 */
int wire_read(Wire *wire, int wake_fd, uint64_t timeout_ns, char **ret_line, size_t *ret_length);

/* Sends one JSON value as a line. -EMSGSIZE, and nothing sent, when it is longer than WIRE_MAX_ANSWER. -EPIPE as above. */
int wire_send(Wire *wire, const json_t *json);

#endif
