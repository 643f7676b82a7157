/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/gate/identity.h"

#include <string.h>

#define HASH_SHOWN 12 /* digits of a SHA-256 that tell two builds apart */

const char *const identity_paths[] = {"kernel", "emulator", NULL};

/* Boot id -> Record, borrowed. */
static GHashTable *boots_by_id(const LoadedSweep *sweep)
{
	GHashTable *boots = g_hash_table_new(NULL, NULL);

	for (guint i = 0; i < sweep->boots->len; i++)
		g_hash_table_insert(boots, GSIZE_TO_POINTER((gsize)record_get_int(sweep->boots->pdata[i], "id", -1)),
			sweep->boots->pdata[i]);
	return boots;
}

GHashTable *identity_appliances(const LoadedSweep *sweep, GHashTable *legs)
{
	GHashTable *appliances = g_hash_table_new(NULL, NULL);
	g_autoptr(GHashTable) boots = boots_by_id(sweep);

	for (guint i = 0; i < sweep->runs->len; i++) {
		const Record *run = sweep->runs->pdata[i];
		gint64 id = record_get_int(run, "leg_id", -1);
		Record *leg = g_hash_table_lookup(legs, &id);
		const Record *boot = g_hash_table_lookup(boots, GSIZE_TO_POINTER((gsize)record_get_int(run, "boot_id", -1)));
		const char *hash = boot ? record_get_text(boot, "initramfs_sha256") : NULL;
		const char *before = g_hash_table_lookup(appliances, leg);

		if (leg && boot)
			g_hash_table_insert(appliances, leg, (char *)(hash && (!before || g_str_equal(before, hash)) ? hash : ""));
	}
	return appliances;
}

/* Columns that two legs may differ in and still be the same: names, rows of their own, and paths whose content is compared. */
static gboolean is_identity(const char *column)
{
	static const char *const columns[] = {"id", "sweep_id", "label", "host_leg_id", "arm", "emulator", "kernel", NULL};

	return g_strv_contains(columns, column);
}

static gboolean same_path(const Record *a, const Record *b, const char *path)
{
	return g_strcmp0(record_get_text(a, path), record_get_text(b, path)) == 0;
}

/* The same path, or files of the same content. */
static gboolean same_file(const Record *a, const Record *b, const char *path, const char *hash)
{
	const char *x = record_get_text(a, hash), *y = record_get_text(b, hash);

	return same_path(a, b, path) || (x && y && g_str_equal(x, y));
}

/* The modules of a kernel lie beside it: one kernel at two places is the same only when what was booted was. */
static gboolean same_kernel(const Record *a, const Record *b, GHashTable *appliances)
{
	const char *x = g_hash_table_lookup(appliances, a), *y = g_hash_table_lookup(appliances, b);

	if (same_path(a, b, "kernel"))
		return TRUE;
	return same_file(a, b, "kernel", "kernel_sha256") && x && y && *x && g_str_equal(x, y);
}

gboolean identity_same_leg(const Record *a, const Record *b, GHashTable *appliances)
{
	for (guint i = 0; i < record_size(a); i++) {
		const char *name = record_name(a, i);

		if (is_identity(name) || g_str_has_suffix(name, "_sha256"))
			continue;
		if (record_type(a, name) != record_type(b, name) ||
			g_strcmp0(record_get_text(a, name), record_get_text(b, name)) != 0 ||
			record_get_int(a, name, 0) != record_get_int(b, name, 0))
			return FALSE;
	}
	return same_file(a, b, "emulator", "emulator_sha256") && same_kernel(a, b, appliances);
}

/* Takes WORD, which is one or more whole words, out of TEXT. */
static void drop_word(char *text, const char *word)
{
	gsize length = strlen(word);
	char *at = strstr(text, word);

	while (at && at[length] && at[length] != ' ')
		at = strstr(at + 1, word);
	if (at)
		memmove(at, at + length, strlen(at + length) + 1);
}

static gboolean of_guest(const Record *leg)
{
	return g_strcmp0(record_get_text(leg, "side"), "guest") == 0;
}

char *identity_cell_name(const Record *leg, guint without)
{
	const char *label = record_get_text(leg, "label");
	char *name = g_strdup(of_guest(leg) && g_str_has_prefix(label, "guest ") ? label + strlen("guest ") : label);

	for (guint i = 0; identity_paths[i]; i++) {
		const char *path = record_get_text(leg, identity_paths[i]);
		g_autofree char *word = path ? g_strdup_printf(" %s=%s", identity_paths[i], path) : NULL;

		if (word && without & 1u << i)
			drop_word(name, word);
	}
	return name;
}

/* Whether two legs of one sweep, told apart by their labels, would be one cell. */
static gboolean collide(const GPtrArray *legs, guint without)
{
	g_autoptr(GHashTable) labels = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	gboolean found = FALSE;

	for (guint i = 0; i < legs->len; i++) {
		const Record *leg = legs->pdata[i];
		char *name = identity_cell_name(leg, without);
		const char *label = record_get_text(leg, "label"), *before = g_hash_table_lookup(labels, name);

		found |= of_guest(leg) && before && !g_str_equal(before, label);
		if (of_guest(leg))
			g_hash_table_insert(labels, name, (char *)label);
		else
			g_free(name);
	}
	return found;
}

guint identity_without(const GPtrArray *lists)
{
	guint without = IDENTITY_ALL_PATHS;
	gboolean any;

	do {
		any = FALSE;
		for (guint i = 0; i < lists->len && !any; i++)
			any = collide(lists->pdata[i], without);
	} while (any && --without);
	return without;
}

/* "PATH (SHA-256 0123456789ab)", "PATH" or "the default". */
static char *tested_by(const Record *leg, const char *column)
{
	g_autofree char *key = g_strconcat(column, "_sha256", NULL);
	const char *path = record_get_text(leg, column), *hash = record_get_text(leg, key);

	if (!path || !hash)
		return g_strdup(path ? path : "the default");
	return g_strdup_printf("%s (SHA-256 %.*s)", path, HASH_SHOWN, hash);
}

char *identity_tested(const GPtrArray *lists, guint first, guint end, const char *column)
{
	g_autoptr(GHashTable) seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	g_autoptr(GPtrArray) words = NULL;

	for (guint i = first; i < end; i++) {
		const GPtrArray *legs = lists->pdata[i];

		for (guint k = 0; k < legs->len; k++)
			if (of_guest(legs->pdata[k]))
				g_hash_table_add(seen, tested_by(legs->pdata[k], column));
	}
	words = loaded_keys(seen);
	g_ptr_array_add(words, NULL);
	return g_strjoinv(", ", (char **)words->pdata);
}
