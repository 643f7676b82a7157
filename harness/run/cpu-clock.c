/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/run/cpu-clock.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "harness/base/error.h"
#include "harness/base/kernel-file.h"
#include "harness/run/environment.h"

#define CPUS "/sys/devices/system/cpu"
#define NO_TURBO "/sys/devices/system/cpu/intel_pstate/no_turbo" /* two drivers, two files, of opposite meaning */
#define BOOST "/sys/devices/system/cpu/cpufreq/boost"

struct CpuClock {
	char *root;
	Keeper *keeper;
	GHashTable *original; /* path -> text that was there before the first change */
};

CpuClock *cpu_clock_new(const char *root, Keeper *keeper)
{
	CpuClock *clock = g_new0(CpuClock, 1);

	clock->root = g_strdup(root);
	clock->keeper = keeper;
	clock->original = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
	return clock;
}

static char *read_word(const char *path)
{
	char *text = NULL;

	return g_file_get_contents(path, &text, NULL, NULL) ? g_strchomp(text) : NULL;
}

/* The files NAME of the frequency policy of every processor that has one. */
static GPtrArray *policy_files(const char *root, const char *name)
{
	g_autofree char *folder = g_strconcat(root, CPUS, NULL);
	g_autoptr(GPtrArray) entries = environment_list(folder);
	GPtrArray *files = g_ptr_array_new_with_free_func(g_free);

	for (guint i = 0; i < entries->len; i++) {
		const char *entry = entries->pdata[i];
		g_autofree char *file = g_build_filename(folder, entry, "cpufreq", name, NULL);

		if (g_str_has_prefix(entry, "cpu") && g_ascii_isdigit(entry[3]) && g_file_test(file, G_FILE_TEST_EXISTS))
			g_ptr_array_add(files, g_steal_pointer(&file));
	}
	return files;
}

static gboolean change(CpuClock *clock, const char *path, const char *value, const char *what, GError **error)
{
	g_autofree char *before = read_word(path), *after = NULL;

	if (before && g_str_equal(before, value))
		return TRUE;
	if (before && !g_hash_table_contains(clock->original, path)) {
		g_autofree char *entry = g_strdup_printf("%s %s", path, before);

		keeper_add(clock->keeper, "setting", entry);
		g_hash_table_insert(clock->original, g_strdup(path), g_strdup(before));
	}
	if (!kernel_file_put(path, value)) {
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_UNSUPPORTED, "cannot set %s to %s in %s: %s", what, value, path, g_strerror(errno));
		return FALSE;
	}
	after = read_word(path);
	if (g_strcmp0(after, value) == 0)
		return TRUE;
	g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_UNSUPPORTED, "%s was set to %s in %s, which has %s then", what, value, path,
		after ? after : "nothing to be read");
	return FALSE;
}

static gboolean use_governor(CpuClock *clock, const char *governor, GError **error)
{
	g_autoptr(GPtrArray) files = policy_files(clock->root, "scaling_governor");

	if (governor && files->len == 0) {
		g_set_error_literal(error, IOGAP_ERROR, IOGAP_ERROR_UNSUPPORTED, "the host's kernel has no frequency governor");
		return FALSE;
	}
	for (guint i = 0; i < files->len; i++) {
		const char *wanted = governor ? governor : g_hash_table_lookup(clock->original, files->pdata[i]);

		if (wanted && !change(clock, files->pdata[i], wanted, "the frequency governor", error))
			return FALSE;
	}
	return TRUE;
}

/* The file that switches turbo; *ret_inverse: 1 is off. NULL = there is none. New text. */
static char *turbo_file(const char *root, gboolean *ret_inverse)
{
	static const char *const files[] = {NO_TURBO, BOOST};

	for (guint i = 0; i < G_N_ELEMENTS(files); i++) {
		char *path = g_strconcat(root, files[i], NULL);

		*ret_inverse = i == 0;
		if (g_file_test(path, G_FILE_TEST_EXISTS))
			return path;
		g_free(path);
	}
	return NULL;
}

static gboolean use_turbo(CpuClock *clock, const char *turbo, GError **error)
{
	gboolean inverse;
	g_autofree char *path = turbo_file(clock->root, &inverse);
	const char *wanted = path ? g_hash_table_lookup(clock->original, path) : NULL;

	if (turbo && !path) {
		g_set_error_literal(error, IOGAP_ERROR, IOGAP_ERROR_UNSUPPORTED, "the host's kernel has no switch for turbo");
		return FALSE;
	}
	if (turbo)
		wanted = g_str_equal(turbo, "on") != inverse ? "1" : "0";
	return !wanted || change(clock, path, wanted, "turbo", error);
}

gboolean cpu_clock_use(CpuClock *clock, const char *governor, const char *turbo, GError **error)
{
	return use_governor(clock, governor, error) && use_turbo(clock, turbo, error);
}

void cpu_clock_free(CpuClock *clock)
{
	GHashTableIter iter;
	gpointer path, value;

	if (!clock)
		return;
	g_hash_table_iter_init(&iter, clock->original);
	while (g_hash_table_iter_next(&iter, &path, &value)) {
		g_autofree char *entry = g_strdup_printf("%s %s", (char *)path, (char *)value);

		/* One that cannot be set back stays with the keeper, which tries again. */
		if (kernel_file_put(path, value))
			keeper_drop(clock->keeper, "setting", entry);
	}
	g_hash_table_unref(clock->original);
	g_free(clock->root);
	g_free(clock);
}

/* Words of A that B has too, in A's order. New text. */
static char *common_words(const char *a, const char *b)
{
	g_auto(GStrv) words = g_strsplit(a, " ", -1), others = g_strsplit(b, " ", -1);
	g_autoptr(GString) common = g_string_new(NULL);

	for (guint i = 0; words[i]; i++)
		if (*words[i] && g_strv_contains((const char *const *)others, words[i]))
			g_string_append_printf(common, "%s%s", common->len ? " " : "", words[i]);
	return g_string_free(g_steal_pointer(&common), FALSE);
}

char *cpu_clock_governors(const char *root, char **ret_reason)
{
	g_autoptr(GPtrArray) files = policy_files(root, "scaling_governor"), lists = policy_files(root, "scaling_available_governors");
	g_autofree char *all = NULL;

	if (files->len == 0) {
		*ret_reason = g_strdup("the host's kernel has no frequency governor (/sys/devices/system/cpu/cpu0/cpufreq is not there)");
		return NULL;
	}
	if (access(files->pdata[0], W_OK) < 0) {
		*ret_reason = g_strdup_printf("%s: %s", (char *)files->pdata[0], g_strerror(errno));
		return NULL;
	}
	for (guint i = 0; i < lists->len; i++) {
		g_autofree char *list = read_word(lists->pdata[i]);
		char *common = all && list ? common_words(all, list) : g_strdup(list);

		g_free(all);
		all = common;
	}
	return all ? g_steal_pointer(&all) : g_strdup("");
}

char *cpu_clock_no_turbo(const char *root)
{
	gboolean inverse;
	g_autofree char *path = turbo_file(root, &inverse);

	if (!path)
		return g_strdup("the host's kernel has no switch for it (neither " NO_TURBO " nor " BOOST ")");
	return access(path, W_OK) == 0 ? NULL : g_strdup_printf("%s: %s", path, g_strerror(errno));
}
