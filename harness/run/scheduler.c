/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/run/scheduler.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "harness/base/error.h"
#include "harness/base/kernel-file.h"
#include "harness/run/device.h"

struct Schedulers {
	Keeper *keeper;
	GHashTable *original; /* disk -> scheduler that was there before the first change */
};

Schedulers *schedulers_new(Keeper *keeper)
{
	Schedulers *schedulers = g_new0(Schedulers, 1);

	schedulers->keeper = keeper;
	schedulers->original = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
	return schedulers;
}

static char *queue_file(const char *disk)
{
	return g_strdup_printf("/sys/block/%s/queue/scheduler", disk);
}

/* The whole disk of a partition ("vda1" -> "vda"); a disk is its own. */
static char *whole_disk(const char *name)
{
	g_autofree char *link = g_strdup_printf("/sys/class/block/%s", name);
	g_autofree char *partition = g_build_filename(link, "partition", NULL);
	g_autofree char *target = NULL;
	g_autofree char *parent = NULL;

	if (!g_file_test(partition, G_FILE_TEST_EXISTS))
		return g_strdup(name);
	target = g_file_read_link(link, NULL);
	parent = target ? g_path_get_dirname(target) : NULL;
	return parent ? g_path_get_basename(parent) : g_strdup(name);
}

/* "none [mq-deadline] kyber": the one in brackets; *ret_all (may be NULL) gets the whole line. New texts. */
static char *current(const char *disk, char **ret_all)
{
	g_autofree char *path = queue_file(disk);
	g_autofree char *text = NULL;
	char *open, *close;

	if (!g_file_get_contents(path, &text, NULL, NULL))
		return NULL;
	g_strchomp(text);
	if (ret_all)
		*ret_all = g_strdup(text);
	open = strchr(text, '[');
	close = open ? strchr(open, ']') : NULL;
	return close ? g_strndup(open + 1, close - open - 1) : g_strdup(text);
}

static gboolean put(const char *disk, const char *name)
{
	g_autofree char *path = queue_file(disk);

	return kernel_file_put(path, name);
}

static gboolean change(Schedulers *schedulers, const char *disk, const char *name, GError **error)
{
	g_autofree char *all = NULL;
	g_autofree char *before = current(disk, &all);
	g_autofree char *after = NULL;
	int code;

	if (!before) {
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_UNSUPPORTED, "disk %s has no I/O scheduler", disk);
		return FALSE;
	}
	if (g_str_equal(before, name))
		return TRUE;
	if (!g_hash_table_contains(schedulers->original, disk)) {
		g_autofree char *entry = g_strdup_printf("%s %s", disk, before);

		keeper_add(schedulers->keeper, "scheduler", entry);
		g_hash_table_insert(schedulers->original, g_strdup(disk), g_strdup(before));
	}
	if (!put(disk, name)) {
		code = errno;
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_UNSUPPORTED,
			"cannot make %s the I/O scheduler of disk %s: %s; it has: %s", name, disk, g_strerror(code), all);
		return FALSE;
	}
	after = current(disk, NULL);
	if (g_strcmp0(after, name) == 0)
		return TRUE;
	g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_UNSUPPORTED, "disk %s was given the I/O scheduler %s and has %s", disk,
		name, after ? after : "none to be read");
	return FALSE;
}

gboolean schedulers_use(Schedulers *schedulers, const char *path, const char *name, GError **error)
{
	g_autofree char *reason = NULL;
	g_autoptr(Device) device = NULL;
	g_auto(GStrv) names = NULL;

	if (!name && g_hash_table_size(schedulers->original) == 0)
		return TRUE;
	device = device_find_queue(path, &reason);
	if (!device) {
		if (!name)
			return TRUE;
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_UNSUPPORTED, "no I/O scheduler can be set below %s: %s", path,
			reason);
		return FALSE;
	}
	names = g_strsplit(device_names(device), " ", -1);
	for (guint i = 0; names[i]; i++) {
		g_autofree char *disk = whole_disk(names[i]);
		const char *wanted = name ? name : g_hash_table_lookup(schedulers->original, disk);

		if (wanted && !change(schedulers, disk, wanted, error))
			return FALSE;
	}
	return TRUE;
}

char *schedulers_seen(const Device *device)
{
	g_auto(GStrv) names = g_strsplit(device_names(device), " ", -1);
	g_autofree char *seen = NULL;

	for (guint i = 0; names[i]; i++) {
		g_autofree char *disk = whole_disk(names[i]);
		char *own = current(disk, NULL);

		if (!own || (seen && !g_str_equal(seen, own))) {
			g_free(own);
			return NULL;
		}
		g_free(seen);
		seen = own;
	}
	return g_steal_pointer(&seen);
}

void schedulers_free(Schedulers *schedulers)
{
	GHashTableIter iter;
	gpointer disk, name;

	if (!schedulers)
		return;
	g_hash_table_iter_init(&iter, schedulers->original);
	while (g_hash_table_iter_next(&iter, &disk, &name)) {
		g_autofree char *entry = g_strdup_printf("%s %s", (char *)disk, (char *)name);

		/* One that cannot be set back stays with the keeper, which tries again. */
		if (put(disk, name))
			keeper_drop(schedulers->keeper, "scheduler", entry);
	}
	g_hash_table_unref(schedulers->original);
	g_free(schedulers);
}
