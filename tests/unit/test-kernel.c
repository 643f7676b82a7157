/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kernels in every form of compression, which one is the newest, and modules as other distributions
 * ship them.
 */
#include <sys/wait.h>
#include <unistd.h>

#include "harness/side/guest/modules.h"
#include "harness/side/guest/unpack.h"
#include "tests/unit/appliance-fixture.h"

/* ---- forms
 * ------------------------------------------------------------------------------------------ */

static void test_forms(void)
{
	static const int filters[] = {ARCHIVE_FILTER_GZIP, ARCHIVE_FILTER_XZ, ARCHIVE_FILTER_LZMA,
		ARCHIVE_FILTER_BZIP2, ARCHIVE_FILTER_LZ4, ARCHIVE_FILTER_ZSTD};
	g_autoptr(GBytes) vmlinux = make_vmlinux(18);

	for (guint i = 0; i < G_N_ELEMENTS(filters); i++) {
		g_autoptr(GBytes) image = make_kernel("6.1.0-test", vmlinux, filters[i]);
		g_autoptr(GError) error = NULL;
		g_autoptr(GBytes) inner = kernel_unpack(
			g_bytes_get_data(image, NULL), g_bytes_get_size(image), "k", &error);

		g_assert_no_error(error);
		g_assert_true(g_bytes_equal(inner, vmlinux));
	}
}

static void cannot_unpack(GBytes *image, gsize size, IogapError code, const char *pattern)
{
	g_autoptr(GError) error = NULL;

	g_assert_null(kernel_unpack(g_bytes_get_data(image, NULL), size, "k", &error));
	assert_like(error, code, pattern);
}

static void test_forms_refused(void)
{
	g_autoptr(GBytes) vmlinux = make_vmlinux(18);
	g_autoptr(GBytes) other_note = make_vmlinux(17);
	g_autoptr(GBytes) good = make_kernel("6.1.0-test", vmlinux, ARCHIVE_FILTER_XZ);
	g_autoptr(GBytes) no_pvh = make_kernel("6.1.0-test", other_note, ARCHIVE_FILTER_XZ);
	g_autoptr(GBytes) lzo =
		make_bzimage("6.1.0-test", (const guint8 *)"\x89LZO\0\r\n\x1a\n0123456789", 19);
	g_autoptr(GByteArray) lying = pack(vmlinux, ARCHIVE_FILTER_ZSTD);
	g_autoptr(GBytes) lies = NULL;
	gsize size = g_bytes_get_size(good);

	g_byte_array_append(lying, (const guint8 *)"\1\2\3\4", 4);
	lies = make_bzimage("6.1.0-test", lying->data, lying->len);
	cannot_unpack(no_pvh, g_bytes_get_size(no_pvh), IOGAP_ERROR_UNSUPPORTED,
		"k is booted as it is: *no PVH*");
	cannot_unpack(lzo, g_bytes_get_size(lzo), IOGAP_ERROR_UNSUPPORTED,
		"k is booted as it is: *no known*");
	cannot_unpack(lies, g_bytes_get_size(lies), IOGAP_ERROR_UNSUPPORTED,
		"*another size than it says");
	cannot_unpack(good, size - 10, IOGAP_ERROR_FAILED, "the kernel k is damaged: *shorter*");
	cannot_unpack(good, 600, IOGAP_ERROR_FAILED, "the kernel k is damaged: *shorter*");
	cannot_unpack(vmlinux, g_bytes_get_size(vmlinux), IOGAP_ERROR_UNSUPPORTED, "*no bzImage*");
}

/* ---- finding kernels
 * ---------------------------------------------------------------------------------- */

static void assert_finds(const char *file, const char *version)
{
	g_autofree char *boot = below("boot");
	g_autofree char *modules = below("modules");
	g_autofree char *expected = below(file);
	g_autoptr(GError) error = NULL;
	g_autoptr(Kernel) kernel = kernel_find(boot, modules, &error);

	g_assert_no_error(error);
	g_assert_cmpstr(kernel->file, ==, expected);
	g_assert_cmpstr(kernel->version, ==, version);
}

