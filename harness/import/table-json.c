/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Flat JSON objects, one result each, with the names of the table columns: what small scripts write. */
#include "harness/import/formats.h"
#include "harness/import/json-text.h"
#include "harness/import/table.h"

static gsize skip_space(const ImportInput *input, gsize at)
{
	while (at < input->size && g_ascii_isspace(input->data[at]))
		at++;
	return at;
}

static gboolean set_member(const JsonText *doc, guint node, ImportRow *row, GError **error)
{
	const JsonTextNode *n = json_text_node(doc, node);
	g_autofree char *key = g_strndup(doc->input->data + n->key, n->key_length);
	g_autofree char *value = json_text_string(doc, node);

	if (n->kind == JSON_TEXT_NONFINITE) {
		import_row_fail(row, "%s is not a number (nan or inf)", key);
		return TRUE;
	}
	if (!value)
		return TRUE;
	switch (table_set(row, key, value)) {
	case TABLE_BAD:
		return import_fail_at(error, doc->input, n->value, "%s: \"%s\" is not a value that it can have", key, value);
	case TABLE_UNKNOWN:
		record_set_text(row->more, key, value);
		break;
	case TABLE_SET:
		break;
	}
	return TRUE;
}

static gboolean parse(const ImportInput *input, ImportResult *result, GError **error)
{
	ImportPlace place = {0};
	gsize at = 0;

	while ((at = skip_space(input, at)) < input->size) {
		g_autoptr(JsonText) doc = json_text_parse(input, at, &place, error);
		g_autoptr(ImportRow) row = NULL;

		if (!doc)
			return FALSE;
		row = import_row_new(NULL, import_place_line(&place, input, at));
		for (guint i = json_text_child(doc, 1); i; i = json_text_next(doc, i))
			if (!set_member(doc, i, row, error))
				return FALSE;
		table_finish(row);
		result->documents++;
		if (!import_result_add(result, input, g_steal_pointer(&row), error))
			return FALSE;
		at = doc->end;
	}
	return TRUE;
}

/* The first object, if it is short and holds a rate. */
static int recognise(const ImportInput *input)
{
	gsize at = skip_space(input, 0);
	const char *end = memchr(input->data + at, '}', MIN(input->size - at, 10000));
	const char *inner = end ? memchr(input->data + at + 1, '{', (gsize)(end - input->data) - at) : NULL;
	gssize size = end ? end - (input->data + at) : 0;

	if (!end || inner || input->data[at] != '{')
		return 0;
	return g_strstr_len(input->data + at, size, "\"bw\"") || g_strstr_len(input->data + at, size, "\"iops\"") ||
			g_strstr_len(input->data + at, size, "\"bytes_per_s\"")
		? 40 : 0;
}

const ImportFormat import_table_json = {
	.name = "table-json",
	.summary = "flat JSON objects with the names of the columns of table-csv",
	.recognise = recognise,
	.parse = parse,
};
