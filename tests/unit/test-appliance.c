/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The appliance from this machine's own kernel and modules, and what is damaged, missing or wrong.
 * Kernels and modules in other forms are test-kernel.c's part, booting it is tests/guest's.
 */
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/side/guest/appliance.h"
#include "tests/unit/appliance-fixture.h"

/* ---- building
 * ------------------------------------------------------------------------------------- */

/* From a small kernel of ours that has the version, and so the modules, of this machine's. */
static Appliance *build_in(const char *cache_name, const char *agent)
{
	g_autofree char *cache = below(cache_name);
	g_autofree char *kernel = below("vmlinuz");
	ApplianceSource source = {.kernel = kernel, .agent = agent, .cache_dir = cache};
	g_autoptr(GError) error = NULL;
	Appliance *appliance;

	if (!g_file_test(kernel, G_FILE_TEST_EXISTS)) {
		g_autoptr(Kernel) own = own_kernel();

		place_kernel("vmlinuz", own->version);
	}
	appliance = appliance_build_from(&source, &error);
	g_assert_no_error(error);
	return appliance;
}

/* Fails the build from SOURCE (its agent and cache filled in) with a message like PATTERN, and
 * nothing in the cache. */
static void refuses(ApplianceSource source, const char *pattern)
{
	g_autofree char *agent = make_agent("agent", PT_LOAD, EM_X86_64);
	g_autofree char *cache = below("empty-cache");
	g_autoptr(GError) error = NULL;
	g_autoptr(Appliance) appliance = NULL;

	if (!source.agent)
		source.agent = agent;
	if (!source.cache_dir)
		source.cache_dir = cache;
	appliance = appliance_build_from(&source, &error);
	g_assert_null(appliance);
	assert_like(error, IOGAP_ERROR_FAILED, pattern);
}

/* ---- a program of the host
 * ----------------------------------------------------------------------------- */

static void unpack_archive(const char *path, const char *folder)
{
	struct archive *archive = archive_read_new();
	struct archive_entry *entry;

	archive_read_support_format_cpio(archive);
	g_assert_cmpint(archive_read_open_filename(archive, path, 65536), ==, ARCHIVE_OK);
	while (archive_read_next_header(archive, &entry) == ARCHIVE_OK) {
		g_autofree char *name = g_build_filename(folder, archive_entry_pathname(entry), NULL);

		archive_entry_set_pathname(entry, name);
		g_assert_cmpint(archive_read_extract(archive, entry, ARCHIVE_EXTRACT_PERM), ==, ARCHIVE_OK);
	}
	archive_read_free(archive);
}

/* fio with what it needs lies where it lies on the host, and works from there alone. */
static void test_program(void)
{
	g_autofree char *agent = make_agent("agent", PT_LOAD, EM_X86_64);
	g_autofree char *cache = below("program-cache");
	g_autofree char *root = below("program-root");
	g_autofree char *fio = g_find_program_in_path("fio");
	g_autofree char *out = NULL;
	g_autofree char *host = NULL;
	ApplianceSource source = {.agent = agent, .cache_dir = cache, .programs = "fio"};
	g_autoptr(GError) error = NULL;
	g_autoptr(Appliance) appliance = NULL;
	g_autoptr(Appliance) plain = NULL;
	const char *argv[] = {"chroot", root, fio, "--version", NULL};
	const char *own[] = {fio, "--version", NULL};

	if (!fio) {
		g_test_skip("fio is not installed");
		return;
	}
	appliance = appliance_build_from(&source, &error);
	g_assert_no_error(error);
	source.programs = NULL;
	plain = appliance_build_from(&source, &error);
	g_assert_no_error(error);
	g_assert_cmpstr(plain->initramfs_sha256, !=, appliance->initramfs_sha256);
	if (geteuid() != 0) {
		g_test_skip("only root may chroot");
		return;
	}
	unpack_archive(appliance->initramfs, root);
	g_assert_true(subprocess_run(argv, 60, &out, NULL, NULL, &error));
	g_assert_no_error(error);
	g_assert_true(subprocess_run(own, 60, &host, NULL, NULL, &error));
	g_assert_cmpstr(out, ==, host);
}

static void test_bad_programs(void)
{
	g_autofree char *script = below("script");
	g_autofree char *folder = g_path_get_dirname(script);
	g_autofree char *path = g_strdup(g_getenv("PATH"));

	refuses((ApplianceSource){.programs = "no-such-program"},
		"no-such-program is needed in the guest, but it is not in PATH; install the package "
		"no-such-program");
	g_assert_true(g_file_set_contents(script, "#!/bin/true\n", -1, NULL));
	g_assert_cmpint(chmod(script, 0755), ==, 0);
	g_setenv("PATH", folder, TRUE);
	refuses((ApplianceSource){.programs = "script"}, "*/script cannot be put into the guest: it is no ELF program");
	g_setenv("PATH", path, TRUE);
}

