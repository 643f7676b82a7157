/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Memory limits of control groups, in trees of the test's own, and of a real group where one can be made. */
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/run/memory-limit.h"
#include "tests/unit/tree-fixture.h"

#define MiB (G_GUINT64_CONSTANT(1) << 20)
#define NONE_V1 "9223372036854771712\n"

static void limit_is(const Tree *tree, guint64 expected)
{
	g_assert_cmpuint(memory_limit(tree->root, 42), ==, expected);
}

static void test_first(Tree *tree, gconstpointer data)
{
	limit_is(tree, 0); /* no such process */
	put(tree->root, "proc/42/cgroup", "9:cpu,cpuacct:/a\n4:memory:/jobs/one\n0::/\n");
	limit_is(tree, 0); /* no mount to be seen */
	put(tree->root, "proc/42/mountinfo",
		"30 20 0:1 / / rw - ext4 /dev/sda rw\n"
		"31 30 0:30 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct\n"
		"34 30 0:31 / /sys/fs/cgroup/my\\040memory rw,relatime shared:3 - cgroup cgroup rw,memory\n");
	limit_is(tree, 0); /* no file */
	put(tree->root, "sys/fs/cgroup/my memory/jobs/one/memory.limit_in_bytes", NONE_V1);
	put(tree->root, "sys/fs/cgroup/my memory/memory.limit_in_bytes", NONE_V1);
	limit_is(tree, 0);
	put(tree->root, "sys/fs/cgroup/my memory/jobs/memory.limit_in_bytes", "536870912\n");
	limit_is(tree, 512 * MiB); /* of the group above */
	put(tree->root, "sys/fs/cgroup/my memory/jobs/one/memory.limit_in_bytes", "268435456\n");
	limit_is(tree, 256 * MiB);
	/* Another process's group. */
	put(tree->root, "sys/fs/cgroup/my memory/jobs/two/memory.limit_in_bytes", "1\n");
	limit_is(tree, 256 * MiB);
}

static void test_second(Tree *tree, gconstpointer data)
{
	put(tree->root, "proc/42/cgroup", "0::/user.slice/iogap.scope\n");
	put(tree->root, "proc/42/mountinfo", "30 20 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n");
	put(tree->root, "sys/fs/cgroup/user.slice/iogap.scope/memory.max", "max\n");
	limit_is(tree, 0);
	put(tree->root, "sys/fs/cgroup/user.slice/memory.max", "1073741824\n");
	limit_is(tree, 1024 * MiB);
	put(tree->root, "sys/fs/cgroup/user.slice/iogap.scope/memory.high", "104857600\n");
	limit_is(tree, 100 * MiB);
	put(tree->root, "sys/fs/cgroup/user.slice/iogap.scope/memory.max", "rubbish\n");
	limit_is(tree, 100 * MiB);
}

/* In a container the mount shows a part of the tree, which stands in the group's name too, or does not. */
static void test_container(Tree *tree, gconstpointer data)
{
	put(tree->root, "proc/42/cgroup", "4:memory:/docker/abc/inner\n");
	put(tree->root, "proc/42/mountinfo", "34 30 0:31 /docker/abc /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n");
	put(tree->root, "sys/fs/cgroup/memory/memory.limit_in_bytes", "2097152\n");
	put(tree->root, "sys/fs/cgroup/memory/inner/memory.limit_in_bytes", NONE_V1);
	limit_is(tree, 2 * MiB);
	put(tree->root, "sys/fs/cgroup/memory/inner/memory.limit_in_bytes", "1048576\n");
	limit_is(tree, MiB);
	/* A group that the mount does not show: the limit at its top holds. */
	put(tree->root, "proc/42/cgroup", "4:memory:/elsewhere\n");
	limit_is(tree, 2 * MiB);
}

static void place_is(const Tree *tree, const char *expected, gboolean expected_second, const char *why)
{
	g_autofree char *reason = NULL;
	gboolean second;
	g_autofree char *place = memory_group_place(tree->root, &second, &reason);

	if (expected) {
		g_assert_nonnull(place);
		g_assert_cmpstr(place + strlen(tree->root), ==, expected);
		g_assert_cmpint(second, ==, expected_second);
		return;
	}
	g_assert_null(place);
	if (!strstr(reason, why))
		g_error("expected \"%s\", got \"%s\"", why, reason);
}

#define V1_MOUNT "34 30 0:31 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
#define V2_MOUNT "30 20 0:26 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n"

