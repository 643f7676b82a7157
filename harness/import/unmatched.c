/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/import/unmatched.h"

#include "harness/profile/tree.h"

struct ImportUnmatched {
	ImportLabels *names;  /* only its names are used: one for each place */
	GHashTable *by_place; /* borrowed from NAMES */
};

ImportUnmatched *import_unmatched_new(void)
{
	ImportUnmatched *all = g_new0(ImportUnmatched, 1);

	all->names = import_labels_new();
	all->by_place = g_hash_table_new(g_str_hash, g_str_equal);
	return all;
}

void import_unmatched_free(ImportUnmatched *all)
{
	if (!all)
		return;
	g_hash_table_unref(all->by_place);
	import_labels_free(all->names);
	g_free(all);
}

static gboolean matches(const ImportLabels *labels, const ImportLabelsName *name, gboolean seen)
{
	const ImportLabels *row = labels->rows ? g_hash_table_lookup(labels->rows, name->name) : NULL;

	return name->is_file ? name->matched : !seen || (row && row->matched);
}

void import_unmatched_note(ImportUnmatched *all, const ImportLabels *labels, gboolean seen)
{
	for (guint i = 0; i < labels->names->len; i++) {
		const ImportLabelsName *name = labels->names->pdata[i];
		ImportLabelsName *known = g_hash_table_lookup(all->by_place, name->place);

		if (!known) {
			known = import_labels_name(all->names, name->place, name->name, name->is_file);
			g_hash_table_insert(all->by_place, known->place, known);
		}
		known->matched |= matches(labels, name, seen);
	}
}

GPtrArray *import_unmatched_texts(const ImportUnmatched *all)
{
	GPtrArray *texts = g_ptr_array_new_with_free_func(g_free);

	for (guint i = 0; i < all->names->names->len; i++) {
		const ImportLabelsName *name = all->names->names->pdata[i];
		g_autofree char *quoted = tree_quote(name->name);

		if (!name->matched)
			g_ptr_array_add(texts, g_strdup_printf(name->is_file
				? "%s: no file beside it is called %s: its settings are not used"
				: "%s: no row that was imported is called %s: its settings are not used", name->place, quoted));
	}
	return texts;
}
