/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "guest-agent/engine/table.h"

static int null_probe(char *reason, size_t size)
{
	return 0;
}

static void null_transfer(Engine *engine, EngineRequest *request)
{
	request->result = (int64_t)engine->block_size;
}

const EngineOps engine_null = {
	.version = ENGINE_VERSION,
	.name = "null",
	.summary = "no I/O at all: shows what the load itself costs",
	.no_file = true,
	.probe = null_probe,
	.transfer = null_transfer,
};
