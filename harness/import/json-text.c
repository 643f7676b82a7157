/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/import/json-text.h"

#include <math.h>

/* An open object or array. */
typedef struct {
	guint32 node, last; /* last child so far */
} Level;

typedef struct {
	JsonText *doc;
	const char *data;
	gsize at, size;
	Level levels[JSON_TEXT_DEPTH];
	guint depth;
	GError **error;
} Parser;

G_STATIC_ASSERT(IMPORT_MOST_BYTES < G_MAXUINT32);

void json_text_free(JsonText *doc)
{
	if (!doc)
		return;
	g_array_unref(doc->nodes);
	g_free(doc);
}

static void skip_space(Parser *p)
{
	while (p->at < p->size && (p->data[p->at] == ' ' || p->data[p->at] == '\n' || p->data[p->at] == '\t' ||
					  p->data[p->at] == '\r'))
		p->at++;
}

static gboolean truncated(Parser *p)
{
	guint line = import_place_line(&p->doc->place, p->doc->input, p->doc->begin);

	return import_fail_at(p->error, p->doc->input, p->size,
		"truncated or incomplete JSON: the text ends in the middle of the document that begins in line %u", line);
}

static gboolean unexpected(Parser *p, const char *expected)
{
	guchar c;

	if (p->at >= p->size)
		return truncated(p);
	c = (guchar)p->data[p->at];
	if (g_ascii_isgraph(c))
		return import_fail_at(p->error, p->doc->input, p->at, "no valid JSON: %s expected, not \"%c\"", expected,
			c);
	return import_fail_at(p->error, p->doc->input, p->at, "no valid JSON: %s expected, not byte 0x%02x", expected, c);
}

/* From the opening quote; leaves the place behind the closing one. */
static gboolean read_string(Parser *p, guint32 *ret_at, guint32 *ret_length)
{
	gsize begin = ++p->at;

	for (; p->at < p->size; p->at++) {
		if (p->data[p->at] == '\\')
			p->at++;
		else if (p->data[p->at] == '"') {
			*ret_at = (guint32)begin;
			*ret_length = (guint32)(p->at++ - begin);
			return TRUE;
		}
	}
	return truncated(p);
}

static gboolean is_word_char(char c)
{
	return g_ascii_isalnum(c) || c == '-' || c == '+' || c == '.';
}

static gboolean read_word(Parser *p, JsonTextNode *node)
{
	static const char *const words[] = {"true", "false", "null"};
	gsize begin = p->at;
	double number;

	while (p->at < p->size && is_word_char(p->data[p->at]))
		p->at++;
	/* A number that the text ends in may be half of one. */
	if (p->at >= p->size)
		return truncated(p);
	node->value = (guint32)begin;
	node->value_length = (guint32)(p->at - begin);
	if (import_number_real(p->data + begin, node->value_length, '.', &number))
		node->kind = JSON_TEXT_NUMBER;
	else if (import_number_is_nonfinite(p->data + begin, node->value_length)) {
		node->kind = JSON_TEXT_NONFINITE;
		p->doc->nonfinite++;
	} else
		for (guint i = 0; i < G_N_ELEMENTS(words); i++)
			if (strlen(words[i]) == node->value_length &&
				memcmp(words[i], p->data + begin, node->value_length) == 0)
				node->kind = JSON_TEXT_WORD;
	if (node->kind != JSON_TEXT_NONE)
		return TRUE;
	p->at = begin;
	return unexpected(p, "a value");
}

static guint32 append(Parser *p, const JsonTextNode *node)
{
	guint32 index = p->doc->nodes->len;

	g_array_append_val(p->doc->nodes, *node);
	if (p->depth > 0) {
		Level *level = &p->levels[p->depth - 1];

		if (level->last)
			g_array_index(p->doc->nodes, JsonTextNode, level->last).next = index;
		else
			g_array_index(p->doc->nodes, JsonTextNode, level->node).child = index;
		level->last = index;
	}
	return index;
}

