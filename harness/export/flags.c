/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/export/flags.h"

#include "harness/export/doubt.h"
#include "harness/export/json.h"
#include "harness/export/withheld.h"

/* One letter each, for narrow tables. */
static const struct {
	const char *flag;
	char letter;
	const char *meaning;
} known[] = {
	{"CACHED", 'C', "over 20 % of the bytes never reached the device: a cache was measured"},
	{"CLOCK_DRIFT", 'D', "guest time and host time of the same run differ: rates of the guest are off by as much"},
	{"DATASET_SMALL", 'S', "a cache that is not bypassed is larger than half the data set"},
	{"DROP_FAILED", 'P', "caches could not be dropped before the run"},
	{"EMULATED", 'E', "the guest's CPU was emulated (TCG): says nothing about a guest under KVM"},
	{"FASTER_THAN_HOST", 'F', "the guest is over 5 % faster than its host: something besides the disk was measured"},
	{"IMPORT_WARNING", 'W', "the imported source, or reading it, gave a warning"},
	{"INCONSISTENT", 'I', "the figures contradict each other (Little's law, or bytes against operations)"},
	{"MIXED", 'M', "2 to 20 % of the bytes never reached the device"},
	{"NOT_AS_ASKED", 'A', "settings in effect differ from those asked for"},
	{"NOT_STEADY", 'U', "the rate was still changing while it was measured"},
	{"THROTTLED", 'T', "processor or device was slowed down meanwhile"},
};

typedef struct {
	guint host, guest;
	const char *evidence; /* the first */
} Count;

static Count *count_of(GHashTable *counts, const char *flag)
{
	Count *count = g_hash_table_lookup(counts, flag);

	if (!count) {
		count = g_new0(Count, 1);
		g_hash_table_insert(counts, g_strdup(flag), count);
	}
	return count;
}

/* Counts runs, not flags: a run may carry the same flag twice with different evidence. */
static void count_run(GHashTable *counts, const ReportLeg *leg, const ReportRun *run)
{
	g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);

	for (guint i = 0; i < run->flags->len; i++) {
		const Record *row = run->flags->pdata[i];
		const char *flag = record_get_text(row, "flag");
		Count *count = count_of(counts, flag);

		if (!count->evidence)
			count->evidence = record_get_text(row, "evidence");
		if (g_hash_table_add(seen, (char *)flag)) {
			count->guest += leg->guest;
			count->host += !leg->guest;
		}
	}
	if (leg->emulated && !g_hash_table_contains(seen, "EMULATED"))
		count_of(counts, "EMULATED")->guest++;
}

static void count_leg(GHashTable *counts, const ReportLeg *leg)
{
	for (guint i = 0; i < leg->runs->len; i++) {
		const ReportRun *run = leg->runs->pdata[i];

		if (run->good)
			count_run(counts, leg, run);
	}
	if (leg->emulated)
		count_of(counts, "EMULATED");
}

static GHashTable *counts_new(void)
{
	return g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
}

static GList *names_of(GHashTable *counts)
{
	return g_list_sort(g_hash_table_get_keys(counts), (GCompareFunc)g_strcmp0);
}

json_t *flags_of_leg(const ReportLeg *leg)
{
	g_autoptr(GHashTable) counts = counts_new();
	g_autoptr(GList) names = NULL;
	json_t *flags = json_array();

	count_leg(counts, leg);
	names = names_of(counts);
	for (const GList *l = names; l; l = l->next) {
		const Count *count = g_hash_table_lookup(counts, l->data);

		json_array_append_new(flags,
			json_pack("{so si so}", "flag", json_text(l->data), "runs", (int)(count->host + count->guest),
				"evidence", json_text(count->evidence)));
	}
	return flags;
}

