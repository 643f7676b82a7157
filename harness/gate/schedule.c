/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Did the arms take turns? A machine drifts, by heat, wear and whatever else runs on it; only arms that share every block share that. Where one
 * arm was measured as a whole after the other, the drift between them would be judged as the change.
 */
#include "harness/gate/load-private.h"

#include <stdlib.h>

#include "harness/base/error.h"

/* Blocks from which it is no chance that the same arm came first in all of them: one time in 32. */
#define ENOUGH_BLOCKS 6

typedef struct {
	gint64 started;
	guint block;
	int side;
} Turn;

static int compare_turns(const void *a, const void *b)
{
	const Turn *x = a, *y = b;

	if (x->started != y->started)
		return x->started < y->started ? -1 : 1;
	if (x->block != y->block)
		return x->block < y->block ? -1 : 1;
	return x->side - y->side;
}

/* Leg id (borrowed gint64 *) -> side + 1, of the legs of the two arms. */
static GHashTable *sides_of(const LoadedSweep *sweep, const char *const arms[2])
{
	GHashTable *sides = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);

	for (guint i = 0; i < sweep->legs->len; i++) {
		const char *arm = record_get_text(sweep->legs->pdata[i], "arm");

		for (int side = 0; side < 2; side++)
			if (g_strcmp0(arm, arms[side]) == 0) {
				gint64 *id = g_new(gint64, 1);

				*id = record_get_int(sweep->legs->pdata[i], "id", -1);
				g_hash_table_insert(sides, id, GINT_TO_POINTER(side + 1));
			}
	}
	return sides;
}

/* The good runs of both arms that say when they started, in that order. */
static GArray *turns_of(const LoadedSweep *sweep, const char *const arms[2])
{
	GArray *turns = g_array_new(FALSE, FALSE, sizeof(Turn));
	g_autoptr(GHashTable) sides = sides_of(sweep, arms);

	for (guint i = 0; i < sweep->runs->len; i++) {
		const Record *run = sweep->runs->pdata[i];
		gint64 leg = record_get_int(run, "leg_id", -1);
		int side = GPOINTER_TO_INT(g_hash_table_lookup(sides, &leg)) - 1;
		Turn turn = {record_get_int(run, "started_unix_ns", 0), (guint)record_get_int(run, "block", 0), side};

		if (side >= 0 && record_has(run, "started_unix_ns") && g_strcmp0(record_get_text(run, "status"), "ok") == 0)
			g_array_append_val(turns, turn);
	}
	if (turns->len)
		qsort(turns->data, turns->len, sizeof(Turn), compare_turns);
	return turns;
}

typedef struct {
	guint sides; /* bits */
	guint first, last, n; /* places in the order of time, and how many runs */
	gboolean began; /* by the candidate */
} Block;

typedef struct {
	guint pairs, torn, began; /* blocks with both arms; of them, with other blocks' runs between their own; begun by the candidate */
} Schedule;

static Schedule schedule_of(const GArray *turns, guint n_blocks)
{
	g_autofree Block *blocks = g_new0(Block, n_blocks + 1);
	Schedule schedule = {0};

	for (guint i = 0; i < turns->len; i++) {
		const Turn *turn = &g_array_index(turns, Turn, i);
		Block *block = &blocks[turn->block];

		if (block->n++ == 0) {
			block->first = i;
			block->began = turn->side == 1;
		}
		block->last = i;
		block->sides |= 1u << turn->side;
	}
	for (guint r = 0; r < n_blocks; r++) {
		if (blocks[r].sides != 3)
			continue;
		schedule.pairs++;
		schedule.torn += blocks[r].last - blocks[r].first + 1 != blocks[r].n;
		schedule.began += blocks[r].began;
	}
	return schedule;
}

static gboolean refuse(GError **error, gint64 id, const char *const arms[2], const Schedule *schedule)
{
	g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_NOTHING,
		"the arms %s and %s of sweep %" G_GINT64_FORMAT " did not take turns: of %u blocks with both, %u have runs of other blocks "
		"between their own, so that what the machine did meanwhile would be taken for the change; measure them with `iogap gate "
		"--arm` or `iogap sweep --arm`, which interleave them", arms[0], arms[1], id, schedule->pairs, schedule->torn);
	return FALSE;
}

gboolean loaded_took_turns(const LoadedSweep *sweep, gint64 id, const char *const arms[2], GPtrArray *notes, GError **error)
{
	g_autoptr(GArray) turns = turns_of(sweep, arms);
	Schedule schedule = schedule_of(turns, sweep->blocks);

	if (2 * schedule.torn > schedule.pairs)
		return refuse(error, id, arms, &schedule);
	if (schedule.torn)
		g_ptr_array_add(notes, g_strdup_printf("%u of %u blocks have runs of other blocks between their own", schedule.torn,
			schedule.pairs));
	if (turns->len == 0 && sweep->blocks > 1)
		g_ptr_array_add(notes, g_strdup("no run says when it started, so that nobody can tell whether the arms took turns"));
	if (schedule.pairs >= ENOUGH_BLOCKS && (schedule.began == 0 || schedule.began == schedule.pairs))
		g_ptr_array_add(notes, g_strdup_printf("arm %s came first in all of the %u blocks: what the order does cannot be told from "
			"the change", arms[schedule.began > 0], schedule.pairs));
	return TRUE;
}
