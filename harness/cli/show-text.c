/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/cli/show-text.h"

#include <inttypes.h>

#include "guest-agent/common/units.h"
#include "harness/cli/show-environment.h"
#include "harness/cli/stored.h"
#include "harness/cli/table.h"

gboolean show_load(Store *store, gint64 sweep, Show *ret, GError **error)
{
	return (ret->sweep = store_sweep(store, sweep, error)) && (ret->legs = store_legs(store, sweep, error)) &&
	       (ret->refusals = store_refusals(store, sweep, error)) &&
	       (ret->sources = store_sources(store, sweep, error)) &&
	       (ret->boots = store_boots(store, sweep, error)) && (ret->runs = store_runs(store, sweep, error)) &&
	       (ret->flags = store_flags(store, sweep, error));
}

void show_clear(Show *show)
{
	record_free(show->sweep);
	g_clear_pointer(&show->legs, g_ptr_array_unref);
	g_clear_pointer(&show->refusals, g_ptr_array_unref);
	g_clear_pointer(&show->sources, g_ptr_array_unref);
	g_clear_pointer(&show->boots, g_ptr_array_unref);
	g_clear_pointer(&show->runs, g_ptr_array_unref);
	g_clear_pointer(&show->flags, g_ptr_array_unref);
	show->sweep = NULL;
}

/* One "name  value" line; what is not known is left out. A value of several lines is indented. */
static void line(GString *text, const char *name, const char *value)
{
	g_auto(GStrv) lines = value && *value ? g_strsplit(value, "\n", -1) : NULL;

	for (guint i = 0; lines && lines[i]; i++)
		if (lines[i][0] || i == 0)
			g_string_append_printf(text, "  %-12s %s\n", i == 0 ? name : "", lines[i]);
}

static void line_of(GString *text, const char *name, const Record *row, const char *column)
{
	line(text, name, record_get_text(row, column));
}

/* Appends "WORD VALUE" to a comma-separated list when the value is known. */
static void item(GString *list, const char *word, const char *value)
{
	if (!value)
		return;
	g_string_append_printf(list, "%s%s%s%s", list->len ? ", " : "", word, *word ? " " : "", value);
}

static void add_times(GString *text, const Record *sweep)
{
	g_autofree char *started = stored_time(sweep, "started_unix_ns");
	g_autofree char *finished = stored_time(sweep, "finished_unix_ns");
	g_autofree char *wall = stored_duration(sweep, "wall_ns");
	g_autofree char *measured = stored_duration(sweep, "measured_ns");
	g_autoptr(GString) took = g_string_new(NULL);

	line(text, "started", started);
	line(text, "finished", finished);
	item(took, "", wall);
	item(took, "measuring", measured);
	if (wall && measured && record_get_int(sweep, "wall_ns", 0) > 0)
		g_string_append_printf(took, " (%.0f %%)",
			100.0 * record_get_int(sweep, "measured_ns", 0) / record_get_int(sweep, "wall_ns", 0));
	line(text, "took", took->str);
}

/* Why there are so many blocks, where that was left to the intervals. */
static void add_stopped(GString *text, const Record *sweep)
{
	g_autoptr(GString) why = g_string_new(NULL);
	const char *stopped = record_get_text(sweep, "stopped");

	if (!record_has(sweep, "precision"))
		return;
	g_string_append_printf(why, "%s: every interval within %.3g %%, at most %" G_GINT64_FORMAT " blocks", stopped ? stopped : "not yet",
		100 * record_get_real(sweep, "precision", 0), record_get_int(sweep, "most_blocks", 0));
	if (record_has(sweep, "half_width"))
		g_string_append_printf(why, "; widest %.2g %%", 100 * record_get_real(sweep, "half_width", 0));
	if (record_get_int(sweep, "wide_cells", 0))
		g_string_append_printf(why, "; %" G_GINT64_FORMAT " cells wider", record_get_int(sweep, "wide_cells", 0));
	line(text, "stopped", why->str);
}

