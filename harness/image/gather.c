/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is in an image, as the facts of image-judge.h. Nothing is judged here. */
#include <string.h>

#include "harness/base/error.h"
#include "harness/image/session.h"

/* Texts of configurations and lists of modules: larger ones are not read. */
#define TEXT_MAX (4 << 20)

static void set_text(json_t *object, const char *key, char *text)
{
	if (text && *text && !g_str_equal(text, "unknown"))
		json_object_set_new(object, key, json_string(text));
	free(text);
}

/* The content of PATH, or NULL: not there, too large, not text. Freed by g_free. */
static char *read_text(guestfs_h *g, const char *path)
{
	g_autofree char *copy = NULL;
	char *text;

	if (!image_has_file(g, path) || guestfs_filesize(g, path) > TEXT_MAX)
		return NULL;
	text = guestfs_cat(g, path);
	copy = g_strdup(text);
	free(text);
	return copy && g_utf8_validate(copy, -1, NULL) ? g_steal_pointer(&copy) : NULL;
}

/* ---- mounting ---------------- */

/* "/" before "/boot" before "/boot/efi". */
static gint by_length(gconstpointer a, gconstpointer b)
{
	return (gint)strlen(*(const char *const *)a) - (gint)strlen(*(const char *const *)b);
}

static gboolean mount_system(guestfs_h *g, const char *root, GError **error)
{
	char **pairs = guestfs_inspect_get_mountpoints(g, root);
	g_autoptr(GPtrArray) places = g_ptr_array_new();
	g_autoptr(GHashTable) devices = g_hash_table_new(g_str_hash, g_str_equal);
	gboolean ok = TRUE;

	if (!pairs)
		return image_session_error(g, "the system's mount points cannot be told", error);
	for (guint i = 0; pairs[i] && pairs[i + 1]; i += 2) {
		g_ptr_array_add(places, pairs[i]);
		g_hash_table_insert(devices, pairs[i], pairs[i + 1]);
	}
	g_ptr_array_sort(places, by_length);
	for (guint i = 0; ok && i < places->len; i++) {
		const char *place = places->pdata[i];

		/* Of the others only those are needed that hold kernels; a stale line of fstab is no failure. */
		if (guestfs_mount(g, g_hash_table_lookup(devices, place), place) < 0 && g_str_equal(place, "/"))
			ok = image_session_error(g, "its root file system cannot be mounted", error);
	}
	for (guint i = 0; pairs[i]; i++)
		free(pairs[i]);
	free(pairs);
	return ok;
}

/* ---- the system ---------------- */

static const char *find_init(guestfs_h *g)
{
	g_autofree char *copy = NULL;
	char *real = guestfs_realpath(g, "/sbin/init");

	copy = g_strdup(real ? real : "");
	free(real);
	if (g_str_has_suffix(copy, "/systemd"))
		return "systemd";
	if (image_has_file(g, "/sbin/openrc-run"))
		return "openrc";
	/* Its init and a System V tree; busybox's init alone has no run levels. */
	if (image_has_file(g, "/etc/inittab") && guestfs_is_dir(g, "/etc/init.d") > 0 && guestfs_is_dir(g, "/etc/rc2.d") > 0)
		return "sysvinit";
	return NULL;
}

static void set_selinux(guestfs_h *g, json_t *os)
{
	g_autofree char *text = read_text(g, "/etc/selinux/config");
	g_auto(GStrv) lines = g_strsplit(text ? text : "", "\n", -1);

	for (guint i = 0; lines[i]; i++)
		if (g_str_has_prefix(lines[i], "SELINUX="))
			json_object_set_new(os, "selinux", json_string(g_strstrip(lines[i] + strlen("SELINUX="))));
}

static void set_free(guestfs_h *g, json_t *os)
{
	struct guestfs_statvfs *space = guestfs_statvfs(g, "/");

	json_object_set_new(os, "free", json_integer(space ? (json_int_t)(space->bavail * space->bsize) : -1));
	if (space)
		guestfs_free_statvfs(space);
}

static void set_boot(guestfs_h *g, json_t *os)
{
	static const char *const patterns[] = {"/boot/grub/grub.cfg", "/boot/grub2/grub.cfg", "/boot/loader/entries/*.conf",
		"/boot/extlinux/extlinux.conf", "/boot/extlinux.conf", "/boot/syslinux/syslinux.cfg", "/boot/efi/loader/entries/*.conf"};
	json_t *boot = json_object();

	for (guint i = 0; i < G_N_ELEMENTS(patterns); i++) {
		char **files = guestfs_glob_expand(g, patterns[i]);

		for (guint j = 0; files && files[j]; j++) {
			g_autofree char *text = read_text(g, files[j]);

			if (text)
				json_object_set_new(boot, files[j], json_string(text));
			free(files[j]);
		}
		free(files);
	}
	json_object_set_new(os, "boot", boot);
}

