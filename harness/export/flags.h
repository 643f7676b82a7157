/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Flags of legs and cells: the union of those of their runs, with counts, plus what only a cell can show.
 *
 * Who may include it: export only. The table of letters and meanings is flags.c; a flag that it does not
 * know is shown all the same, under a letter of its own.
 */
#ifndef IOGAP_EXPORT_FLAGS_H
#define IOGAP_EXPORT_FLAGS_H

#include <jansson.h>
#include "harness/compare/compare.h"
#include "harness/export/data.h"

/* [{"flag":"CACHED","runs":2,"evidence":"..."}] of LEG's good runs, in the order of flag names; EMULATED on every guest
 * leg under tcg. */
json_t *flags_of_leg(const ReportLeg *leg);

/* [{"flag":..,"host":0,"guest":2,"evidence":..}] of both legs of a cell; COMPARED adds FASTER_THAN_HOST. */
json_t *flags_of_cell(const ReportLeg *guest, const CompareCell *compared);

/* TRUE when a good run of LEG has FLAG. */
gboolean flags_leg_has(const ReportLeg *leg, const char *flag);

/* The legend of all flags in CELLS and LEGS (JSON arrays whose items have "label" and "flags"): flag, letter,
 * meaning, how many cells have it, and the first evidence as an example. */
json_t *flags_legend(const json_t *cells, const json_t *legs);

#endif
