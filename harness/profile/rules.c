/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The entries of include and exclude. */
#include "harness/profile/parser.h"

#include <string.h>

const ProfileKey *parse_rule_key(Parser *parser, const char *text, ProfilePlace place)
{
	const ProfileKey *row = profile_key("rule", text), *found = NULL;

	for (guint i = 0; !row && i < G_N_ELEMENTS(parse_axis_sections); i++) {
		gsize length = strlen(parse_axis_sections[i]);

		if (strncmp(text, parse_axis_sections[i], length) == 0 && text[length] == '.')
			row = profile_key(parse_axis_sections[i], text + length + 1);
	}
	if (row)
		return row;
	for (guint i = 0; i < G_N_ELEMENTS(parse_axis_sections); i++) {
		row = profile_key(parse_axis_sections[i], text);
		if (row && found) {
			parse_fail(parser, place, "%s is a key of two sections; write %s.%s or %s.%s", text,
				found->section, text, row->section, text);
			return NULL;
		}
		found = row ? row : found;
	}
	return found;
}

static gboolean unknown_rule_key(Parser *parser, const TreeNode *key)
{
	g_autofree char *quoted = tree_quote(key->text);
	const char *hint = NULL;

	for (guint i = 0; !hint && i < G_N_ELEMENTS(parse_axis_sections); i++)
		hint = parse_near_key(parse_axis_sections[i], key->text);
	if (hint)
		return parse_fail(parser, key->place, "unknown key %s in this entry; did you mean \"%s\"?", quoted, hint);
	return parse_fail(parser, key->place, "unknown key %s in this entry; it takes target and the keys of workload, guest "
		"and host", quoted);
}

static gboolean check_target_names(Parser *parser, const ProfileAxis *axis)
{
	const GPtrArray *targets = parser->profile->targets;

	for (guint i = 0; i < axis->values->len; i++) {
		const char *name = g_ptr_array_index(axis->values, i);
		gboolean found = FALSE;

		for (guint t = 0; t < targets->len; t++)
			found = found || g_str_equal(((ProfileTarget *)g_ptr_array_index(targets, t))->name, name);
		if (!found)
			return parse_fail(parser, g_array_index(axis->places, ProfilePlace, i),
				"there is no target \"%s\" in this profile", name);
	}
	return TRUE;
}

static gboolean read_rule_key(Parser *parser, ProfileRule *rule, const TreeNode *key, const TreeNode *node)
{
	g_autoptr(GError) local = NULL;
	Parser quiet = {parser->profile, &local};
	const ProfileKey *row = parse_rule_key(&quiet, key->text, key->place);
	ProfileAxis *axis;

	if (!row && local) {
		g_propagate_error(parser->error, g_steal_pointer(&local));
		return FALSE;
	}
	if (!row)
		return unknown_rule_key(parser, key);
	for (guint i = 0; i < rule->axes->len; i++)
		if (((ProfileAxis *)g_ptr_array_index(rule->axes, i))->row == row)
			return parse_fail(parser, key->place, "the key %s is here twice, once with its section", row->key);
	axis = parse_axis_new(row);
	g_ptr_array_add(rule->axes, axis);
	return parse_axis(parser, axis, node) &&
		(!g_str_equal(row->section, "rule") || check_target_names(parser, axis));
}

gboolean parse_rules(Parser *parser, const char *what, const TreeNode *list, GPtrArray *rules)
{
	if (!parse_want_kind(parser, list, TREE_LIST, what))
		return FALSE;
	if (list->values->len == 0)
		return parse_fail(parser, list->place, "%s is an empty list; leave the key out instead", what);
	for (guint i = 0; i < list->values->len; i++) {
		const TreeNode *map = g_ptr_array_index(list->values, i);
		ProfileRule *rule = g_new0(ProfileRule, 1);

		rule->place = map->place;
		rule->axes = g_ptr_array_new_with_free_func((GDestroyNotify)parse_axis_free);
		g_ptr_array_add(rules, rule);
		if (!parse_want_kind(parser, map, TREE_MAP, what))
			return FALSE;
		if (map->keys->len == 0)
			return parse_fail(parser, map->place, "an entry of %s without keys", what);
		for (guint k = 0; k < map->keys->len; k++)
			if (!read_rule_key(parser, rule, g_ptr_array_index(map->keys, k),
				    g_ptr_array_index(map->values, k)))
				return FALSE;
	}
	return TRUE;
}
