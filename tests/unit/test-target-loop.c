/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Targets on loop devices with a file system of ours; each refusal with its message and with nothing left. */
#include <fcntl.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "harness/base/subprocess.h"
#include "harness/profile/profile.h"
#include "tests/unit/target-fixture.h"

static void loop_with(Fixture *f, const char *filesystem)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(Record) facts = record_new();
	Target *target;
	struct stat st;

	if (!root_only() || !loops_work())
		return;
	f->spec.type = "loop";
	f->spec.filesystem = filesystem;
	f->spec.size = 32 * MIB;
	if (!target_check(&f->spec, NULL, &error)) {
		g_test_skip(error->message);
		return;
	}
	target = target_open(&f->spec, &f->keeper, &error);
	if (!target && strstr(error->message, "does not have this file system")) {
		g_test_skip(error->message);
		return;
	}
	g_assert_no_error(error);
	g_assert_false(target_is_block(target));
	g_assert_cmpint(stat(target_path(target), &st), ==, 0);
	g_assert_cmpint(st.st_size, ==, 32 * MIB);
	target_facts(target, facts);
	g_assert_cmpstr(record_get_text(facts, "filesystem"), ==, filesystem);
	g_assert_cmpuint(loops_of(f->dir), ==, 1);
	target_close(target);
}

/* Sleeps with its working folder in FOLDER; has entered it when this returns. */
static pid_t sit_in(const char *folder)
{
	int pair[2];
	char byte;
	pid_t pid;

	g_assert_cmpint(pipe2(pair, O_CLOEXEC), ==, 0);
	pid = fork();
	if (pid == 0) {
		if (chdir(folder) < 0 || write(pair[1], "c", 1) != 1)
			_exit(1);
		/* Nothing else of the mount, and not the other end of the test's pipes. */
		close(pair[0]);
		for (;;)
			pause();
	}
	close(pair[1]);
	g_assert_cmpint(read(pair[0], &byte, 1), ==, 1);
	close(pair[0]);
	return pid;
}

/* A mount that is in use stays in the keeper's list, is named with its user, and goes when the keeper ends. */
static void test_loop_busy(Fixture *f, gconstpointer data)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(GPtrArray) remarks = g_ptr_array_new_with_free_func(g_free);
	g_autoptr(GPtrArray) list = keeper_list_new();
	g_autofree char *point = NULL;
	g_autofree char *user = NULL;
	Target *target;
	pid_t pid;

	if (!root_only() || !loops_work())
		return;
	f->spec.type = "loop";
	f->spec.filesystem = "ext4";
	target = target_open(&f->spec, &f->keeper, &error);
	g_assert_no_error(error);
	point = g_path_get_dirname(target_path(target));
	pid = sit_in(point);
	user = g_strdup_printf("used by process %d (", (int)pid);
	g_assert_false(target_end(target, remarks));
	g_assert_cmpuint(remarks->len, ==, 1);
	g_test_message("%s", (char *)remarks->pdata[0]);
	g_assert_nonnull(strstr(remarks->pdata[0], "could not remove: mount "));
	g_assert_nonnull(strstr(remarks->pdata[0], point));
	g_assert_nonnull(strstr(remarks->pdata[0], user));
	/* The mount and its folder, latest last; the file and its backing file are gone. */
	g_assert_cmpuint(f->keeper.list->len, ==, 2);
	for (guint i = 0; i < f->keeper.list->len; i++) {
		g_auto(GStrv) words = g_strsplit(f->keeper.list->pdata[i], " ", 2);
		g_autofree char *line = keeper_line('+', words[0], words[1]);

		g_assert_true(keeper_list_apply(list, line));
	}
	g_ptr_array_set_size(f->keeper.list, 0);
	g_assert_true(keeper_list_undo(list, NULL, NULL));
	g_assert_false(g_file_test(point, G_FILE_TEST_EXISTS));
	/* The device goes with the last user of its file system. */
	kill(pid, SIGKILL);
	g_assert_cmpint(waitpid(pid, NULL, 0), ==, pid);
	for (int i = 0; i < 100 && loops_of(f->dir); i++)
		g_usleep(20000);
}

