/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A /proc and /sys of a test's own: a folder, files put into it with the folders above them, and its removal. */
#ifndef IOGAP_TESTS_TREE_FIXTURE_H
#define IOGAP_TESTS_TREE_FIXTURE_H

#include <glib/gstdio.h>

#include "harness/base/subprocess.h"

typedef struct {
	char *root;
} Tree;

/* New text. */
static inline char *tree_new(void)
{
	char *root = g_dir_make_tmp("iogap-tree-XXXXXX", NULL);

	g_assert_nonnull(root);
	return root;
}

static inline void tree_free(char *root)
{
	const char *const rm[] = {"rm", "-rf", "--", root, NULL};

	g_assert_true(subprocess_run(rm, 20, NULL, NULL, NULL, NULL));
	g_free(root);
}

static inline void tree_set_up(Tree *tree, gconstpointer data)
{
	tree->root = tree_new();
}

static inline void tree_tear_down(Tree *tree, gconstpointer data)
{
	tree_free(tree->root);
}

/* FILE is a path below ROOT. */
static inline void put(const char *root, const char *file, const char *text)
{
	g_autofree char *path = g_build_filename(root, file, NULL);
	g_autofree char *folder = g_path_get_dirname(path);

	g_assert_cmpint(g_mkdir_with_parents(folder, 0700), ==, 0);
	g_assert_true(g_file_set_contents(path, text, -1, NULL));
}

#endif
