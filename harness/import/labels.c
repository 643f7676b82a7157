/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/import/labels.h"

#include "harness/base/error.h"
#include "harness/profile/tree.h"

typedef enum { KIND_TEXT, KIND_COUNT, KIND_SIZE, KIND_BOOL } Kind;

/* Settings of a leg that a person may give; GUEST: means nothing on the host. */
static const struct {
	const char *key;
	Kind kind;
	gboolean guest;
} settings[] = {
	{"target", KIND_TEXT},
	{"target_type", KIND_TEXT},
	{"target_size", KIND_SIZE},
	{"filesystem", KIND_TEXT},
	{"sector_size", KIND_SIZE},
	{"rw", KIND_TEXT},
	{"mix_read", KIND_COUNT},
	{"block_size", KIND_SIZE},
	{"direct", KIND_BOOL},
	{"sync", KIND_TEXT},
	{"fsync_every", KIND_COUNT},
	{"queue_depth", KIND_COUNT},
	{"jobs", KIND_COUNT},
	{"engine", KIND_TEXT},
	{"rate_iops", KIND_COUNT},
	{"host_scheduler", KIND_TEXT},
	{"arm", KIND_TEXT},
	{"bus", KIND_TEXT, TRUE},
	{"cache", KIND_TEXT, TRUE},
	{"io", KIND_TEXT, TRUE},
	{"iothread", KIND_BOOL, TRUE},
	{"ioeventfd", KIND_BOOL, TRUE},
	{"queues", KIND_COUNT, TRUE},
	{"format", KIND_TEXT, TRUE},
	{"logical_block_size", KIND_SIZE, TRUE},
	{"guest_scheduler", KIND_TEXT, TRUE},
	{"vcpus", KIND_COUNT, TRUE},
	{"memory", KIND_SIZE, TRUE},
	{"machine", KIND_TEXT, TRUE},
	{"kernel", KIND_TEXT, TRUE},
	{"emulator", KIND_TEXT, TRUE},
	{"accel", KIND_TEXT, TRUE},
};

ImportLabels *import_labels_new(void)
{
	ImportLabels *labels = g_new0(ImportLabels, 1);

	labels->leg = record_new();
	labels->sweep = record_new();
	labels->free = record_new();
	return labels;
}

void import_labels_free(ImportLabels *labels)
{
	if (!labels)
		return;
	record_free(labels->leg);
	record_free(labels->sweep);
	record_free(labels->free);
	g_clear_pointer(&labels->rows, g_hash_table_unref);
	g_free(labels);
}

static gboolean wrong(GError **error, const char *key, const char *value, const char *expected)
{
	g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_USAGE, "%s cannot be \"%s\": %s expected", key, value, expected);
	return FALSE;
}

static int bool_of(const char *value)
{
	if (g_str_equal(value, "1") || g_str_equal(value, "true") || g_str_equal(value, "yes") || g_str_equal(value, "on"))
		return 1;
	if (g_str_equal(value, "0") || g_str_equal(value, "false") || g_str_equal(value, "no") || g_str_equal(value, "off"))
		return 0;
	return -1;
}

static gboolean set_leg(ImportLabels *labels, guint setting, const char *value, GError **error)
{
	const char *key = settings[setting].key;
	gint64 number = 0;

	switch (settings[setting].kind) {
	case KIND_TEXT:
		record_set_text(labels->leg, key, value);
		return TRUE;
	case KIND_COUNT:
		if (!import_number_int(value, -1, &number) || number < 0 || (number == 0 && !g_str_equal(key, "mix_read")))
			return wrong(error, key, value, "a whole number");
		break;
	case KIND_SIZE:
		if (!import_number_size(value, -1, &number) || number <= 0)
			return wrong(error, key, value, "a size like 64k");
		break;
	case KIND_BOOL:
		number = bool_of(value);
		if (number < 0)
			return wrong(error, key, value, "true or false");
		break;
	}
	if (g_str_equal(key, "mix_read") && number > 100)
		return wrong(error, key, value, "a percentage");
	record_set_int(labels->leg, key, number);
	return TRUE;
}

