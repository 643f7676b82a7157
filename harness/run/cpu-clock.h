/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Governor and turbo of the host's processors, set for a leg and set back when the sweep ends, however it ends: each change is announced to the
 * keeper first. As scheduler.h does with disks.
 */
#ifndef IOGAP_RUN_CPU_CLOCK_H
#define IOGAP_RUN_CPU_CLOCK_H

#include "harness/base/record.h"
#include "harness/side/keeper.h"

typedef struct CpuClock CpuClock;

/* KEEPER is borrowed and must outlive it. ROOT is put before every path: "" but in tests. */
CpuClock *cpu_clock_new(const char *root, Keeper *keeper);
/* Sets everything back. NULL is allowed. */
void cpu_clock_free(CpuClock *clock);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(CpuClock, cpu_clock_free)

/*
 * Makes GOVERNOR that of every processor and switches TURBO ("on", "off"), and reads both back; NULL sets back what was there. Fails with
 * IOGAP_ERROR_UNSUPPORTED: there is nothing to set, no permission, or the kernel does not keep it.
 */
gboolean cpu_clock_use(CpuClock *clock, const char *governor, const char *turbo, GError **error);

/* What cpu_clock_use could do: the governors that every processor has, with blanks between (new text), or NULL and in *ret_reason why none can be
 * set (new text). */
char *cpu_clock_governors(const char *root, char **ret_reason);
/* Why turbo cannot be switched, new text, or NULL when it can. */
char *cpu_clock_no_turbo(const char *root);

#endif