/* ---- kernels ---------------- */

/* "builtin", "module" or NULL; a name stands in the lists as ".../virtio_blk.ko", packed or not. */
static const char *driver_how(const char *builtin, const char *modules, const char *driver)
{
	g_autofree char *file = g_strdup_printf("/%s.ko", driver);

	if (builtin && strstr(builtin, file))
		return "builtin";
	return modules && strstr(modules, file) ? "module" : NULL;
}

static json_t *drivers_of(guestfs_h *g, const char *folder)
{
	static const char *const drivers[] = {"virtio_pci", "virtio_console", "virtio_blk"};
	g_autofree char *builtin_file = g_strconcat(folder, "/modules.builtin", NULL);
	g_autofree char *modules_file = g_strconcat(folder, "/modules.dep", NULL);
	g_autofree char *builtin = read_text(g, builtin_file);
	g_autofree char *modules = read_text(g, modules_file);
	json_t *known = json_object();

	for (guint i = 0; i < G_N_ELEMENTS(drivers); i++) {
		const char *how = driver_how(builtin, modules, drivers[i]);

		if (how)
			json_object_set_new(known, drivers[i], json_string(how));
	}
	return known;
}

/* The initrd that the distributions put beside a kernel called vmlinuz-SUFFIX. */
static void set_initrd(guestfs_h *g, json_t *kernel, const char *suffix)
{
	static const char *const forms[][2] = {
		{"/boot/initrd.img-", ""}, {"/boot/initramfs-", ".img"}, {"/boot/initrd-", ""}, {"/boot/initramfs-", ""}};

	for (guint i = 0; i < G_N_ELEMENTS(forms); i++) {
		g_autofree char *path = g_strconcat(forms[i][0], suffix, forms[i][1], NULL);

		if (image_has_file(g, path)) {
			json_object_set_new(kernel, "initrd", json_string(path));
			return;
		}
	}
}

/* Arch and its kin write into a folder of modules what its kernel in /boot is called: vmlinuz-linux for "linux". */
static gboolean is_pkgbase(guestfs_h *g, const char *version, const char *suffix)
{
	g_autofree char *file = g_strdup_printf("/lib/modules/%s/pkgbase", version);
	g_autofree char *text = read_text(g, file);

	return text && g_str_equal(g_strstrip(text), suffix);
}

static gboolean has_modules(guestfs_h *g, const char *version)
{
	g_autofree char *file = g_strdup_printf("/lib/modules/%s/modules.dep", version);

	return image_has_file(g, file);
}

/* The names in /lib/modules, NULL-terminated; freed by g_strfreev. */
static char **module_folders(guestfs_h *g)
{
	char **names = guestfs_is_dir(g, "/lib/modules") > 0 ? guestfs_ls(g, "/lib/modules") : NULL;
	GPtrArray *list = g_ptr_array_new();

	for (guint i = 0; names && names[i]; i++) {
		if (has_modules(g, names[i]))
			g_ptr_array_add(list, g_strdup(names[i]));
		free(names[i]);
	}
	free(names);
	g_ptr_array_add(list, NULL);
	return (char **)g_ptr_array_free(list, FALSE);
}

/*
 * The folder of modules of a kernel with this suffix: of the same name, the one that says so, the one that ends like it
 * ("6.6.14-0-virt" for "virt"), or, for a suffix that is no version, the only one. What the kernel calls itself is compared later.
 */
static char *modules_version(guestfs_h *g, const char *suffix)
{
	g_autofree char *same = g_strconcat("/lib/modules/", suffix, NULL);
	g_autofree char *end = g_strconcat("-", suffix, NULL);
	g_auto(GStrv) folders = NULL;

	if (guestfs_is_dir(g, same) > 0)
		return g_strdup(suffix);
	folders = module_folders(g);
	for (guint i = 0; folders[i]; i++)
		if (is_pkgbase(g, folders[i], suffix))
			return g_strdup(folders[i]);
	for (guint i = 0; folders[i]; i++)
		if (g_str_has_suffix(folders[i], end))
			return g_strdup(folders[i]);
	return folders[0] && !folders[1] && !g_ascii_isdigit(*suffix) ? g_strdup(folders[0]) : NULL;
}

static json_t *kernel_facts(guestfs_h *g, const char *file, const char *suffix)
{
	g_autofree char *version = modules_version(g, suffix);
	g_autofree char *folder = g_strconcat("/lib/modules/", version ? version : suffix, NULL);
	json_t *kernel = json_pack("{s:s, s:s, s:b}", "file", file, "version", version ? version : suffix, "modules", version != NULL);

	json_object_set_new(kernel, "drivers", drivers_of(g, folder));
	set_initrd(g, kernel, suffix);
	return kernel;
}