gboolean import_labels_set(ImportLabels *labels, const char *key, const char *value, GError **error)
{
	static const char *const sweep[][2] = {{"commit", "commit_id"}, {"branch", "branch"}, {"name", "label"}};

	if (g_str_equal(key, "side")) {
		if (!g_str_equal(value, "host") && !g_str_equal(value, "guest"))
			return wrong(error, key, value, "host or guest");
		record_set_text(labels->leg, key, value);
		return TRUE;
	}
	for (guint i = 0; i < G_N_ELEMENTS(sweep); i++)
		if (g_str_equal(key, sweep[i][0])) {
			record_set_text(labels->sweep, sweep[i][1], value);
			return TRUE;
		}
	for (guint i = 0; i < G_N_ELEMENTS(settings); i++)
		if (g_str_equal(key, settings[i].key))
			return set_leg(labels, i, value, error);
	record_set_text(labels->free, key, value);
	return TRUE;
}

gboolean import_labels_set_pair(ImportLabels *labels, const char *pair, GError **error)
{
	const char *equal = strchr(pair, '=');
	g_autofree char *key = equal ? g_strndup(pair, equal - pair) : NULL;

	if (key && *key && g_utf8_validate(pair, -1, NULL))
		return import_labels_set(labels, key, equal + 1, error);
	g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_USAGE, "a label is KEY=VALUE, not \"%s\"", pair);
	return FALSE;
}

static void take_missing(Record *into, const Record *from)
{
	g_autoptr(Record) all = record_copy(from);

	record_merge(all, into);
	/* INTO keeps its own order first: what is new follows. */
	record_merge(into, all);
}

void import_labels_merge(ImportLabels *labels, const ImportLabels *more)
{
	take_missing(labels->leg, more->leg);
	take_missing(labels->sweep, more->sweep);
	take_missing(labels->free, more->free);
	if (more->rows && !labels->rows)
		labels->rows = g_hash_table_ref(more->rows);
}

/* ---- YAML ------------------------------------------------------------------------------------- */

static gboolean G_GNUC_PRINTF(4, 5)
	at_place(GError **error, const char *file, const TreeNode *node, const char *format, ...)
{
	g_autofree char *text = NULL;
	va_list args;

	va_start(args, format);
	text = g_strdup_vprintf(format, args);
	va_end(args);
	g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_USAGE, "%s:%u:%u: %s", file, node->place.line, node->place.column, text);
	return FALSE;
}

static gboolean read_map(ImportLabels *labels, const char *file, const TreeNode *map, const char *name, GError **error);

static gboolean read_rows(ImportLabels *labels, const char *file, const TreeNode *map, GError **error)
{
	g_autoptr(GHashTable) rows =
		g_hash_table_new_full(g_str_hash, g_str_equal, g_free, (GDestroyNotify)import_labels_free);

	if (map->kind != TREE_MAP)
		return at_place(error, file, map, "rows: names of rows with their settings expected");
	for (guint i = 0; i < map->keys->len; i++) {
		const TreeNode *key = map->keys->pdata[i];
		g_autoptr(ImportLabels) row = import_labels_new();

		if (!read_map(row, file, map->values->pdata[i], NULL, error))
			return FALSE;
		g_hash_table_insert(rows, g_strdup(key->text), g_steal_pointer(&row));
	}
	if (!labels->rows)
		labels->rows = g_steal_pointer(&rows);
	return TRUE;
}

/* Of "files", only the entry of NAME. */
static gboolean read_files(ImportLabels *labels, const char *file, const TreeNode *map, const char *name, GError **error)
{
	if (map->kind != TREE_MAP)
		return at_place(error, file, map, "files: names of files with their settings expected");
	for (guint i = 0; i < map->keys->len; i++)
		if (g_strcmp0(((const TreeNode *)map->keys->pdata[i])->text, name) == 0)
			return read_map(labels, file, map->values->pdata[i], name, error);
	return TRUE;
}

static gboolean read_setting(ImportLabels *labels, const char *file, const TreeNode *key, const TreeNode *value,
	GError **error)
{
	g_autoptr(GError) local = NULL;

	if (value->kind != TREE_TEXT)
		return at_place(error, file, value, "%s: one value expected", key->text);
	if (import_labels_set(labels, key->text, value->text, &local))
		return TRUE;
	return at_place(error, file, value, "%s", local->message);
}

