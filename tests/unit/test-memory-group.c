/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A real control group with a memory limit, where one can be made; this program is keeper and member too, in processes of their own. */
#include <fcntl.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/base/error.h"
#include "harness/run/memory-group.h"
#include "harness/run/memory-limit.h"
#include "harness/side/keeper-list.h"
#include "harness/side/keeper.h"

#define MiB (G_GUINT64_CONSTANT(1) << 20)
#define LIMIT (24 * MiB)
#define DATA (96 * MiB)
#define HELD (64 * MiB)

static char *file; /* on the disk: a tmpfs has no page cache that could be given up */

/* What a member does once it is in the group: it is told by a byte, and answers with one. */
typedef void (*Work)(void);

static void read_file(void)
{
	static char buf[1 << 20];
	int fd = open(file, O_RDONLY | O_CLOEXEC);

	while (read(fd, buf, sizeof(buf)) > 0)
		;
	close(fd);
}

static void hold_memory(void)
{
	char *memory = mmap(NULL, HELD, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	memset(memory, 1, HELD);
}

typedef struct {
	pid_t pid;
	int to, from;
} Member;

static Member member_start(Work work)
{
	int to[2], from[2];
	Member member;
	char byte;

	g_assert_cmpint(pipe(to), ==, 0);
	g_assert_cmpint(pipe(from), ==, 0);
	member.pid = fork();
	if (member.pid == 0) {
		if (read(to[0], &byte, 1) == 1)
			work();
		if (write(from[1], "x", 1) == 1)
			pause();
		_exit(0);
	}
	member.to = to[1];
	member.from = from[0];
	close(to[0]);
	close(from[1]);
	return member;
}

static void member_work(const Member *member)
{
	char byte;

	g_assert_cmpint(write(member->to, "x", 1), ==, 1);
	g_assert_cmpint(read(member->from, &byte, 1), ==, 1);
}

static void member_end(const Member *member)
{
	kill(member->pid, SIGKILL);
	waitpid(member->pid, NULL, 0);
	close(member->to);
	close(member->from);
}

static guint64 resident(void)
{
	g_autofree unsigned char *pages = g_malloc(DATA / 4096);
	int fd = open(file, O_RDONLY | O_CLOEXEC);
	void *map = mmap(NULL, DATA, PROT_READ, MAP_SHARED, fd, 0);
	guint64 count = 0;

	g_assert_cmpint(mincore(map, DATA, pages), ==, 0);
	for (guint64 i = 0; i < DATA / 4096; i++)
		count += pages[i] & 1;
	munmap(map, DATA);
	close(fd);
	return count * 4096;
}

/* On the disk and out of the cache. */
static void make_file(void)
{
	g_autofree char *data = g_malloc(DATA);
	int fd;

	memset(data, 'x', DATA);
	g_assert_true(g_file_set_contents(file, data, DATA, NULL));
	fd = open(file, O_RDWR | O_CLOEXEC);
	g_assert_cmpint(fsync(fd), ==, 0);
	g_assert_cmpint(posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED), ==, 0);
	close(fd);
}

/* NULL when this machine has no such groups; the test is skipped then, with the reason. */
static MemoryGroup *group_or_skip(Keeper *keeper)
{
	g_autoptr(GError) error = NULL;
	MemoryGroup *group;
	g_autofree char *reason = NULL;
	gboolean second;
	g_autofree char *place = memory_group_place("", &second, &reason);

	if (!place) {
		g_test_skip(reason);
		return NULL;
	}
	group = memory_group_new(keeper, &error);
	g_assert_no_error(error);
	return group;
}

static char *folder_of(const MemoryGroup *group)
{
	return g_path_get_dirname(memory_group_members(group));
}

static void test_cache(void)
{
	g_autoptr(Keeper) keeper = keeper_start(NULL);
	MemoryGroup *group = group_or_skip(keeper);
	g_autofree char *folder = NULL;
	g_autoptr(GError) error = NULL;
	Member first, second;

	if (!group)
		return;
	folder = folder_of(group);
	make_file();
	g_assert_cmpuint(resident(), <, DATA / 4);
	first = member_start(read_file);
	g_assert_true(memory_group_add(group, first.pid, &error));
	g_assert_true(memory_group_limit(group, LIMIT, &error));
	g_assert_cmpuint(memory_limit("", first.pid), ==, LIMIT);
	g_assert_cmpuint(memory_for_cache(first.pid), ==, LIMIT);
	member_work(&first);
	g_assert_cmpuint(resident(), <=, LIMIT);
	member_end(&first);
	/* The same without a limit: all of it stays. */
	second = member_start(read_file);
	g_assert_true(memory_group_add(group, second.pid, &error));
	g_assert_true(memory_group_limit(group, 0, &error));
	g_assert_cmpuint(memory_limit("", second.pid), ==, memory_limit("", 0));
	member_work(&second);
	g_assert_cmpuint(resident(), >, DATA * 9 / 10);
	/* And is given up when the limit comes back. */
	g_assert_true(memory_group_limit(group, LIMIT, &error));
	g_assert_cmpuint(resident(), <=, LIMIT);
	member_end(&second);
	g_assert_no_error(error);
	g_assert_true(g_file_test(folder, G_FILE_TEST_IS_DIR));
	memory_group_free(group);
	g_assert_false(g_file_test(folder, G_FILE_TEST_EXISTS));
}