static void add_profile(GString *text, const Record *sweep)
{
	g_autofree char *settle = stored_duration(sweep, "settle_ns");
	g_autofree char *run = stored_duration(sweep, "run_ns");
	g_autoptr(GString) list = g_string_new(record_get_text(sweep, "profile"));

	if (record_has(sweep, "blocks"))
		g_string_append_printf(list, ", %" G_GINT64_FORMAT " blocks", record_get_int(sweep, "blocks", 0));
	item(list, "settle", settle);
	item(list, "run", run);
	if (record_has(sweep, "seed"))
		g_string_append_printf(list, ", seed %" PRIu64, (guint64)record_get_int(sweep, "seed", 0));
	if (record_get_int(sweep, "strict", 0))
		g_string_append(list, ", strict");
	line(text, "profile", list->str);
	add_stopped(text, sweep);
}

static void add_software(GString *text, const Record *sweep)
{
	g_autoptr(GString) versions = g_string_new(NULL);
	g_autoptr(GString) host = g_string_new(record_get_text(sweep, "cpu_model"));
	char size[32];

	item(versions, "iogap", record_get_text(sweep, "iogap_version"));
	item(versions, "QEMU", record_get_text(sweep, "qemu_version"));
	item(versions, "libvirt", record_get_text(sweep, "libvirt_version"));
	line(text, "versions", versions->str);
	line_of(text, "emulator", sweep, "emulator");
	line_of(text, "connection", sweep, "uri");
	line_of(text, "agent", sweep, "agent_sha256");
	if (record_has(sweep, "cpus"))
		g_string_append_printf(host, "%s%" G_GINT64_FORMAT " CPUs", host->len ? ", " : "",
			record_get_int(sweep, "cpus", 0));
	if (record_has(sweep, "memory"))
		item(host, "memory",
			units_format_size((guint64)record_get_int(sweep, "memory", 0), size, sizeof(size)));
	item(host, "clock", record_get_text(sweep, "host_clocksource"));
	line(text, "host", host->str);
	line_of(text, "host kernel", sweep, "host_kernel");
	line_of(text, "its options", sweep, "host_cmdline");
}

static void add_sweep(GString *text, const Record *sweep)
{
	g_autoptr(GString) accel = g_string_new(record_get_text(sweep, "accel"));

	g_string_append_printf(text, "Sweep %" G_GINT64_FORMAT ": %s, %s\n", record_get_int(sweep, "id", 0),
		record_get_text(sweep, "profile"), record_get_text(sweep, "status"));
	line_of(text, "uuid", sweep, "uuid");
	line_of(text, "label", sweep, "label");
	line_of(text, "commit", sweep, "commit_id");
	line_of(text, "branch", sweep, "branch");
	line_of(text, "error", sweep, "error");
	add_times(text, sweep);
	add_profile(text, sweep);
	if (record_has(sweep, "accel_remark"))
		g_string_append_printf(accel, ": %s", record_get_text(sweep, "accel_remark"));
	line(text, "accelerator", accel->str);
	add_software(text, sweep);
	line_of(text, "fingerprint", sweep, "fingerprint");
}

/* Of imported sweeps: the files, and what was odd about them. */
static void add_sources(GString *text, const GPtrArray *sources)
{
	for (guint i = 0; i < sources->len; i++) {
		const Record *row = sources->pdata[i];
		const char *producer = record_get_text(row, "producer"), *warnings = record_get_text(row, "warnings");
		g_auto(GStrv) lines = g_strsplit(warnings ? warnings : "", "\n", -1);

		if (i == 0)
			g_string_append(text, "\nSources\n");
		g_string_append_printf(text, "  %s: %s%s%s, %" G_GINT64_FORMAT " rows, sha256 %s\n", record_get_text(row, "name"),
			record_get_text(row, "format"), producer ? " of " : "", producer ? producer : "",
			record_get_int(row, "rows", 0), record_get_text(row, "sha256"));
		for (guint k = 0; lines[k]; k++)
			g_string_append_printf(text, "    warning: %s\n", lines[k]);
	}
}

