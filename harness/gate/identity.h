/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What of a leg is the cell that it measures, and what is the kernel and the emulator that are tested in it. And whether two legs of
 * different arms measured the same thing, so that no figure of theirs can be a change. In doubt they are not the same: a difference
 * that is called none would let every loss pass. Who may include it: harness/gate.
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

/* Columns of a leg that hold the path of what is tested; its label names it as " COLUMN=PATH". NULL-terminated. */
extern const char *const identity_paths[];
#define IDENTITY_ALL_PATHS 3 /* bits of identity_paths, the first is the lowest */

/*
 * The cell that LEG stands for: its label without "guest " and without the paths of the columns in WITHOUT (bits of identity_paths), so
 * that the next build, which lies elsewhere, is measured in the same cell. New text.
 */
char *identity_cell_name(const Record *leg, guint without);

/*
 * The paths that no name needs. LISTS has the legs of one sweep each (of GPtrArray of Record *): one over several kernels tells its own
 * cells apart by them, and then they stay in the names of all.
 */
guint identity_without(const GPtrArray *lists);

/*
 * What the guests of LISTS from FIRST up to END were given for COLUMN, each once and sorted: paths, with the beginning of the file's SHA-256
 * where it is known, and "the default". New text.
 */
char *identity_tested(const GPtrArray *lists, guint first, guint end, const char *column);

#endif
