/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/import/convert.h"

#include <jansson.h>
#include <math.h>

#include "guest-agent/common/units.h"
#include "harness/import/detail.h"
#include "harness/import/judge.h"
#include "harness/import/run.h"

/* A leg to be, with the rows that are its runs. */
typedef struct Leg Leg;
struct Leg {
	Record *leg;
	const char *name; /* of its rows, or NULL */
	const Leg *host;  /* that a guest leg is paired with, or NULL */
	gboolean guest;
	gint64 id;
	GPtrArray *rows;    /* of ImportRow *, borrowed */
	GPtrArray *sources; /* of const ImportFile *, one per row */
};

typedef struct {
	Store *store;
	GPtrArray *legs;  /* of Leg *, in the order of their first rows */
	GHashTable *keys; /* key -> Leg * */
	GHashTable *used; /* label of a leg -> the last number that was put behind it */
	GHashTable *hosts; /* workload -> GPtrArray of host legs */
	ImportOutcome outcome;
} Conversion;

void import_file_free(ImportFile *file)
{
	if (!file)
		return;
	g_free(file->name);
	g_free(file->sha256);
	import_result_free(file->result);
	import_labels_free(file->labels);
	g_free(file);
}

static void leg_free(gpointer data)
{
	Leg *leg = data;

	record_free(leg->leg);
	g_ptr_array_unref(leg->rows);
	g_ptr_array_unref(leg->sources);
	g_free(leg);
}

/* ---- rows to legs ------------------------------------------------------------------------------ */

static void append_value(GString *text, const Record *record, const char *name)
{
	if (record_type(record, name) == RECORD_TEXT)
		g_string_append(text, record_get_text(record, name));
	else if (record_has(record, name))
		g_string_append_printf(text, "%" G_GINT64_FORMAT, record_get_int(record, name, 0));
}