static void add_refusals(GString *text, const GPtrArray *refusals)
{
	for (guint i = 0; i < refusals->len; i++) {
		const Record *row = refusals->pdata[i];

		if (i == 0)
			g_string_append(text, "\nRefused combinations\n");
		g_string_append(text, "  ");
		if (record_get_int(row, "line", 0) > 0)
			g_string_append_printf(text, "line %" G_GINT64_FORMAT ": ", record_get_int(row, "line", 0));
		g_string_append_printf(text, "%s: %s", record_get_text(row, "combination"),
			record_get_text(row, "reason"));
		if (record_has(row, "legs"))
			g_string_append_printf(text, " (%" G_GINT64_FORMAT " legs)", record_get_int(row, "legs", 0));
		g_string_append_c(text, '\n');
	}
}

static void add_boots(GString *text, const GPtrArray *boots)
{
	static const char *const heads[] = {">BOOT", ">BLOCK", ">GROUP", "<STATUS", ">HELLO", "<ACCEL", "<MACHINE",
		"<GUEST KERNEL", "<CLOCK", "<ERROR", NULL};
	g_autoptr(Table) table = table_new(heads);
	g_autofree char *drawn = NULL;

	if (boots->len == 0)
		return;
	for (guint i = 0; i < boots->len; i++) {
		const Record *boot = boots->pdata[i];
		g_autofree char *hello = stored_duration(boot, "hello_ns");

		table_cell_int(table, record_get_int(boot, "id", 0));
		table_cell_int(table, record_get_int(boot, "block", -1));
		table_cell_int(table, record_get_int(boot, "boot_no", -1));
		table_cell(table, record_get_text(boot, "status"));
		table_cell(table, hello);
		table_cell(table, record_get_text(boot, "accel"));
		table_cell(table, record_get_text(boot, "machine"));
		table_cell(table, record_get_text(boot, "guest_kernel"));
		table_cell(table, record_get_text(boot, "clocksource"));
		table_cell(table, record_get_text(boot, "error"));
	}
	drawn = table_text(table, "  ");
	g_string_append_printf(text, "\nBoots\n%s", drawn);
}

/* ---- legs: counts by status, and the flags of their runs ---------------------------------------- */

typedef struct {
	gint64 ok, failed, skipped;
	GString *flags; /* "EMULATED CACHED" */
} Counts;

static void counts_free(void *data)
{
	Counts *counts = data;

	g_string_free(counts->flags, TRUE);
	g_free(counts);
}

static Counts *counts_of(GHashTable *by_leg, gint64 leg)
{
	Counts *counts = g_hash_table_lookup(by_leg, &leg);

	if (!counts) {
		gint64 *key = g_new(gint64, 1);

		*key = leg;
		counts = g_new0(Counts, 1);
		counts->flags = g_string_new(NULL);
		g_hash_table_insert(by_leg, key, counts);
	}
	return counts;
}

static void add_flag(Counts *counts, const char *flag)
{
	g_auto(GStrv) there = g_strsplit(counts->flags->str, " ", -1);

	if (!g_strv_contains((const char *const *)there, flag))
		g_string_append_printf(counts->flags, "%s%s", counts->flags->len ? " " : "", flag);
}

