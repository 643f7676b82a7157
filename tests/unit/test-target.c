/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Targets of every type, on real files, tmpfs and block devices; each refusal with its message and with nothing left. */
#include <fcntl.h>
#include <glib/gstdio.h>
#include <grp.h>
#include <jansson.h>
#include <linux/fs.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/swap.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/base/error.h"
#include "harness/base/subprocess.h"
#include "harness/profile/profile.h"
#include "tests/unit/target-fixture.h"

static void test_file(Fixture *f, gconstpointer data)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(Record) facts = record_new();
	Target *target = target_open(&f->spec, &f->keeper, &error);
	struct stat st;

	g_assert_no_error(error);
	g_assert_cmpint(stat(target_path(target), &st), ==, 0);
	g_assert_true(S_ISREG(st.st_mode));
	g_assert_cmpint(st.st_mode & 07777, ==, 0600);
	g_assert_cmpint(st.st_size, ==, 4 * MIB);
	g_assert_cmpint(st.st_blocks * 512, >=, 4 * MIB); /* reserved */
	g_assert_false(target_is_block(target));
	g_assert_cmpuint(target_size(target), ==, 4 * MIB);
	g_assert_cmpuint(f->keeper.list->len, ==, 1);
	target_facts(target, facts);
	g_assert_cmpstr(record_get_text(facts, "target_type"), ==, "file");
	g_assert_cmpint(record_get_int(facts, "target_size", 0), ==, 4 * MIB);
	g_assert_nonnull(record_get_text(facts, "filesystem"));
	g_assert_true(record_has(facts, "direct"));
	g_assert_cmpuint(entries(f->dir), ==, 1);
	target_close(target);
	g_assert_cmpuint(entries(f->dir), ==, 0);
}

static void test_default_folder(Fixture *f, gconstpointer data)
{
	g_autofree char *deep = g_build_filename(f->dir, "results", "data", NULL);
	g_autoptr(GError) error = NULL;
	Target *target;

	f->spec.path = NULL;
	f->spec.folder = deep;
	g_assert_true(target_check(&f->spec, NULL, &error));
	g_assert_cmpuint(entries(f->dir), ==, 0);
	target = target_open(&f->spec, &f->keeper, &error);
	g_assert_no_error(error);
	g_assert_true(g_str_has_prefix(target_path(target), deep));
	g_assert_cmpuint(f->keeper.list->len, ==, 3);
	target_close(target);
}

static void test_existing_file(Fixture *f, gconstpointer data)
{
	g_autofree char *mine = g_build_filename(f->dir, "precious", NULL);
	g_autofree char *text = NULL;

	g_assert_true(g_file_set_contents(mine, "precious", -1, NULL));
	f->spec.path = mine;
	refused(f, IOGAP_ERROR_FAILED, "exists already and is never overwritten");
	g_assert_true(g_file_get_contents(mine, &text, NULL, NULL));
	g_assert_cmpstr(text, ==, "precious");
	g_assert_true(g_file_set_contents(mine, "", 0, NULL));
	refused(f, IOGAP_ERROR_FAILED, "exists already and is never overwritten");
	g_unlink(mine);
}

static void test_same_name(Fixture *f, gconstpointer data)
{
	g_autoptr(GError) error = NULL;
	Target *first;

	f->spec.name = "a b";
	first = target_open(&f->spec, &f->keeper, &error);
	g_assert_no_error(error);
	f->spec.name = "a_b"; /* becomes the same file name */
	g_assert_null(target_open(&f->spec, &f->keeper, &error));
	g_assert_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED);
	g_assert_nonnull(strstr(error->message, "File exists"));
	g_assert_true(g_file_test(target_path(first), G_FILE_TEST_EXISTS));
	target_close(first);
}

static void test_bad_paths(Fixture *f, gconstpointer data)
{
	f->spec.path = "/nonexistent/folder";
	refused(f, IOGAP_ERROR_FAILED, "there is no folder /nonexistent/folder");
	f->spec.path = "/dev/null";
	refused(f, IOGAP_ERROR_FAILED, "/dev/null is not a folder");
	f->spec.path = f->spec.folder = NULL;
	refused(f, IOGAP_ERROR_USAGE, "neither a path nor a default folder");
}

