/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether two legs of different arms measured the same thing, so that no figure of theirs can be a change. In doubt they are
 * not the same: a difference that is called none would let every loss pass. Who may include it: harness/gate.
 */
#ifndef IOGAP_GATE_IDENTITY_H
#define IOGAP_GATE_IDENTITY_H

#include "harness/gate/load-private.h"

/*
 * Leg (Record *) -> hash of the appliance that its guests booted, "" where there were several or one is not known. LEGS: id (gint64 *) ->
 * Record. Everything is borrowed from SWEEP.
 */
GHashTable *identity_appliances(const LoadedSweep *sweep, GHashTable *legs);

/* The same settings, the same emulator (its path, or its content where that is no script), and the same kernel with the same modules. */
gboolean identity_same_leg(const Record *a, const Record *b, GHashTable *appliances);

#endif
