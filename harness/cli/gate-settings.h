/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a sweep's own profile says to the gate that judges it. */
#ifndef IOGAP_CLI_GATE_SETTINGS_H
#define IOGAP_CLI_GATE_SETTINGS_H

#include "harness/gate/load.h"

/* Waivers in force: the names of their rows, and how outputs say them. Both NULL-terminated. */
typedef struct {
	GPtrArray *names, *words;
} Waivers;
void waivers_clear(Waivers *waivers);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Waivers, waivers_clear)

/* From the section gate of the profile stored with SWEEP. A sweep without a profile of ours (imported, say) has the defaults. */
gboolean gate_settings_of(const Record *sweep, GateSettings *settings, Waivers *waivers, GError **error);

/* Applies them to DATA; one that fits no row becomes a note, since it hides a typing error. */
void gate_settings_waive(GateData *data, const Waivers *waivers);

#endif