/* Newest first: numbers in versions count as numbers. */
static gint by_version(gconstpointer a, gconstpointer b)
{
	g_autofree char *x = g_utf8_collate_key_for_filename(*(const char *const *)a, -1);
	g_autofree char *y = g_utf8_collate_key_for_filename(*(const char *const *)b, -1);

	return strcmp(y, x);
}

/* Fedora's lie in both places; the one in /boot has its initrd beside it, under whatever name. */
static gboolean is_known(const json_t *kernels, const json_t *kernel)
{
	for (gsize i = 0; i < json_array_size(kernels); i++)
		if (json_equal(json_object_get(json_array_get(kernels, i), "version"), json_object_get(kernel, "version")))
			return TRUE;
	return FALSE;
}

static void add_kernels(guestfs_h *g, const char *pattern, json_t *kernels)
{
	g_autoptr(GPtrArray) files = g_ptr_array_new_with_free_func(free);
	char **found = guestfs_glob_expand(g, pattern);

	for (guint i = 0; found && found[i]; i++)
		g_ptr_array_add(files, found[i]);
	free(found);
	g_ptr_array_sort(files, by_version);
	for (guint i = 0; i < files->len; i++) {
		const char *file = files->pdata[i];
		g_auto(GStrv) parts = g_strsplit(file, "/", -1);
		const char *name = strrchr(file, '/') + 1;

		json_t *kernel;

		/* A rescue kernel is the last that anybody means. */
		if (!image_has_file(g, file) || strstr(name, "rescue"))
			continue;
		kernel = kernel_facts(g, file, g_str_has_prefix(name, "vmlinuz-") ? name + strlen("vmlinuz-") : parts[3]);
		if (!g_str_equal(name, "vmlinuz") || !is_known(kernels, kernel))
			json_array_append(kernels, kernel);
		json_decref(kernel);
	}
}

static json_t *system_facts(guestfs_h *g, const char *root)
{
	json_t *os = json_pack("{s:s}", "root", root);
	json_t *kernels = json_array();
	const char *init = find_init(g);

	set_text(os, "type", guestfs_inspect_get_type(g, root));
	set_text(os, "distro", guestfs_inspect_get_distro(g, root));
	set_text(os, "product", guestfs_inspect_get_product_name(g, root));
	set_text(os, "arch", guestfs_inspect_get_arch(g, root));
	set_text(os, "uuid", guestfs_vfs_uuid(g, root));
	if (init)
		json_object_set_new(os, "init", json_string(init));
	set_selinux(g, os);
	set_free(g, os);
	set_boot(g, os);
	add_kernels(g, "/boot/vmlinuz-*", kernels);
	add_kernels(g, "/lib/modules/*/vmlinuz", kernels);
	json_object_set_new(os, "kernels", kernels);
	return os;
}

/* ---- all together ---------------- */

/* DEVICES (NULL-terminated, freed here; NULL = none) with what lies on them. */
static void add_types(guestfs_h *g, char **devices, json_t *list)
{
	for (guint i = 0; devices && devices[i]; i++) {
		set_text(list, devices[i], guestfs_vfs_type(g, devices[i]));
		free(devices[i]);
	}
	free(devices);
}

/* Not guestfs_list_filesystems: it names only what can be mounted, and so no encrypted container. */
static json_t *filesystems(guestfs_h *g)
{
	json_t *list = json_object();

	add_types(g, guestfs_list_devices(g), list);
	add_types(g, guestfs_list_partitions(g), list);
	add_types(g, guestfs_list_md_devices(g), list);
	add_types(g, guestfs_lvs(g), list);
	return list;
}

static json_t *systems(guestfs_h *g, char **roots, GError **error)
{
	json_t *list = json_array();
	gboolean one = roots[0] && !roots[1];

	for (guint i = 0; roots[i]; i++) {
		if (!one) {
			/* Enough to say that there are too many. */
			json_array_append_new(list, json_pack("{s:s}", "root", roots[i]));
			continue;
		}
		char *type = guestfs_inspect_get_type(g, roots[i]);
		gboolean linux_system = !g_strcmp0(type, "linux");

		free(type);
		if (linux_system && !mount_system(g, roots[i], error)) {
			json_decref(list);
			return NULL;
		}
		json_array_append_new(list, system_facts(g, roots[i]));
	}
	return list;
}

json_t *image_gather(guestfs_h *g, GError **error)
{
	char **roots = guestfs_inspect_os(g);
	json_t *facts, *list;

	if (!roots) {
		image_session_error(g, "the image cannot be inspected", error);
		return NULL;
	}
	list = systems(g, roots, error);
	for (guint i = 0; roots[i]; i++)
		free(roots[i]);
	free(roots);
	if (!list)
		return NULL;
	facts = json_object();
	json_object_set_new(facts, "filesystems", filesystems(g));
	json_object_set_new(facts, "systems", list);
	return facts;
}
