/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/profile/tree.h"

#include <string.h>
#include <yaml.h>

#include "harness/base/error.h"

typedef struct {
	const char *file, *text;
	gsize length;
	yaml_parser_t yaml;
	GError **error;
} Reader;

void profile_error(GError **error, const char *file, ProfilePlace place, const char *format, ...)
{
	g_autofree char *what = NULL;
	va_list args;

	va_start(args, format);
	what = g_strdup_vprintf(format, args);
	va_end(args);
	g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_USAGE, "%s:%u:%u: %s", file, place.line, place.column, what);
}

static ProfilePlace place_of(yaml_mark_t mark)
{
	return (ProfilePlace){mark.line + 1, mark.column + 1};
}

/* The place of byte OFFSET, for what is wrong before libyaml sees it. Columns count characters. */
static ProfilePlace place_at(const char *text, gsize offset)
{
	ProfilePlace place = {1, 1};

	for (gsize i = 0; i < offset; i++) {
		if (text[i] == '\n')
			place = (ProfilePlace){place.line + 1, 1};
		else if (((guchar)text[i] & 0xc0) != 0x80)
			place.column++;
	}
	return place;
}

char *tree_quote(const char *text)
{
	g_autofree char *cut = g_utf8_strlen(text, -1) > 60 ? g_utf8_substring(text, 0, 57) : NULL;
	g_autoptr(GString) out = g_string_new("\"");

	for (const char *p = cut ? cut : text; *p; p = g_utf8_next_char(p)) {
		gunichar c = g_utf8_get_char(p);

		if (c == '\n')
			g_string_append(out, "\\n");
		else if (c == '\t')
			g_string_append(out, "\\t");
		else if (!g_unichar_isprint(c))
			g_string_append_printf(out, "\\u%04x", c);
		else
			g_string_append_unichar(out, c);
	}
	g_string_append(out, cut ? "...\"" : "\"");
	return g_string_free(g_steal_pointer(&out), FALSE);
}

void tree_free(TreeNode *node)
{
	if (!node)
		return;
	g_free(node->text);
	g_clear_pointer(&node->keys, g_ptr_array_unref);
	g_clear_pointer(&node->values, g_ptr_array_unref);
	g_free(node);
}

static TreeNode *node_new(TreeKind kind, ProfilePlace place)
{
	TreeNode *node = g_new0(TreeNode, 1);

	node->kind = kind;
	node->place = place;
	if (kind != TREE_TEXT)
		node->values = g_ptr_array_new_with_free_func((GDestroyNotify)tree_free);
	if (kind == TREE_MAP)
		node->keys = g_ptr_array_new_with_free_func((GDestroyNotify)tree_free);
	return node;
}

TreeNode *tree_empty_map(void)
{
	return node_new(TREE_MAP, (ProfilePlace){0, 0});
}

gboolean tree_is_null(const TreeNode *node)
{
	static const char *const nulls[] = {"", "~", "null", "Null", "NULL", NULL};

	return node->kind == TREE_TEXT && node->plain && g_strv_contains(nulls, node->text);
}

/* What libyaml calls it, and what it mostly is. */
static gboolean complain(Reader *reader)
{
	yaml_parser_t *yaml = &reader->yaml;
	ProfilePlace place = place_of(yaml->problem_mark);
	gsize at = yaml->problem_mark.index;
	const char *problem = yaml->problem ? yaml->problem : "cannot be read";

	if (yaml->error == YAML_READER_ERROR) {
		at = yaml->problem_offset;
		place = place_at(reader->text, MIN(at, reader->length));
	}
	/* mark.index counts characters; it is the byte only as long as the text is ASCII. */
	if (g_utf8_strlen(reader->text, reader->length) == (glong)reader->length && at < reader->length &&
		reader->text[at] == '\t')
		profile_error(reader->error, reader->file, place, "a tab indents or separates here; YAML takes spaces only");
	else if (yaml->context)
		profile_error(reader->error, reader->file, place, "not YAML: %s, %s (line %zu)", problem, yaml->context,
			yaml->context_mark.line + 1);
	else
		profile_error(reader->error, reader->file, place, "not YAML: %s", problem);
	return FALSE;
}

