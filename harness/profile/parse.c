/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From the tree of a YAML document to a profile, by the key table. */
#include "harness/profile/parser.h"

#include <string.h>

#include "guest-agent/common/units.h"
#include "harness/base/nearest.h"

#define LEAST_BLOCKS 6	    /* PRECISION_MIN_BLOCKS of harness/compare: a profile knows nothing of statistics */
#define PRECISION_BLOCKS 20 /* of a profile with precision that names none */
#define SERIES_POINTS 10000 /* a run that is extended once still fits into the agent's longest answer */

const char *const parse_axis_sections[PARSE_AXIS_SECTIONS] = {"workload", "guest", "host"};

void parse_axis_free(ProfileAxis *axis)
{
	g_free(axis->key);
	g_ptr_array_unref(axis->values);
	g_array_unref(axis->places);
	g_free(axis);
}

ProfileAxis *parse_axis_new(const ProfileKey *row)
{
	ProfileAxis *axis = g_new0(ProfileAxis, 1);

	axis->row = row;
	axis->key = g_strdup(row->key);
	axis->values = g_ptr_array_new_with_free_func(g_free);
	axis->places = g_array_new(FALSE, FALSE, sizeof(ProfilePlace));
	return axis;
}

static void axis_add(ProfileAxis *axis, char *value, ProfilePlace place)
{
	g_ptr_array_add(axis->values, value);
	g_array_append_val(axis->places, place);
}

static void rule_free(ProfileRule *rule)
{
	g_ptr_array_unref(rule->axes);
	g_free(rule);
}

static void arm_free(ProfileArm *arm)
{
	g_free(arm->name);
	g_ptr_array_unref(arm->axes);
	g_free(arm);
}

static void target_free(ProfileTarget *target)
{
	g_free(target->name);
	g_free(target->type);
	g_free(target->path);
	g_free(target->filesystem);
	g_free(target);
}

void profile_free(Profile *profile)
{
	if (!profile)
		return;
	g_free(profile->file);
	g_free(profile->text);
	g_free(profile->name);
	g_free(profile->accel);
	g_ptr_array_unref(profile->targets);
	for (guint i = 0; i < G_N_ELEMENTS(profile->axes); i++)
		g_ptr_array_unref(profile->axes[i]);
	g_ptr_array_unref(profile->include);
	g_ptr_array_unref(profile->exclude);
	g_ptr_array_unref(profile->fio_files);
	g_ptr_array_unref(profile->arms);
	g_ptr_array_unref(profile->gate.waivers);
	g_free(profile);
}

static Profile *profile_new(const char *file, const char *text, gsize length)
{
	Profile *profile = g_new0(Profile, 1);

	profile->file = g_strdup(file);
	profile->text = g_strndup(text, length);
	profile->targets = g_ptr_array_new_with_free_func((GDestroyNotify)target_free);
	for (guint i = 0; i < G_N_ELEMENTS(profile->axes); i++)
		profile->axes[i] = g_ptr_array_new_with_free_func((GDestroyNotify)parse_axis_free);
	profile->include = g_ptr_array_new_with_free_func((GDestroyNotify)rule_free);
	profile->exclude = g_ptr_array_new_with_free_func((GDestroyNotify)rule_free);
	profile->gate.waivers = g_ptr_array_new_with_free_func((GDestroyNotify)parse_waiver_free);
	profile->fio_files = g_ptr_array_new_with_free_func((GDestroyNotify)fio_file_free);
	profile->arms = g_ptr_array_new_with_free_func((GDestroyNotify)arm_free);
	return profile;
}

const ProfileAxis *profile_axis(const Profile *profile, ProfileSection section, const char *key)
{
	const GPtrArray *axes = profile->axes[section];

	for (guint i = 0; i < axes->len; i++) {
		const ProfileAxis *axis = g_ptr_array_index(axes, i);

		if (g_str_equal(axis->key, key))
			return axis;
	}
	g_error("there is no axis %s in section %s", key, parse_axis_sections[section]);
}

