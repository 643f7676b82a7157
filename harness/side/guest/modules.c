/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/side/guest/modules.h"

#include <errno.h>
#include <libkmod.h>
#include <string.h>

#include "harness/base/error.h"

typedef struct kmod_ctx Kmod;
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Kmod, kmod_unref)

typedef struct {
	GHashTable *seen; /* names of modules that were visited */
	GPtrArray *paths;
} Walk;

static void walk_clear(Walk *walk)
{
	g_clear_pointer(&walk->seen, g_hash_table_unref);
	g_clear_pointer(&walk->paths, g_ptr_array_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Walk, walk_clear)

static void visit(Walk *walk, struct kmod_module *module);

static void visit_list(Walk *walk, struct kmod_list *list)
{
	struct kmod_list *item;

	kmod_list_foreach(item, list)
	{
		struct kmod_module *module = kmod_module_get_module(item);

		visit(walk, module);
		kmod_module_unref(module);
	}
	kmod_module_unref_list(list);
}

/* A soft dependency may be missing: that is what makes it soft. A hard one cannot be: depmod saw
 * its file. */
static void visit(Walk *walk, struct kmod_module *module)
{
	const char *name = kmod_module_get_name(module);
	const char *path = kmod_module_get_path(module);
	struct kmod_list *before = NULL, *after = NULL;

	if (!g_hash_table_add(walk->seen, g_strdup(name)) || !path)
		return;
	if (kmod_module_get_softdeps(module, &before, &after) < 0)
		before = after = NULL;
	visit_list(walk, before);
	visit_list(walk, kmod_module_get_dependencies(module));
	g_ptr_array_add(walk->paths, g_strdup(path));
	visit_list(walk, after);
}

static gboolean visit_wanted(Walk *walk, Kmod *kmod, const ModuleWanted *wanted)
{
	struct kmod_list *list = NULL, *item;
	gboolean there = FALSE;

	kmod_module_new_from_lookup(kmod, wanted->name, &list);
	kmod_list_foreach(item, list)
	{
		struct kmod_module *module = kmod_module_get_module(item);

		there |= kmod_module_get_path(module) ||
			 kmod_module_get_initstate(module) == KMOD_MODULE_BUILTIN;
		kmod_module_unref(module);
	}
	visit_list(walk, list);
	return there || wanted->optional;
}

/* Without the index libkmod would find nothing, and say that everything is missing. */
static gboolean check_folder(const char *modules_dir, const char *folder, const char *version, GError **error)
{
	g_autofree char *index = g_build_filename(folder, "modules.dep.bin", NULL);
	g_autofree char *root = g_strdup(modules_dir);

	if (!g_file_test(folder, G_FILE_TEST_IS_DIR)) {
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED,
			"kernel %s has no modules: %s is missing; install the modules of this "
			"kernel, or name "
			"another kernel with kernel:",
			version, folder);
		return FALSE;
	}
	if (!g_file_test(index, G_FILE_TEST_EXISTS)) {
		gboolean apart = g_str_has_suffix(root, "/lib/modules") && strlen(root) > strlen("/lib/modules");

		/* depmod is told of a kernel that lies in a folder of its own by that folder. */
		if (apart)
			root[strlen(root) - strlen("/lib/modules")] = '\0';
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED,
			"the modules of kernel %s have no index: %s is missing; run as root: depmod %s%s%s%s", version, index,
			apart ? "-b " : "", apart ? root : "", apart ? " " : "", version);
		return FALSE;
	}
	return TRUE;
}

static Kmod *kmod_open(const char *folder, GError **error)
{
	/* The soft dependencies that the modules themselves declare; this version of libkmod reads
	 * them from its configuration only, and takes a file for a folder there. */
	g_autofree char *softdep = g_build_filename(folder, "modules.softdep", NULL);
	const char *const config[] = {softdep, NULL};
	Kmod *kmod = kmod_new(folder, config);

	if (!kmod) {
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED, "libkmod cannot use %s: %s",
			folder, g_strerror(errno));
		return NULL;
	}
	kmod_set_log_priority(kmod, -1);
	kmod_load_resources(kmod);
	return kmod;
}

GPtrArray *modules_resolve(
	const char *modules_dir, const char *version, const ModuleWanted *wanted, GError **error)
{
	g_autofree char *folder = g_build_filename(modules_dir, version, NULL);
	g_autoptr(Kmod) kmod = NULL;
	g_auto(Walk) walk = {0};

	if (!check_folder(modules_dir, folder, version, error))
		return NULL;
	kmod = kmod_open(folder, error);
	if (!kmod)
		return NULL;
	walk.seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	walk.paths = g_ptr_array_new_with_free_func(g_free);
	for (; wanted->name; wanted++) {
		if (visit_wanted(&walk, kmod, wanted))
			continue;
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED,
			"kernel %s has no %s (%s): neither built in nor below %s; name another "
			"kernel with kernel:",
			version, wanted->name, wanted->why, folder);
		return NULL;
	}
	return g_steal_pointer(&walk.paths);
}