static gboolean open_level(Parser *p, JsonTextNode *node)
{
	node->kind = p->data[p->at] == '{' ? JSON_TEXT_OBJECT : JSON_TEXT_ARRAY;
	node->value = (guint32)p->at;
	if (p->depth >= JSON_TEXT_DEPTH)
		return import_fail_at(p->error, p->doc->input, p->at, "JSON nested deeper than %d levels",
			JSON_TEXT_DEPTH);
	p->at++;
	p->levels[p->depth] = (Level){.node = append(p, node)};
	p->depth++;
	return TRUE;
}

static gboolean read_value(Parser *p, JsonTextNode *node)
{
	skip_space(p);
	if (p->at >= p->size)
		return truncated(p);
	if (p->data[p->at] == '{' || p->data[p->at] == '[')
		return open_level(p, node);
	if (p->data[p->at] == '"') {
		node->kind = JSON_TEXT_STRING;
		if (!read_string(p, &node->value, &node->value_length))
			return FALSE;
	} else if (!is_word_char(p->data[p->at]))
		return unexpected(p, "a value");
	else if (!read_word(p, node))
		return FALSE;
	append(p, node);
	return TRUE;
}

static gboolean read_member(Parser *p, gboolean object)
{
	JsonTextNode node = {0};

	if (!object)
		return read_value(p, &node);
	skip_space(p);
	if (p->at >= p->size || p->data[p->at] != '"')
		return unexpected(p, "a key in quotes");
	if (!read_string(p, &node.key, &node.key_length))
		return FALSE;
	skip_space(p);
	if (p->at >= p->size || p->data[p->at] != ':')
		return unexpected(p, "\":\"");
	p->at++;
	return read_value(p, &node);
}

/* One step inside the innermost level: its end, or the next member. */
static gboolean step(Parser *p)
{
	Level *level = &p->levels[p->depth - 1];
	gboolean object = g_array_index(p->doc->nodes, JsonTextNode, level->node).kind == JSON_TEXT_OBJECT;

	skip_space(p);
	if (p->at >= p->size)
		return truncated(p);
	if (p->data[p->at] == (object ? '}' : ']')) {
		p->at++;
		p->depth--;
		return TRUE;
	}
	if (level->last) {
		if (p->data[p->at] != ',')
			return unexpected(p, object ? "\",\" or \"}\"" : "\",\" or \"]\"");
		p->at++;
	}
	return read_member(p, object);
}

JsonText *json_text_parse(const ImportInput *input, gsize begin, const ImportPlace *place, GError **error)
{
	g_autoptr(JsonText) doc = g_new0(JsonText, 1);
	Parser p = {.doc = doc, .data = input->data, .at = begin, .size = input->size, .error = error};
	JsonTextNode node = {0};

	doc->input = input;
	doc->begin = begin;
	if (place)
		doc->place = *place;
	doc->nodes = g_array_new(FALSE, FALSE, sizeof(JsonTextNode));
	g_array_append_val(doc->nodes, node);
	if (input->size > IMPORT_MOST_BYTES) {
		import_fail(error, input, 0, "it is too large");
		return NULL;
	}
	if (begin >= input->size || (input->data[begin] != '{' && input->data[begin] != '[')) {
		unexpected(&p, "\"{\"");
		return NULL;
	}
	if (!open_level(&p, &node))
		return NULL;
	while (p.depth > 0)
		if (!step(&p))
			return NULL;
	doc->end = p.at;
	return g_steal_pointer(&doc);
}

const JsonTextNode *json_text_node(const JsonText *doc, guint node)
{
	return &g_array_index(doc->nodes, JsonTextNode, node < doc->nodes->len ? node : 0);
}

guint json_text_child(const JsonText *doc, guint node)
{
	return json_text_node(doc, node)->child;
}

guint json_text_next(const JsonText *doc, guint node)
{
	return json_text_node(doc, node)->next;
}

gboolean json_text_key_is(const JsonText *doc, guint node, const char *key)
{
	const JsonTextNode *n = json_text_node(doc, node);
	gsize length = strlen(key);

	return n->key_length == length && memcmp(doc->input->data + n->key, key, length) == 0;
}

