/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the host is, as columns of the sweep table. No serials, host names or addresses. */
#ifndef IOGAP_RUN_ENVIRONMENT_H
#define IOGAP_RUN_ENVIRONMENT_H

#include "harness/base/record.h"

/* Sets host_kernel, host_cmdline, cpu_model, cpus, memory, host_clocksource, iogap_version, agent_sha256; NULL where
 * the host does not say. */
void environment_collect(const char *agent, Record *sweep);

#endif
