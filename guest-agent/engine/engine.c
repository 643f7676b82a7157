/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "guest-agent/engine/engine.h"
#include "guest-agent/engine/table.h"

/* One row for each engine; both arrays come from it, so they cannot fall out of step. */
#define ENGINE_TABLE(row) \
	row(psync, "psync")                 \
	row(libaio, "libaio")               \
	row(io_uring, "io_uring")           \
	row(null, "null")                   \
	row(fio_psync, "fio:psync")         \
	row(fio_libaio, "fio:libaio")       \
	row(fio_io_uring, "fio:io_uring")   \
	row(fio_file, "fio:file")           \
	row(dd, "dd")                       \
	row(ioping, "ioping")               \
	row(bonnie, "bonnie++")             \
	row(bonnie_char, "bonnie++:char")

#define ROW_OPS(symbol, name) &engine_##symbol,
#define ROW_NAME(symbol, name) name,

const EngineOps *const engines[] = {ENGINE_TABLE(ROW_OPS) NULL};
const char *const engine_names[] = {ENGINE_TABLE(ROW_NAME) NULL};

unsigned engine_find(const char *name)
{
	unsigned i = 0;

	while (strcmp(engine_names[i], name) != 0)
		i++;
	return i;
}
