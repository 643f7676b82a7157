/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/run/scheduler.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "harness/base/error.h"
#include "harness/base/kernel-file.h"
#include "harness/base/subprocess.h"
#include "harness/profile/profile.h"
#include "harness/run/device.h"
#include "harness/run/environment.h"

#define HELPER_TIMEOUT_S 20

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
static char *current_in(const char *root, const char *disk, char **ret_all)
{
	g_autofree char *file = queue_file(disk);
	g_autofree char *path = g_strconcat(root, file, NULL);
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

static char *current(const char *disk, char **ret_all)
{
	return current_in("", disk, ret_all);
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

/* ---- what could be set ------------------------------------------------------------------------- */

static gboolean has_name(const GPtrArray *names, const char *name)
{
	return g_ptr_array_find_with_equal_func((GPtrArray *)names, name, g_str_equal, NULL);
}

/* Takes out of NAMES what is not in OTHERS, NULL-terminated. */
static void keep_common(GPtrArray *names, const char *const *others)
{
	for (guint i = names->len; i > 0; i--)
		if (!g_strv_contains(others, names->pdata[i - 1]))
			g_ptr_array_remove_index(names, i - 1);
}

/* Written to a queue, the name of one that is not there makes the kernel run its helper for the module NAME-iosched. */
static gboolean kernel_would_load(const char *root, const char *name)
{
	g_autofree char *disabled = environment_read(root, "/proc/sys/kernel/modules_disabled");
	g_autofree char *helper = environment_read(root, "/proc/sys/kernel/modprobe");
	g_autofree char *program = helper ? g_strconcat(root, g_strstrip(helper), NULL) : NULL;
	g_autofree char *module = g_strconcat(name, "-iosched", NULL);
	const char *argv[] = {program, "-nq", "--", module, NULL};
	int status = 1;

	if (!helper || !*helper || (disabled && g_strcmp0(g_strstrip(disabled), "0") != 0) || access(program, X_OK) < 0)
		return FALSE;
	return subprocess_run(argv, HELPER_TIMEOUT_S, NULL, NULL, &status, NULL) && status == 0;
}

/* Names of "none [mq-deadline]", and of those that can be loaded. NULL for a disk without schedulers. */
static GPtrArray *names_of(const char *root, const char *disk)
{
	const ProfileKey *key = profile_key("host", "scheduler");
	g_autofree char *text = environment_read(root, "/sys/block/%s/queue/scheduler", disk);
	g_autofree char *queues = g_strdup_printf("%s/sys/block/%s/mq", root, disk);
	g_auto(GStrv) words = text ? g_strsplit(g_strdelimit(g_strstrip(text), "[]", ' '), " ", -1) : NULL;
	GPtrArray *names;

	if (!words)
		return NULL;
	names = g_ptr_array_new_with_free_func(g_free);
	for (guint i = 0; words[i]; i++)
		if (*words[i])
			g_ptr_array_add(names, g_strdup(words[i]));
	/* A driver that takes requests past all schedulers has no such queues, and takes no other name than none. */
	for (guint i = 0; g_file_test(queues, G_FILE_TEST_IS_DIR) && key->words[i]; i++)
		if (!g_str_equal(key->words[i], key->fallback) && !has_name(names, key->words[i]) && kernel_would_load(root, key->words[i]))
			g_ptr_array_add(names, g_strdup(key->words[i]));
	return names;
}

static char *join(const GPtrArray *names)
{
	g_autoptr(GString) text = g_string_new(NULL);

	for (guint i = 0; i < names->len; i++)
		g_string_append_printf(text, "%s%s", i ? " " : "", (const char *)names->pdata[i]);
	return g_string_free(g_steal_pointer(&text), FALSE);
}

/* This user may not: what is there already is all there is. */
static void keep_current(const char *root, const char *disk, GPtrArray *names, char **ret_reason)
{
	g_autofree char *path = g_strdup_printf("%s/sys/block/%s/queue/scheduler", root, disk);
	g_autofree char *before = NULL;

	if (access(path, W_OK) == 0)
		return;
	g_free(*ret_reason);
	*ret_reason = g_strdup_printf("/sys/block/%s/queue/scheduler cannot be written to: %s; run as root", disk, g_strerror(errno));
	before = current_in(root, disk, NULL);
	keep_common(names, (const char *const[]){before, NULL});
}

char *schedulers_of(const char *root, const char *disks, char **ret_reason)
{
	g_auto(GStrv) each = g_strsplit(disks, " ", -1);
	g_autoptr(GPtrArray) common = NULL;

	*ret_reason = NULL;
	for (guint i = 0; each[i]; i++) {
		g_autoptr(GPtrArray) names = names_of(root, each[i]);

		if (!names) {
			g_free(*ret_reason);
			*ret_reason = g_strdup_printf("the disk %s has no I/O scheduler", each[i]);
			return NULL;
		}
		keep_current(root, each[i], names, ret_reason);
		g_ptr_array_add(names, NULL);
		if (common)
			keep_common(common, (const char *const *)names->pdata);
		else {
			g_ptr_array_remove_index(names, names->len - 1);
			common = g_steal_pointer(&names);
		}
	}
	return common ? join(common) : NULL;
}

char *schedulers_below(const char *path, char **ret_reason)
{
	g_autofree char *reason = NULL;
	g_autoptr(Device) device = device_find_queue(path, &reason);
	g_autoptr(GString) disks = g_string_new(NULL);
	g_auto(GStrv) names = NULL;

	*ret_reason = NULL;
	if (!device) {
		*ret_reason = g_strdup_printf("below %s there is no disk that could have one: %s", path, reason);
		return NULL;
	}
	names = g_strsplit(device_names(device), " ", -1);
	for (guint i = 0; names[i]; i++) {
		g_autofree char *disk = whole_disk(names[i]);

		g_string_append_printf(disks, "%s%s", i ? " " : "", disk);
	}
	return schedulers_of("", disks->str, ret_reason);
}

char *schedulers_of_kernel(const char *root)
{
	g_autofree char *folder = g_strconcat(root, "/sys/block", NULL);
	g_autoptr(GPtrArray) disks = environment_list(folder);

	for (guint i = 0; i < disks->len; i++) {
		g_autofree char *queues = g_strdup_printf("%s/%s/mq", folder, (const char *)disks->pdata[i]);
		g_autoptr(GPtrArray) names = g_file_test(queues, G_FILE_TEST_IS_DIR) ? names_of(root, disks->pdata[i]) : NULL;

		if (names)
			return join(names);
	}
	return NULL;
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
