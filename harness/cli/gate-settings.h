/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a sweep's own profile says to the gate that judges it. */
#ifndef IOGAP_CLI_GATE_SETTINGS_H
#define IOGAP_CLI_GATE_SETTINGS_H

#include "harness/gate/families.h"
#include "harness/gate/load.h"

/* Waivers in force: the names of their rows, and how outputs say them. Both NULL-terminated. */
typedef struct {
	GPtrArray *names, *words;
} Waivers;

/* By metric. Those that gate share alpha equally; each advisory one has all of it for itself. */
typedef struct {
	GateSettings settings[GATE_METRICS];
	GateFamilyMode modes[GATE_METRICS]; /* throughput always gates */
	guint gating;
	double alpha; /* of all that gate together */
	Waivers waivers;
} GateRules;
void gate_rules_clear(GateRules *rules);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(GateRules, gate_rules_clear)

/*
 * From the section gate of the profile stored with SWEEP. A sweep without a profile of ours (imported, say) has the defaults. RULES is to be
 * cleared whatever is returned.
 */
gboolean gate_rules_of(const Record *sweep, GateRules *rules, GError **error);

/* Applies the waivers to DATA. */
void gate_rules_waive(GateData *data, const GateRules *rules);
/* Notes in DATA which of them fit no row of it: each hides a typing error. */
void gate_rules_note(GateData *data, const GateRules *rules);

#endif