/* NAME: the file that is imported, for "files"; NULL where only settings may stand. */
static gboolean read_map(ImportLabels *labels, const char *file, const TreeNode *map, const char *name, GError **error)
{
	g_autoptr(ImportLabels) own = import_labels_new();

	if (map->kind != TREE_MAP)
		return at_place(error, file, map, "KEY: VALUE expected");
	for (guint i = 0; i < map->keys->len; i++) {
		const TreeNode *key = map->keys->pdata[i], *value = map->values->pdata[i];
		gboolean fine;

		if (name && g_str_equal(key->text, "files"))
			fine = read_files(labels, file, value, name, error);
		else if (name && g_str_equal(key->text, "rows"))
			fine = read_rows(own, file, value, error);
		else
			fine = read_setting(own, file, key, value, error);
		if (!fine)
			return FALSE;
	}
	/* What "files" says of one file is in LABELS by now and goes before what is said of all. */
	import_labels_merge(labels, own);
	return TRUE;
}

gboolean import_labels_read(ImportLabels *labels, const char *file, const char *text, gsize size, const char *name, GError **error)
{
	g_autoptr(TreeNode) tree = tree_parse(file, text, size, error);

	return tree && read_map(labels, file, tree, name, error);
}

static gboolean read_yaml(ImportLabels *labels, const char *file, const char *name, GError **error)
{
	g_autoptr(GError) local = NULL;
	g_autofree char *text = NULL;
	gsize size;

	if (!g_file_get_contents(file, &text, &size, &local)) {
		if (g_error_matches(local, G_FILE_ERROR, G_FILE_ERROR_NOENT))
			return TRUE;
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_USAGE, "%s", local->message);
		return FALSE;
	}
	return import_labels_read(labels, file, text, size, name, error);
}

gboolean import_labels_beside(ImportLabels *labels, const char *path, GError **error)
{
	g_autofree char *own = g_strconcat(path, ".yaml", NULL);
	g_autofree char *folder = g_path_get_dirname(path);
	g_autofree char *shared = g_build_filename(folder, IMPORT_FOLDER_LABELS, NULL);
	g_autofree char *name = g_path_get_basename(path);

	return read_yaml(labels, own, name, error) && read_yaml(labels, shared, name, error);
}

/* ---- applying --------------------------------------------------------------------------------- */

static gboolean same_value(const Record *a, const Record *b, const char *name)
{
	if (record_type(a, name) == RECORD_TEXT)
		return g_strcmp0(record_get_text(a, name), record_get_text(b, name)) == 0;
	return record_get_int(a, name, -1) == record_get_int(b, name, -2);
}

static void copy_value(Record *into, const Record *from, const char *name)
{
	if (record_type(from, name) == RECORD_TEXT)
		record_set_text(into, name, record_get_text(from, name));
	else
		record_set_int(into, name, record_get_int(from, name, 0));
}

/* "read?" says a direction only: a label may say the rest. */
static gboolean is_open(const Record *leg, const char *key)
{
	const char *text = record_get_text(leg, key);

	if (g_str_equal(key, "block_size") && record_has(leg, "block_sizes"))
		return FALSE;
	return !record_has(leg, key) || (text && g_str_equal(key, "rw") && g_str_has_suffix(text, "?"));
}

static void apply_leg(const Record *leg, ImportRow *row)
{
	gboolean guest;

	if (record_has(leg, "side") && is_open(row->leg, "side"))
		copy_value(row->leg, leg, "side");
	guest = g_strcmp0(record_get_text(row->leg, "side"), "guest") == 0;
	for (guint i = 0; i < G_N_ELEMENTS(settings); i++) {
		const char *key = settings[i].key;

		if (!record_has(leg, key) || (settings[i].guest && !guest))
			continue;
		if (is_open(row->leg, key))
			copy_value(row->leg, leg, key);
		else if (!same_value(leg, row->leg, key))
			import_row_warn(row, "the label %s is not used: the source says otherwise", key);
	}
}

void import_labels_apply(const ImportLabels *labels, ImportRow *row)
{
	const ImportLabels *own = labels->rows && row->name ? g_hash_table_lookup(labels->rows, row->name) : NULL;
	g_autoptr(Record) leg = record_copy(labels->leg);

	if (own)
		record_merge(leg, own->leg);
	apply_leg(leg, row);
}
