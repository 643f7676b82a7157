/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counters along a run, each reading with its moment, and what they were at a moment between two readings.
 *
 * The moments of a run are known only afterwards: a line that says "measuring began" or "it ended" has travelled, from a guest under
 * load for many milliseconds. So the counters are read all the time, and the begin and the end are placed among the
 * readings in proportion. The readings that follow a moment closely (of the line's arrival) are what makes that exact.
 * Pure but for memory. Who may include it: run.
 */
#ifndef IOGAP_RUN_TRAIL_H
#define IOGAP_RUN_TRAIL_H

#include <glib.h>

#define TRAIL_NONE G_MININT64 /* a counter that could not be read */

typedef struct Trail Trail;

/* COLUMNS counters in each reading; the latest KEPT readings (two at least) stay. */
Trail *trail_new(guint columns, guint kept);
void trail_free(Trail *trail); /* NULL is allowed */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Trail, trail_free)

/* VALUES has every column, TRAIL_NONE where one is missing. AT_NS never goes back. */
void trail_add(Trail *trail, gint64 at_ns, const gint64 *values);

/* Measuring began at AT_NS: what the counters were then is kept, whatever comes later. The last call counts, unless
 * its moment is one that the readings left do not reach back to. */
void trail_begin(Trail *trail, gint64 at_ns);

/*
 * What COLUMN moved from there to AT_NS. TRAIL_NONE without a begin, for AT_NS TRAIL_NONE, when a reading beside either moment is missing, or when a moment
 * lies before the oldest reading that is left. A moment outside of all the readings is taken as that of the nearest one.
 */
gint64 trail_moved(const Trail *trail, guint column, gint64 at_ns);

/* Mean of COLUMN's readings from the begin to AT_NS, both included, of a figure that does not count up; TRAIL_NONE: there are none. */
gint64 trail_mean(const Trail *trail, guint column, gint64 at_ns);

#endif
