/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The engines by name, for engine.c and for the file that defines each. */
#ifndef IOGAP_ENGINE_TABLE_H
#define IOGAP_ENGINE_TABLE_H

#include "guest-agent/engine/engine.h"

extern const EngineOps engine_psync;
extern const EngineOps engine_libaio;
extern const EngineOps engine_io_uring;
extern const EngineOps engine_null;
extern const EngineOps engine_fio_psync;
extern const EngineOps engine_fio_libaio;
extern const EngineOps engine_fio_io_uring;
extern const EngineOps engine_fio_file;
extern const EngineOps engine_dd;
extern const EngineOps engine_ioping;
extern const EngineOps engine_bonnie;
extern const EngineOps engine_bonnie_char;

#endif