gboolean parse_fail(Parser *parser, ProfilePlace place, const char *format, ...)
{
	g_autofree char *what = NULL;
	va_list args;

	va_start(args, format);
	what = g_strdup_vprintf(format, args);
	va_end(args);
	profile_error(parser->error, parser->profile->file, place, "%s", what);
	return FALSE;
}

/* ---- single values ------------------------------------------------------------------------ */

/* The canonical value of NODE for ROW, or NULL with the error set. */
static char *value_of(Parser *parser, const ProfileKey *row, const TreeNode *node)
{
	g_autofree char *values = profile_key_values(row);
	g_autofree char *why = NULL, *quoted = NULL;
	char *value;

	if (g_str_equal(row->key, "engine") && node->kind == TREE_MAP)
		return parse_fio_file(parser, node);
	if (node->kind != TREE_TEXT) {
		parse_fail(parser, node->place, "%s takes %s, not a %s", row->key, values,
			node->kind == TREE_LIST ? "list" : "mapping");
		return NULL;
	}
	/* `engine: null` names an engine; everywhere else null is no value. */
	if (tree_is_null(node) && !(row->words && g_strv_contains(row->words, node->text))) {
		parse_fail(parser, node->place, "%s has no value; it takes %s", row->key, values);
		return NULL;
	}
	value = profile_value(row, node->text, &why);
	if (!value) {
		quoted = tree_quote(node->text);
		parse_fail(parser, node->place, "%s cannot be %s: %s", row->key, quoted, why);
	}
	return value;
}

/* All keys of SECTION as words for a hint. */
const char *parse_near_key(const char *section, const char *text)
{
	g_autoptr(GPtrArray) words = g_ptr_array_new();
	const ProfileKey *keys;
	guint n;

	keys = profile_keys(&n);
	for (guint i = 0; i < n; i++)
		if (g_str_equal(keys[i].section, section))
			g_ptr_array_add(words, (char *)keys[i].key);
	g_ptr_array_add(words, NULL);
	return nearest(text, (const char *const *)words->pdata);
}

/* Another section that has this key, or NULL. */
static const char *other_section(const char *key)
{
	const ProfileKey *keys;
	guint n;

	keys = profile_keys(&n);
	for (guint i = 0; i < n; i++)
		if (g_str_equal(keys[i].key, key))
			return keys[i].section;
	return NULL;
}

static gboolean unknown_key(Parser *parser, const char *section, const TreeNode *key)
{
	g_autofree char *quoted = tree_quote(key->text);
	g_autofree char *where = *section ? g_strdup_printf("in %s", section) : g_strdup("at the top level");
	const char *hint = parse_near_key(section, key->text), *other = other_section(key->text);

	if (other && *other)
		return parse_fail(parser, key->place, "unknown key %s %s; it belongs in %s", quoted, where, other);
	if (other)
		return parse_fail(parser, key->place, "unknown key %s %s; it belongs at the top level", quoted, where);
	if (hint)
		return parse_fail(parser, key->place, "unknown key %s %s; did you mean \"%s\"?", quoted, where, hint);
	return parse_fail(parser, key->place, "unknown key %s %s; iogap-profile(5) and `iogap plan --skeleton` list all keys",
		quoted, where);
}

gboolean parse_want_kind(Parser *parser, const TreeNode *node, TreeKind kind, const char *what)
{
	static const char *const kinds[] = {"a single value", "a list", "a mapping"};

	if (node->kind == kind)
		return TRUE;
	return parse_fail(parser, node->place, "%s takes %s, not %s", what, kinds[kind],
		tree_is_null(node) ? "nothing" : kinds[node->kind]);
}

