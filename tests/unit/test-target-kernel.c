/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Targets that the kernel makes when asked: LVM, device-mapper's zero and delay, null_blk. On a kernel without them the refusals are
 * looked at; tests/guest/inside.sh runs the same program in a guest whose kernel has them all.
 */
#include <fcntl.h>
#include <glib/gstdio.h>
#include <grp.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/base/error.h"
#include "harness/base/subprocess.h"
#include "harness/profile/profile.h"
#include "harness/side/keeper-list.h"
#include "harness/side/kernel-device.h"
#include "harness/side/target-private.h"
#include "tests/unit/keeper-fixture.h"

#define MIB (1 << 20)
#define NOBODY 65534
#define GROUP "iogap_0badcafe_t"

typedef struct {
	char *dir;
	Keeper keeper;
	TargetSpec spec;
	Target *target;
} Fixture;

/* What of ours is left in this kernel: devices, volume groups, loop devices. NULL = nothing. New text. */
static char *leftover(const char *dir)
{
	static const char *const folders[] = {"/dev/mapper", "/dev", KERNEL_DEVICE_NULLB};
	g_autoptr(GDir) blocks = g_dir_open("/sys/block", 0, NULL);
	const char *name;

	for (guint i = 0; i < G_N_ELEMENTS(folders); i++) {
		g_autoptr(GDir) folder = g_dir_open(folders[i], 0, NULL);

		while (folder && (name = g_dir_read_name(folder)))
			if (strstr(name, "0badcafe"))
				return g_build_filename(folders[i], name, NULL);
	}
	while (blocks && (name = g_dir_read_name(blocks))) {
		g_autofree char *file = g_build_filename("/sys/block", name, "loop/backing_file", NULL);
		g_autofree char *backing = NULL;

		if (g_file_get_contents(file, &backing, NULL, NULL) && g_str_has_prefix(backing, dir))
			return g_strdup(name);
	}
	return NULL;
}

static void setup(Fixture *f, gconstpointer data)
{
	f->dir = g_dir_make_tmp("iogap-kernel-XXXXXX", NULL);
	g_assert_nonnull(f->dir);
	keeper_set_up(&f->keeper);
	f->spec = (TargetSpec){.name = "t", .type = data, .size = 16 * MIB, .folder = f->dir};
}

static void teardown(Fixture *f, gconstpointer data)
{
	g_autofree char *left = NULL;

	target_close(f->target);
	left = leftover(f->dir);
	g_assert_cmpstr(left, ==, NULL);
	keeper_tear_down(&f->keeper);
	g_assert_cmpint(g_rmdir(f->dir), ==, 0);
	g_free(f->dir);
}

static gboolean possible(const Fixture *f)
{
	g_autoptr(GError) error = NULL;

	if (target_type_check(f->spec.type, &error))
		return TRUE;
	g_test_skip(error->message);
	return FALSE;
}

static gboolean begin(Fixture *f)
{
	g_autoptr(GError) error = NULL;

	if (!possible(f))
		return FALSE;
	f->target = target_open(&f->spec, &f->keeper, &error);
	g_assert_no_error(error);
	g_assert_cmpuint(target_size(f->target), ==, 16 * MIB);
	return TRUE;
}

/* Both check and open refuse SPEC with a message that contains TEXT, and nothing is left. */
static void refused(Fixture *f, int code, const char *text)
{
	g_autoptr(GError) from_check = NULL;
	g_autoptr(GError) from_open = NULL;

	g_assert_false(target_check(&f->spec, NULL, &from_check));
	g_test_message("%s", from_check->message);
	g_assert_error(from_check, IOGAP_ERROR, code);
	if (!strstr(from_check->message, text))
		g_error("\"%s\" is not in \"%s\"", text, from_check->message);
	g_assert_null(target_open(&f->spec, &f->keeper, &from_open));
	g_assert_cmpstr(from_open->message, ==, from_check->message);
}