static void test_bad_sizes(Fixture *f, gconstpointer data)
{
	f->spec.size = 4096;
	refused(f, IOGAP_ERROR_USAGE, "at least 1M");
	f->spec.size = 0;
	refused(f, IOGAP_ERROR_USAGE, "at least 1M");
	f->spec.size = MIB + 512;
	refused(f, IOGAP_ERROR_USAGE, "multiple of 4096");
	f->spec.size = G_GUINT64_CONSTANT(1) << 50;
	refused(f, IOGAP_ERROR_FAILED, "no space for 1.0 PiB");
	f->spec.size = G_MAXUINT64 / 4096 * 4096;
	refused(f, IOGAP_ERROR_USAGE, "beyond what a file can have");
	f->spec.size = MIB;
	f->spec.type = "floppy";
	refused(f, IOGAP_ERROR_USAGE, "no type \"floppy\"");
}

/* Runs BODY in a child, which must end with exit status 0. */
static void in_child(Fixture *f, void (*body)(Fixture *f))
{
	pid_t pid = fork();
	int status = 0;

	if (pid == 0) {
		body(f);
		_exit(0);
	}
	g_assert_cmpint(waitpid(pid, &status, 0), ==, pid);
	g_assert_true(WIFEXITED(status));
	g_assert_cmpint(WEXITSTATUS(status), ==, 0);
}

static void become_nobody(void)
{
	g_assert_cmpint(setgroups(0, NULL), ==, 0);
	g_assert_cmpint(setresgid(NOBODY, NOBODY, NOBODY), ==, 0);
	g_assert_cmpint(setresuid(NOBODY, NOBODY, NOBODY), ==, 0);
}

static void body_folder(Fixture *f)
{
	become_nobody();
	refused(f, IOGAP_ERROR_FAILED, "may not write to the folder");
}

static void body_parent(Fixture *f)
{
	become_nobody();
	refused(f, IOGAP_ERROR_FAILED, "may not pass through the parent folder");
}

static void body_user(Fixture *f)
{
	g_autoptr(GError) error = NULL;
	Target *target;

	become_nobody();
	target = target_open(&f->spec, &f->keeper, &error);
	g_assert_no_error(error);
	target_close(target);
}

static void body_user_loop(Fixture *f)
{
	become_nobody();
	f->spec.type = "loop";
	f->spec.filesystem = "ext4";
	refused(f, IOGAP_ERROR_UNSUPPORTED, "this user may not mount a loop device");
}

static void test_no_permission(Fixture *f, gconstpointer data)
{
	g_autofree char *inner = g_build_filename(f->dir, "inner", NULL);

	if (!root_only())
		return;
	g_assert_cmpint(chmod(f->dir, 0755), ==, 0);
	in_child(f, body_folder);
	g_assert_cmpint(mkdir(inner, 0777), ==, 0);
	g_assert_cmpint(chmod(inner, 0777), ==, 0);
	f->spec.path = inner;
	in_child(f, body_user);
	g_assert_cmpint(chmod(f->dir, 0700), ==, 0);
	in_child(f, body_parent);
	g_assert_cmpint(chmod(f->dir, 0777), ==, 0);
	f->spec.path = f->dir;
	if (g_file_test("/dev/loop-control", G_FILE_TEST_EXISTS))
		in_child(f, body_user_loop);
	g_assert_cmpint(g_rmdir(inner), ==, 0);
}

static void test_read_only(Fixture *f, gconstpointer data)
{
	if (!root_only())
		return;
	if (mount("tmpfs", f->dir, "tmpfs", MS_RDONLY, "size=64m") < 0) {
		g_test_skip("mounting is not permitted here");
		return;
	}
	refused(f, IOGAP_ERROR_FAILED, "mounted read-only");
	g_assert_cmpint(umount(f->dir), ==, 0);
}