gboolean parse_values(Parser *parser, const char *section, const TreeNode *map, GHashTable *values,
	GHashTable *nodes)
{
	const ProfileKey *keys;
	guint n;

	if (!parse_want_kind(parser, map, TREE_MAP, section))
		return FALSE;
	for (guint i = 0; i < map->keys->len; i++) {
		const TreeNode *key = g_ptr_array_index(map->keys, i);
		TreeNode *node = g_ptr_array_index(map->values, i);
		const ProfileKey *row = profile_key(section, key->text);
		char *value;

		if (!row)
			return unknown_key(parser, section, key);
		value = row->type == PROFILE_TYPE_LIST ? NULL : value_of(parser, row, node);
		if (!value && row->type != PROFILE_TYPE_LIST)
			return FALSE;
		if (value)
			g_hash_table_insert(values, (char *)row->key, value);
		g_hash_table_insert(nodes, (char *)row->key, node);
	}
	keys = profile_keys(&n);
	for (guint i = 0; i < n; i++) {
		if (!g_str_equal(keys[i].section, section) || g_hash_table_contains(values, keys[i].key))
			continue;
		if (keys[i].required)
			return parse_fail(parser, map->place, "the key %s is missing", keys[i].key);
		if (keys[i].fallback)
			g_hash_table_insert(values, (char *)keys[i].key, g_strdup(keys[i].fallback));
	}
	return TRUE;
}

GHashTable *parse_values_new(void)
{
	return g_hash_table_new_full(g_str_hash, g_str_equal, NULL, g_free);
}

guint64 parse_number_in(GHashTable *values, const char *section, const char *key, guint64 fallback)
{
	const char *value = g_hash_table_lookup(values, key);

	return value ? profile_number(profile_key(section, key), value, fallback) : fallback;
}

/* ---- axes --------------------------------------------------------------------------------- */

static gboolean add_value(Parser *parser, ProfileAxis *axis, const TreeNode *node)
{
	char *value = value_of(parser, axis->row, node);

	if (!value)
		return FALSE;
	for (guint i = 0; i < axis->values->len; i++) {
		if (g_str_equal(g_ptr_array_index(axis->values, i), value)) {
			const ProfilePlace *first = &g_array_index(axis->places, ProfilePlace, i);

			parse_fail(parser, node->place, "%s has the value %s twice; it stands in line %u, column %u already",
				axis->key, value, first->line, first->column);
			g_free(value);
			return FALSE;
		}
	}
	axis_add(axis, value, node->place);
	return TRUE;
}

/* A scalar is a list of one. */
gboolean parse_axis(Parser *parser, ProfileAxis *axis, const TreeNode *node)
{
	if (node->kind != TREE_LIST)
		return add_value(parser, axis, node);
	if (node->values->len == 0)
		return parse_fail(parser, node->place, "%s is an empty list, so the matrix would be empty", axis->key);
	for (guint i = 0; i < node->values->len; i++)
		if (!add_value(parser, axis, g_ptr_array_index(node->values, i)))
			return FALSE;
	return TRUE;
}

static gboolean read_axes(Parser *parser, ProfileSection section, const TreeNode *map)
{
	GPtrArray *axes = parser->profile->axes[section];

	if (!parse_want_kind(parser, map, TREE_MAP, parse_axis_sections[section]))
		return FALSE;
	for (guint i = 0; i < map->keys->len; i++) {
		const TreeNode *key = g_ptr_array_index(map->keys, i);
		const ProfileKey *row = profile_key(parse_axis_sections[section], key->text);
		ProfileAxis *axis;

		if (!row)
			return unknown_key(parser, parse_axis_sections[section], key);
		axis = parse_axis_new(row);
		g_ptr_array_add(axes, axis);
		if (!parse_axis(parser, axis, g_ptr_array_index(map->values, i)))
			return FALSE;
	}
	return TRUE;
}

