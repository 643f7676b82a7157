/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of the tools and whether they are here. Their arguments are guest-agent/tool-args.c, the run is tool-run.c. */
#include "guest-agent/engine/tools.h"

#include "guest-agent/engine/table.h"

/* GNU's: others do not print their figures on SIGINT, and know other flags. */
static Program dd = {.name = "dd", .package = "coreutils", .begins = "dd (coreutils)"};
static Program ioping = {.name = "ioping", .begins = "ioping "};

static int probe_dd(char *reason, size_t size)
{
	return program_probe(&dd, reason, size);
}

static int probe_ioping(char *reason, size_t size)
{
	return program_probe(&ioping, reason, size);
}

const Program *tools_program(const EngineOps *ops)
{
	return ops == &engine_dd ? &dd : &ioping;
}

const EngineOps engine_dd = {
	.version = ENGINE_VERSION,
	.name = "dd",
	.summary = "GNU dd, from the first byte on; one request in flight",
	.outside = "dd",
	.tool = "dd",
	.probe = probe_dd,
};

const EngineOps engine_ioping = {
	.version = ENGINE_VERSION,
	.name = "ioping",
	.summary = "ioping without a pause between its requests; one in flight",
	.outside = "ioping",
	.tool = "ioping",
	.probe = probe_ioping,
};
