/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * No flag is lost: a sweep that has each of them goes through the store, an export, an import into another store and every
 * report format, and each flag is looked for at the end, with its evidence where the format has room for it.
 */
#include <string.h>

#include "harness/export/gate-report.h"
#include "harness/export/report.h"
#include "results/transfer.h"
#include "tests/unit/store-fixture.h"

/* What harness/check, run, export and import raise; test_list compares it with their sources. */
static const char *const flags[] = {"CACHED", "CLOCK_DRIFT", "DATASET_SMALL", "DROP_FAILED", "EMULATED",
	"FASTER_THAN_HOST", "IMPORT_WARNING", "INCONSISTENT", "MIXED", "NOT_AS_ASKED", "NOT_STEADY", "THROTTLED"};

typedef enum { ON_GUEST, ON_HOST, WITHOUT_CELL } Where;

/* A text that nothing else in a report contains; short, since some formats fold lines. */
static char *evidence_of(guint flag)
{
	return g_strdup_printf("proof%02uQ", flag);
}

static void add_run(Store *store, gint64 leg, gboolean flagged)
{
	g_autoptr(StoreRun) run = some_run(0);
	GError *error = NULL;

	g_ptr_array_set_size(run->flags, 0);
	record_set_int(run->run, "ops_read", 10000);
	for (guint i = 0; flagged && i < G_N_ELEMENTS(flags); i++) {
		g_autofree char *evidence = evidence_of(i);

		store_run_add_flag(run, flags[i], evidence);
	}
	store_add_run(store, leg, -1, run, &error);
	g_assert_no_error(error);
}

static gint64 make_sweep(Store *store, Where where)
{
	gint64 sweep = add_some_sweep(store), host = add_some_leg(store, sweep, "host read", -1);

	add_run(store, host, where != ON_GUEST);
	if (where != WITHOUT_CELL)
		add_run(store, add_some_leg(store, sweep, "virtio read", host), where == ON_GUEST);
	return sweep;
}

/* SWEEP of FROM, through a file of JSON lines, in TO: its id there. */
static gint64 moved(Store *from, gint64 sweep, Store *to)
{
	g_autoptr(GOutputStream) out = g_memory_output_stream_new_resizable();
	g_autoptr(GPtrArray) sweeps = transfer_sweeps_new();
	g_autoptr(GInputStream) in = NULL;
	GError *error = NULL;

	g_assert_true(transfer_export(from, &sweep, 1, out, &error));
	g_assert_no_error(error);
	g_assert_true(g_output_stream_close(out, NULL, NULL));
	in = g_memory_input_stream_new_from_bytes(
		g_memory_output_stream_steal_as_bytes(G_MEMORY_OUTPUT_STREAM(out)));
	g_assert_true(transfer_import(to, in, "moved", sweeps, &error));
	g_assert_no_error(error);
	g_assert_cmpuint(sweeps->len, ==, 1);
	return ((TransferSweep *)sweeps->pdata[0])->id;
}

/* Line breaks of the formats that fold, taken out; "DATASET_SMALL" is "DATASET\_SMALL" in Markdown. */
static char *flat(const char *text)
{
	GString *out = g_string_new(NULL);

	for (const char *c = text; *c; c++)
		if (*c != '\\')
			g_string_append_c(out, *c == '\n' ? ' ' : *c);
	return g_string_free(out, FALSE);
}

static void check_format(Store *store, gint64 sweep, const char *format)
{
	/* A CSV cell and a row of a thread's table have the names only. */
	gboolean room = !g_str_equal(format, "csv") && !g_str_equal(format, "thread");
	g_autoptr(GString) text = g_string_new(NULL);
	g_autofree char *report = NULL;
	GError *error = NULL;

	g_assert_true(report_render(store, sweep, format, NULL, text, &error));
	g_assert_no_error(error);
	report = flat(text->str);
	for (guint i = 0; i < G_N_ELEMENTS(flags); i++) {
		g_autofree char *evidence = evidence_of(i);

		if (!strstr(report, flags[i]))
			g_error("the %s report lost the flag %s", format, flags[i]);
		if (room && !strstr(report, evidence))
			g_error("the %s report lost the evidence of %s", format, flags[i]);
	}
}

static void test_kept(Fixture *fixture, gconstpointer data)
{
	g_autoptr(Store) from = fixture_open(fixture, STORE_WRITE);
	g_autoptr(Store) to = store_open(":memory:", STORE_WRITE, NULL);
	gint64 sweep = moved(from, make_sweep(from, GPOINTER_TO_UINT(data)), to);
	g_autoptr(GPtrArray) rows = store_flags(to, sweep, NULL);

	g_assert_cmpuint(rows->len, ==, G_N_ELEMENTS(flags));
	for (guint i = 0; i < G_N_ELEMENTS(flags); i++) {
		g_autofree char *evidence = evidence_of(i);

		g_assert_cmpstr(record_get_text(rows->pdata[i], "flag"), ==, flags[i]);
		g_assert_cmpstr(record_get_text(rows->pdata[i], "evidence"), ==, evidence);
	}
	for (const ReportFormat *format = report_formats; format->name; format++)
		check_format(to, sweep, format->name);
}