static void body_limit(Fixture *f)
{
	const struct rlimit limit = {MIB, MIB};
	g_autoptr(GError) error = NULL;

	signal(SIGXFSZ, SIG_IGN);
	g_assert_cmpint(setrlimit(RLIMIT_FSIZE, &limit), ==, 0);
	g_assert_null(target_open(&f->spec, &f->keeper, &error));
	g_assert_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED);
	g_assert_nonnull(strstr(error->message, "cannot reserve 4194304 bytes"));
	g_assert_cmpuint(f->keeper.list->len, ==, 0);
}

/* The space check passed and the reservation fails all the same. */
static void test_late_failure(Fixture *f, gconstpointer data)
{
	in_child(f, body_limit);
	g_assert_cmpuint(entries(f->dir), ==, 0);
}

static void test_tmpfs(Fixture *f, gconstpointer data)
{
	g_autofree char *filesystem = target_filesystem("/dev/shm");
	g_autofree char *here = target_filesystem(f->dir);
	g_autoptr(GError) error = NULL;
	g_autoptr(Record) facts = record_new();
	Target *target;

	f->spec.type = "tmpfs";
	if (g_strcmp0(here, "tmpfs") != 0)
		refused(f, IOGAP_ERROR_FAILED, "not on a tmpfs");
	f->spec.path = NULL;
	if (g_strcmp0(filesystem, "tmpfs") != 0 && geteuid() != 0) {
		g_test_skip("/dev/shm is no tmpfs");
		return;
	}
	target = target_open(&f->spec, &f->keeper, &error);
	g_assert_no_error(error);
	target_facts(target, facts);
	g_assert_cmpstr(record_get_text(facts, "filesystem"), ==, "tmpfs");
	g_assert_cmpint(record_get_int(facts, "memory", 0), ==, 1);
	g_assert_nonnull(record_get_text(facts, "direct_reason"));
	target_close(target);
}

static const TargetQcow2 plain_form = {.cluster_size = 65536, .preallocation = "off"};

static json_t *image_info(const char *image)
{
	const char *argv[] = {"qemu-img", "info", "--backing-chain", "--output=json", image, NULL};
	g_autofree char *out = NULL;
	g_autoptr(GError) error = NULL;
	json_t *info;

	subprocess_run(argv, 60, &out, NULL, NULL, &error);
	g_assert_no_error(error);
	info = json_loads(out, 0, NULL);
	g_assert_true(json_is_array(info));
	return info;
}

/* Makes image NUMBER of TARGET in FORM and holds it to that, to the last byte of its content. */
static const char *form_made(Target *target, guint number, const TargetQcow2 *form)
{
	g_autoptr(GError) error = NULL;
	const char *image = target_qcow2(target, number, form, &error);
	const char *argv[] = {"qemu-img", "compare", "-f", "raw", "-F", "qcow2", target_path(target), image, NULL};
	const json_t *upper, *data;
	json_t *chain;

	g_assert_no_error(error);
	subprocess_run(argv, 60, NULL, NULL, NULL, &error);
	g_assert_no_error(error);
	chain = image_info(image);
	g_assert_cmpuint(json_array_size(chain), ==, form->backing + 1);
	upper = json_array_get(chain, 0);
	data = json_object_get(json_object_get(upper, "format-specific"), "data");
	g_assert_cmpint(json_integer_value(json_object_get(upper, "cluster-size")), ==, form->cluster_size);
	g_assert_cmpint(json_integer_value(json_object_get(upper, "virtual-size")), ==, (gint64)target_size(target));
	g_assert_cmpint(json_is_true(json_object_get(data, "extended-l2")), ==, form->extended_l2);
	json_decref(chain);
	return image;
}

static guint64 kept_bytes(const char *file)
{
	struct stat st;

	g_assert_cmpint(stat(file, &st), ==, 0);
	return (guint64)st.st_blocks * 512;
}