/* Gives every section all of its keys, in the order of the table. */
static void complete_axes(Profile *profile, ProfileSection section)
{
	GPtrArray *given = profile->axes[section];
	GPtrArray *all = g_ptr_array_new_with_free_func((GDestroyNotify)parse_axis_free);
	const ProfileKey *keys;
	guint n;

	keys = profile_keys(&n);
	for (guint k = 0; k < n; k++) {
		ProfileAxis *axis = NULL;

		if (!g_str_equal(keys[k].section, parse_axis_sections[section]))
			continue;
		for (guint i = 0; i < given->len && !axis; i++)
			if (((ProfileAxis *)g_ptr_array_index(given, i))->row == &keys[k])
				axis = g_ptr_array_steal_index(given, i);
		if (!axis) {
			axis = parse_axis_new(&keys[k]);
			axis_add(axis, g_strdup(keys[k].fallback), (ProfilePlace){0, 0});
		}
		g_ptr_array_add(all, axis);
	}
	g_ptr_array_unref(given);
	profile->axes[section] = all;
}

/* ---- targets ------------------------------------------------------------------------------ */

/* What device-mapper and null_blk cannot make. */
static gboolean check_kernel_target(Parser *parser, const ProfileTarget *target, GHashTable *nodes)
{
	const TreeNode *delay = g_hash_table_lookup(nodes, "delay"), *size = g_hash_table_lookup(nodes, "size");

	if (g_str_equal(target->type, "null_blk") && target->size % (1 << 20))
		return parse_fail(parser, size->place, "null_blk counts in MiB: size is not a multiple of 1M");
	if (!g_str_equal(target->type, "dm-delay"))
		return TRUE;
	if (!delay)
		return parse_fail(parser, target->place, "the target \"%s\" needs a delay, such as 5ms", target->name);
	if (target->delay_ns % 1000000)
		return parse_fail(parser, delay->place, "device-mapper counts in milliseconds: delay is not a whole number of them");
	return TRUE;
}

/* What must and must not be given with a type. */
static gboolean check_target(Parser *parser, const ProfileTarget *target, GHashTable *nodes)
{
	static const struct {
		const char *key;
		const char *types[4];
	} belongs[] = {
		{"filesystem", {"loop", "lvm", "dm-delay"}},
		{"consent", {"block"}},
		{"delay", {"dm-delay", "null_blk"}},
		{"memory_backed", {"null_blk"}},
		{"nbd_plugin", {"nbd"}},
		{"nbd_delay", {"nbd"}},
		{"nbd_rate", {"nbd"}},
		{"nbd_error_rate", {"nbd"}},
	};
	static const char *const without_path[] = {"nbd", "dm-zero", "null_blk", NULL};
	const TreeNode *size = g_hash_table_lookup(nodes, "size");
	gboolean block = g_str_equal(target->type, "block");

	for (guint i = 0; i < G_N_ELEMENTS(belongs); i++) {
		const TreeNode *node = g_hash_table_lookup(nodes, belongs[i].key);
		g_autofree char *types = g_strjoinv(" or ", (char **)belongs[i].types);

		if (node && !g_strv_contains(belongs[i].types, target->type))
			return parse_fail(parser, node->place, "%s is for targets of type %s, and \"%s\" is of type %s",
				belongs[i].key, types, target->name, target->type);
	}
	if (target->path && g_strv_contains(without_path, target->type))
		return parse_fail(parser, target->place, "the target \"%s\" is of type %s, which has no path", target->name, target->type);
	if (block && !target->path)
		return parse_fail(parser, target->place, "the target \"%s\" is a block device: name it with path",
			target->name);
	if (!block && !size)
		return parse_fail(parser, target->place, "the target \"%s\" needs a size, such as 1G", target->name);
	if (target->size % 4096)
		return parse_fail(parser, size->place, "size is not a multiple of 4k");
	return check_kernel_target(parser, target, nodes);
}

