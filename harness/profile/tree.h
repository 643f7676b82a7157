/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A YAML document as a tree of texts, lists and mappings, each with its place. Only what profiles need:
 * one document, no anchors, aliases, merge keys or tags, at most TREE_DEPTH levels; everything else is an error
 * at its place. Duplicate keys are errors here. So a tree is never larger than its text.
 *
 * Who may include it: harness/profile, and harness/import for what people say beside the files they import.
 */
#ifndef IOGAP_PROFILE_TREE_H
#define IOGAP_PROFILE_TREE_H

#include "harness/profile/profile.h"

#define TREE_DEPTH 6
#define TREE_BYTES (1024 * 1024) /* a longer text is refused */

typedef enum { TREE_TEXT, TREE_LIST, TREE_MAP } TreeKind;

typedef struct TreeNode TreeNode;
struct TreeNode {
	TreeKind kind;
	ProfilePlace place;
	char *text;	   /* TREE_TEXT */
	gboolean plain;	   /* TREE_TEXT: written without quotes */
	GPtrArray *keys;   /* TREE_MAP: of TreeNode *, all of TREE_TEXT */
	GPtrArray *values; /* TREE_LIST: the items; TREE_MAP: one for each key */
};

/* The root of the document; FILE is for messages. IOGAP_ERROR_USAGE FILE:LINE:COLUMN. */
TreeNode *tree_parse(const char *file, const char *text, gsize length, GError **error);
TreeNode *tree_empty_map(void);
void tree_free(TreeNode *node); /* NULL is allowed */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(TreeNode, tree_free)

/* No value at all: nothing, ~ or null, without quotes. */
gboolean tree_is_null(const TreeNode *node);

/* TEXT in quotes, cut and escaped so that it fits into one line of a message. New text. */
char *tree_quote(const char *text);

#endif