static void test_qcow2_forms(Fixture *f, gconstpointer data)
{
	static const TargetQcow2 forms[] = {
		{.cluster_size = 512, .preallocation = "metadata"},
		{.cluster_size = 2 << 20, .preallocation = "falloc"},
		{.cluster_size = 16384, .preallocation = "full", .extended_l2 = TRUE},
		{.cluster_size = 65536, .preallocation = "off", .backing = 1},
		{.cluster_size = 4096, .preallocation = "off", .backing = 3},
		{.cluster_size = 65536, .preallocation = "falloc", .backing = 2, .extended_l2 = TRUE},
	};
	g_autoptr(GError) error = NULL;
	g_autofree char *stem = NULL;
	g_autofree char *below = NULL;
	g_autofree char *content = g_malloc(4 * MIB);
	const char *image;
	Target *target = target_open(&f->spec, &f->keeper, &error);

	g_assert_no_error(error);
	for (guint i = 0; i < 4 * MIB; i++)
		content[i] = (char)(i * 2654435761u >> 24);
	g_assert_true(g_file_set_contents_full(target_path(target), content, 4 * MIB, G_FILE_SET_CONTENTS_NONE, 0600, NULL));
	for (guint i = 0; i < G_N_ELEMENTS(forms); i++) {
		image = form_made(target, i, &forms[i]);
		/* The data are in the lowest image, and what is above it has none, unless its space was reserved. */
		if (forms[i].backing && !g_str_equal(forms[i].preallocation, "off"))
			g_assert_cmpuint(kept_bytes(image), >=, 4 * MIB);
		else if (forms[i].backing)
			g_assert_cmpuint(kept_bytes(image), <, MIB);
		else
			g_assert_cmpuint(kept_bytes(image), >=, 4 * MIB);
	}
	g_assert_true(g_str_has_suffix(image, ".5.qcow2"));
	stem = g_strndup(image, strlen(image) - strlen(".qcow2"));
	below = g_strconcat(stem, "-2.qcow2", NULL);
	g_assert_true(g_file_test(below, G_FILE_TEST_EXISTS));
	target_close(target);
	g_assert_false(g_file_test(below, G_FILE_TEST_EXISTS));
}

/* What plan/ refuses, QEMU refuses too, and then the error names the target and the image, and nothing is left. */
static void test_qcow2_refused(Fixture *f, gconstpointer data)
{
	static const struct {
		TargetQcow2 form;
		const char *why;
	} rows[] = {
		{{.cluster_size = 8192, .preallocation = "off", .extended_l2 = TRUE}, "at least 16384 bytes"},
		{{.cluster_size = 65536, .preallocation = "metadata", .backing = 1}, "only be used at the same time if extended_l2 is on"},
		{{.cluster_size = 12288, .preallocation = "off"}, "power of two"},
	};
	g_autoptr(GError) error = NULL;
	Target *target = target_open(&f->spec, &f->keeper, &error);
	g_autofree char *stem = NULL;
	g_autofree char *below = NULL;

	g_assert_no_error(error);
	for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
		g_autofree char *image = g_strdup_printf("%u.qcow2", i);

		g_assert_null(target_qcow2(target, i, &rows[i].form, &error));
		g_test_message("%s", error->message);
		g_assert_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED);
		g_assert_nonnull(strstr(error->message, rows[i].why));
		g_assert_nonnull(strstr(error->message, "target scratch: its image "));
		g_assert_nonnull(strstr(error->message, image));
		g_clear_error(&error);
	}
	stem = g_strndup(target_path(target), strlen(target_path(target)) - strlen(".raw"));
	below = g_strconcat(stem, ".1-1.qcow2", NULL);
	g_assert_true(g_file_test(below, G_FILE_TEST_EXISTS));
	target_close(target);
	g_assert_false(g_file_test(below, G_FILE_TEST_EXISTS));
}