/* ---- this machine's own
 * ----------------------------------------------------------------------------- */

/* Names and contents of the archive, as a listing "mode name size" that can be compared. */
static char *list_archive(const char *path, GHashTable *contents)
{
	struct archive *archive = archive_read_new();
	GString *list = g_string_new(NULL);
	struct archive_entry *entry;

	archive_read_support_format_cpio(archive);
	g_assert_cmpint(archive_read_open_filename(archive, path, 65536), ==, ARCHIVE_OK);
	while (archive_read_next_header(archive, &entry) == ARCHIVE_OK) {
		gsize size = archive_entry_size(entry);
		guint8 *data = g_malloc(size + 1);

		g_assert_cmpint(archive_read_data(archive, data, size), ==, (int)size);
		data[size] = 0;
		g_assert_cmpint(archive_entry_uid(entry), ==, 0);
		g_assert_cmpint(archive_entry_mtime(entry), ==, 0);
		g_string_append_printf(
			list, "%o %s\n", archive_entry_mode(entry), archive_entry_pathname(entry));
		g_hash_table_insert(contents, g_strdup(archive_entry_pathname(entry)), data);
	}
	archive_read_free(archive);
	return g_string_free(list, FALSE);
}

static void test_own_kernel(void)
{
	g_autofree char *agent = make_agent("agent", PT_LOAD, EM_X86_64);
	g_autoptr(GHashTable) contents =
		g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
	g_autoptr(GError) error = NULL;
	g_autofree char *cache = below("cache");
	ApplianceSource source = {.agent = agent, .cache_dir = cache};
	g_autoptr(Appliance) appliance = appliance_build_from(&source, &error);
	g_autofree char *list = NULL;
	g_autoptr(GBytes) vmlinux = NULL;
	const char *modules;

	g_assert_no_error(error);
	g_assert_true(appliance->unpacked);
	g_assert_null(appliance->remark);
	vmlinux = read_file(appliance->boot_file);
	g_assert_true(kernel_has_pvh(g_bytes_get_data(vmlinux, NULL), g_bytes_get_size(vmlinux)));
	g_assert_nonnull(strstr(appliance->kernel_file, appliance->kernel_version));

	list = list_archive(appliance->initramfs, contents);
	g_assert_nonnull(strstr(list, "100755 init\n"));
	g_assert_nonnull(strstr(list, "20600 dev/console\n"));
	modules = g_hash_table_lookup(contents, "modules.list");
	g_assert_nonnull(modules);
	/* Every module of the list is there, uncompressed; what others need comes first. */
	g_auto(GStrv) lines = g_strsplit(modules, "\n", -1);
	for (guint i = 0; lines[i] && *lines[i]; i++) {
		const guint8 *module = g_hash_table_lookup(contents, lines[i] + 1);

		g_assert_nonnull(module);
		g_assert_cmpint(memcmp(module, ELFMAG, SELFMAG), ==, 0);
	}
	g_assert_nonnull(strstr(modules, "-virtio_ring.ko\n"));
	g_assert_true(strstr(modules, "-virtio_ring.ko") < strstr(modules, "-virtio_pci.ko"));
	g_assert_true(strstr(modules, "-scsi_mod.ko") < strstr(modules, "-virtio_scsi.ko"));
	g_assert_true(strstr(modules, "-libata.ko") < strstr(modules, "-ata_piix.ko"));
	g_assert_nonnull(strstr(modules, "-virtio_console.ko\n"));
	g_assert_nonnull(strstr(modules, "-sd_mod.ko\n"));
}

/* The same inputs give the same bytes in another cache; other inputs give other bytes. */
static void test_reproducible(void)
{
	g_autofree char *agent = make_agent("agent", PT_LOAD, EM_X86_64);
	g_autofree char *other = make_agent("other", PT_NULL, EM_X86_64);
	g_autoptr(Appliance) first = build_in("cache", agent);
	g_autoptr(Appliance) again = build_in("second", agent);
	g_autoptr(Appliance) changed = build_in("cache", other);

	g_assert_cmpstr(first->initramfs_sha256, ==, again->initramfs_sha256);
	g_assert_cmpstr(first->initramfs, !=, again->initramfs);
	g_assert_cmpstr(first->initramfs_sha256, !=, changed->initramfs_sha256);
}

