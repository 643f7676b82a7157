/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How much memory this host could give a guest at all. */
#ifndef IOGAP_RUN_FACTS_MEMORY_H
#define IOGAP_RUN_FACTS_MEMORY_H

#include <glib.h>

/* Bytes of RAM and swap: the most that QEMU can ask for at once. 0 = unknown. For PlanFacts.memory. */
guint64 facts_memory(void);

#endif
