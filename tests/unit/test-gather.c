/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is gathered of an image. libguestfs is played by a folder: each test lays out the files of a distribution in it. */
#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <glob.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/image/session.h"
#include "harness/side/guest/image-judge.h"

static char *root; /* the image's root file system */

static char *inside(const char *path)
{
	return g_build_filename(root, path, NULL);
}

/* A list as libguestfs returns it: all of it is the caller's. */
static char **list_of(const char *const *texts)
{
	guint n = 0;
	char **list;

	while (texts[n])
		n++;
	list = calloc(n + 1, sizeof(*list));
	for (guint i = 0; i < n; i++)
		list[i] = strdup(texts[i]);
	return list;
}

/* ---- the files of session.c and libguestfs ---------------- */

gboolean image_session_error(guestfs_h *g, const char *what, GError **error)
{
	g_error("%s", what);
}

gboolean image_has_file(guestfs_h *g, const char *path)
{
	g_autofree char *file = inside(path);

	return g_file_test(file, G_FILE_TEST_IS_REGULAR);
}

int guestfs_is_dir(guestfs_h *g, const char *path)
{
	g_autofree char *file = inside(path);

	return g_file_test(file, G_FILE_TEST_IS_DIR);
}

int64_t guestfs_filesize(guestfs_h *g, const char *path)
{
	g_autofree char *file = inside(path);
	struct stat st;

	return stat(file, &st) == 0 ? st.st_size : -1;
}

char *guestfs_cat(guestfs_h *g, const char *path)
{
	g_autofree char *file = inside(path);
	g_autofree char *text = NULL;

	return g_file_get_contents(file, &text, NULL, NULL) ? strdup(text) : NULL;
}

char *guestfs_realpath(guestfs_h *g, const char *path)
{
	g_autofree char *file = inside(path);
	g_autofree char *real = g_file_read_link(file, NULL);

	return real ? strdup(real) : NULL;
}

char **guestfs_glob_expand(guestfs_h *g, const char *pattern)
{
	g_autofree char *whole = inside(pattern);
	g_autoptr(GPtrArray) paths = g_ptr_array_new();
	glob_t found = {0};
	char **list;

	if (glob(whole, 0, NULL, &found) == 0)
		for (gsize i = 0; i < found.gl_pathc; i++)
			g_ptr_array_add(paths, found.gl_pathv[i] + strlen(root));
	g_ptr_array_add(paths, NULL);
	list = list_of((const char *const *)paths->pdata);
	globfree(&found);
	return list;
}

char **guestfs_ls(guestfs_h *g, const char *folder)
{
	g_autofree char *path = inside(folder);
	g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
	g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
	const char *name;

	while (dir && (name = g_dir_read_name(dir)))
		g_ptr_array_add(names, g_strdup(name));
	g_ptr_array_add(names, NULL);
	return list_of((const char *const *)names->pdata);
}

char **guestfs_inspect_os(guestfs_h *g)
{
	return list_of((const char *const[]){"/dev/sda1", NULL});
}

char **guestfs_inspect_get_mountpoints(guestfs_h *g, const char *os)
{
	return list_of((const char *const[]){"/", "/dev/sda1", NULL});
}

int guestfs_mount(guestfs_h *g, const char *device, const char *place)
{
	return 0;
}

char *guestfs_inspect_get_type(guestfs_h *g, const char *os)
{
	return strdup("linux");
}

char *guestfs_inspect_get_distro(guestfs_h *g, const char *os)
{
	return strdup("archlinux");
}

char *guestfs_inspect_get_product_name(guestfs_h *g, const char *os)
{
	return strdup("Arch Linux");
}

char *guestfs_inspect_get_arch(guestfs_h *g, const char *os)
{
	return strdup("x86_64");
}

char *guestfs_vfs_uuid(guestfs_h *g, const char *device)
{
	return strdup("1111-aa");
}

struct guestfs_statvfs *guestfs_statvfs(guestfs_h *g, const char *path)
{
	return NULL;
}

void guestfs_free_statvfs(struct guestfs_statvfs *space)
{
}

char **guestfs_list_devices(guestfs_h *g)
{
	return list_of((const char *const[]){"/dev/sda", NULL});
}

char **guestfs_list_partitions(guestfs_h *g)
{
	return list_of((const char *const[]){"/dev/sda1", "/dev/sda2", NULL});
}