static void test_qcow2(Fixture *f, gconstpointer data)
{
	g_autoptr(GError) error = NULL;
	g_autofree char *program = g_find_program_in_path("qemu-img");
	g_autofree char *copy = NULL;
	const char *image;
	Target *target;

	if (!program) {
		g_test_skip("qemu-img is missing");
		return;
	}
	target = target_open(&f->spec, &f->keeper, &error);
	g_assert_no_error(error);
	g_assert_true(g_file_set_contents_full(target_path(target), "content", -1, G_FILE_SET_CONTENTS_NONE, 0600, NULL));
	g_assert_cmpint(truncate(target_path(target), 4 * MIB), ==, 0);
	image = target_qcow2(target, 0, &plain_form, &error);
	g_assert_no_error(error);
	g_assert_true(target_qcow2(target, 0, &plain_form, &error) == image);
	g_assert_cmpstr(target_qcow2(target, 1, &plain_form, &error), !=, image);
	g_assert_no_error(error);
	{
		const char *argv[] = {"qemu-img", "compare", "-f", "raw", "-F", "qcow2", target_path(target), image, NULL};

		g_assert_true(subprocess_run(argv, 60, NULL, NULL, NULL, &error));
	}
	copy = g_strdup(image);
	target_close(target);
	g_assert_false(g_file_test(copy, G_FILE_TEST_EXISTS));
}

static void test_block_refusals(Fixture *f, gconstpointer data)
{
	f->spec.type = "block";
	f->spec.path = NULL;
	refused(f, IOGAP_ERROR_USAGE, "needs a path");
	f->spec.path = "/dev/there-is-none";
	refused(f, IOGAP_ERROR_FAILED, "there is no device /dev/there-is-none");
	f->spec.path = "/dev/null";
	refused(f, IOGAP_ERROR_FAILED, "would be overwritten; if that is wanted, say so with " TARGET_CONSENT_OPTION "=/dev/null");
	f->spec.consent = TRUE;
	refused(f, IOGAP_ERROR_FAILED, "/dev/null is not a block device");
}

static void wipe(const char *device)
{
	g_autofree char *zeros = g_malloc0(MIB);
	int fd = open(device, O_WRONLY | O_CLOEXEC);

	for (int i = 0; i < 16; i++)
		g_assert_cmpint(pwrite(fd, zeros, MIB, (off_t)i * MIB), ==, MIB);
	g_assert_cmpint(fsync(fd), ==, 0);
	close(fd);
}

/* refused() expects an idle keeper; here the device itself stands in the list. */
static void block_refused(Fixture *f, const char *text)
{
	g_autoptr(GError) error = NULL;

	g_assert_null(target_open(&f->spec, NULL, &error));
	g_assert_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED);
	g_test_message("%s", error->message);
	if (!strstr(error->message, text))
		g_error("\"%s\" is not in \"%s\"", text, error->message);
}

static void test_block(Fixture *f, gconstpointer data)
{
	/* One DOS partition entry and the mark at the sector's end. */
	static const guint8 dos[66] = {0, 0, 2, 0, 0x83, 0, 3, 0, 1, 0, 0, 0, 0, 0x40, 0, 0, [64] = 0x55, 0xaa};
	g_autoptr(GError) error = NULL;
	g_autoptr(Record) facts = record_new();
	g_autofree char *mountpoint = g_build_filename(f->dir, "mnt", NULL);
	Target *loop, *target;
	const char *device;
	int fd;

	if (!root_only() || !loops_work())
		return;
	loop = loop_device(f);
	device = target_path(loop);
	f->spec.type = "block";
	f->spec.path = device;
	block_refused(f, "would be overwritten");
	f->spec.consent = TRUE;
	f->spec.size = 32 * MIB;
	block_refused(f, "is too small: it has 16.0 MiB, the target asks for 32.0 MiB");

	f->spec.size = 0;
	fd = open(device, O_RDWR | O_EXCL | O_CLOEXEC);
	block_refused(f, "in use");
	g_assert_cmpint(pwrite(fd, dos, sizeof(dos), 446), ==, sizeof(dos));
	close(fd);
	block_refused(f, "has a partition table (dos)");
	wipe(device);
	g_assert_true(target_loop_mkfs(device, "ext4", NULL, &error));
	block_refused(f, "holds a signature (ext4)");
	g_assert_cmpint(mkdir(mountpoint, 0700), ==, 0);
	g_assert_cmpint(mount(device, mountpoint, "ext4", 0, NULL), ==, 0);
	block_refused(f, "is mounted at");
	g_assert_cmpint(umount(mountpoint), ==, 0);
	g_assert_cmpint(g_rmdir(mountpoint), ==, 0);
	wipe(device);

	target = target_open(&f->spec, &f->keeper, &error);
	g_assert_no_error(error);
	g_assert_cmpstr(target_path(target), ==, device);
	g_assert_cmpuint(target_size(target), ==, 16 * MIB);
	block_refused(f, "in use"); /* claimed */
	target_facts(target, facts);
	g_assert_cmpint(record_get_int(facts, "sector_size", 0), ==, 512);
	g_assert_false(record_has(facts, "filesystem"));
	target_close(target);
	target_close(loop);
}