static gint by_text(gconstpointer a, gconstpointer b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The same for rows that are repetitions of one another; columns may have been set in any order. */
static char *key_of(const ImportRow *row)
{
	g_autoptr(GPtrArray) names = g_ptr_array_new();
	GString *key = g_string_new(row->name);

	for (guint i = 0; i < record_size(row->leg); i++)
		g_ptr_array_add(names, (char *)record_name(row->leg, i));
	g_ptr_array_sort(names, by_text);
	for (guint i = 0; i < names->len; i++) {
		if (!record_has(row->leg, names->pdata[i]))
			continue;
		g_string_append_printf(key, "\x1f%s=", (const char *)names->pdata[i]);
		append_value(key, row->leg, names->pdata[i]);
	}
	return g_string_free(key, FALSE);
}

static void add_row(Conversion *c, ImportRow *row, const ImportFile *file)
{
	g_autofree char *key = NULL;
	Leg *leg;

	import_labels_apply(file->labels, row);
	if (!record_has(row->leg, "side")) {
		record_set_text(row->leg, "side", "host");
		c->outcome.no_side++;
	}
	if (!record_has(row->leg, "rw"))
		record_set_text(row->leg, "rw", "?");
	key = key_of(row);
	leg = g_hash_table_lookup(c->keys, key);
	if (!leg) {
		leg = g_new0(Leg, 1);
		leg->leg = record_copy(row->leg);
		leg->name = row->name;
		leg->guest = g_str_equal(record_get_text(row->leg, "side"), "guest");
		leg->rows = g_ptr_array_new();
		leg->sources = g_ptr_array_new();
		g_ptr_array_add(c->legs, leg);
		g_hash_table_insert(c->keys, g_steal_pointer(&key), leg);
	}
	g_ptr_array_add(leg->rows, row);
	g_ptr_array_add(leg->sources, (gpointer)file);
}

/* ---- the label of a leg -------------------------------------------------------------------------- */

static void add_word(GString *label, const char *word)
{
	if (word && *word)
		g_string_append_printf(label, "%s%s", label->len ? " " : "", word);
}

static void add_size(GString *label, const Record *leg)
{
	char size[32];

	if (record_has(leg, "block_size"))
		add_word(label, units_format_size((uint64_t)record_get_int(leg, "block_size", 0), size, sizeof(size)));
	else
		add_word(label, record_get_text(leg, "block_sizes"));
}

static void add_count(GString *label, const Record *leg, const char *column, const char *word)
{
	if (record_has(leg, column) && record_get_int(leg, column, 1) != 1)
		g_string_append_printf(label, " %s %" G_GINT64_FORMAT, word, record_get_int(leg, column, 1));
}

static char *make_label(Conversion *c, const Leg *leg)
{
	static const char *const texts[] = {"engine", "target", "arm", "bus", "cache", "io", "format", "machine", "accel"};
	g_autoptr(GString) label = g_string_new(record_get_text(leg->leg, "side"));
	const char *sync = record_get_text(leg->leg, "sync");
	char *unique;
	guint count;

	add_word(label, leg->name);
	add_word(label, record_get_text(leg->leg, "rw"));
	add_size(label, leg->leg);
	if (record_has(leg->leg, "direct"))
		add_word(label, record_get_int(leg->leg, "direct", 0) ? "direct" : "buffered");
	if (g_strcmp0(sync, "none") != 0)
		add_word(label, sync);
	add_count(label, leg->leg, "queue_depth", "depth");
	add_count(label, leg->leg, "jobs", "jobs");
	for (guint i = 0; i < G_N_ELEMENTS(texts); i++)
		add_word(label, record_get_text(leg->leg, texts[i]));
	count = GPOINTER_TO_UINT(g_hash_table_lookup(c->used, label->str));
	unique = g_strdup(label->str);
	/* A name may itself end like a number of ours. */
	while (g_hash_table_contains(c->used, unique)) {
		g_free(unique);
		unique = g_strdup_printf("%s #%u", label->str, ++count);
	}
	g_hash_table_insert(c->used, g_strdup(unique), GUINT_TO_POINTER(1));
	if (count > 1)
		g_hash_table_insert(c->used, g_strdup(label->str), GUINT_TO_POINTER(count));
	return unique;
}

/* ---- pairing -------------------------------------------------------------------------------------- */

/* More candidates than this are not looked at: the first will do, and time stays bounded. */
#define MOST_CANDIDATES 1000

static gboolean same(const Record *a, const Record *b, const char *column)
{
	if (record_has(a, column) != record_has(b, column))
		return FALSE;
	if (record_type(a, column) == RECORD_TEXT)
		return g_strcmp0(record_get_text(a, column), record_get_text(b, column)) == 0;
	return record_get_int(a, column, -1) == record_get_int(b, column, -1);
}

static char *workload_of(const Record *leg)
{
	static const char *const columns[] = {"rw", "mix_read", "block_size", "block_sizes", "direct", "sync", "fsync_every",
		"queue_depth", "jobs", "engine", "rate_iops"};
	GString *key = g_string_new(NULL);

	for (guint i = 0; i < G_N_ELEMENTS(columns); i++) {
		append_value(key, leg, columns[i]);
		g_string_append(key, "\x1f");
	}
	return g_string_free(key, FALSE);
}

/* A depth that was not reached is another workload; one that nobody told may be the same. */
static gboolean same_depth(const Record *a, const Record *b)
{
	return !record_has(a, "effective_depth") || !record_has(b, "effective_depth") || same(a, b, "effective_depth");
}

static void index_hosts(Conversion *c)
{
	for (guint i = 0; i < c->legs->len; i++) {
		Leg *leg = c->legs->pdata[i];
		g_autofree char *workload = NULL;
		GPtrArray *hosts;

		if (leg->guest)
			continue;
		workload = workload_of(leg->leg);
		hosts = g_hash_table_lookup(c->hosts, workload);
		if (!hosts) {
			hosts = g_ptr_array_new();
			g_hash_table_insert(c->hosts, g_steal_pointer(&workload), hosts);
		}
		g_ptr_array_add(hosts, leg);
	}
}

static Leg *host_of(const Conversion *c, const Leg *guest)
{
	g_autofree char *workload = workload_of(guest->leg);
	const GPtrArray *hosts = g_hash_table_lookup(c->hosts, workload);
	Leg *best = NULL;
	int most = -1;

	for (guint i = 0; hosts && i < MIN(hosts->len, MOST_CANDIDATES); i++) {
		Leg *host = hosts->pdata[i];
		int score;

		if (!same_depth(host->leg, guest->leg))
			continue;
		score = 2 * (record_has(host->leg, "target") && same(host->leg, guest->leg, "target")) +
			(g_strcmp0(host->name, guest->name) == 0);
		if (score > most) {
			most = score;
			best = host;
		}
	}
	return best;
}

/* ---- writing ---------------------------------------------------------------------------------------- */

static gboolean store_leg(Conversion *c, Leg *leg, GError **error)
{
	g_autofree char *label = make_label(c, leg);

	leg->host = leg->guest ? host_of(c, leg) : NULL;
	record_set_text(leg->leg, "label", label);
	if (leg->host)
		record_set_int(leg->leg, "host_leg_id", leg->host->id);
	else if (leg->guest && g_hash_table_size(c->hosts) > 0)
		c->outcome.unpaired++;
	leg->id = store_add_leg(c->store, c->outcome.sweep, leg->leg, error);
	c->outcome.legs++;
	return leg->id >= 0;
}

static gboolean store_legs_of(Conversion *c, gboolean guest, GError **error)
{
	for (guint i = 0; i < c->legs->len; i++) {
		Leg *leg = c->legs->pdata[i];

		if (leg->guest == guest && !store_leg(c, leg, error))
			return FALSE;
	}
	return TRUE;
}

/* Releases of one program differ more than many guests do: the ratio is that of the programs, too. */
static void flag_other_program(const Leg *leg, const char *producer, StoreRun *run)
{
	for (guint i = 0; producer && leg->host && i < leg->host->sources->len; i++) {
		const ImportFile *file = leg->host->sources->pdata[i];
		const char *other = file->result->producer;
		g_autofree char *evidence = NULL;

		if (!other || g_str_equal(other, producer))
			continue;
		evidence = g_strdup_printf("measured by %s, its host by %s: the ratio is that of the programs, too", producer, other);
		store_run_add_flag(run, "IMPORT_WARNING", evidence);
		return;
	}
}

static gboolean store_runs_of(Conversion *c, GError **error)
{
	for (guint i = 0; i < c->legs->len; i++) {
		Leg *leg = c->legs->pdata[i];

		for (guint block = 0; block < leg->rows->len; block++) {
			const ImportFile *file = leg->sources->pdata[block];
			g_autoptr(StoreRun) run = import_run(leg->rows->pdata[block], file->name, file->result->unix_ns, block);

			flag_other_program(leg, file->result->producer, run);
			if (store_add_run(c->store, leg->id, -1, run, error) < 0)
				return FALSE;
			if (g_str_equal(record_get_text(run->run, "status"), "ok"))
				c->outcome.runs_ok++;
			else
				c->outcome.runs_failed++;
		}
	}
	return TRUE;
}

static gboolean store_sources_of(Conversion *c, const GPtrArray *files, GError **error)
{
	for (guint i = 0; i < files->len; i++) {
		const ImportFile *file = files->pdata[i];
		g_autoptr(Record) row = record_new();
		g_autoptr(GString) warnings = g_string_new(NULL);

		for (guint k = 0; k < file->result->warnings->len; k++)
			g_string_append_printf(warnings, "%s%s", k ? "\n" : "", (const char *)file->result->warnings->pdata[k]);
		record_set_text(row, "name", file->name);
		record_set_text(row, "format", file->format->name);
		record_set_text(row, "producer", file->result->producer);
		record_set_text(row, "sha256", file->sha256);
		record_set_int(row, "bytes", (gint64)file->bytes);
		record_set_int(row, "documents", file->result->documents);
		record_set_int(row, "rows", file->result->rows->len);
		if (file->result->unix_ns >= 0)
			record_set_int(row, "measured_unix_ns", file->result->unix_ns);
		if (warnings->len)
			record_set_text(row, "warnings", warnings->str);
		if (store_add_source(c->store, c->outcome.sweep, row, error) < 0)
			return FALSE;
	}
	return TRUE;
}

static char *labels_json(const Record *free_labels)
{
	json_t *object = json_object();
	char *text, *copy;

	for (guint i = 0; i < record_size(free_labels); i++) {
		const char *name = record_name(free_labels, i);

		json_object_set_new(object, name, json_string(record_get_text(free_labels, name)));
	}
	text = json_dumps(object, JSON_COMPACT | JSON_SORT_KEYS);
	json_decref(object);
	copy = g_strdup(text);
	free(text);
	return copy;
}

/* The accelerator of all legs that have one; what differs belongs to the legs alone. */
static const char *common_accel(const Conversion *c)
{
	const char *accel = NULL;

	for (guint i = 0; i < c->legs->len; i++) {
		const char *own = record_get_text(((const Leg *)c->legs->pdata[i])->leg, "accel");

		if (own && accel && !g_str_equal(own, accel))
			return NULL;
		accel = own ? own : accel;
	}
	return accel;
}

static guint most_runs(const Conversion *c)
{
	guint most = 0;

	for (guint i = 0; i < c->legs->len; i++)
		most = MAX(most, ((const Leg *)c->legs->pdata[i])->rows->len);
	return most;
}

static gboolean store_sweep_of(Conversion *c, const GPtrArray *files, gint64 now, GError **error)
{
	g_autoptr(ImportLabels) all = import_labels_new();
	g_autoptr(Record) row = NULL;
	g_autofree char *labels = NULL;
	gint64 first = -1, last = -1;

	for (guint i = 0; i < files->len; i++) {
		const ImportFile *file = files->pdata[i];

		import_labels_merge(all, file->labels);
		if (file->result->unix_ns < 0)
			continue;
		first = first < 0 ? file->result->unix_ns : MIN(first, file->result->unix_ns);
		last = MAX(last, file->result->unix_ns);
	}
	row = record_copy(all->sweep);
	record_set_text(row, "status", "finished");
	record_set_text(row, "profile", "import");
	record_set_text(row, "iogap_version", IOGAP_VERSION);
	record_set_text(row, "accel", common_accel(c));
	record_set_int(row, "started_unix_ns", first < 0 ? now : first);
	if (last >= 0)
		record_set_int(row, "finished_unix_ns", last);
	record_set_int(row, "blocks", most_runs(c));
	if (record_size(all->free) > 0) {
		labels = labels_json(all->free);
		record_set_text(row, "labels_json", labels);
	}
	c->outcome.sweep = store_add_sweep(c->store, row, error);
	return c->outcome.sweep >= 0;
}

gboolean import_store(Store *store, GPtrArray *files, gint64 now, ImportOutcome *ret, GError **error)
{
	g_autoptr(GPtrArray) legs = g_ptr_array_new_with_free_func(leg_free);
	g_autoptr(GHashTable) keys = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	g_autoptr(GHashTable) used = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	g_autoptr(GHashTable) hosts =
		g_hash_table_new_full(g_str_hash, g_str_equal, g_free, (GDestroyNotify)g_ptr_array_unref);
	Conversion c = {.store = store, .legs = legs, .keys = keys, .used = used, .hosts = hosts};
	gboolean fine;

	for (guint i = 0; i < files->len; i++) {
		const ImportFile *file = files->pdata[i];

		for (guint k = 0; k < file->result->rows->len; k++)
			add_row(&c, file->result->rows->pdata[k], file);
		import_judge(file->result);
	}
	index_hosts(&c);
	if (!store_bulk_begin(store, error))
		return FALSE;
	fine = store_sweep_of(&c, files, now, error) && store_sources_of(&c, files, error) &&
	       store_legs_of(&c, FALSE, error) && store_legs_of(&c, TRUE, error) && store_runs_of(&c, error);
	if (!fine) {
		store_bulk_end(store, FALSE, NULL);
		return FALSE;
	}
	if (!store_bulk_end(store, TRUE, error))
		return FALSE;
	*ret = c.outcome;
	return TRUE;
}
