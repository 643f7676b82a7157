/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The environment of the sweep under way, and whether a resumed one still has the same. Part of sweep.c's room alone. */
#ifndef IOGAP_RUN_SWEEP_ENVIRONMENT_H
#define IOGAP_RUN_SWEEP_ENVIRONMENT_H

#include "harness/run/stage.h"

/*
 * Reads the environment into ROW of the sweep table: its columns, environment_json, fingerprint. Targets are
 * open; the columns of the hypervisor (emulator, qemu_version ...) and of the profile are in ROW already, since they count too.
 */
void sweep_environment(Sweep *sweep, Record *row);

/* FALSE (IOGAP_ERROR_NOTHING, with the list) when the stored row of the sweep has another fingerprint than NOW. */
gboolean sweep_environment_same(Sweep *sweep, const Record *now, GError **error);

#endif