/* By version, not by name or by letters; without modules or without sense a kernel does not count.
 */
static void test_newest(void)
{
	g_autofree char *junk = below("boot/vmlinuz-9.9.9-junk");

	place_kernel("boot/vmlinuz-6.1.0-9-amd64", "6.1.0-9-amd64");
	place_folder("modules/6.1.0-9-amd64");
	assert_finds("boot/vmlinuz-6.1.0-9-amd64", "6.1.0-9-amd64");
	place_kernel("boot/vmlinuz-6.1.0-57-amd64", "6.1.0-57-amd64");
	place_folder("modules/6.1.0-57-amd64");
	assert_finds("boot/vmlinuz-6.1.0-57-amd64", "6.1.0-57-amd64");
	place_kernel("boot/vmlinuz-7.0.0", "7.0.0");
	write_file(junk, "no kernel", 9);
	assert_finds("boot/vmlinuz-6.1.0-57-amd64", "6.1.0-57-amd64");
	place_kernel("modules/6.10.2-200.fc40/vmlinuz", "6.10.2-200.fc40");
	assert_finds("modules/6.10.2-200.fc40/vmlinuz", "6.10.2-200.fc40");
	place_kernel("boot/vmlinuz-0-rescue-abc", "6.11.0");
	place_folder("modules/6.11.0");
	assert_finds("boot/vmlinuz-0-rescue-abc", "6.11.0");
}

/* Root reads everything, so the child gives that up; what it says comes back through a file. */
static void test_unreadable(void)
{
	g_autofree char *file = below("vmlinuz");
	g_autofree char *said = below("said");
	g_autofree char *text = NULL;
	g_autofree char *pattern = g_strdup_printf(
		"the kernel %s cannot be read by this user: *chmod a+r %s, or *kernel:", file,
		file);
	pid_t child;
	int status;

	place_kernel("vmlinuz", "6.1.0-57-amd64");
	g_assert_cmpint(chmod(top, 0777), ==, 0);
	g_assert_cmpint(chmod(file, 0600), ==, 0);
	child = fork();
	g_assert_cmpint(child, >=, 0);
	if (!child) {
		g_autoptr(GError) error = NULL;

		/* An ordinary user takes the right from itself instead. */
		if (geteuid() ? chmod(file, 0) : setuid(65534))
			_exit(2);
		if (kernel_open(file, &error) || !error)
			_exit(3);
		_exit(g_file_set_contents(said, error->message, -1, NULL) ? 0 : 4);
	}
	g_assert_cmpint(waitpid(child, &status, 0), ==, child);
	g_assert_cmpint(status, ==, 0);
	g_assert_true(g_file_get_contents(said, &text, NULL, NULL));
	if (!g_pattern_match_simple(pattern, text))
		g_error("\"%s\" does not look like \"%s\"", text, pattern);
}

/* ---- modules
 * ------------------------------------------------------------------------------------------ */

/* Copies the module FILE below the tree of VERSION, packed by FILTER. */
static void place_module(const char *version, const char *file, int filter, const char *suffix)
{
	g_autofree char *base = g_path_get_basename(file);
	g_autofree char *where =
		g_strdup_printf("lib/modules/%s/kernel/%s%s", version, base, suffix);
	g_autofree char *path = below(where);
	g_autoptr(GBytes) content = unpack_module(file, NULL);
	g_autoptr(GByteArray) packed = pack(content, filter);

	write_file(path, packed->data, packed->len);
}

static void depmod(const char *version)
{
	g_autofree char *order = g_strdup_printf("%s/lib/modules/%s/modules.order", top, version);
	g_autofree char *builtin =
		g_strdup_printf("%s/lib/modules/%s/modules.builtin", top, version);
	const char *const argv[] = {"/usr/sbin/depmod", "-b", top, version, NULL};

	write_file(order, "", 0);
	write_file(builtin, "kernel/drivers/built_here.ko\n", 29);
	run_tool(argv);
}

/* A tree of xz and zstd modules, as distributions ship them, gives the same archive as Debian's
 * plain ones. */
