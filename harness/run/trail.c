/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/run/trail.h"

#include <string.h>

struct Trail {
	guint columns, kept;
	guint n;	  /* readings so far: the latest is row (n - 1) % kept */
	gint64 *at_ns;	  /* of each row */
	gint64 *values;	  /* kept x columns */
	gint64 *begin;	  /* of each column */
	gint64 begin_ns;
	gboolean begun;
};

Trail *trail_new(guint columns, guint kept)
{
	Trail *trail = g_new0(Trail, 1);

	trail->columns = columns;
	trail->kept = MAX(kept, 2);
	trail->at_ns = g_new0(gint64, trail->kept);
	trail->values = g_new0(gint64, (gsize)trail->kept * columns);
	trail->begin = g_new0(gint64, columns);
	return trail;
}

void trail_free(Trail *trail)
{
	if (!trail)
		return;
	g_free(trail->at_ns);
	g_free(trail->values);
	g_free(trail->begin);
	g_free(trail);
}

void trail_add(Trail *trail, gint64 at_ns, const gint64 *values)
{
	guint row = trail->n % trail->kept;

	trail->at_ns[row] = at_ns;
	memcpy(trail->values + (gsize)row * trail->columns, values, trail->columns * sizeof(*values));
	trail->n++;
}

static guint oldest(const Trail *trail)
{
	return trail->n > trail->kept ? trail->n - trail->kept : 0;
}

static gint64 moment(const Trail *trail, guint i)
{
	return trail->at_ns[i % trail->kept];
}

static gint64 value(const Trail *trail, guint i, guint column)
{
	return trail->values[(gsize)(i % trail->kept) * trail->columns + column];
}

static gint64 at(const Trail *trail, guint column, gint64 at_ns)
{
	guint first = oldest(trail), i = trail->n - 1;
	gint64 a, b;
	double share;

	if (trail->n == 0 || at_ns == TRAIL_NONE || (first > 0 && at_ns < moment(trail, first)))
		return TRAIL_NONE;
	while (i > first && moment(trail, i) > at_ns)
		i--;
	a = value(trail, i, column);
	if (at_ns <= moment(trail, i) || i + 1 == trail->n || moment(trail, i + 1) <= moment(trail, i))
		return a;
	b = value(trail, i + 1, column);
	if (a == TRAIL_NONE || b == TRAIL_NONE)
		return TRAIL_NONE;
	share = (double)(at_ns - moment(trail, i)) / (double)(moment(trail, i + 1) - moment(trail, i));
	return a + (gint64)((double)(b - a) * share);
}

void trail_begin(Trail *trail, gint64 at_ns)
{
	if (trail->begun && oldest(trail) > 0 && at_ns < moment(trail, oldest(trail)))
		return;
	for (guint i = 0; i < trail->columns; i++)
		trail->begin[i] = at(trail, i, at_ns);
	trail->begin_ns = at_ns;
	trail->begun = TRUE;
}

gint64 trail_moved(const Trail *trail, guint column, gint64 at_ns)
{
	gint64 end;

	if (!trail->begun || trail->begin[column] == TRAIL_NONE)
		return TRAIL_NONE;
	end = at(trail, column, at_ns);
	return end == TRAIL_NONE ? TRAIL_NONE : end - trail->begin[column];
}

gint64 trail_mean(const Trail *trail, guint column, gint64 at_ns)
{
	double sum = 0;
	guint n = 0;

	for (guint i = oldest(trail); trail->begun && i < trail->n; i++) {
		gint64 one = value(trail, i, column);

		if (moment(trail, i) < trail->begin_ns || moment(trail, i) > at_ns || one == TRAIL_NONE)
			continue;
		sum += (double)one;
		n++;
	}
	return n ? (gint64)(sum / n) : TRAIL_NONE;
}
