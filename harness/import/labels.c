/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/import/labels.h"

#include "harness/base/error.h"
#include "harness/base/nearest.h"
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

#define KEYS_OF_YAML 2 /* the first ones of these */
static const char *const others[] = {"rows", "files", "side", "commit", "branch", "name"};

#define SHORTEST_KEY 3 /* of which a slip is told: nearly any word of two letters is a near miss of "io" */

static void name_free(void *data)
{
	ImportLabelsName *name = data;

	g_free(name->place);
	g_free(name->name);
	g_free(name);
}

ImportLabels *import_labels_new(void)
{
	ImportLabels *labels = g_new0(ImportLabels, 1);

	labels->leg = record_new();
	labels->sweep = record_new();
	labels->free = record_new();
	labels->names = g_ptr_array_new_with_free_func(name_free);
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
	g_ptr_array_unref(labels->names);
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

/* The known key that KEY, which is none, was meant for, or NULL. YAML: rows and files are known too. */
static const char *meant(const char *key, gboolean yaml)
{
	const char *words[G_N_ELEMENTS(others) + G_N_ELEMENTS(settings) + 1];
	g_autofree char *lower = g_ascii_strdown(key, -1);
	guint n = 0;

	if (g_str_has_prefix(key, IMPORT_OWN_LABEL))
		return NULL;
	for (guint i = yaml ? 0 : KEYS_OF_YAML; i < G_N_ELEMENTS(others); i++)
		words[n++] = others[i];
	for (guint i = 0; i < G_N_ELEMENTS(settings); i++)
		if (strlen(settings[i].key) >= SHORTEST_KEY || g_str_equal(settings[i].key, lower))
			words[n++] = settings[i].key;
	words[n] = NULL;
	return nearest(lower, words);
}

static gboolean is_known(const char *key)
{
	for (guint i = KEYS_OF_YAML; i < G_N_ELEMENTS(others); i++)
		if (g_str_equal(others[i], key))
			return TRUE;
	for (guint i = 0; i < G_N_ELEMENTS(settings); i++)
		if (g_str_equal(settings[i].key, key))
			return TRUE;
	return FALSE;
}

static gboolean check_key(const char *key, gboolean yaml, GError **error)
{
	const char *word = meant(key, yaml);

	if (word)
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_USAGE,
			"\"%s\" is not a setting; did you mean \"%s\"? A label of your own is written \"" IMPORT_OWN_LABEL "%s\"",
			key, word, key);
	return word == NULL;
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
	if (!check_key(key, FALSE, error))
		return FALSE;
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

ImportLabelsName *import_labels_name(ImportLabels *labels, const char *place, const char *text, gboolean is_file)
{
	ImportLabelsName *name = g_new0(ImportLabelsName, 1);

	name->place = g_strdup(place);
	name->name = g_strdup(text);
	name->is_file = is_file;
	g_ptr_array_add(labels->names, name);
	return name;
}

/* The settings of the row NAME, made if there are none. */
static ImportLabels *row_labels(ImportLabels *labels, const char *name)
{
	ImportLabels *row;

	if (!labels->rows)
		labels->rows = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, (GDestroyNotify)import_labels_free);
	row = g_hash_table_lookup(labels->rows, name);
	if (!row) {
		row = import_labels_new();
		g_hash_table_insert(labels->rows, g_strdup(name), row);
	}
	return row;
}

static void merge_rows(ImportLabels *labels, const ImportLabels *more)
{
	GHashTableIter iter;
	void *name, *row;

	if (!more->rows)
		return;
	g_hash_table_iter_init(&iter, more->rows);
	while (g_hash_table_iter_next(&iter, &name, &row))
		import_labels_merge(row_labels(labels, name), row);
}