/* Microseconds of one direct write of FILL (FALSE: a read; *ret_found is its first byte) of 4 KiB. */
static gint64 one_seen(Fixture *f, gboolean write, char fill, char *ret_found)
{
	void *buffer = NULL;
	int fd = open(target_path(f->target), O_RDWR | O_DIRECT | O_CLOEXEC);
	gint64 begun = g_get_monotonic_time(), took;
	gssize n;

	g_assert_cmpint(fd, >=, 0);
	g_assert_cmpint(posix_memalign(&buffer, 4096, 4096), ==, 0);
	memset(buffer, write ? fill : 'n', 4096);
	n = write ? pwrite(fd, buffer, 4096, 8 * MIB) : pread(fd, buffer, 4096, 8 * MIB);
	took = g_get_monotonic_time() - begun;
	g_assert_cmpint(n, ==, 4096);
	*ret_found = *(char *)buffer;
	free(buffer);
	close(fd);
	return took;
}

/* The same, and a read must find FILL. */
static gint64 one(Fixture *f, gboolean write, char fill)
{
	char found;
	gint64 took = one_seen(f, write, fill, &found);

	g_assert_cmpint(found, ==, fill);
	return took;
}

static void is_made_of_nothing(Fixture *f)
{
	g_autoptr(Record) facts = record_new();
	char found;

	target_facts(f->target, facts);
	g_assert_cmpint(record_get_int(facts, "memory", 0), ==, 1);
	g_assert_cmpint(record_get_int(facts, "direct", 0), ==, 1);
	g_assert_nonnull(strstr(record_get_text(facts, "direct_reason"), "made of nothing: what is written is not kept"));
	g_assert_false(target_keeps(f->target));
	g_assert_true(target_is_block(f->target));
	one(f, TRUE, 'x');
	one_seen(f, FALSE, 0, &found);
	/* null_blk leaves the reader's memory as it was. */
	g_assert_true(found == 0 || (found == 'n' && g_str_equal(f->spec.type, "null_blk")));
}

/* ---- without such a kernel ------------------------------------------------------------------- */

/* Told apart by other means than the program's own: no driver runs, and there is no folder of modules to load one from. */
static void test_lacking(Fixture *f, gconstpointer data)
{
	g_autofree char *out = NULL, *modules = NULL, *misc = NULL, *text = NULL;
	const char *argv[] = {"uname", "-r", NULL};
	gboolean mapper = !g_str_equal(data, "null_blk");

	g_assert_true(subprocess_run(argv, 10, &out, NULL, NULL, NULL));
	modules = g_build_filename("/lib/modules", out, NULL);
	if (g_file_test(modules, G_FILE_TEST_EXISTS) || g_file_test("/sys/module/null_blk", G_FILE_TEST_EXISTS) ||
		(g_file_get_contents("/proc/misc", &misc, NULL, NULL) && strstr(misc, "device-mapper"))) {
		g_test_skip("this kernel has, or can load, what is to be missed");
		return;
	}
	f->spec.delay_ns = mapper ? 5000000 : 0;
	text = g_strdup_printf("this kernel (%s) has no %s, neither running nor as a module (%s); use a kernel with CONFIG_", out,
		mapper ? "device-mapper" : "null_blk", mapper ? "dm-mod" : "null_blk");
	refused(f, IOGAP_ERROR_UNSUPPORTED, text);
	g_assert_cmpuint(f->keeper.list->len, ==, 0);
}

static void test_usage(Fixture *f, gconstpointer data)
{
	f->spec.type = "dm-delay";
	refused(f, IOGAP_ERROR_USAGE, "target t: it needs a delay, such as 5ms");
	f->spec.delay_ns = 1500000;
	refused(f, IOGAP_ERROR_USAGE, "whole number of milliseconds");
	f->spec.type = "null_blk";
	f->spec.size += 4096;
	refused(f, IOGAP_ERROR_USAGE, "a multiple of 1M");
	f->spec.size = 16 * MIB;
	f->spec.path = f->dir;
	refused(f, IOGAP_ERROR_USAGE, "has no path and no filesystem");
	f->spec.type = "dm-dealy";
	refused(f, IOGAP_ERROR_USAGE, "there is no type \"dm-dealy\"; did you mean \"dm-delay\"?; one of: file, tmpfs, ");
}