static void test_loop_ext4(Fixture *f, gconstpointer data)
{
	loop_with(f, "ext4");
}

static void test_loop_ext2(Fixture *f, gconstpointer data)
{
	loop_with(f, "ext2");
}

static void test_loop_xfs(Fixture *f, gconstpointer data)
{
	loop_with(f, "xfs");
}

/* What a profile may ask for is what can be made, and the other way round. */
static void test_loop_words(void)
{
	const ProfileKey *key = profile_key("targets", "filesystem");
	g_autofree char *words = g_strjoinv(", ", (char **)key->words);
	g_autofree char *all = g_strdup_printf("one of: %s", words);
	g_autoptr(GError) error = NULL;

	g_assert_false(target_loop_check("fat", &error));
	g_assert_true(g_str_has_suffix(error->message, all));
}

static void test_loop_btrfs(Fixture *f, gconstpointer data)
{
	loop_with(f, "btrfs");
}

/* An earlier user of the device marked it read-only and left the mark. */
static void test_loop_stale_mark(Fixture *f, gconstpointer data)
{
	int read_only = 1, fd;
	g_autofree char *marked = NULL;
	Target *first, *second;

	if (!root_only() || !loops_work())
		return;
	first = loop_device(f);
	marked = g_strdup(target_path(first));
	fd = open(marked, O_RDONLY | O_CLOEXEC);
	g_assert_cmpint(ioctl(fd, BLKROSET, &read_only), ==, 0);
	close(fd);
	target_close(first);
	second = loop_device(f);
	fd = open(target_path(second), O_RDWR | O_CLOEXEC);
	g_assert_cmpint(ioctl(fd, BLKROGET, &read_only), ==, 0);
	g_assert_cmpint(read_only, ==, 0);
	close(fd);
	target_close(second);
	/* Another program may have taken the marked device in between. */
	fd = open(marked, O_RDONLY | O_CLOEXEC);
	ioctl(fd, BLKROSET, &read_only);
	close(fd);
}

static void test_loop_refusals(Fixture *f, gconstpointer data)
{
	f->spec.type = "loop";
	f->spec.filesystem = "fat";
	refused(f, IOGAP_ERROR_USAGE, "no file system \"fat\" can be made on a loop device; one of: ext4");
}

/* mkfs fails when the file and the loop device are there already: both must go. */
static void test_loop_mkfs_fails(Fixture *f, gconstpointer data)
{
	g_autofree char *fake = g_build_filename(f->dir, "mkfs.ext4", NULL);
	g_autofree char *old = g_strdup(g_getenv("PATH"));
	g_autofree char *path = g_strconcat(f->dir, ":", old, NULL);
	g_autofree char *folder = g_build_filename(f->dir, "t", NULL);
	g_autoptr(GError) error = NULL;

	if (!root_only() || !loops_work())
		return;
	g_assert_true(g_file_set_contents_full(fake, "#!/bin/sh\necho the disk is cursed >&2\nexit 3\n", -1,
		G_FILE_SET_CONTENTS_NONE, 0755, NULL));
	g_setenv("PATH", path, TRUE);
	f->spec.type = "loop";
	f->spec.filesystem = "ext4";
	f->spec.path = NULL;
	f->spec.folder = folder;
	g_assert_null(target_open(&f->spec, &f->keeper, &error));
	g_setenv("PATH", old, TRUE);
	g_assert_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED);
	g_assert_nonnull(strstr(error->message, "the disk is cursed"));
	g_unlink(fake);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	ADD("loop-busy", test_loop_busy);
	ADD("loop-ext4", test_loop_ext4);
	ADD("loop-btrfs", test_loop_btrfs);
	ADD("loop-ext2", test_loop_ext2);
	ADD("loop-xfs", test_loop_xfs);
	g_test_add_func("/target/loop-words", test_loop_words);
	ADD("loop-stale-mark", test_loop_stale_mark);
	ADD("loop-refusals", test_loop_refusals);
	ADD("loop-mkfs-fails", test_loop_mkfs_fails);
	return g_test_run();
}