static gboolean read_target(Parser *parser, const TreeNode *map)
{
	g_autoptr(GHashTable) values = parse_values_new();
	g_autoptr(GHashTable) nodes = g_hash_table_new(g_str_hash, g_str_equal);
	GPtrArray *targets = parser->profile->targets;
	ProfileTarget *target = g_new0(ProfileTarget, 1);
	gboolean duplicate = FALSE;

	target->place = map->place;
	g_ptr_array_add(targets, target);
	if (!parse_values(parser, "targets", map, values, nodes))
		return FALSE;
	target->name = g_strdup(g_hash_table_lookup(values, "name"));
	target->type = g_strdup(g_hash_table_lookup(values, "type"));
	target->path = g_strdup(g_hash_table_lookup(values, "path"));
	target->filesystem = g_strdup(g_hash_table_lookup(values, "filesystem"));
	target->size = parse_number_in(values, "targets", "size", 0);
	target->delay_ns = parse_number_in(values, "targets", "delay", 0);
	target->memory_backed = parse_number_in(values, "targets", "memory_backed", 0);
	target->nbd_plugin = g_strdup(g_hash_table_lookup(values, "nbd_plugin"));
	if (!target->nbd_plugin && g_str_equal(target->type, "nbd"))
		target->nbd_plugin = g_strdup("memory");
	target->nbd_delay_ns = parse_number_in(values, "targets", "nbd_delay", 0);
	target->nbd_rate = parse_number_in(values, "targets", "nbd_rate", 0);
	target->nbd_error_rate = (guint)parse_number_in(values, "targets", "nbd_error_rate", 0);
	target->consent = parse_number_in(values, "targets", "consent", 0);
	for (guint i = 0; i + 1 < targets->len; i++)
		duplicate = duplicate ||
			g_str_equal(((ProfileTarget *)g_ptr_array_index(targets, i))->name, target->name);
	if (duplicate)
		return parse_fail(parser, ((TreeNode *)g_hash_table_lookup(nodes, "name"))->place,
			"two targets have the name \"%s\"", target->name);
	return check_target(parser, target, nodes);
}

static gboolean read_targets(Parser *parser, const TreeNode *list)
{
	if (!parse_want_kind(parser, list, TREE_LIST, "targets"))
		return FALSE;
	if (list->values->len == 0)
		return parse_fail(parser, list->place, "targets is an empty list, so the matrix would be empty");
	for (guint i = 0; i < list->values->len; i++)
		if (!read_target(parser, g_ptr_array_index(list->values, i)))
			return FALSE;
	return TRUE;
}

/* ---- measure and the top level ------------------------------------------------------------ */

/* Six blocks are measured in any case, so a ceiling that is no higher would leave the key without effect. */
static gboolean read_precision(Parser *parser, GHashTable *values, GHashTable *nodes)
{
	Profile *profile = parser->profile;
	const TreeNode *blocks = g_hash_table_lookup(nodes, "blocks");

	profile->precision = (double)parse_number_in(values, "measure", "precision", 0) / PERCENT_UNIT;
	if (profile->precision <= 0)
		return TRUE;
	if (!blocks)
		profile->blocks = PRECISION_BLOCKS;
	if (profile->blocks <= LEAST_BLOCKS)
		return parse_fail(parser, blocks->place,
			"precision has no effect with blocks: %u, since at least %u are always measured; allow more, such as %u, or leave "
			"precision out", profile->blocks, LEAST_BLOCKS, PRECISION_BLOCKS);
	return TRUE;
}