/* What a profile may ask for is what can be made, and the other way round. */
static void test_words(void)
{
	const ProfileKey *key = profile_key("targets", "type");
	g_autofree char *words = g_strjoinv(", ", (char **)key->words);
	g_autofree char *types = g_strjoinv(", ", (char **)target_types());

	g_assert_cmpstr(words, ==, types);
}

/* ---- with one -------------------------------------------------------------------------------- */

static void test_lvm(Fixture *f, gconstpointer data)
{
	struct stat st;

	if (!begin(f))
		return;
	g_assert_cmpstr(target_path(f->target), ==, "/dev/" GROUP "/data");
	g_assert_cmpint(stat(target_path(f->target), &st), ==, 0);
	g_assert_true(S_ISBLK(st.st_mode));
	g_assert_true(target_keeps(f->target));
	one(f, TRUE, 'x');
	one(f, FALSE, 'x');
}

static void test_lvm_filesystem(Fixture *f, gconstpointer data)
{
	g_autoptr(Record) facts = record_new();

	f->spec.filesystem = "ext4";
	if (!begin(f))
		return;
	g_assert_false(target_is_block(f->target));
	target_facts(f->target, facts);
	g_assert_cmpstr(record_get_text(facts, "filesystem"), ==, "ext4");
	one(f, TRUE, 'x');
	one(f, FALSE, 'x');
}

/* The name of the group is in use, first by a volume, then by a group whose volume is not active. */
static void test_lvm_taken(Fixture *f, gconstpointer data)
{
	g_autofree char *other = g_build_filename(f->dir, "other", NULL);
	TargetSpec second = f->spec;
	guint before;

	if (!begin(f))
		return;
	g_assert_cmpint(mkdir(other, 0700), ==, 0);
	second.path = other;
	before = f->keeper.list->len;
	for (int i = 0; i < 2; i++) {
		g_autoptr(GError) error = NULL;

		g_assert_null(target_open(&second, &f->keeper, &error));
		g_test_message("%s", error->message);
		g_assert_nonnull(strstr(error->message, "target t: there is a volume group " GROUP " already"));
		g_assert_cmpuint(f->keeper.list->len, ==, before);
		g_assert_cmpint(kernel_device_remove("mapper", GROUP "-data", FALSE, NULL), ==, 0);
		unlink("/dev/" GROUP "/data");
		rmdir("/dev/" GROUP);
	}
	g_assert_cmpint(rmdir(other), ==, 0);
}

/* Device-mapper counts in ticks of the kernel and may be one early: 10 ms with 100 ticks a second, the fewest. */
static void test_delay(Fixture *f, gconstpointer data)
{
	f->spec.delay_ns = 100 * 1000000u;
	if (!begin(f))
		return;
	g_assert_true(target_keeps(f->target));
	g_assert_cmpint(one(f, TRUE, 'x'), >=, 90000);
	g_assert_cmpint(one(f, FALSE, 'x'), >=, 90000);
}

static void test_nothing(Fixture *f, gconstpointer data)
{
	if (begin(f))
		is_made_of_nothing(f);
}

static void test_null_memory(Fixture *f, gconstpointer data)
{
	f->spec.memory_backed = TRUE;
	f->spec.delay_ns = 50 * 1000000u;
	if (!begin(f))
		return;
	g_assert_true(target_keeps(f->target));
	g_assert_cmpint(one(f, TRUE, 'x'), >=, 50000);
	g_assert_cmpint(one(f, FALSE, 'x'), >=, 50000);
}

/* A disk's name has 31 characters: names that are longer than that stay two. */
static void test_null_long(Fixture *f, gconstpointer data)
{
	g_autoptr(GError) error = NULL;
	Target *second;

	f->spec.name = "a_name_that_is_too_long_1";
	if (!begin(f))
		return;
	f->spec.name = "a_name_that_is_too_long_2";
	second = target_open(&f->spec, &f->keeper, &error);
	g_assert_no_error(error);
	g_assert_cmpstr(target_path(second), !=, target_path(f->target));
	target_close(second);
}