static void test_place_first(Tree *tree, gconstpointer data)
{
	place_is(tree, NULL, FALSE, "control groups with a memory controller are not mounted");
	put(tree->root, "proc/self/cgroup", "4:memory:/jobs/one\n0::/\n");
	put(tree->root, "proc/self/mountinfo", V2_MOUNT V1_MOUNT);
	put(tree->root, "sys/fs/cgroup/unified/cgroup.subtree_control", "cpu io\n");
	place_is(tree, NULL, FALSE, "/memory.limit_in_bytes cannot be read");
	put(tree->root, "sys/fs/cgroup/memory/jobs/one/memory.limit_in_bytes", NONE_V1);
	place_is(tree, NULL, FALSE, "no group can be made in ");
	put(tree->root, "sys/fs/cgroup/memory/jobs/one/cgroup.procs", "");
	place_is(tree, "/sys/fs/cgroup/memory/jobs/one", FALSE, NULL);
	/* A group that the mount does not show: its top. */
	put(tree->root, "proc/self/cgroup", "4:memory:/elsewhere\n0::/\n");
	put(tree->root, "sys/fs/cgroup/memory/memory.limit_in_bytes", NONE_V1);
	put(tree->root, "sys/fs/cgroup/memory/cgroup.procs", "");
	place_is(tree, "/sys/fs/cgroup/memory", FALSE, NULL);
}

/* Of version 2 only groups that pass the controller on, which those with processes do not. */
static void test_place_second(Tree *tree, gconstpointer data)
{
	put(tree->root, "proc/self/cgroup", "0::/user/session\n");
	put(tree->root, "proc/self/mountinfo", V2_MOUNT);
	put(tree->root, "sys/fs/cgroup/unified/user/session/cgroup.subtree_control", "\n");
	put(tree->root, "sys/fs/cgroup/unified/user/cgroup.subtree_control", "pids\n");
	put(tree->root, "sys/fs/cgroup/unified/cgroup.subtree_control", "cpu memory\n");
	place_is(tree, NULL, TRUE, "no group can be made in ");
	put(tree->root, "sys/fs/cgroup/unified/cgroup.procs", "");
	place_is(tree, "/sys/fs/cgroup/unified", TRUE, NULL);
	put(tree->root, "sys/fs/cgroup/unified/user/cgroup.subtree_control", "memory pids\n");
	put(tree->root, "sys/fs/cgroup/unified/user/cgroup.procs", "");
	place_is(tree, "/sys/fs/cgroup/unified/user", TRUE, NULL);
	put(tree->root, "sys/fs/cgroup/unified/user/cgroup.subtree_control", "\n");
	put(tree->root, "sys/fs/cgroup/unified/cgroup.subtree_control", "memory_recursiveprot\n");
	place_is(tree, NULL, TRUE, "/unified does not pass its memory controller on");
}

/* The group's file must be there before the child is looked at. */
static gboolean write_text(const char *path, const char *text)
{
	FILE *file = g_fopen(path, "w");
	gboolean ok = file && fputs(text, file) >= 0;

	return file ? fclose(file) == 0 && ok : FALSE;
}

static void test_real(void)
{
	g_autofree char *group = g_strdup_printf("/sys/fs/cgroup/memory/iogap-test-%d", (int)getpid());
	g_autofree char *limit = g_build_filename(group, "memory.limit_in_bytes", NULL);
	g_autofree char *members = g_build_filename(group, "cgroup.procs", NULL);
	g_autofree char *number = NULL;
	guint64 outside = memory_for_cache(0), inside = 0;
	gboolean ok;
	pid_t child;

	g_assert_cmpuint(outside, >, 0);
	if (g_mkdir(group, 0755) < 0) {
		g_test_skip("no group can be made below /sys/fs/cgroup/memory");
		return;
	}
	child = fork();
	if (child == 0) {
		pause();
		_exit(0);
	}
	number = g_strdup_printf("%d", (int)child);
	ok = write_text(limit, "67108864") && write_text(members, number);
	if (ok)
		inside = memory_for_cache(child);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	/* A member that has just ended may keep the group busy for a moment. */
	for (guint i = 0; i < 100 && g_rmdir(group) < 0; i++)
		g_usleep(10000);
	if (!ok)
		g_test_skip("the group takes no limit");
	else
		g_assert_cmpuint(inside, ==, 64 * MiB);
	g_assert_cmpuint(memory_for_cache(0), ==, outside);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add("/memory-limit/first", Tree, NULL, tree_set_up, test_first, tree_tear_down);
	g_test_add("/memory-limit/second", Tree, NULL, tree_set_up, test_second, tree_tear_down);
	g_test_add("/memory-limit/container", Tree, NULL, tree_set_up, test_container, tree_tear_down);
	g_test_add("/memory-limit/place-first", Tree, NULL, tree_set_up, test_place_first, tree_tear_down);
	g_test_add("/memory-limit/place-second", Tree, NULL, tree_set_up, test_place_second, tree_tear_down);
	g_test_add_func("/memory-limit/real", test_real);
	return g_test_run();
}
