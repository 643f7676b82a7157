/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * JSON as other programs really print it: keys may repeat and keep their order, nan and inf stand where numbers should,
 * more text follows the document. Jansson takes none of these, so foreign documents are read here.
 *
 * A document is an array of nodes that point into the input: about 28 bytes a value, no copy of any text, at most
 * JSON_TEXT_DEPTH levels, read without recursion. Node 0 is none: every function takes it and finds nothing in it.
 *
 * Who may include it: harness/import and its tests.
 */
#ifndef IOGAP_IMPORT_JSON_TEXT_H
#define IOGAP_IMPORT_JSON_TEXT_H

#include "harness/import/import.h"

#define JSON_TEXT_DEPTH 64

typedef enum {
	JSON_TEXT_NONE,
	JSON_TEXT_OBJECT,
	JSON_TEXT_ARRAY,
	JSON_TEXT_STRING,
	JSON_TEXT_NUMBER,
	JSON_TEXT_NONFINITE, /* nan, -nan, inf, infinity ... */
	JSON_TEXT_WORD,	     /* true, false, null */
} JsonTextKind;

typedef struct {
	guint32 key, key_length;     /* place in the input, without the quotes; length 0 outside objects */
	guint32 value, value_length; /* strings without their quotes */
	guint32 child, next;	     /* nodes; 0 = none */
	JsonTextKind kind;
} JsonTextNode;

typedef struct {
	const ImportInput *input;
	GArray *nodes;	 /* of JsonTextNode; the root is 1 */
	gsize begin, end; /* in bytes: the document is [begin, end) */
	guint nonfinite; /* values that are JSON_TEXT_NONFINITE */
	ImportPlace place; /* where json_text_line has counted to */
} JsonText;

/* Reads the document that begins with the "{" or "[" at BEGIN. NULL with a place: truncated, or what was expected instead. PLACE is one
 * that was counted up to BEGIN at most, or NULL. */
JsonText *json_text_parse(const ImportInput *input, gsize begin, const ImportPlace *place, GError **error);
void json_text_free(JsonText *doc);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(JsonText, json_text_free)

const JsonTextNode *json_text_node(const JsonText *doc, guint node);
/* The first member of OBJECT named KEY, or 0. */
guint json_text_get(const JsonText *doc, guint object, const char *key);
gboolean json_text_key_is(const JsonText *doc, guint node, const char *key);
guint json_text_child(const JsonText *doc, guint node);
guint json_text_next(const JsonText *doc, guint node);
/* The line of NODE in the input; cheap when asked for in the order of the text. */
guint json_text_line(JsonText *doc, guint node);

/* FALSE and *ret untouched unless the node is a whole number, or a string that is one (as fio prints options); a fraction of zeros is
 * allowed. */
gboolean json_text_int(const JsonText *doc, guint node, gint64 *ret);
/* NaN unless the node is a finite number. */
double json_text_real(const JsonText *doc, guint node);
/* A string's text with its escapes resolved, or a number's as it stands; NULL for anything else. Owned by the caller. */
char *json_text_string(const JsonText *doc, guint node);
/* How many values below and at NODE are JSON_TEXT_NONFINITE. */
guint json_text_count_nonfinite(const JsonText *doc, guint node);

#endif