/* This program as a new one, which does HOW (see main); its exit status. */
static int again(const char *how, const char *type, const char *dir)
{
	const char *argv[] = {"/proc/self/exe", how, type, dir, NULL};
	int status = -1;

	g_assert_true(subprocess_run(argv, 60, NULL, NULL, &status, NULL));
	return status;
}

/* How: as a user who may do nothing. */
static void be_nobody(Fixture *f)
{
	g_assert_cmpint(setgroups(0, NULL), ==, 0);
	g_assert_cmpint(setresgid(NOBODY, NOBODY, NOBODY), ==, 0);
	g_assert_cmpint(setresuid(NOBODY, NOBODY, NOBODY), ==, 0);
	refused(f, IOGAP_ERROR_UNSUPPORTED, g_str_equal(f->spec.type, "null_blk") ? "this user may not make devices of null_blk" :
										"this user may not make devices of device-mapper");
}

static void test_nobody(Fixture *f, gconstpointer data)
{
	if (possible(f))
		g_assert_cmpint(again("--nobody", data, f->dir), ==, 0);
}

/* ---- what the keeper does -------------------------------------------------------------------- */

static GPtrArray *list_of(const Keeper *keeper)
{
	GPtrArray *list = keeper_list_new();

	for (guint i = 0; i < keeper->list->len; i++) {
		g_auto(GStrv) words = g_strsplit(keeper->list->pdata[i], " ", 2);
		g_autofree char *line = keeper_line('+', words[0], words[1]);

		g_assert_true(keeper_list_apply(list, line));
	}
	return list;
}

/* How: makes it, writes what was announced into the file "list" beside it, and ends without a word. */
static void make_and_die(Fixture *f)
{
	g_autofree char *file = g_build_filename(f->dir, "list", NULL);
	g_autofree char *text = NULL;

	f->target = target_open(&f->spec, &f->keeper, NULL);
	g_assert_nonnull(f->target);
	g_ptr_array_add(f->keeper.list, NULL);
	text = g_strjoinv("\n", (char **)f->keeper.list->pdata);
	g_assert_true(g_file_set_contents(file, text, -1, NULL));
	_exit(0);
}

/* A process made it and was killed; whoever has its list undoes all of it. */
static void test_killed(Fixture *f, gconstpointer data)
{
	g_autofree char *file = g_build_filename(f->dir, "list", NULL);
	g_autofree char *text = NULL;
	g_autofree char *there = NULL;
	g_auto(GStrv) lines = NULL;
	g_autoptr(GPtrArray) list = NULL;

	if (!possible(f))
		return;
	g_assert_cmpint(again("--make", data, f->dir), ==, 0);
	there = leftover(f->dir);
	g_assert_nonnull(there);
	g_assert_true(g_file_get_contents(file, &text, NULL, NULL));
	g_unlink(file);
	lines = g_strsplit(text, "\n", 0);
	for (guint i = 0; lines[i]; i++)
		g_ptr_array_add(f->keeper.list, g_strdup(lines[i]));
	list = list_of(&f->keeper);
	g_assert_true(keeper_list_undo(list, NULL, NULL));
	g_ptr_array_set_size(f->keeper.list, 0);
}

/* In use at the end: named with who uses it, kept in the list, and gone with its last user once the keeper has had its turn. */
static void test_busy(Fixture *f, gconstpointer data)
{
	g_autoptr(GPtrArray) remarks = g_ptr_array_new_with_free_func(g_free);
	g_autoptr(GPtrArray) list = NULL;
	int fd;

	if (!begin(f))
		return;
	fd = open(target_path(f->target), O_RDONLY | O_CLOEXEC);
	g_assert_false(target_end(f->target, remarks));
	f->target = NULL;
	g_assert_cmpuint(remarks->len, ==, 1);
	g_test_message("%s", (char *)remarks->pdata[0]);
	g_assert_nonnull(strstr(remarks->pdata[0], "could not remove: mapper iogap-0badcafe-t: Device or resource busy, used by process "));
	g_assert_cmpuint(f->keeper.list->len, ==, 1);
	list = list_of(&f->keeper);
	g_assert_true(keeper_list_undo(list, NULL, NULL));
	g_ptr_array_set_size(f->keeper.list, 0);
	g_assert_true(kernel_device_is_mapped("iogap-0badcafe-t"));
	close(fd);
	for (int i = 0; i < 100 && kernel_device_is_mapped("iogap-0badcafe-t"); i++)
		g_usleep(20000);
	g_assert_false(kernel_device_is_mapped("iogap-0badcafe-t"));
}