char **guestfs_list_md_devices(guestfs_h *g)
{
	return list_of((const char *const[]){NULL});
}

/* An appliance without LVM has no such call. */
char **guestfs_lvs(guestfs_h *g)
{
	return NULL;
}

char *guestfs_vfs_type(guestfs_h *g, const char *device)
{
	if (g_str_equal(device, "/dev/sda1"))
		return strdup("ext4");
	return strdup(g_str_equal(device, "/dev/sda2") ? "crypto_LUKS" : "");
}

/* ---- images ---------------- */

static void file_is(const char *path, const char *text)
{
	g_autofree char *file = inside(path);
	g_autofree char *folder = g_path_get_dirname(file);

	g_assert_cmpint(g_mkdir_with_parents(folder, 0700), ==, 0);
	g_assert_true(g_file_set_contents(file, text, -1, NULL));
}

static void begin(void)
{
	g_autofree char *init = NULL;

	root = g_dir_make_tmp("iogap-gather-XXXXXX", NULL);
	g_assert_nonnull(root);
	file_is("/sbin/openrc-run", "");
	init = inside("/sbin/init");
	g_assert_cmpint(symlink("/usr/lib/systemd/systemd", init), ==, 0);
}

static void remove_tree(const char *path)
{
	g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
	const char *name;

	while (!g_file_test(path, G_FILE_TEST_IS_SYMLINK) && dir && (name = g_dir_read_name(dir))) {
		g_autofree char *below = g_build_filename(path, name, NULL);

		remove_tree(below);
	}
	g_assert_cmpint(g_remove(path), ==, 0);
}

static void end(void)
{
	remove_tree(root);
	g_clear_pointer(&root, g_free);
}

/* A folder of modules as packages of distributions have it, packed drivers and all. */
static void modules_are(const char *version, const char *pkgbase, gboolean with_kernel)
{
	g_autofree char *dep = g_strdup_printf("/lib/modules/%s/modules.dep", version);
	g_autofree char *builtin = g_strdup_printf("/lib/modules/%s/modules.builtin", version);
	g_autofree char *base = g_strdup_printf("/lib/modules/%s/pkgbase", version);
	g_autofree char *kernel = g_strdup_printf("/lib/modules/%s/vmlinuz", version);

	file_is(dep, "kernel/drivers/block/virtio_blk.ko.zst:\nkernel/drivers/char/virtio_console.ko.zst:\n");
	file_is(builtin, "kernel/drivers/virtio/virtio_pci.ko\n");
	if (pkgbase)
		file_is(base, pkgbase);
	if (with_kernel)
		file_is(kernel, "MZ");
}

/* "FILE is VERSION, its initrd INITRD" of each kernel, and whether a guest could boot one. */
static void kernels_are(const char *expected, gboolean usable)
{
	g_autoptr(GError) error = NULL;
	json_t *facts = image_gather(NULL, &error), *kernels;
	g_autoptr(GString) text = g_string_new(NULL);
	ImageChoice choice;

	g_assert_no_error(error);
	kernels = json_object_get(json_array_get(json_object_get(facts, "systems"), 0), "kernels");
	for (gsize i = 0; i < json_array_size(kernels); i++) {
		const json_t *kernel = json_array_get(kernels, i);
		const char *initrd = json_string_value(json_object_get(kernel, "initrd"));

		g_string_append_printf(text, "%s is %s%s, initrd %s\n", json_string_value(json_object_get(kernel, "file")),
			json_string_value(json_object_get(kernel, "version")),
			json_is_true(json_object_get(kernel, "modules")) ? "" : " without modules", initrd ? initrd : "none");
	}
	g_assert_cmpstr(text->str, ==, expected);
	g_assert_cmpint(image_judge("disk.raw", facts, 1, &choice, NULL), ==, usable);
	json_decref(facts);
}

/* Two kernels of Arch, whose names in /boot tell no version. */
static void test_pkgbase(void)
{
	begin();
	modules_are("6.9.1-arch1-1", "linux\n", TRUE);
	modules_are("6.6.30-1-lts", "linux-lts\n", TRUE);
	file_is("/boot/vmlinuz-linux", "MZ");
	file_is("/boot/vmlinuz-linux-lts", "MZ");
	file_is("/boot/initramfs-linux.img", "");
	file_is("/boot/initramfs-linux-lts.img", "");
	kernels_are("/boot/vmlinuz-linux-lts is 6.6.30-1-lts, initrd /boot/initramfs-linux-lts.img\n"
		    "/boot/vmlinuz-linux is 6.9.1-arch1-1, initrd /boot/initramfs-linux.img\n",
		TRUE);
	end();
}