/* Printed by our own digits: printf's decimal point follows the locale. */
static char *faster_evidence(const ReportLeg *guest, const CompareCell *cell)
{
	g_autofree char *cause = doubt_why_faster(guest);
	char ratio[G_ASCII_DTOSTR_BUF_SIZE], low[G_ASCII_DTOSTR_BUF_SIZE];

	if (withheld_reason(guest))
		return g_strdup_printf("the ratio is withheld; cause: %s", cause);
	g_ascii_formatd(ratio, sizeof(ratio), "%.3f", cell->ratio);
	if (cell->faster == COMPARE_FASTER_NO_INTERVAL)
		return g_strdup_printf("ratio %s, no interval (under %d blocks); cause: %s", ratio,
			COMPARE_FASTER_MIN_PAIRS, cause);
	g_ascii_formatd(low, sizeof(low), "%.3f", cell->low);
	return g_strdup_printf("ratio %s, lower bound %s; cause: %s", ratio, low, cause);
}

json_t *flags_of_cell(const ReportLeg *guest, const CompareCell *compared)
{
	g_autoptr(GHashTable) counts = counts_new();
	g_autoptr(GList) names = NULL;
	g_autofree char *faster = NULL;
	json_t *flags = json_array();

	count_leg(counts, guest);
	if (guest->host)
		count_leg(counts, guest->host);
	/* What did not reach the disk is not faster than what did. */
	if (compared->n > 0 && compared->faster != COMPARE_NOT_FASTER && !withheld_flushes(guest)) {
		Count *count = count_of(counts, "FASTER_THAN_HOST");

		faster = faster_evidence(guest, compared);
		if (!count->evidence)
			count->evidence = faster;
		count->guest = MAX(count->guest, compared->n);
	}
	names = names_of(counts);
	for (const GList *l = names; l; l = l->next) {
		const Count *count = g_hash_table_lookup(counts, l->data);

		json_array_append_new(flags,
			json_pack("{so si si so}", "flag", json_text(l->data), "host", (int)count->host, "guest",
				(int)count->guest, "evidence", json_text(count->evidence)));
	}
	return flags;
}

gboolean flags_leg_has(const ReportLeg *leg, const char *flag)
{
	for (guint i = 0; i < leg->runs->len; i++) {
		const ReportRun *run = leg->runs->pdata[i];

		for (guint k = 0; run->good && k < run->flags->len; k++)
			if (g_strcmp0(record_get_text(run->flags->pdata[k], "flag"), flag) == 0)
				return TRUE;
	}
	return FALSE;
}

/* What the legend says of one flag. */
typedef struct {
	int cells;
	const char *what, *evidence; /* of the first cell or leg that has evidence */
} Use;

static void collect(GHashTable *uses, const json_t *items, int count)
{
	const json_t *item, *flag;
	size_t i, k;

	json_array_foreach((json_t *)items, i, item)
		json_array_foreach(json_object_get(item, "flags"), k, flag) {
			const char *name = json_string_value(json_object_get(flag, "flag"));
			Use *use = g_hash_table_lookup(uses, name);

			if (!use) {
				use = g_new0(Use, 1);
				g_hash_table_insert(uses, (char *)name, use);
			}
			use->cells += count;
			if (use->evidence)
				continue;
			use->evidence = json_string_value(json_object_get(flag, "evidence"));
			use->what = json_string_value(json_object_get(item, "label"));
		}
}

static json_t *example_json(const Use *use)
{
	return use->evidence ? json_pack("{ss ss}", "what", use->what, "evidence", use->evidence) : json_null();
}

json_t *flags_legend(const json_t *cells, const json_t *legs)
{
	g_autoptr(GHashTable) uses = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, g_free);
	g_autoptr(GList) sorted = NULL;
	json_t *legend = json_array();
	char next = 'a';

	collect(uses, cells, 1);
	collect(uses, legs, 0);
	sorted = names_of(uses);
	for (const GList *l = sorted; l; l = l->next) {
		const Use *use = g_hash_table_lookup(uses, l->data);
		const char *meaning = "not known to this version";
		char letter[2] = {0};

		for (guint i = 0; i < G_N_ELEMENTS(known); i++)
			if (g_str_equal(known[i].flag, l->data)) {
				letter[0] = known[i].letter;
				meaning = known[i].meaning;
			}
		if (!letter[0]) {
			letter[0] = next;
			next = next == 'z' ? 'z' : next + 1;
		}
		json_array_append_new(legend,
			json_pack("{ss ss ss si so}", "flag", (const char *)l->data, "letter", letter, "meaning", meaning,
				"cells", use->cells, "example", example_json(use)));
	}
	return legend;
}
