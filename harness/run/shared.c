/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/run/shared.h"

struct Shared {
	GHashTable *rows; /* "LEG BLOCK" -> StoreRun * */
};

static void free_row(gpointer row)
{
	store_run_free(row);
}

Shared *shared_new(void)
{
	Shared *shared = g_new0(Shared, 1);

	shared->rows = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, free_row);
	return shared;
}

void shared_free(Shared *shared)
{
	if (!shared)
		return;
	g_hash_table_unref(shared->rows);
	g_free(shared);
}

static char *key_of(guint leg, guint block)
{
	return g_strdup_printf("%u %u", leg, block);
}

void shared_put(Shared *shared, guint leg, guint block, StoreRun *row)
{
	g_hash_table_replace(shared->rows, key_of(leg, block), row);
}

StoreRun *shared_take(Shared *shared, guint leg, guint block)
{
	g_autofree char *key = key_of(leg, block);
	gpointer found = NULL, kept = NULL;

	g_hash_table_steal_extended(shared->rows, key, &kept, &found);
	g_free(kept);
	return found;
}