static void test_too_low(void)
{
	g_autoptr(Keeper) keeper = keeper_start(NULL);
	MemoryGroup *group = group_or_skip(keeper);
	g_autoptr(GError) error = NULL;
	g_autofree char *folder = NULL, *file_of_first = NULL;
	Member member;

	if (!group)
		return;
	folder = folder_of(group);
	file_of_first = g_build_filename(folder, "memory.limit_in_bytes", NULL);
	if (!g_file_test(file_of_first, G_FILE_TEST_EXISTS)) {
		g_test_skip("version 2 kills a member that has more than a new limit");
		memory_group_free(group);
		return;
	}
	member = member_start(hold_memory);
	g_assert_true(memory_group_add(group, member.pid, &error));
	member_work(&member);
	g_assert_false(memory_group_limit(group, LIMIT, &error));
	g_assert_error(error, IOGAP_ERROR, IOGAP_ERROR_UNSUPPORTED);
	g_assert_nonnull(strstr(error->message, " to 25165824 bytes: "));
	g_assert_nonnull(strstr(error->message, "; its members have more than that and cannot give it up"));
	member_end(&member);
	memory_group_free(group);
	g_assert_false(g_file_test(folder, G_FILE_TEST_EXISTS));
}

static void test_errors(void)
{
	g_autoptr(Keeper) keeper = keeper_start(NULL);
	MemoryGroup *group;
	g_autoptr(GError) error = NULL;

	g_assert_true(memory_group_limit(NULL, 0, &error));
	g_assert_null(memory_group_members(NULL));
	memory_group_free(NULL);
	group = group_or_skip(keeper);
	if (!group)
		return;
	g_assert_false(memory_group_add(group, 0x3fffffff, &error));
	g_assert_error(error, IOGAP_ERROR, IOGAP_ERROR_UNSUPPORTED);
	g_assert_true(g_str_has_prefix(error->message, "cannot put process 1073741823 into the control group /"));
	g_clear_error(&error);
	/* One name is one group. */
	g_assert_null(memory_group_new(keeper, &error));
	g_assert_nonnull(strstr(error->message, "cannot make the control group "));
	memory_group_free(group);
}

static int write_number(const char *path, const char *number)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	int rc = write(fd, number, strlen(number)) == (ssize_t)strlen(number) ? 0 : -1;

	close(fd);
	return rc;
}

/* What a killed harness leaves: the keeper removes it, also while a member is on its way out. */
static void test_keeper(void)
{
	Keeper *keeper = keeper_start(NULL);
	gboolean second;
	g_autofree char *reason = NULL, *place = memory_group_place("", &second, &reason), *folder = NULL, *members = NULL;
	g_autofree char *number = NULL, *entry = NULL;
	Member member;

	if (!place) {
		g_test_skip(reason);
		keeper_stop(keeper);
		return;
	}
	folder = g_strdup_printf("%s/iogap-test-%d", place, (int)getpid());
	members = g_build_filename(folder, "cgroup.procs", NULL);
	member = member_start(hold_memory);
	number = g_strdup_printf("%d", (int)member.pid);
	entry = g_strdup_printf("%d %" G_GUINT64_FORMAT, (int)member.pid, keeper_start_time(member.pid));
	keeper_add(keeper, "cgroup", folder);
	keeper_add(keeper, "process", entry);
	g_assert_cmpint(g_mkdir(folder, 0755), ==, 0);
	g_assert_cmpint(write_number(members, number), ==, 0);
	keeper_stop(keeper);
	g_assert_false(g_file_test(folder, G_FILE_TEST_EXISTS));
	member_end(&member);
}

/* The lock of the runtime folder is all that keepers leave in it. */
static void remove_runtime(const char *runtime)
{
	g_autofree char *lock = g_build_filename(runtime, "lock", NULL);

	g_unlink(lock);
	g_rmdir(runtime);
}

int main(int argc, char **argv)
{
	g_autofree char *runtime = NULL;
	int status;

	if (argc == 3 && g_str_equal(argv[1], "keeper"))
		return keeper_main(argv[2], NULL);
	g_test_init(&argc, &argv, NULL);
	runtime = g_dir_make_tmp("iogap-group-XXXXXX", NULL);
	g_assert_nonnull(runtime);
	g_setenv("IOGAP_RUNTIME", runtime, TRUE);
	file = g_strdup_printf("%s/iogap-group-%d", g_file_test("/var/tmp", G_FILE_TEST_IS_DIR) ? "/var/tmp" : runtime, (int)getpid());
	g_test_add_func("/memory-group/cache", test_cache);
	g_test_add_func("/memory-group/too-low", test_too_low);
	g_test_add_func("/memory-group/errors", test_errors);
	g_test_add_func("/memory-group/keeper", test_keeper);
	status = g_test_run();
	g_unlink(file);
	g_free(file);
	remove_runtime(runtime);
	return status;
}
