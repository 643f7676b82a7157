/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The YAML beside files that are imported, and its labels on rows of both sides. */
#include "harness/import/labels.h"
#include "tests/fuzz/fuzz.h"

static void check_texts(const Record *record)
{
	for (guint i = 0; i < record_size(record); i++) {
		const char *name = record_name(record, i);

		g_assert_true(g_utf8_validate(name, -1, NULL));
		g_assert_true(record_type(record, name) != RECORD_TEXT || g_utf8_validate(record_get_text(record, name), -1, NULL));
	}
}

static void apply(const ImportLabels *labels, const char *side)
{
	g_autoptr(ImportRow) row = import_row_new("job", 1);

	if (side)
		record_set_text(row->leg, "side", side);
	record_set_text(row->leg, "rw", "read?");
	record_set_int(row->leg, "block_size", 4096);
	import_labels_apply(labels, row);
	check_texts(row->leg);
	g_assert_cmpint(record_get_int(row->leg, "block_size", 0), ==, 4096);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	g_autofree char *text = g_strndup((const char *)data, size);
	g_autoptr(ImportLabels) labels = import_labels_new();
	g_autoptr(ImportLabels) own = import_labels_new();
	g_autoptr(GError) error = NULL;
	gboolean fine = import_labels_read(labels, "input", text, size, "a.json", &error);

	g_assert_true(fine == (error == NULL));
	g_assert_true(!error || g_utf8_validate(error->message, -1, NULL));
	check_texts(labels->leg);
	check_texts(labels->sweep);
	check_texts(labels->free);
	import_labels_merge(own, labels);
	apply(labels, "host");
	apply(own, "guest");
	apply(own, NULL);
	return 0;
}