void import_labels_merge(ImportLabels *labels, const ImportLabels *more)
{
	take_missing(labels->leg, more->leg);
	take_missing(labels->sweep, more->sweep);
	take_missing(labels->free, more->free);
	for (guint i = 0; i < more->names->len; i++) {
		const ImportLabelsName *name = more->names->pdata[i];

		import_labels_name(labels, name->place, name->name, name->is_file)->matched = name->matched;
	}
	merge_rows(labels, more);
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

static void note_name(ImportLabels *labels, const char *file, const TreeNode *key, gboolean is_file, gboolean matched)
{
	g_autofree char *place = g_strdup_printf("%s:%u:%u", file, key->place.line, key->place.column);

	import_labels_name(labels, place, key->text, is_file)->matched = matched;
}

static gboolean read_rows(ImportLabels *labels, const char *file, const TreeNode *map, GError **error)
{
	if (map->kind != TREE_MAP)
		return at_place(error, file, map, "rows: names of rows with their settings expected");
	for (guint i = 0; i < map->keys->len; i++) {
		const TreeNode *key = map->keys->pdata[i];
		ImportLabels *row = row_labels(labels, key->text);

		if (!read_map(row, file, map->values->pdata[i], NULL, error))
			return FALSE;
		if (record_size(row->free) + record_size(row->sweep) > 0)
			return at_place(error, file, key, "rows: %s: a row takes side and settings of legs (bus, cache ...); "
				"\"%s\" is said of a whole file", key->text,
				record_size(row->free) > 0 ? record_name(row->free, 0) : "commit, branch or name");
		note_name(labels, file, key, FALSE, FALSE);
	}
	return TRUE;
}

/* Of "files", only the entry of NAME is read. */
static gboolean read_files(ImportLabels *labels, const char *file, const TreeNode *map, const char *name, GError **error)
{
	if (map->kind != TREE_MAP)
		return at_place(error, file, map, "files: names of files with their settings expected");
	for (guint i = 0; i < map->keys->len; i++) {
		const TreeNode *key = map->keys->pdata[i];
		gboolean is_it = g_str_equal(key->text, name);

		note_name(labels, file, key, TRUE, is_it);
		if (is_it && !read_map(labels, file, map->values->pdata[i], name, error))
			return FALSE;
	}
	return TRUE;
}

/* NESTS: rows and files may stand beside it. */
static gboolean read_setting(ImportLabels *labels, const char *file, const TreeNode *key, const TreeNode *value,
	gboolean nests, GError **error)
{
	g_autoptr(GError) local = NULL;

	if (!is_known(key->text) && !check_key(key->text, nests, &local))
		return at_place(error, file, key, "%s", local->message);
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
			fine = read_setting(own, file, key, value, name != NULL, error);
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

/* What lies beside the YAML is meant for another call. */
static void find_files(ImportLabels *labels, const char *folder)
{
	for (guint i = 0; i < labels->names->len; i++) {
		ImportLabelsName *name = labels->names->pdata[i];
		g_autofree char *path = g_build_filename(folder, name->name, NULL);

		name->matched |= name->is_file && g_file_test(path, G_FILE_TEST_EXISTS);
	}
}

gboolean import_labels_beside(ImportLabels *labels, const char *path, GError **error)
{
	g_autofree char *own = g_strconcat(path, ".yaml", NULL);
	g_autofree char *folder = g_path_get_dirname(path);
	g_autofree char *shared = g_build_filename(folder, IMPORT_FOLDER_LABELS, NULL);
	g_autofree char *name = g_path_get_basename(path);

	if (!read_yaml(labels, own, name, error) || !read_yaml(labels, shared, name, error))
		return FALSE;
	find_files(labels, folder);
	return TRUE;
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
	ImportLabels *own = labels->rows && row->name ? g_hash_table_lookup(labels->rows, row->name) : NULL;
	g_autoptr(Record) leg = record_copy(labels->leg);

	if (own) {
		own->matched = TRUE;
		record_merge(leg, own->leg);
	}
	apply_leg(leg, row);
}
