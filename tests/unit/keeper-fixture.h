/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A keeper that remembers, for tests of what announces to it: what is announced must be dropped again. Its test includes it once. */
#ifndef IOGAP_TESTS_KEEPER_FIXTURE_H
#define IOGAP_TESTS_KEEPER_FIXTURE_H

#include "harness/side/keeper.h"

struct Keeper {
	GPtrArray *list; /* of char *: "KIND WHAT" */
	char *folder;	 /* NULL: nobody asks for it */
};

static inline void keeper_set_up(Keeper *keeper)
{
	keeper->list = g_ptr_array_new_with_free_func(g_free);
}

static inline void keeper_tear_down(Keeper *keeper)
{
	g_assert_cmpuint(keeper->list->len, ==, 0);
	g_ptr_array_unref(keeper->list);
}

void keeper_add(Keeper *keeper, const char *kind, const char *what)
{
	/* Announced before it is made; a file name that is taken is told from ours by take_back. */
	if (g_str_equal(kind, "dir"))
		g_assert_false(g_file_test(what, G_FILE_TEST_EXISTS));
	g_ptr_array_add(keeper->list, g_strconcat(kind, " ", what, NULL));
}

void keeper_drop(Keeper *keeper, const char *kind, const char *what)
{
	g_autofree char *entry = g_strconcat(kind, " ", what, NULL);
	guint index;

	if (g_ptr_array_find_with_equal_func(keeper->list, entry, g_str_equal, &index))
		g_ptr_array_remove_index(keeper->list, index);
}

const char *keeper_run_id(const Keeper *keeper)
{
	return "0badcafe";
}

const char *keeper_folder(const Keeper *keeper)
{
	g_assert_nonnull(keeper->folder);
	return keeper->folder;
}

#endif
