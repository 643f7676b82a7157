/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The axes of a report: one row per setting of a leg that a sweep can vary (axes.c). A new axis is a new row.
 *
 * Who may include it: export only.
 */
#ifndef IOGAP_EXPORT_AXES_H
#define IOGAP_EXPORT_AXES_H

#include <jansson.h>
#include "harness/export/data.h"

typedef enum { AXIS_WORKLOAD, AXIS_GUEST } AxisSection;

/* Puts LEGS (of ReportLeg *) into the order of every report: by target, then by the axes in the order of their table,
 * words in the order that people know (read before write, none first), numbers ascending. */
void axes_sort(GPtrArray *legs);

/* The table as JSON, with what varies in DATA; axes that no leg sets are left out. */
json_t *axes_json(const ReportData *data);

/* The values of LEG in SECTION, every axis of the table: {"rw":"read","block_size":8192,...}. */
json_t *axes_values(const ReportLeg *leg, AxisSection section);

/* ---- one axis, by its place in the table ---- */
guint axes_count(void);
guint axes_find(const char *key); /* which must be there */
const char *axes_name(guint axis);
/* TRUE when its values are rivals: people ask which of them is faster. */
gboolean axes_rival(guint axis);
/* As in axes_values; JSON null where LEG has none. */
json_t *axes_value(guint axis, const ReportLeg *leg);
/* Equal for legs of one side and target that differ in nothing but block size and AXIS; with the bus as AXIS, also in what only some
 * buses have. Newly allocated. */
char *axes_key(const ReportLeg *leg, guint axis);

#endif
