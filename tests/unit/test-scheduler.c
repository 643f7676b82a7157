/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which I/O schedulers could be set, by trees of files like the kernel's and a helper that stands in for modprobe. */
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "harness/base/subprocess.h"
#include "harness/run/scheduler.h"

typedef struct {
	char *root;
} Tree;

static void put(const Tree *tree, const char *file, const char *text, int mode)
{
	g_autofree char *path = g_build_filename(tree->root, file, NULL);
	g_autofree char *folder = g_path_get_dirname(path);

	g_assert_cmpint(g_mkdir_with_parents(folder, 0755), ==, 0);
	g_assert_true(g_file_set_contents(path, text, -1, NULL));
	g_assert_cmpint(g_chmod(path, mode), ==, 0);
}

static void set_up(Tree *tree, gconstpointer data)
{
	tree->root = g_dir_make_tmp("iogap-scheduler-XXXXXX", NULL);
	g_assert_nonnull(tree->root);
	put(tree, "sys/block/vda/mq/0/cpu_list", "0\n", 0644);
	put(tree, "sys/block/vda/queue/scheduler", "none [mq-deadline]\n", 0644);
	put(tree, "sys/block/sda/mq/0/cpu_list", "0\n", 0644);
	put(tree, "sys/block/sda/queue/scheduler", "[none] mq-deadline bfq\n", 0644);
	/* One that no queue of the kernel's stands before. */
	put(tree, "sys/block/pmem0/queue/scheduler", "[none]\n", 0644);
	put(tree, "sys/block/old/queue/nr_requests", "64\n", 0644);
	put(tree, "proc/sys/kernel/modprobe", "/sbin/modprobe\n", 0644);
	put(tree, "proc/sys/kernel/modules_disabled", "0\n", 0644);
	/* It would load kyber, and nothing else. */
	put(tree, "sbin/modprobe", "#!/bin/sh\n[ \"$*\" = \"-nq -- kyber-iosched\" ]\n", 0755);
}

static void tear_down(Tree *tree, gconstpointer data)
{
	const char *const rm[] = {"rm", "-rf", "--", tree->root, NULL};

	g_assert_true(subprocess_run(rm, 20, NULL, NULL, NULL, NULL));
	g_free(tree->root);
}

static void have(const Tree *tree, const char *disks, const char *expected)
{
	char *reason = (char *)"untouched";
	g_autofree char *found = schedulers_of(tree->root, disks, &reason);

	g_assert_cmpstr(found, ==, expected);
	g_assert_cmpstr(reason, ==, NULL);
}

static void test_there(Tree *tree, gconstpointer data)
{
	have(tree, "vda", "none mq-deadline kyber");
	/* What all of them can have. */
	have(tree, "vda sda", "none mq-deadline kyber");
	have(tree, "sda", "none mq-deadline bfq kyber");
	have(tree, "pmem0", "none");
	have(tree, "vda pmem0", "none");
}

/* A module is there only if this kernel would load it. */
static void test_modules(Tree *tree, gconstpointer data)
{
	put(tree, "proc/sys/kernel/modules_disabled", "1\n", 0644);
	have(tree, "vda", "none mq-deadline");
	put(tree, "proc/sys/kernel/modules_disabled", "0\n", 0644);
	have(tree, "vda", "none mq-deadline kyber");
	put(tree, "sbin/modprobe", "#!/bin/sh\nexit 1\n", 0755);
	have(tree, "vda", "none mq-deadline");
	put(tree, "sbin/modprobe", "#!/bin/sh\nexit 0\n", 0644);
	have(tree, "vda", "none mq-deadline");
	put(tree, "sbin/modprobe", "#!/bin/sh\nexit 0\n", 0755);
	have(tree, "vda", "none mq-deadline kyber bfq");
	/* A kernel without modules has no such file. */
	put(tree, "proc/sys/kernel/modprobe", "\n", 0644);
	have(tree, "vda", "none mq-deadline");
}

static void test_none(Tree *tree, gconstpointer data)
{
	g_autofree char *reason = NULL;

	g_assert_null(schedulers_of(tree->root, "vda old", &reason));
	g_assert_cmpstr(reason, ==, "the disk old has no I/O scheduler");
	g_clear_pointer(&reason, g_free);
	g_assert_null(schedulers_below("/proc/self", &reason));
	g_test_message("%s", reason);
	g_assert_true(g_str_has_prefix(reason, "below /proc/self there is no disk that could have one: "));
}

/* Without permission what is set already can be asked for, and nothing else. */
static void test_fixed(Tree *tree, gconstpointer data)
{
	g_autofree char *reason = NULL, *found = NULL;

	if (geteuid() == 0) {
		g_test_skip("root may write everywhere");
		return;
	}
	put(tree, "sys/block/vda/queue/scheduler", "none [mq-deadline]\n", 0444);
	found = schedulers_of(tree->root, "vda", &reason);
	g_assert_cmpstr(found, ==, "mq-deadline");
	g_assert_nonnull(strstr(reason, "/sys/block/vda/queue/scheduler cannot be written to: Permission denied; run as root"));
}

static void test_kernel(Tree *tree, gconstpointer data)
{
	g_autofree char *found = schedulers_of_kernel(tree->root);

	g_assert_cmpstr(found, ==, "none mq-deadline bfq kyber");
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
#define ADD(name, func) g_test_add("/scheduler/" name, Tree, NULL, set_up, func, tear_down)
	ADD("there", test_there);
	ADD("modules", test_modules);
	ADD("none", test_none);
	ADD("fixed", test_fixed);
	ADD("kernel", test_kernel);
	return g_test_run();
}