/* A flag without evidence, and one that this version does not know, are kept too. */
static void test_strangers(Fixture *fixture, gconstpointer data)
{
	g_autoptr(Store) from = fixture_open(fixture, STORE_WRITE);
	g_autoptr(Store) to = store_open(":memory:", STORE_WRITE, NULL);
	gint64 sweep = add_some_sweep(from), host = add_some_leg(from, sweep, "host read", -1);
	g_autoptr(StoreRun) run = some_run(0);
	GError *error = NULL;

	g_ptr_array_set_size(run->flags, 0);
	store_run_add_flag(run, "CACHED", NULL);
	store_run_add_flag(run, "OF_TOMORROW", "whatever");
	add_run(from, host, FALSE);
	store_add_run(from, add_some_leg(from, sweep, "virtio read", host), -1, run, &error);
	g_assert_no_error(error);
	sweep = moved(from, sweep, to);
	for (const ReportFormat *format = report_formats; format->name; format++) {
		g_autoptr(GString) text = g_string_new(NULL);
		g_autofree char *report = NULL;

		g_assert_true(report_render(to, sweep, format->name, NULL, text, &error));
		report = flat(text->str);
		g_assert_nonnull(strstr(report, "CACHED"));
		g_assert_nonnull(strstr(report, "OF_TOMORROW"));
	}
}

/* ---- the gate ---- */

#define GATE_BLOCKS 12
#define GATE_LOSS 0.2 /* so that even formats that show losses alone have a row */

static void add_arm_run(Store *store, gint64 leg, guint block, gint64 started_s, double rate, const char *flag)
{
	g_autoptr(StoreRun) run = some_run(block);
	GError *error = NULL;

	g_ptr_array_set_size(run->flags, 0);
	record_set_int(run->run, "started_unix_ns", started_s * 1000000000);
	record_set_real(run->run, "bytes_per_s", rate);
	if (flag)
		store_run_add_flag(run, flag, NULL);
	store_add_run(store, leg, -1, run, &error);
	g_assert_no_error(error);
}

/* Two arms of two cells that differ by GATE_LOSS; all runs of the candidate's first cell have FLAG. */
static gint64 make_arms(Store *store, const char *flag)
{
	gint64 sweep = add_some_sweep(store);

	for (guint arm = 0; arm < 2; arm++) {
		const char *name = arm ? "new" : "base";
		g_autoptr(Record) host = record_new();
		GError *error = NULL;
		gint64 legs[3];

		record_set_text(host, "label", arm ? "host read @new" : "host read @base");
		record_set_text(host, "side", "host");
		record_set_text(host, "arm", name);
		record_set_text(host, "rw", "read");
		record_set_text(host, "target", "file");
		legs[0] = store_add_leg(store, sweep, host, &error);
		g_assert_no_error(error);
		for (guint cell = 0; cell < 2; cell++) {
			g_autofree char *label = g_strdup_printf("guest virtio read %u @%s", cell, name);
			g_autoptr(Record) leg = record_new();

			record_set_text(leg, "label", label);
			record_set_text(leg, "side", "guest");
			record_set_text(leg, "arm", name);
			record_set_text(leg, "rw", "read");
			record_set_text(leg, "target", "file");
			record_set_text(leg, "emulator", name);
			record_set_int(leg, "host_leg_id", legs[0]);
			legs[1 + cell] = store_add_leg(store, sweep, leg, &error);
			g_assert_no_error(error);
		}
		for (guint block = 0; block < GATE_BLOCKS; block++)
			for (guint i = 0; i < G_N_ELEMENTS(legs); i++)
				/* The arms take turns. */
				add_arm_run(store, legs[i], block, block * 100 + 50 * (block % 2 ? 1 - arm : arm) + i,
					1e8 * (1 + 0.001 * ((block + 3 * arm) * 7 % 5)) * (arm && i ? 1 - GATE_LOSS : 1),
					arm && i == 1 ? flag : NULL);
	}
	return sweep;
}

/* What the formats escape is written out; line breaks are kept, since a row is a line in each. */
static char *plain(const char *text)
{
	static const char *const written[][2] = {{"&#95;", "_"}, {"&#40;", "("}, {"&#41;", ")"}, {"&#58;", ":"}, {"%3A", ":"}, {"%25", "%"}};
	g_autoptr(GString) out = g_string_new(text);

	for (guint i = 0; i < G_N_ELEMENTS(written); i++)
		g_string_replace(out, written[i][0], written[i][1], 0);
	return g_string_free(g_steal_pointer(&out), FALSE);
}

/* Whether FLAG stands between NAME and the end of a row that it begins: of a line, but in the JSON and on the page. */
static gboolean beside(const char *text, const char *format, const char *name, const char *flag)
{
	const char *last = g_str_equal(format, "json") ? "\"differences\"" : g_str_equal(format, "html") ? "</tr>" : "\n";

	for (const char *at = strstr(text, name); at; at = strstr(at + 1, name)) {
		const char *end = strstr(at, last);
		g_autofree char *part = g_strndup(at, end ? (gsize)(end - at) : strlen(at));

		if (strstr(part, flag))
			return TRUE;
	}
	return FALSE;
}