static gboolean next(Reader *reader, yaml_event_t *ret)
{
	return yaml_parser_parse(&reader->yaml, ret) ? TRUE : complain(reader);
}

/* Anchors and tags would need rules of their own for what a repeated value's place is; profiles do without. */
static gboolean check_plainness(Reader *reader, const yaml_event_t *event)
{
	const yaml_char_t *anchor = NULL, *tag = NULL;

	switch (event->type) {
	case YAML_ALIAS_EVENT:
		profile_error(reader->error, reader->file, place_of(event->start_mark),
			"aliases (*%s) are not taken in a profile; write the value out", event->data.alias.anchor);
		return FALSE;
	case YAML_SCALAR_EVENT:
		anchor = event->data.scalar.anchor;
		tag = event->data.scalar.tag;
		break;
	case YAML_SEQUENCE_START_EVENT:
		anchor = event->data.sequence_start.anchor;
		tag = event->data.sequence_start.tag;
		break;
	case YAML_MAPPING_START_EVENT:
		anchor = event->data.mapping_start.anchor;
		tag = event->data.mapping_start.tag;
		break;
	default:
		break;
	}
	if (anchor)
		profile_error(reader->error, reader->file, place_of(event->start_mark),
			"anchors (&%s) are not taken in a profile; write the value out where it is needed", anchor);
	else if (tag)
		profile_error(reader->error, reader->file, place_of(event->start_mark),
			"tags (%s) are not taken in a profile; the key decides the type", tag);
	return !anchor && !tag;
}

static TreeNode *read_node(Reader *reader, yaml_event_t *event, guint depth);

/* Reads the next event and the node that it begins; *ret_end is TRUE when it was END instead. */
static TreeNode *read_child(Reader *reader, yaml_event_type_t end, guint depth, gboolean *ret_end)
{
	yaml_event_t event;
	TreeNode *node = NULL;

	if (!next(reader, &event))
		return NULL;
	*ret_end = event.type == end;
	if (!*ret_end)
		node = read_node(reader, &event, depth);
	yaml_event_delete(&event);
	return node;
}

static TreeNode *read_list(Reader *reader, ProfilePlace place, guint depth)
{
	g_autoptr(TreeNode) list = node_new(TREE_LIST, place);

	for (;;) {
		gboolean end = FALSE;
		TreeNode *item = read_child(reader, YAML_SEQUENCE_END_EVENT, depth, &end);

		if (end)
			return g_steal_pointer(&list);
		if (!item)
			return NULL;
		g_ptr_array_add(list->values, item);
	}
}

static gboolean check_key(Reader *reader, GHashTable *seen, const TreeNode *key)
{
	g_autofree char *quoted = key->kind == TREE_TEXT ? tree_quote(key->text) : NULL;
	const TreeNode *first;

	if (key->kind != TREE_TEXT) {
		profile_error(reader->error, reader->file, key->place, "a key must be a word, not a list or a mapping");
		return FALSE;
	}
	if (key->plain && g_str_equal(key->text, "<<")) {
		profile_error(reader->error, reader->file, key->place,
			"merge keys (<<) are not taken in a profile; write the keys out");
		return FALSE;
	}
	first = g_hash_table_lookup(seen, key->text);
	if (first) {
		profile_error(reader->error, reader->file, key->place,
			"the key %s is here twice; it stands in line %u already", quoted, first->place.line);
		return FALSE;
	}
	return TRUE;
}

static TreeNode *read_map(Reader *reader, ProfilePlace place, guint depth)
{
	g_autoptr(TreeNode) map = node_new(TREE_MAP, place);
	g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);

	for (;;) {
		gboolean end = FALSE;
		TreeNode *key = read_child(reader, YAML_MAPPING_END_EVENT, depth, &end);
		TreeNode *value;

		if (end)
			return g_steal_pointer(&map);
		if (!key)
			return NULL;
		g_ptr_array_add(map->keys, key);
		if (!check_key(reader, seen, key))
			return NULL;
		g_hash_table_insert(seen, key->text, key);
		value = read_child(reader, YAML_NO_EVENT, depth, &end);
		if (!value)
			return NULL;
		g_ptr_array_add(map->values, value);
	}
}

