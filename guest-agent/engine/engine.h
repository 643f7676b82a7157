/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An engine: one way to hand requests to the kernel. Each is one file with one const EngineOps, and one row of
 * the table in engine.c (docs/adding-an-engine.md).
 *
 * Two kinds. Synchronous engines have `transfer`: one request, done on return. Asynchronous ones have `submit` and
 * `reap` and keep up to `depth` requests in flight. The load (guest-agent/worker.c) owns the clock, the histograms and the choice of
 * offsets; an engine only moves data. `open` runs in the thread that will do the I/O; an engine is never shared.
 * Nothing but `open` and `close` may allocate, and nothing but the I/O itself may enter the kernel.
 *
 * A third kind is outside: another program does the whole run (guest-agent/fio-run.h, tool-run.h), and the engine is only its name,
 * what it takes, and whether it works here.
 *
 * Who may include it: guest-agent. Depends on guest-agent/common only.
 */
#ifndef IOGAP_ENGINE_ENGINE_H
#define IOGAP_ENGINE_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "guest-agent/common/fault.h"

#define ENGINE_VERSION 1
#define ENGINE_MAX_DEPTH 4096

typedef struct EngineRequest {
	uint64_t offset;       /* bytes from the start of the file */
	unsigned char *buffer; /* block_size bytes inside Engine.buffers */
	int64_t result;	       /* bytes moved or -errno; set when it is done */
	uint64_t start_ns;     /* the load's own, as is index */
	unsigned index;	       /* its place, 0 to depth - 1; never changes */
	bool write;
} EngineRequest;

typedef struct EngineOps EngineOps;

typedef struct Engine {
	const EngineOps *ops;
	int fd; /* -1 for engines with no_file */
	uint64_t block_size;
	unsigned depth;
	unsigned char *buffers; /* depth * block_size bytes, page-aligned; for registration */
	bool fixed_buffers, fixed_files; /* set by open when the kernel took the registration */
	void *state;			 /* the engine's own */
} Engine;

struct EngineOps {
	unsigned version; /* ENGINE_VERSION; checked by a test */
	const char *name; /* as in a job */
	const char *summary;
	bool direct_only; /* would silently turn synchronous on buffered files, so they are refused */
	bool no_file;	  /* does no I/O: nothing is opened or checked */
	const char *outside; /* fio's name of this engine, or the tool's own; NULL = ours. transfer, submit and reap are then NULL */
	const char *tool;    /* the program that runs, whose output the harness reads; NULL = ours, or fio */
	bool deep;	     /* of an outside engine: keeps more than one request in flight */

	/* Required. Can this kernel do it? 0, or -errno with one sentence in REASON. */
	int (*probe)(char *reason, size_t size);

	/* Optional. Makes what the engine needs; on failure nothing is left. */
	int (*open)(Engine *engine, Fault *fault);

	/* Synchronous engines. Sets request->result. */
	void (*transfer)(Engine *engine, EngineRequest *request);

	/* Asynchronous engines. Hands over all N requests, or fails with -errno. Requests may complete during the call. */
	int (*submit)(Engine *engine, EngineRequest **requests, unsigned n);

	/*
	 * Asynchronous engines. Waits until at least one request is done or TIMEOUT_NS passed (UINT64_MAX = no limit), and
	 * puts up to MAX done ones into DONE. Returns how many, or -errno.
	 */
	int (*reap)(Engine *engine, EngineRequest **done, unsigned max, uint64_t timeout_ns);

	/* Optional. Undoes open; nothing is in flight. */
	void (*close)(Engine *engine);
};

/* All engines, NULL-terminated. */
extern const EngineOps *const engines[];

/* The names in the order of engines[], NULL-terminated: the choices of a job's `engine`. */
extern const char *const engine_names[];

/* Index into engines[] of an engine that exists. */
unsigned engine_find(const char *name);

/* Takes a queue depth above 1. */
static inline bool engine_is_async(const EngineOps *ops)
{
	return ops->submit != NULL || ops->deep;
}

#endif