static gboolean read_measure(Parser *parser, const TreeNode *map)
{
	g_autoptr(GHashTable) values = parse_values_new();
	g_autoptr(GHashTable) nodes = g_hash_table_new(g_str_hash, g_str_equal);
	Profile *profile = parser->profile;
	const TreeNode *blame;

	if (!parse_values(parser, "measure", map, values, nodes))
		return FALSE;
	profile->settle_ns = parse_number_in(values, "measure", "settle", 0);
	profile->run_ns = parse_number_in(values, "measure", "run", 0);
	profile->interval_ns = parse_number_in(values, "measure", "interval", 0);
	profile->extend = parse_number_in(values, "measure", "extend", 0) != 0;
	profile->blocks = parse_number_in(values, "measure", "blocks", 0);
	profile->max_load = (double)parse_number_in(values, "measure", "max_load", 0) / PERCENT_UNIT;
	profile->max_load_wait_ns = parse_number_in(values, "measure", "max_load_wait", 0);
	profile->boot_limit_ns = parse_number_in(values, "measure", "boot_limit", 0);
	blame = g_hash_table_lookup(nodes, "max_load_wait");
	if (blame && profile->max_load <= 0)
		return parse_fail(parser, blame->place, "max_load_wait has no effect without max_load");
	if (!read_precision(parser, values, nodes))
		return FALSE;
	profile->has_seed = g_hash_table_contains(values, "seed");
	profile->seed = parse_number_in(values, "measure", "seed", 0);
	blame = g_hash_table_lookup(nodes, "interval");
	blame = blame ? blame : g_hash_table_lookup(nodes, "run");
	if (profile->interval_ns > profile->run_ns)
		return parse_fail(parser, blame->place, "interval is longer than run");
	if (profile->run_ns / profile->interval_ns > SERIES_POINTS) {
		char buf[32];

		units_format_duration(profile->interval_ns, buf, sizeof(buf));
		return parse_fail(parser, blame->place,
			"a run has %" G_GUINT64_FORMAT " intervals of %s, and at most %d fit; use a longer interval",
			profile->run_ns / profile->interval_ns, buf, SERIES_POINTS);
	}
	return TRUE;
}

static const TreeNode *find(const TreeNode *map, const char *key)
{
	for (guint i = 0; i < map->keys->len; i++)
		if (g_str_equal(((TreeNode *)g_ptr_array_index(map->keys, i))->text, key))
			return g_ptr_array_index(map->values, i);
	return NULL;
}

static gboolean read_top_value(Parser *parser, const TreeNode *root, const char *key, char **ret)
{
	const ProfileKey *row = profile_key("", key);
	const TreeNode *node = find(root, key);

	if (!node && row->required)
		return parse_fail(parser, root->place, "the key %s is missing at the top level", key);
	*ret = node ? value_of(parser, row, node) : g_strdup(row->fallback);
	return *ret != NULL;
}

static gboolean read_profile(Parser *parser, const TreeNode *root)
{
	Profile *profile = parser->profile;
	g_autoptr(TreeNode) nothing = tree_empty_map();
	const TreeNode *node;

	if (!parse_want_kind(parser, root, TREE_MAP, "a profile"))
		return FALSE;
	for (guint i = 0; i < root->keys->len; i++) {
		const TreeNode *key = g_ptr_array_index(root->keys, i);

		if (!profile_key("", key->text))
			return unknown_key(parser, "", key);
	}
	if (!read_top_value(parser, root, "name", &profile->name) ||
		!read_top_value(parser, root, "accel", &profile->accel))
		return FALSE;
	node = find(root, "targets");
	if (!node)
		return parse_fail(parser, root->place, "the key targets is missing at the top level");
	if (!read_targets(parser, node))
		return FALSE;
	for (guint i = 0; i < G_N_ELEMENTS(parse_axis_sections); i++) {
		node = find(root, parse_axis_sections[i]);
		if (node && !read_axes(parser, i, node))
			return FALSE;
		complete_axes(profile, i);
	}
	node = find(root, "measure");
	if (!read_measure(parser, node ? node : nothing))
		return FALSE;
	node = find(root, "gate");
	if (!parse_gate(parser, node ? node : nothing))
		return FALSE;
	node = find(root, "include");
	if (node && !parse_rules(parser, "include", node, profile->include))
		return FALSE;
	node = find(root, "exclude");
	return !node || parse_rules(parser, "exclude", node, profile->exclude);
}

Profile *profile_parse(const char *name, const char *text, gssize length, GError **error)
{
	gsize bytes = length < 0 ? strlen(text) : (gsize)length;
	g_autoptr(TreeNode) root = tree_parse(name, text, bytes, error);
	g_autoptr(Profile) profile = NULL;
	Parser parser;

	if (!root)
		return NULL;
	profile = profile_new(name, text, bytes);
	parser = (Parser){profile, error};
	return read_profile(&parser, root) ? g_steal_pointer(&profile) : NULL;
}
