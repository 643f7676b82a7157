/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "guest-agent/engine/engine.h"
#include "guest-agent/engine/table.h"

/* One row for each engine; both arrays come from it, so they cannot fall out of step. */
#define ENGINE_TABLE(row) \
	row(psync)        \
	row(libaio)       \
	row(io_uring)     \
	row(null)

#define ROW_OPS(name) &engine_##name,
#define ROW_NAME(name) #name,

const EngineOps *const engines[] = {ENGINE_TABLE(ROW_OPS) NULL};
const char *const engine_names[] = {ENGINE_TABLE(ROW_NAME) NULL};

unsigned engine_find(const char *name)
{
	unsigned i = 0;

	while (strcmp(engine_names[i], name) != 0)
		i++;
	return i;
}
