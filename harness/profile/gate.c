/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The section gate: what `iogap gate` holds against the cells, and what it lets pass for now. */
#include "harness/profile/parser.h"

#include <string.h>


void parse_waiver_free(ProfileWaiver *waiver)
{
	g_free(waiver->cell);
	g_free(waiver->reason);
	g_free(waiver->until);
	g_free(waiver);
}

static gboolean read_waiver(Parser *parser, const TreeNode *map)
{
	g_autoptr(GHashTable) values = parse_values_new();
	g_autoptr(GHashTable) nodes = g_hash_table_new(g_str_hash, g_str_equal);
	GPtrArray *waivers = parser->profile->gate.waivers;
	ProfileWaiver *waiver;

	if (!parse_values(parser, "waivers", map, values, nodes))
		return FALSE;
	waiver = g_new0(ProfileWaiver, 1);
	waiver->place = map->place;
	waiver->cell = g_strdup(g_hash_table_lookup(values, "cell"));
	waiver->reason = g_strdup(g_hash_table_lookup(values, "reason"));
	waiver->until = g_strdup(g_hash_table_lookup(values, "until"));
	for (guint i = 0; i < waivers->len; i++)
		if (g_str_equal(((ProfileWaiver *)g_ptr_array_index(waivers, i))->cell, waiver->cell)) {
			parse_waiver_free(waiver);
			return parse_fail(parser, map->place, "this cell has a waiver already");
		}
	g_ptr_array_add(waivers, waiver);
	return TRUE;
}

static gboolean read_waivers(Parser *parser, const TreeNode *list)
{
	if (!parse_want_kind(parser, list, TREE_LIST, "waivers"))
		return FALSE;
	for (guint i = 0; i < list->values->len; i++)
		if (!read_waiver(parser, g_ptr_array_index(list->values, i)))
			return FALSE;
	return TRUE;
}

static double fraction(GHashTable *values, const char *key)
{
	return (double)parse_number_in(values, "gate", key, 0) / PERCENT_UNIT;
}

static gboolean read_family(Parser *parser, const TreeNode *map, GHashTable *values, ProfileFamily *family)
{
	g_autofree char *least = g_strconcat(family->name, "_least", NULL), *detect = g_strconcat(family->name, "_detect", NULL);

	g_strlcpy(family->mode, g_hash_table_lookup(values, family->name), sizeof(family->mode));
	family->least = fraction(values, least);
	family->detect = fraction(values, detect);
	if (family->least <= family->detect)
		return TRUE;
	return parse_fail(parser, map->place, "%s cannot be larger than %s", least, detect);
}

/* The smallest p of n blocks is one of their 2^n orders of signs: where that is above the share of alpha nothing is ever REGRESSED. */
static gboolean check_alpha(Parser *parser, const TreeNode *map, const ProfileGate *gate)
{
	guint families = 1, need = 0;

	for (guint i = 0; i < PROFILE_FAMILIES; i++)
		families += g_str_equal(gate->families[i].mode, "gating");
	while ((double)(1u << need) * gate->alpha < families)
		need++;
	if (gate->confirm_blocks >= need)
		return TRUE;
	return parse_fail(parser, map->place, "%u confirm_blocks can never reach an alpha of %g %%%s: it takes %u", gate->confirm_blocks,
		100 * gate->alpha, families > 1 ? " that gating families share" : "", need);
}

gboolean parse_gate(Parser *parser, const TreeNode *map)
{
	g_autoptr(GHashTable) values = parse_values_new();
	g_autoptr(GHashTable) nodes = g_hash_table_new(g_str_hash, g_str_equal);
	ProfileGate *gate = &parser->profile->gate;
	static const char *const families[PROFILE_FAMILIES] = {"latency", "cpu", "switches"};
	const TreeNode *waivers;

	if (!parse_values(parser, "gate", map, values, nodes))
		return FALSE;
	gate->alpha = fraction(values, "alpha");
	gate->detect = fraction(values, "detect");
	gate->least = fraction(values, "least");
	gate->group_detect = fraction(values, "group_detect");
	gate->group_least = fraction(values, "group_least");
	gate->screen_blocks = (guint)parse_number_in(values, "gate", "screen_blocks", 0);
	gate->confirm_blocks = (guint)parse_number_in(values, "gate", "confirm_blocks", 0);
	gate->min_blocks = (guint)parse_number_in(values, "gate", "min_blocks", 0);
	if (gate->least > gate->detect || gate->group_least > gate->group_detect)
		return parse_fail(parser, map->place, "a loss that is REGRESSED (least) cannot be larger than one that must not be OK "
			"(detect)");
	if (gate->min_blocks > gate->confirm_blocks)
		return parse_fail(parser, map->place, "min_blocks cannot be more than confirm_blocks: nothing could ever be judged");
	for (guint i = 0; i < PROFILE_FAMILIES; i++) {
		gate->families[i].name = families[i];
		if (!read_family(parser, map, values, &gate->families[i]))
			return FALSE;
	}
	if (!check_alpha(parser, map, gate))
		return FALSE;
	waivers = g_hash_table_lookup(nodes, "waivers");
	return !waivers || read_waivers(parser, waivers);
}

void profile_for_gate(Profile *profile)
{
	const ProfileGate *gate = &profile->gate;
	g_autofree char *before = profile->text;

	profile->blocks = gate->screen_blocks + gate->confirm_blocks;
	profile->text = g_strdup_printf("%s%s# iogap gate: %u blocks screen, %u confirm what they choose\n", before,
		g_str_has_suffix(before, "\n") || !*before ? "" : "\n", gate->screen_blocks, gate->confirm_blocks);
}