static TreeNode *read_text(Reader *reader, const yaml_event_t *event)
{
	const char *text = (const char *)event->data.scalar.value;
	ProfilePlace place = place_of(event->start_mark);
	TreeNode *node;

	/* An escape (\0) can put one into a text that has none itself. */
	if (strlen(text) != event->data.scalar.length) {
		profile_error(reader->error, reader->file, place, "the value holds a NUL character");
		return NULL;
	}
	node = node_new(TREE_TEXT, place);
	node->text = g_strdup(text);
	node->plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
	return node;
}

static TreeNode *read_node(Reader *reader, yaml_event_t *event, guint depth)
{
	ProfilePlace place = place_of(event->start_mark);

	if (!check_plainness(reader, event))
		return NULL;
	if (depth >= TREE_DEPTH) {
		profile_error(reader->error, reader->file, place, "lists and mappings lie more than %d deep here; no key "
			"of a profile needs that", TREE_DEPTH);
		return NULL;
	}
	switch (event->type) {
	case YAML_SCALAR_EVENT:
		return read_text(reader, event);
	case YAML_SEQUENCE_START_EVENT:
		return read_list(reader, place, depth + 1);
	default:
		return read_map(reader, place, depth + 1);
	}
}

/* Reads the events around the one document. */
static TreeNode *read_document(Reader *reader)
{
	g_autoptr(TreeNode) root = NULL;

	for (;;) {
		yaml_event_t event;
		yaml_event_type_t type;
		ProfilePlace place;

		if (!next(reader, &event))
			return NULL;
		type = event.type;
		place = place_of(event.start_mark);
		if (type == YAML_DOCUMENT_START_EVENT && root) {
			yaml_event_delete(&event);
			profile_error(reader->error, reader->file, place, "a second document begins here; a profile is one "
				"document");
			return NULL;
		}
		if (type != YAML_STREAM_START_EVENT && type != YAML_STREAM_END_EVENT &&
			type != YAML_DOCUMENT_START_EVENT && type != YAML_DOCUMENT_END_EVENT) {
			root = read_node(reader, &event, 0);
			if (!root) {
				yaml_event_delete(&event);
				return NULL;
			}
		}
		yaml_event_delete(&event);
		if (type == YAML_STREAM_END_EVENT)
			break;
	}
	if (!root || tree_is_null(root)) {
		profile_error(reader->error, reader->file, (ProfilePlace){1, 1},
			"the profile is empty; `iogap plan --skeleton` prints one to begin with");
		return NULL;
	}
	return g_steal_pointer(&root);
}

/* libyaml guesses other encodings from a byte order mark; a profile is UTF-8 without NUL. */
static gboolean check_bytes(const char *file, const char *text, gsize length, GError **error)
{
	const char *bad = memchr(text, '\0', length);

	if (length > TREE_BYTES) {
		profile_error(error, file, (ProfilePlace){1, 1}, "the profile is longer than %d bytes", TREE_BYTES);
		return FALSE;
	}
	if (bad) {
		profile_error(error, file, place_at(text, bad - text), "a NUL byte; a profile is text in UTF-8");
		return FALSE;
	}
	if (!g_utf8_validate(text, length, &bad)) {
		profile_error(error, file, place_at(text, bad - text), "this byte (0x%02x) is not UTF-8",
			(guchar)*bad);
		return FALSE;
	}
	return TRUE;
}

TreeNode *tree_parse(const char *file, const char *text, gsize length, GError **error)
{
	Reader reader = {.file = file, .text = text, .length = length, .error = error};
	TreeNode *root;

	if (!check_bytes(file, text, length, error))
		return NULL;
	if (!yaml_parser_initialize(&reader.yaml))
		g_error("out of memory");
	yaml_parser_set_encoding(&reader.yaml, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(&reader.yaml, (const unsigned char *)text, length);
	root = read_document(&reader);
	yaml_parser_delete(&reader.yaml);
	return root;
}