static void test_packed_modules(void)
{
	static const ModuleWanted wanted[] = {{"virtio_blk", FALSE, "disks"},
		{"virtio_scsi", FALSE, "disks"}, {"built_here", FALSE, "nothing"},
		{"never_heard_of", TRUE, "nothing"}, {NULL}};
	static const ModuleWanted wrong[] = {
		{"virtio_blk", FALSE, "disks"}, {"ata_piix", FALSE, "IDE disks"}, {NULL}};
	g_autoptr(Kernel) own = own_kernel();
	g_autoptr(GPtrArray) plain = modules_resolve("/lib/modules", own->version,
		(ModuleWanted[]){
			{"virtio_blk", FALSE, "disks"}, {"virtio_scsi", FALSE, "disks"}, {NULL}},
		NULL);
	g_autofree char *tree = below("lib/modules");
	g_autoptr(GError) error = NULL;
	g_autoptr(GPtrArray) packed = NULL;

	g_assert_nonnull(plain);
	for (guint i = 0; i < plain->len; i++)
		place_module("9.0", plain->pdata[i],
			i % 2 ? ARCHIVE_FILTER_XZ : ARCHIVE_FILTER_ZSTD, i % 2 ? ".xz" : ".zst");
	depmod("9.0");
	packed = modules_resolve(tree, "9.0", wanted, &error);
	g_assert_no_error(error);
	g_assert_cmpuint(packed->len, ==, plain->len);
	for (guint i = 0; i < plain->len; i++) {
		g_autoptr(GBytes) a = unpack_module(plain->pdata[i], NULL);
		g_autoptr(GBytes) b = unpack_module(packed->pdata[i], &error);

		g_assert_no_error(error);
		g_assert_true(g_bytes_equal(a, b));
	}
	g_assert_null(modules_resolve(tree, "9.0", wrong, &error));
	assert_like(error, IOGAP_ERROR_FAILED,
		"kernel 9.0 has no ata_piix (IDE disks): neither built in nor below *kernel:");
}

/* btrfs declares its checksums as soft dependencies: those that are modules come before it. */
static void test_soft_dependencies(void)
{
	g_autoptr(Kernel) own = own_kernel();
	g_autoptr(GError) error = NULL;
	g_autoptr(GPtrArray) paths = modules_resolve("/lib/modules", own->version,
		(ModuleWanted[]){{"btrfs", FALSE, "a test"}, {NULL}}, &error);
	int blake = -1, btrfs = -1;

	g_assert_no_error(error);
	for (guint i = 0; i < paths->len; i++) {
		if (strstr(paths->pdata[i], "/blake2b_generic.ko"))
			blake = i;
		if (strstr(paths->pdata[i], "/btrfs.ko"))
			btrfs = i;
	}
	g_assert_cmpint(blake, >=, 0);
	g_assert_cmpint(blake, <, btrfs);
}

static void test_damaged_module(void)
{
	g_autofree char *packed = below("x.ko.xz");
	g_autofree char *gone = below("gone.ko");
	g_autoptr(GError) error = NULL;
	g_autoptr(GError) missing = NULL;
	g_autoptr(GBytes) content = make_vmlinux(18);
	g_autoptr(GByteArray) stream = pack(content, ARCHIVE_FILTER_XZ);

	write_file(packed, stream->data, stream->len / 2);
	g_assert_null(unpack_module(packed, &error));
	assert_like(error, IOGAP_ERROR_FAILED, "cannot unpack */x.ko.xz: *");
	g_assert_null(unpack_module(gone, &missing));
	assert_like(missing, IOGAP_ERROR_FAILED, "cannot read a kernel module: *gone.ko*");
}

int main(int argc, char **argv)
{
	static const FolderTest rows[] = {
		{"/kernel/forms", test_forms},
		{"/kernel/forms-refused", test_forms_refused},
		{"/kernel/newest", test_newest},
		{"/kernel/unreadable", test_unreadable},
		{"/kernel/packed-modules", test_packed_modules},
		{"/kernel/soft-dependencies", test_soft_dependencies},
		{"/kernel/damaged-module", test_damaged_module},
	};

	g_test_init(&argc, &argv, NULL);
	return folder_tests_run(rows, G_N_ELEMENTS(rows));
}