guint json_text_get(const JsonText *doc, guint object, const char *key)
{
	for (guint i = json_text_child(doc, object); i; i = json_text_next(doc, i))
		if (json_text_key_is(doc, i, key))
			return i;
	return 0;
}

guint json_text_line(JsonText *doc, guint node)
{
	return import_place_line(&doc->place, doc->input, json_text_node(doc, node)->value);
}

gboolean json_text_int(const JsonText *doc, guint node, gint64 *ret)
{
	const JsonTextNode *n = json_text_node(doc, node);
	const char *text = doc->input->data + n->value;
	const char *point;
	gsize length = n->value_length;

	if (n->kind != JSON_TEXT_NUMBER && n->kind != JSON_TEXT_STRING)
		return FALSE;
	point = memchr(text, '.', length);
	if (point && point > text) {
		for (const char *c = point + 1; c < text + length; c++)
			if (*c != '0')
				return FALSE;
		length = (gsize)(point - text);
	}
	return import_number_int(text, (gssize)length, ret);
}

double json_text_real(const JsonText *doc, guint node)
{
	const JsonTextNode *n = json_text_node(doc, node);
	double value = NAN;

	if (n->kind == JSON_TEXT_NUMBER)
		import_number_real(doc->input->data + n->value, n->value_length, '.', &value);
	return value;
}

/* Four hexadecimal digits at TEXT (which ends at END) as a character; 0 when they are none. */
static gunichar hex4(const char *text, const char *end)
{
	gunichar value = 0;

	if (end - text < 4)
		return 0;
	for (guint i = 0; i < 4; i++) {
		if (!g_ascii_isxdigit(text[i]))
			return 0;
		value = value << 4 | (gunichar)g_ascii_xdigit_value(text[i]);
	}
	return value;
}

/* Resolves the escape whose letter is at *AT; leaves *AT on its last character. */
static void unescape(GString *out, const char **at, const char *end)
{
	static const char letters[] = "nrtbf", meanings[] = "\n\r\t\b\f";
	const char *letter = strchr(letters, **at);
	gunichar c;

	if (**at != 'u') {
		g_string_append_c(out, letter && *letter ? meanings[letter - letters] : **at);
		return;
	}
	c = hex4(*at + 1, end);
	if (!c)
		return;
	*at += 4;
	if (c >= 0xd800 && c < 0xdc00 && end - *at > 6 && (*at)[1] == '\\' && (*at)[2] == 'u') {
		gunichar low = hex4(*at + 3, end);

		if (low >= 0xdc00 && low < 0xe000) {
			c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
			*at += 6;
		}
	}
	g_string_append_unichar(out, g_unichar_validate(c) ? c : 0xfffd);
}

char *json_text_string(const JsonText *doc, guint node)
{
	const JsonTextNode *n = json_text_node(doc, node);
	const char *text = doc->input->data + n->value, *end = text + n->value_length;
	g_autoptr(GString) out = NULL;

	if (n->kind != JSON_TEXT_STRING && n->kind != JSON_TEXT_NUMBER)
		return NULL;
	out = g_string_sized_new(n->value_length);
	for (; text < end; text++) {
		if (*text == '\\' && text + 1 < end) {
			text++;
			unescape(out, &text, end);
		} else if (*text)
			g_string_append_c(out, *text);
	}
	return g_utf8_make_valid(out->str, (gssize)out->len);
}

/* Nodes are in the order of the text, so those below NODE are the ones up to its next sibling's. */
guint json_text_count_nonfinite(const JsonText *doc, guint node)
{
	guint count = json_text_node(doc, node)->kind == JSON_TEXT_NONFINITE;
	guint end = json_text_next(doc, node);

	if (!doc->nonfinite || !node)
		return count;
	if (!end) {
		/* The last of its level: its descendants are those that follow and are reached from it. */
		for (guint i = json_text_child(doc, node); i; i = json_text_next(doc, i))
			count += json_text_count_nonfinite(doc, i);
		return count;
	}
	for (guint i = node + 1; i < end; i++)
		count += json_text_node(doc, i)->kind == JSON_TEXT_NONFINITE;
	return count;
}
