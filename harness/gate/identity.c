/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/gate/identity.h"

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
