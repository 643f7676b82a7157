/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of the tools and whether they are here. Their arguments are guest-agent/tool-args.c, the run is tool-run.c. */
#include "guest-agent/engine/tools.h"

#include <string.h>

#include "guest-agent/common/bonnie.h"
#include "guest-agent/engine/table.h"

/* GNU's: others do not print their figures on SIGINT, and know other flags. */
static Program dd = {.name = "dd", .package = "coreutils", .begins = "dd (coreutils)"};
static Program ioping = {.name = "ioping", .begins = "ioping "};
static Program bonnie = {.name = "bonnie++", .tells = "Version: "};

static int probe_dd(char *reason, size_t size)
{
	return program_probe(&dd, reason, size);
}

static int probe_ioping(char *reason, size_t size)
{
	return program_probe(&ioping, reason, size);
}

static int probe_bonnie(char *reason, size_t size)
{
	return program_probe(&bonnie, reason, size);
}

const Program *tools_program(const EngineOps *ops)
{
	static const Program *const programs[] = {&dd, &ioping, &bonnie};
	unsigned i = 0;

	while (strcmp(programs[i]->name, ops->tool) != 0)
		i++;
	return programs[i];
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

const EngineOps engine_bonnie = {
	.version = ENGINE_VERSION,
	.name = BONNIE_BLOCKS,
	.summary = "bonnie++: its tests by blocks (write, rewrite, read, seeks) and those of files, in a folder",
	.outside = "bonnie++",
	.tool = "bonnie++",
	.probe = probe_bonnie,
};

const EngineOps engine_bonnie_char = {
	.version = ENGINE_VERSION,
	.name = BONNIE_CHARS,
	.summary = "bonnie++: its tests by single bytes, buffered only",
	.outside = "bonnie++",
	.tool = "bonnie++",
	.probe = probe_bonnie,
};
