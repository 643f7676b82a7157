/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Processor and kernel as this side sees them: part of `probe` (docs/protocol.md). */
#ifndef IOGAP_AGENT_MACHINE_H
#define IOGAP_AGENT_MACHINE_H

#include <jansson.h>

/* Adds kernel_build, cpu_model, cpu_vendor, cpu_microcode, cpu_flags, hypervisor, clocksources and mitigations to FACTS; null
 * where the kernel does not say. */
void machine_add_facts(json_t *facts);

#endif