/* A loop device from which its file was taken away. */
static void test_block_empty(Fixture *f, gconstpointer data)
{
	g_autofree char *device = NULL;
	Target *loop;

	if (!root_only() || !loops_work())
		return;
	loop = loop_device(f);
	device = g_strdup(target_path(loop));
	target_close(loop);
	f->spec.type = "block";
	f->spec.path = device;
	f->spec.consent = TRUE;
	f->spec.size = 0;
	block_refused(f, "has no medium: it has 0 bytes");
}

static void test_swap(Fixture *f, gconstpointer data)
{
	g_autofree char *program = g_find_program_in_path("mkswap");
	const char *argv[] = {"mkswap", NULL, NULL};
	Target *loop;

	if (!root_only() || !loops_work())
		return;
	if (!program) {
		g_test_skip("mkswap is missing");
		return;
	}
	loop = loop_device(f);
	f->spec.type = "block";
	f->spec.path = argv[1] = target_path(loop);
	f->spec.consent = TRUE;
	f->spec.size = 0;
	g_assert_true(subprocess_run(argv, 30, NULL, NULL, NULL, NULL));
	block_refused(f, "holds a signature (swap)");
	if (swapon(argv[1], 0) == 0) {
		block_refused(f, "is swap space");
		g_assert_cmpint(swapoff(argv[1]), ==, 0);
	} else {
		g_test_skip("swapon is not permitted here");
	}
	target_close(loop);
}

/* The five storages that direct I/O is tried on, as outcomes: open, first write. */
static void test_direct_verdict(void)
{
	static const struct {
		const char *filesystem;
		gboolean memory;
		int open_errno, write_errno, direct;
		const char *reason;
	} rows[] = {
		{"ext4", FALSE, 0, 0, 1, NULL},
		{"tmpfs", TRUE, 0, 0, 1, "memory file system: direct I/O does not reach a disk"},
		{"tmpfs", TRUE, EINVAL, 0, 0, "direct I/O not supported (EINVAL at open)"},
		{"fuse", FALSE, 0, EINVAL, 0, "direct I/O not supported (EINVAL at first write)"},
		{"zfs", FALSE, 0, 0, 1, "file system caches direct I/O itself"},
	};

	for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
		g_autofree char *reason = NULL;
		int direct = target_direct_verdict(rows[i].filesystem, rows[i].memory, rows[i].open_errno,
			rows[i].write_errno, &reason);

		g_assert_cmpint(direct, ==, rows[i].direct);
		g_assert_cmpstr(reason, ==, rows[i].reason);
	}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/target/direct-verdict", test_direct_verdict);
	ADD("file", test_file);
	ADD("default-folder", test_default_folder);
	ADD("existing-file", test_existing_file);
	ADD("same-name", test_same_name);
	ADD("bad-paths", test_bad_paths);
	ADD("bad-sizes", test_bad_sizes);
	ADD("no-permission", test_no_permission);
	ADD("read-only", test_read_only);
	ADD("late-failure", test_late_failure);
	ADD("tmpfs", test_tmpfs);
	ADD("qcow2", test_qcow2);
	ADD("qcow2-forms", test_qcow2_forms);
	ADD("qcow2-refused", test_qcow2_refused);
	ADD("block-refusals", test_block_refusals);
	ADD("block", test_block);
	ADD("block-empty", test_block_empty);
	ADD("swap", test_swap);
	return g_test_run();
}