/* Nobody says whose the modules are, and there is but one folder; what a removed kernel has left in another counts for nothing. */
static void test_only_folder(void)
{
	begin();
	modules_are("6.9.1-arch1-1", NULL, FALSE);
	file_is("/lib/modules/6.8.0-arch1-1/modules.symbols", "");
	file_is("/boot/vmlinuz-linux", "MZ");
	file_is("/boot/initramfs-linux.img", "");
	kernels_are("/boot/vmlinuz-linux is 6.9.1-arch1-1, initrd /boot/initramfs-linux.img\n", TRUE);
	/* a second: now it could be either */
	modules_are("6.9.2-arch1-1", NULL, FALSE);
	kernels_are("/boot/vmlinuz-linux is linux without modules, initrd /boot/initramfs-linux.img\n", FALSE);
	end();
}

/* A version in the name is never taken for another. */
static void test_versions(void)
{
	begin();
	modules_are("6.1.0-18-amd64", NULL, FALSE);
	file_is("/boot/vmlinuz-6.1.0-18-amd64", "MZ");
	file_is("/boot/initrd.img-6.1.0-18-amd64", "");
	file_is("/boot/vmlinuz-6.1.0-9-amd64", "MZ");
	kernels_are("/boot/vmlinuz-6.1.0-18-amd64 is 6.1.0-18-amd64, initrd /boot/initrd.img-6.1.0-18-amd64\n"
		    "/boot/vmlinuz-6.1.0-9-amd64 is 6.1.0-9-amd64 without modules, initrd none\n",
		TRUE);
	end();
}

static void test_suffix(void)
{
	begin();
	modules_are("6.6.14-0-virt", NULL, FALSE);
	modules_are("6.6.14-0-lts", NULL, FALSE);
	file_is("/boot/vmlinuz-virt", "MZ");
	file_is("/boot/initramfs-virt", "");
	kernels_are("/boot/vmlinuz-virt is 6.6.14-0-virt, initrd /boot/initramfs-virt\n", TRUE);
	end();
}

/* Fedora keeps each in both places; one that is in /lib/modules only counts too, whatever else lies in /boot. */
static void test_both_places(void)
{
	begin();
	modules_are("6.8.5-301.fc40", NULL, TRUE);
	modules_are("6.8.4-300.fc40", NULL, TRUE);
	file_is("/boot/vmlinuz-6.8.5-301.fc40", "MZ");
	file_is("/boot/initramfs-6.8.5-301.fc40.img", "");
	file_is("/boot/vmlinuz-memtest", "MZ");
	file_is("/boot/vmlinuz-0-rescue-1111", "MZ");
	kernels_are("/boot/vmlinuz-memtest is memtest without modules, initrd none\n"
		    "/boot/vmlinuz-6.8.5-301.fc40 is 6.8.5-301.fc40, initrd /boot/initramfs-6.8.5-301.fc40.img\n"
		    "/lib/modules/6.8.4-300.fc40/vmlinuz is 6.8.4-300.fc40, initrd none\n",
		TRUE);
	end();
}

/* Each device that holds something, an encrypted container too. */
static void test_filesystems(void)
{
	json_t *facts;
	g_autofree char *text = NULL;
	char *dump;

	begin();
	facts = image_gather(NULL, NULL);
	dump = json_dumps(json_object_get(facts, "filesystems"), JSON_SORT_KEYS);
	text = g_strdup(dump);
	free(dump);
	g_assert_cmpstr(text, ==, "{\"/dev/sda1\": \"ext4\", \"/dev/sda2\": \"crypto_LUKS\"}");
	json_decref(facts);
	end();
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/gather/pkgbase", test_pkgbase);
	g_test_add_func("/gather/only-folder", test_only_folder);
	g_test_add_func("/gather/versions", test_versions);
	g_test_add_func("/gather/suffix", test_suffix);
	g_test_add_func("/gather/both-places", test_both_places);
	g_test_add_func("/gather/filesystems", test_filesystems);
	return g_test_run();
}
