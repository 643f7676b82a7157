/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Judgements that JSON and terse output of fio share. */
#include <math.h>

#include "harness/import/fio.h"

#define NS_PER_MS 1000000
/* fio counts runtime in whole milliseconds: below this its rates are off by more than a tenth. */
#define SHORTEST_MS 10

static const gint64 level_low[FIO_LEVELS + 1] = {1, 2, 4, 8, 16, 32, 64, G_MAXINT64};

/* The level that most submissions were at; -1 when none is told. */
static int main_level(const double percent[FIO_LEVELS])
{
	int most = -1;

	for (int i = 0; i < FIO_LEVELS; i++)
		if (percent[i] > 0 && (most < 0 || percent[i] > percent[most]))
			most = i;
	return most;
}

void fio_depth(ImportRow *row, const double percent[FIO_LEVELS])
{
	int level = main_level(percent);
	gint64 asked = record_get_int(row->leg, "queue_depth", -1);

	if (level < 0)
		return;
	if (level == 0)
		record_set_int(row->leg, "effective_depth", 1);
	else if (asked >= level_low[level] && asked < level_low[level + 1])
		record_set_int(row->leg, "effective_depth", asked);
	if (asked < level_low[level + 1])
		return;
	if (level == 0)
		import_row_flag(row, "NOT_AS_ASKED",
			"queue depth not reached: %" G_GINT64_FORMAT " asked for, 1 in effect; the engine is synchronous, or "
			"the kernel made it wait", asked);
	else
		import_row_flag(row, "NOT_AS_ASKED",
			"queue depth not reached: %" G_GINT64_FORMAT " asked for, mostly %" G_GINT64_FORMAT " to %"
			G_GINT64_FORMAT " in effect", asked, level_low[level], level_low[level + 1] - 1);
}

void fio_judge(ImportRow *row, gint64 error)
{
	ImportStats total;

	import_row_total(row, &total);
	if (error != 0) {
		const char *name = error > 0 && error < 4096 ? strerrorname_np((int)error) : NULL;

		record_set_int(row->more, "error", error);
		import_row_fail(row, "fio says error %" G_GINT64_FORMAT "%s%s%s: its figures are those of a part", error,
			name ? " (" : "", name ? name : "", name ? ")" : "");
	}
	if (!total.measured)
		import_row_fail(row, "no I/O was done");
	else if (total.ns >= 0 && total.ns < SHORTEST_MS * (gint64)NS_PER_MS)
		import_row_warn(row, "runtime %" G_GINT64_FORMAT " ms is too short to compare", total.ns / NS_PER_MS);
}

void fio_guess_rw(ImportRow *row)
{
	gboolean reads = row->stats[IMPORT_READ].measured, writes = row->stats[IMPORT_WRITE].measured;

	if (record_has(row->leg, "rw"))
		return;
	if ((reads && writes) || row->stats[IMPORT_MIXED].measured)
		record_set_text(row->leg, "rw", "rw?");
	else if (!reads && !writes && row->stats[IMPORT_TRIM].measured)
		record_set_text(row->leg, "rw", "trim?");
	else
		record_set_text(row->leg, "rw", writes ? "write?" : "read?");
}
