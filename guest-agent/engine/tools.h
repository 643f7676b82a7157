/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The outside engines whose output the harness reads: dd, ioping and bonnie++.
 *
 * Who may include it: guest-agent. Depends on program.
 */
#ifndef IOGAP_ENGINE_TOOLS_H
#define IOGAP_ENGINE_TOOLS_H

#include "guest-agent/engine/engine.h"
#include "guest-agent/engine/program.h"

/* The program of an engine with a tool; path and version are set after a probe that succeeded. */
const Program *tools_program(const EngineOps *ops);

#endif