/* FLAG of the first cell's runs in every format of the gate: beside that cell and beside the group that it is part of. */
static void check_gate(Store *store, gint64 sweep, const char *flag, const char *const *accept)
{
	static const char *const formats[] = {"text", "markdown", "html", "json", "junit", "github", "gitlab"};
	const GateChoice choice = {.accept = accept};
	g_autoptr(GPtrArray) families = g_ptr_array_new_with_free_func((GDestroyNotify)gate_family_free);
	GateFamily *family = gate_family_new(GATE_THROUGHPUT, GATE_FAMILY_GATING);
	GateSettings settings[GATE_METRICS];
	const GateFamilyMode modes[GATE_METRICS] = {GATE_FAMILY_GATING};
	GateReportExtra extra = {.why = "made up", .exit_code = 1, .accept = accept, .alpha = 0.05, .settings = settings, .modes = modes};
	GError *error = NULL;
	json_t *report;

	for (guint m = 0; m < GATE_METRICS; m++)
		gate_settings_init(&settings[m]);
	g_ptr_array_add(families, family);
	family->data = gate_load_arms(store, sweep, NULL, NULL, &choice, &error);
	g_assert_no_error(error);
	family->result = gate_judge(&settings[GATE_THROUGHPUT], &family->data->input, &error);
	g_assert_no_error(error);
	report = gate_report_json(family->data, families, &extra);
	for (guint i = 0; i < G_N_ELEMENTS(formats); i++) {
		g_autoptr(GString) text = g_string_new(NULL);
		g_autofree char *out = NULL;

		g_assert_true(gate_report_render(report, formats[i], text, &error));
		g_assert_no_error(error);
		out = plain(text->str);
		if (!beside(out, formats[i], "virtio read 0", flag))
			g_error("the gate's %s lost the flag %s of a cell", formats[i], flag);
		if (!beside(out, formats[i], "geomean:all", flag))
			g_error("the gate's %s lost the flag %s of a group", formats[i], flag);
		if (beside(out, formats[i], "virtio read 1", flag))
			g_error("the gate's %s has the flag %s on a cell without it", formats[i], flag);
	}
	json_decref(report);
}

/* Each flag alone, on runs that count and, where it takes them out, on runs that are left out. */
static void test_gate(Fixture *fixture, gconstpointer data)
{
	for (guint i = 0; i < G_N_ELEMENTS(flags); i++) {
		const char *const accept[] = {flags[i], NULL};
		g_autoptr(Store) store = store_open(":memory:", STORE_WRITE, NULL);
		gint64 sweep = make_arms(store, flags[i]);

		check_gate(store, sweep, flags[i], accept);
		if (gate_flag_excludes(flags[i]))
			check_gate(store, sweep, flags[i], NULL);
	}
}

/* ---- the list above is whole ---- */

static void look(const char *path)
{
	g_autoptr(GRegex) raised = g_regex_new("(?:check_flag|add_flag)\\([^;]*?\"([A-Z_]{5,})\"",
		0, 0, NULL);
	g_autoptr(GMatchInfo) match = NULL;
	g_autofree char *text = NULL;

	g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
	for (g_regex_match(raised, text, 0, &match); g_match_info_matches(match); g_match_info_next(match, NULL)) {
		g_autofree char *flag = g_match_info_fetch(match, 1);
		gboolean known = FALSE;

		for (guint i = 0; i < G_N_ELEMENTS(flags); i++)
			known |= g_str_equal(flag, flags[i]);
		if (!known)
			g_error("%s raises %s, which tests/unit/test-flags-kept.c does not look for", path, flag);
	}
}

static void test_list(void)
{
	static const char *const rooms[] = {"check", "run", "export", "import"};
	const char *source = g_getenv("IOGAP_SRC");
	guint files = 0;

	for (guint i = 0; i < G_N_ELEMENTS(rooms); i++) {
		g_autofree char *folder = g_build_filename(source ? source : ".", "harness", rooms[i], NULL);
		g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
		const char *name;

		g_assert_nonnull(dir);
		while ((name = g_dir_read_name(dir))) {
			g_autofree char *path = g_build_filename(folder, name, NULL);

			if (!g_str_has_suffix(name, ".c"))
				continue;
			look(path);
			files++;
		}
	}
	g_assert_cmpuint(files, >, 20);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	fixture_find_schema();
#define KEPT(path, where) \
	g_test_add(path, Fixture, GUINT_TO_POINTER(where), fixture_set_up, test_kept, fixture_tear_down)
	KEPT("/flags/kept/guest", ON_GUEST);
	KEPT("/flags/kept/host", ON_HOST);
	KEPT("/flags/kept/without-a-cell", WITHOUT_CELL);
#undef KEPT
	g_test_add("/flags/kept/strangers", Fixture, NULL, fixture_set_up, test_strangers, fixture_tear_down);
	g_test_add("/flags/gate", Fixture, NULL, fixture_set_up, test_gate, fixture_tear_down);
	g_test_add_func("/flags/list", test_list);
	return g_test_run();
}