/* A name that is taken is an error, and what has it stays; so does what is not named as ours, whoever asks. */
static void test_foreign(Fixture *f, gconstpointer data)
{
	const char *make[] = {"dmsetup", "create", "foreign", "--table", "0 2048 zero", NULL};
	const char *remove[] = {"dmsetup", "remove", "foreign", NULL};
	g_autoptr(GError) error = NULL;
	gboolean was_there = FALSE;

	if (!begin(f))
		return;
	g_assert_null(target_open(&f->spec, &f->keeper, &error));
	g_assert_nonnull(strstr(error->message, "device-mapper has a device iogap-0badcafe-t already"));
	g_assert_true(kernel_device_is_mapped("iogap-0badcafe-t"));
	g_assert_true(subprocess_run(make, 30, NULL, NULL, NULL, NULL));
	g_assert_cmpint(kernel_device_remove("mapper", "foreign", TRUE, &was_there), ==, 0);
	g_assert_false(was_there);
	g_assert_true(kernel_device_is_mapped("foreign"));
	g_assert_true(subprocess_run(remove, 30, NULL, NULL, NULL, NULL));
}

#define ADD(name, type, func) g_test_add("/target-kernel/" name, Fixture, type, setup, func, teardown)

static int act(const char *how, const char *type, char *dir)
{
	Fixture f = {.dir = dir, .keeper.list = g_ptr_array_new_with_free_func(g_free)};

	f.spec = (TargetSpec){.name = "t", .type = type, .size = 16 * MIB, .folder = dir};
	f.spec.delay_ns = g_str_equal(type, "dm-delay") ? 5000000 : 0;
	if (g_str_equal(how, "--make"))
		make_and_die(&f);
	be_nobody(&f);
	g_ptr_array_unref(f.keeper.list);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 4)
		return act(argv[1], argv[2], argv[3]);
	g_test_init(&argc, &argv, NULL);
	ADD("lacking/lvm", "lvm", test_lacking);
	ADD("lacking/dm-zero", "dm-zero", test_lacking);
	ADD("lacking/dm-delay", "dm-delay", test_lacking);
	ADD("lacking/null_blk", "null_blk", test_lacking);
	ADD("usage", "dm-delay", test_usage);
	g_test_add_func("/target-kernel/words", test_words);
	ADD("lvm", "lvm", test_lvm);
	ADD("lvm/filesystem", "lvm", test_lvm_filesystem);
	ADD("lvm/taken", "lvm", test_lvm_taken);
	ADD("dm-delay", "dm-delay", test_delay);
	ADD("dm-zero", "dm-zero", test_nothing);
	ADD("null_blk", "null_blk", test_nothing);
	ADD("null_blk/memory", "null_blk", test_null_memory);
	ADD("null_blk/long", "null_blk", test_null_long);
	ADD("nobody/lvm", "lvm", test_nobody);
	ADD("nobody/dm-delay", "dm-delay", test_nobody);
	ADD("nobody/null_blk", "null_blk", test_nobody);
	ADD("killed/lvm", "lvm", test_killed);
	ADD("killed/dm-delay", "dm-delay", test_killed);
	ADD("killed/dm-zero", "dm-zero", test_killed);
	ADD("killed/null_blk", "null_blk", test_killed);
	ADD("busy", "dm-zero", test_busy);
	ADD("foreign", "dm-zero", test_foreign);
	return g_test_run();
}