static void assert_digest(const char *file, const char *digest)
{
	g_autoptr(GBytes) bytes = read_file(file);
	g_autofree char *actual = g_compute_checksum_for_bytes(G_CHECKSUM_SHA256, bytes);

	g_assert_cmpstr(actual, ==, digest);
}

static char *digest_of(const char *file)
{
	g_autoptr(GBytes) bytes = read_file(file);

	return g_compute_checksum_for_bytes(G_CHECKSUM_SHA256, bytes);
}

/* A cut, a flipped byte, a lost digest: each is seen and made good; what is whole is left alone. */
static void test_damaged_cache(void)
{
	g_autofree char *agent = make_agent("agent", PT_LOAD, EM_X86_64);
	g_autoptr(Appliance) first = build_in("cache", agent);
	g_autofree char *kernel_digest = digest_of(first->boot_file);
	g_autofree char *note = g_strconcat(first->boot_file, ".sha256", NULL);
	struct stat before, after;
	FILE *file;

	g_assert_cmpint(stat(first->initramfs, &before), ==, 0);
	g_assert_cmpint(truncate(first->initramfs, before.st_size / 2), ==, 0);
	file = fopen(first->boot_file, "r+");
	g_assert_nonnull(file);
	fseek(file, 5000, SEEK_SET);
	fputs("damage", file);
	fclose(file);
	appliance_free(build_in("cache", agent));
	assert_digest(first->initramfs, first->initramfs_sha256);
	assert_digest(first->boot_file, kernel_digest);

	g_assert_cmpint(unlink(note), ==, 0);
	appliance_free(build_in("cache", agent));
	g_assert_true(g_file_test(note, G_FILE_TEST_EXISTS));

	g_assert_cmpint(stat(first->boot_file, &before), ==, 0);
	appliance_free(build_in("cache", agent));
	g_assert_cmpint(stat(first->boot_file, &after), ==, 0);
	g_assert_cmpuint(before.st_ino, ==, after.st_ino);
}

/* Four at once into an empty cache: all get the same whole files, and no half-made ones stay
 * behind. */
static void test_concurrent(void)
{
	g_autofree char *agent = make_agent("agent", PT_LOAD, EM_X86_64);
	g_autofree char *kernels = below("cache/kernels");
	g_autoptr(Kernel) own = own_kernel();
	g_autoptr(Appliance) appliance = NULL;
	g_autoptr(GDir) dir = NULL;
	pid_t children[4];
	guint files = 0;

	place_kernel("vmlinuz", own->version);
	for (guint i = 0; i < G_N_ELEMENTS(children); i++) {
		children[i] = fork();
		g_assert_cmpint(children[i], >=, 0);
		if (!children[i])
			_exit(build_in("cache", agent) ? 0 : 1);
	}
	for (guint i = 0; i < G_N_ELEMENTS(children); i++) {
		int status;

		g_assert_cmpint(waitpid(children[i], &status, 0), ==, children[i]);
		g_assert_cmpint(status, ==, 0);
	}
	appliance = build_in("cache", agent);
	assert_digest(appliance->initramfs, appliance->initramfs_sha256);
	dir = g_dir_open(kernels, 0, NULL);
	while (g_dir_read_name(dir))
		files++;
	g_assert_cmpuint(files, ==, 2);
}

static void test_none_found(void)
{
	g_autofree char *boot = below("boot");
	g_autofree char *modules = below("modules");
	g_autofree char *junk = below("boot/vmlinuz-1");
	ApplianceSource source = {.boot_dir = boot, .modules_dir = modules};

	refuses(source,
		"no kernel for the guest: neither */boot/vmlinuz-? nor *apt-get install*kernel:*");
	write_file(junk, "no kernel", 9);
	place_kernel("boot/vmlinuz-7.0.0", "7.0.0");
	refuses(source, "no usable kernel for the guest; *vmlinuz-1 is not an x86 kernel image*; "
			"*vmlinuz-7.0.0: its modules folder *7.0.0 is missing");
}

static void test_bad_kernel(void)
{
	g_autofree char *damaged = below("damaged");
	g_autofree char *text = below("text");
	g_autofree char *gone = below("gone");
	g_autoptr(Kernel) own = own_kernel();
	g_autoptr(GBytes) whole = read_file(own->file);

	write_file(text, "hello", 5);
	write_file(damaged, g_bytes_get_data(whole, NULL), g_bytes_get_size(whole) / 2);
	refuses((ApplianceSource){.kernel = text},
		"*/text is not an x86 kernel image (bzImage); *kernel:");
	refuses((ApplianceSource){.kernel = gone},
		"cannot read the kernel */gone: No such file*kernel:");
	refuses((ApplianceSource){.kernel = top}, "cannot read the kernel *: Is a directory*");
	refuses((ApplianceSource){.kernel = damaged},
		"the kernel */damaged is damaged: *install it anew");
}