static GHashTable *count(const Show *show)
{
	GHashTable *by_leg = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, counts_free);
	g_autoptr(GHashTable) leg_of_run = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);

	for (guint i = 0; i < show->runs->len; i++) {
		const Record *run = show->runs->pdata[i];
		Counts *counts = counts_of(by_leg, record_get_int(run, "leg_id", -1));
		const char *status = record_get_text(run, "status");
		gint64 *id = g_new(gint64, 1);

		*id = record_get_int(run, "id", -1);
		g_hash_table_insert(leg_of_run, id, counts);
		*(g_str_equal(status, "ok")	    ? &counts->ok
			: g_str_equal(status, "failed") ? &counts->failed
							: &counts->skipped) += 1;
	}
	for (guint i = 0; i < show->flags->len; i++) {
		gint64 run = record_get_int(show->flags->pdata[i], "run_id", -1);
		Counts *counts = g_hash_table_lookup(leg_of_run, &run);

		if (counts)
			add_flag(counts, record_get_text(show->flags->pdata[i], "flag"));
	}
	return by_leg;
}

static void add_legs(GString *text, const Show *show)
{
	static const char *const heads[] = {">LEG", ">OK", ">FAILED", ">SKIPPED", "<LABEL", "<FLAGS", NULL};
	g_autoptr(Table) table = table_new(heads);
	g_autoptr(GHashTable) by_leg = count(show);
	g_autofree char *drawn = NULL;

	if (show->legs->len == 0)
		return;
	for (guint i = 0; i < show->legs->len; i++) {
		const Record *leg = show->legs->pdata[i];
		const Counts *counts = counts_of(by_leg, record_get_int(leg, "id", -1));

		table_cell_int(table, record_get_int(leg, "id", 0));
		table_cell_int(table, counts->ok);
		table_cell_int(table, counts->failed);
		table_cell_int(table, counts->skipped);
		table_cell(table, record_get_text(leg, "label"));
		table_cell(table, counts->flags->str);
	}
	drawn = table_text(table, "  ");
	g_string_append_printf(text, "\nLegs and their runs\n%s", drawn);
}

static void add_unmeasured(GString *text, const Show *show)
{
	g_autoptr(GHashTable) labels = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
	gboolean any = FALSE;

	for (guint i = 0; i < show->legs->len; i++) {
		gint64 *id = g_new(gint64, 1);

		*id = record_get_int(show->legs->pdata[i], "id", -1);
		g_hash_table_insert(labels, id, (char *)record_get_text(show->legs->pdata[i], "label"));
	}
	for (guint i = 0; i < show->runs->len; i++) {
		const Record *run = show->runs->pdata[i];
		gint64 leg = record_get_int(run, "leg_id", -1);

		if (g_str_equal(record_get_text(run, "status"), "ok"))
			continue;
		if (!any)
			g_string_append(text, "\nRuns without a result\n");
		any = TRUE;
		g_string_append_printf(text, "  block %" G_GINT64_FORMAT ", %s: %s: %s\n",
			record_get_int(run, "block", 0), (char *)g_hash_table_lookup(labels, &leg),
			record_get_text(run, "status"), record_get_text(run, "reason"));
	}
}

/* Each flag once, with how many runs have it and the evidence of the first. */
static void add_flags(GString *text, const GPtrArray *flags)
{
	g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);

	for (guint i = 0; i < flags->len; i++) {
		const char *name = record_get_text(flags->pdata[i], "flag");
		const char *evidence = record_get_text(flags->pdata[i], "evidence");
		guint runs = 0;

		if (!g_hash_table_add(seen, (char *)name))
			continue;
		for (guint k = i; k < flags->len; k++)
			runs += g_str_equal(record_get_text(flags->pdata[k], "flag"), name);
		if (i == 0)
			g_string_append(text, "\nFlags\n");
		g_string_append_printf(text, "  %s: %u runs; first: %s\n", name, runs, evidence ? evidence : "-");
	}
}

char *show_text(const Show *show)
{
	GString *text = g_string_new(NULL);

	add_sweep(text, show->sweep);
	add_sources(text, show->sources);
	add_refusals(text, show->refusals);
	add_boots(text, show->boots);
	add_legs(text, show);
	add_unmeasured(text, show);
	add_flags(text, show->flags);
	show_environment(text, show);
	return g_string_free(text, FALSE);
}