static void test_no_modules(void)
{
	g_autofree char *modules = below("modules");
	g_autofree char *kernel = below("vmlinuz");
	ApplianceSource source = {.kernel = kernel, .modules_dir = modules};

	place_kernel("vmlinuz", "6.1.0-test");
	refuses(source,
		"kernel 6.1.0-test has no modules: */modules/6.1.0-test is missing; *kernel:");
	place_folder("modules/6.1.0-test");
	refuses(source, "the modules of kernel 6.1.0-test have no index: *modules.dep.bin is "
			"missing; run as root: depmod 6.1.0-test");
}

/* What `make modules_install INSTALL_MOD_PATH=.` leaves beside a kernel, and an unpacked package one folder up. */
static void test_own_modules(void)
{
	static const char *const kernels[] = {"arm/bzImage", "package/boot/vmlinuz-6.1.0-test"};
	static const char *const roots[] = {"arm", "package"};

	for (guint i = 0; i < G_N_ELEMENTS(kernels); i++) {
		g_autofree char *kernel = below(kernels[i]);
		g_autofree char *root = below(roots[i]);
		g_autofree char *modules = g_strconcat(roots[i], "/lib/modules/6.1.0-test", NULL);
		g_autofree char *message = g_strdup_printf("the modules of kernel 6.1.0-test have no index: %s/lib/modules/6.1.0-test/"
							   "modules.dep.bin is missing; run as root: depmod -b %s 6.1.0-test", root, root);

		place_kernel(kernels[i], "6.1.0-test");
		refuses((ApplianceSource){.kernel = kernel},
			"kernel 6.1.0-test has no modules: /lib/modules/6.1.0-test is missing; *kernel:");
		place_folder(modules);
		refuses((ApplianceSource){.kernel = kernel}, message);
	}
}

/* ---- agents and the cache
 * ------------------------------------------------------------------------------ */

static void test_bad_agent(void)
{
	g_autofree char *dynamic = make_agent("dynamic", PT_INTERP, EM_X86_64);
	g_autofree char *foreign = make_agent("foreign", PT_LOAD, EM_AARCH64);
	g_autofree char *cut = make_agent("cut", PT_LOAD, EM_X86_64);
	g_autofree char *text = below("script");
	g_autofree char *gone = below("gone");

	write_file(text, "#!/bin/sh\n", 10);
	g_assert_cmpint(truncate(cut, 100), ==, 0);
	refuses((ApplianceSource){.agent = dynamic},
		"*/dynamic cannot be *: it is not linked statically; *IOGAP_AGENT");
	refuses((ApplianceSource){.agent = foreign},
		"*/foreign cannot be *: it is no program for 64-bit x86; *");
	refuses((ApplianceSource){.agent = cut}, "*/cut cannot be *: it is cut short; *");
	refuses((ApplianceSource){.agent = text}, "*/script cannot be *: it is no ELF program; *");
	refuses((ApplianceSource){.agent = gone},
		"*/gone cannot be *: *No such file*; build it with make, or set IOGAP_AGENT");
}

static void test_bad_cache(void)
{
	g_autofree char *file = below("file");
	g_autofree char *inside = below("file/cache");

	write_file(file, "", 0);
	refuses((ApplianceSource){.cache_dir = inside},
		"cannot create the folder */file/cache/initramfs: *");
}

int main(int argc, char **argv)
{
	static const FolderTest rows[] = {
		{"/appliance/own-kernel", test_own_kernel},
		{"/appliance/reproducible", test_reproducible},
		{"/appliance/damaged-cache", test_damaged_cache},
		{"/appliance/concurrent", test_concurrent},
		{"/appliance/none-found", test_none_found},
		{"/appliance/bad-kernel", test_bad_kernel},
		{"/appliance/no-modules", test_no_modules},
		{"/appliance/own-modules", test_own_modules},
		{"/appliance/bad-agent", test_bad_agent},
		{"/appliance/bad-cache", test_bad_cache},
		{"/appliance/program", test_program},
		{"/appliance/bad-programs", test_bad_programs},
	};

	g_test_init(&argc, &argv, NULL);
	return folder_tests_run(rows, G_N_ELEMENTS(rows));
}
