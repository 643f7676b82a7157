/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sweeps from store to store: nothing is lost, whatever columns the schema has, and damage is named and stores nothing. */
#include "store-fixture.h"

#include "results/store-rows.h"
#include "results/transfer.h"

/* Values that are hard to carry, tried in turn: the schema's checks take some of them only. */
static const char *const hard_values[] = {
	"x'6e756c00ff'", "'a \"quoted\" \\ line' || char(10, 13, 9, 1, 127, 252, 128512)", "CAST(x'6cff74' AS TEXT)",
	"'a' || char(0) || 'b'", "-9223372036854775807 - 1", "9223372036854775807", "4.9e-324", "0.1", "-0.0", "1", "0",
	"'finished'", "'host'", "'ok'", "'read'", "'PASS'", "'{\"a\":[1,2]}'", "'0f0f0f0f-0000-4000-8000-00000000000f'",
};

static sqlite3_stmt *prepare(Store *store, const char *sql)
{
	sqlite3_stmt *statement = NULL;

	g_assert_cmpint(sqlite3_prepare_v2(store->db, sql, -1, &statement, NULL), ==, SQLITE_OK);
	return statement;
}

static GPtrArray *tables_of(Store *store)
{
	GError *error = NULL;
	GPtrArray *tables = store_row_tables(store, &error);

	g_assert_no_error(error);
	return tables;
}

/* Gives every column of every table a value in some row, one that is hard to carry where the schema lets it. */
static void fill_columns(Store *store)
{
	g_autoptr(GPtrArray) tables = tables_of(store);
	guint turn = 0;

	for (guint i = 0; i < tables->len; i++) {
		const StoreRowTable *table = tables->pdata[i];

		for (guint k = 0; k < table->columns->len; k++) {
			const StoreRowColumn *column = table->columns->pdata[k];
			gboolean done = column->parent || g_str_equal(column->name, "id") || column->type == STORE_COLUMN_BLOB;

			/* A histogram's figures must add up: the fixture's do. */
			done |= g_str_equal(table->name, "hist") && column->type == STORE_COLUMN_INT;
			for (guint n = 0; n < G_N_ELEMENTS(hard_values) && !done; n++) {
				g_autofree char *sql = g_strdup_printf("UPDATE %s SET %s = %s WHERE rowid = (SELECT max(rowid) FROM %s)",
					table->name, column->name, hard_values[(n + turn) % G_N_ELEMENTS(hard_values)], table->name);

				done = sqlite3_exec(store->db, sql, NULL, NULL, NULL) == SQLITE_OK;
			}
			turn++;
			if (!done)
				g_test_message("%s.%s takes no value of the list", table->name, column->name);
		}
	}
}

/* Every column holds something in some row, so that comparing proves something. */
static void assert_filled(Store *store)
{
	g_autoptr(GPtrArray) tables = tables_of(store);

	for (guint i = 0; i < tables->len; i++) {
		const StoreRowTable *table = tables->pdata[i];

		for (guint k = 0; k < table->columns->len; k++) {
			const StoreRowColumn *column = table->columns->pdata[k];
			g_autofree char *sql = g_strdup_printf("SELECT count(%s) FROM %s", column->name, table->name);
			gint64 count = 0;

			g_assert_true(store_query_int(store, sql, NULL, 0, 0, &count, NULL));
			if (count == 0)
				g_error("no row has a value in %s.%s", table->name, column->name);
		}
	}
}

/* The place of a row among its table's rows of one sweep. */
static gint64 rank(Store *store, const GPtrArray *tables, const char *name, gint64 sweep, gint64 id)
{
	const StoreRowTable *table = store_row_table(tables, name);
	const StoreValue values[] = {{.number = sweep}, {.number = id}};
	g_autofree char *sql = g_strdup_printf("SELECT count(*) FROM %s WHERE %s AND id <= ?2", name, table->where);
	gint64 ret = -1;

	g_assert_true(store_query_int(store, sql, values, 2, -1, &ret, NULL));
	return ret;
}

static void same_value(const StoreRowTable *table, const char *name, sqlite3_stmt *a, sqlite3_stmt *b, int i)
{
	if (sqlite3_column_type(a, i) != sqlite3_column_type(b, i))
		g_error("%s.%s changed its type", table->name, name);
	switch (sqlite3_column_type(a, i)) {
	case SQLITE_INTEGER:
		g_assert_cmpint(sqlite3_column_int64(a, i), ==, sqlite3_column_int64(b, i));
		break;
	case SQLITE_FLOAT: {
		double x = sqlite3_column_double(a, i), y = sqlite3_column_double(b, i);

		g_assert_cmpmem(&x, sizeof(x), &y, sizeof(y));
		break;
	}
	case SQLITE_NULL:
		break;
	default:
		g_assert_cmpmem(sqlite3_column_blob(a, i), sqlite3_column_bytes(a, i), sqlite3_column_blob(b, i),
			sqlite3_column_bytes(b, i));
	}
}

/* Every table but those that describe the store; every row; every column: the same bytes, or a reference to the same row. */
static void assert_same_sweep(Store *a, gint64 sweep_a, Store *b, gint64 sweep_b)
{
	g_autoptr(GPtrArray) tables = tables_of(a);
	gint64 all = 0, rows = 0;

	g_assert_true(store_query_int(a,
		"SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name NOT IN ('store_meta', 'metric')", NULL, 0, 0,
		&all, NULL));
	g_assert_cmpint(all, ==, tables->len);
	for (guint i = 0; i < tables->len; i++) {
		const StoreRowTable *table = tables->pdata[i];
		sqlite3_stmt *x = prepare(a, table->select), *y = prepare(b, table->select);

		sqlite3_bind_int64(x, 1, sweep_a);
		sqlite3_bind_int64(y, 1, sweep_b);
		for (; sqlite3_step(x) == SQLITE_ROW; rows++) {
			g_assert_cmpint(sqlite3_step(y), ==, SQLITE_ROW);
			for (int k = 0; k < sqlite3_column_count(x); k++) {
				const StoreRowColumn *column = table->columns->pdata[k];

				g_assert_cmpstr(sqlite3_column_name(x, k), ==, column->name);
				if (column->parent && sqlite3_column_type(x, k) != SQLITE_NULL)
					g_assert_cmpint(rank(a, tables, column->parent, sweep_a, sqlite3_column_int64(x, k)), ==,
						rank(b, tables, column->parent, sweep_b, sqlite3_column_int64(y, k)));
				else if (!g_str_equal(column->name, "id"))
					same_value(table, column->name, x, y, k);
			}
		}
		g_assert_cmpint(sqlite3_step(y), ==, SQLITE_DONE);
		sqlite3_finalize(x);
		sqlite3_finalize(y);
	}
	g_assert_cmpint(rows, >=, 10);
}

/* A sweep with a pair of legs, two runs and a refusal. */
static gint64 whole_sweep(Store *store)
{
	gint64 sweep = add_some_sweep(store), host = add_some_leg(store, sweep, "host", -1);
	gint64 guest = add_some_leg(store, sweep, "guest", host), boot = add_some_boot(store, sweep);
	g_autoptr(StoreRun) run = some_run(0);
	g_autoptr(Record) refusal = record_new();
	g_autoptr(Record) source = record_new();
	g_autofree Hist *empty = g_new(Hist, 1);
	GError *error = NULL;

	record_set_text(refusal, "combination", "bus=ide");
	record_set_text(refusal, "reason", "no");
	store_add_refusal(store, sweep, refusal, &error);
	record_set_text(source, "name", "some.json");
	record_set_text(source, "format", "fio-json");
	record_set_text(source, "sha256", "0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f");
	record_set_int(source, "bytes", 12);
	record_set_int(source, "rows", 1);
	store_add_source(store, sweep, source, &error);
	store_add_run(store, host, -1, run, &error);
	fill_hist(empty, 0, 0, 0);
	store_run_add_hist(run, "write", "submit", empty);
	store_add_run(store, guest, boot, run, &error);
	g_assert_no_error(error);
	return sweep;
}

static char *export_text(Store *store, const gint64 *sweeps, guint count)
{
	g_autoptr(GOutputStream) out = g_memory_output_stream_new_resizable();
	GError *error = NULL;

	transfer_export(store, sweeps, count, out, &error);
	g_assert_no_error(error);
	g_assert_true(g_output_stream_write_all(out, "", 1, NULL, NULL, NULL));
	g_assert_true(g_output_stream_close(out, NULL, NULL));
	return g_memory_output_stream_steal_data(G_MEMORY_OUTPUT_STREAM(out));
}

static gboolean import_text(Store *store, const char *text, GPtrArray *sweeps, GError **error)
{
	g_autoptr(GInputStream) in = g_memory_input_stream_new_from_data(text, -1, NULL);

	return transfer_import(store, in, "some.jsonl", sweeps, error);
}

static void test_round_trip(Fixture *fixture, gconstpointer data)
{
	g_autoptr(Store) from = fixture_open(fixture, STORE_WRITE);
	g_autoptr(Store) to = store_open(":memory:", STORE_WRITE, NULL);
	g_autoptr(Store) third = store_open(":memory:", STORE_WRITE, NULL);
	g_autoptr(GPtrArray) done = transfer_sweeps_new();
	g_autofree char *text = NULL;
	g_autofree char *again = NULL;
	gint64 both[] = {whole_sweep(from), whole_sweep(from)};
	const TransferSweep *sweep;
	GError *error = NULL;

	fill_columns(from);
	assert_filled(from);
	/* Others are there already, so that no number stays as it was. */
	whole_sweep(to);
	whole_sweep(to);
	whole_sweep(to);
	text = export_text(from, both, 2);
	import_text(to, text, done, &error);
	g_assert_no_error(error);
	g_assert_cmpuint(done->len, ==, 2);
	for (guint i = 0; i < 2; i++) {
		sweep = done->pdata[i];
		g_assert_cmpint(sweep->outcome, ==, TRANSFER_ADDED);
		g_assert_cmpint(sweep->id, ==, 4 + i);
		g_assert_cmpuint(sweep->runs, ==, 2);
		assert_same_sweep(from, both[i], to, sweep->id);
	}
	/* And once more, from there. */
	again = export_text(to, &((const TransferSweep *)done->pdata[1])->id, 1);
	import_text(third, again, done, &error);
	g_assert_no_error(error);
	assert_same_sweep(to, 5, third, ((const TransferSweep *)done->pdata[2])->id);
}

static void test_there_already(Fixture *fixture, gconstpointer data)
{
	g_autoptr(Store) store = fixture_open(fixture, STORE_WRITE);
	g_autoptr(GPtrArray) done = transfer_sweeps_new();
	gint64 sweep = whole_sweep(store);
	g_autofree char *text = export_text(store, &sweep, 1);
	gint64 rows = count_rows(store, "run") + count_rows(store, "sweep");
	const TransferSweep *first, *second;
	GError *error = NULL;

	import_text(store, text, done, &error);
	g_assert_no_error(error);
	first = done->pdata[0];
	g_assert_cmpint(first->outcome, ==, TRANSFER_THERE);
	g_assert_cmpint(first->id, ==, sweep);
	g_assert_cmpuint(first->rows, ==, first->rows_there);
	g_assert_cmpint(count_rows(store, "run") + count_rows(store, "sweep"), ==, rows);
	/* The sweep went on after it was exported. */
	add_some_leg(store, sweep, "one more", -1);
	import_text(store, text, done, &error);
	g_assert_no_error(error);
	second = done->pdata[1];
	g_assert_cmpint(second->outcome, ==, TRANSFER_DIFFERS);
	g_assert_cmpuint(second->rows_there, ==, second->rows + 1);
	/* Reading past it checks it all the same. */
	strstr(text, "\"label\":\"guest\"")[9] = 'G';
	g_assert_false(import_text(store, text, done, &error));
	g_assert_nonnull(strstr(error->message, "sha256"));
	g_clear_error(&error);
}

/* What is done to a sound export, and what is said of it. {UUID} is that of its second sweep. */
typedef struct {
	const char *old, *new; /* the last place where OLD stands becomes NEW */
	const char *message;
} Damage;

static const Damage damages[] = {
	{"\"status\":\"ok\"", "\"status\":\"ok", "the line is damaged: "},
	{"\"status\":\"ok\"", "\"status\":\"fine\"", "CHECK constraint failed"},
	{"\"status\":\"ok\"", "\"status\":null", "NOT NULL constraint failed: run.status"},
	{"\"status\":\"ok\"", "\"status\":1", "column \"status\" takes a text"},
	{"\"status\":\"ok\"", "\"status\":{\"base64\":\"b2s\"}", "column \"status\" takes {\"base64\":...}"},
	{"\"status\":\"ok\"", "\"status\":\"ok\",\"new\":1", "table run has no column of the name \"new\""},
	{"\"status\":\"ok\"", "\"status\":\"ok\",\"block\":0", "duplicate object key"},
	{"\"status\":\"ok\"", "\"status\":\"ok\",\"ops_read\":[1]", "not a row: it has lists"},
	{"\"status\":\"ok\"", "\"status\":{\"a\":{\"b\":1}}", "not a row: it has lists, more than three levels"},
	{"\"ns\":1000000000", "\"ns\":1e9", "column \"ns\" takes an integer"},
	{"\"bytes_per_s\":8", "\"bytes_per_s\":\"8", "the line is damaged"},
	{"\"bytes_per_s\":81920000.0", "\"bytes_per_s\":true", "column \"bytes_per_s\" takes a number"},
	{"\"bytes_per_s\":81920000.0", "\"bytes_per_s\":1e999", "real number overflow"},
	{"\"bytes_per_s\":81920000.0", "\"bytes_per_s\":81920001.0", "are not those that were exported (sha256)"},
	{"\"leg_id\":", "\"leg_id\":77", "and no leg with this id came before it"},
	{"\"leg_id\":", "\"leg_id\":1.5,\"position\":", "column \"leg_id\" takes an integer"},
	{"\"boot_id\":2", "\"boot_id\":1", "its boot_id is 1, and no boot with this id came before it"},
	{"{\"run\":{\"id\":4", "{\"run\":{\"id\":3", "a second row of run with the id 3"},
	{"{\"run\":{\"id\":4", "{\"run\":{\"position\":4", "a row of run without its id"},
	{"{\"run\":", "{\"ran\":", "there is no table of the name \"ran\""},
	{"{\"run\":{", "{\"run\":0,\"leg\":{", "a line holds one row"},
	{"{\"run\":{", "\xff{\"run\":{", "the line is damaged: "},
	{"\"n\":10000", "\"n\":10001", "a histogram that does not add up"},
	{"\"slots\":{\"base64\":\"", "\"slots\":{\"base64\":\"!", "a histogram that does not add up"},
	{"\"json\":\"{", "\"json\":\"", "CHECK constraint failed: json_valid"},
	{"{\"end\":", "{\"iogap_export\":1,\"store_version\":1,\"end\":", "a new header within a sweep"},
	{"{\"end\":", "{\"sweep\":", "a new sweep, and the end of the one before it is missing"},
	{"{\"end\":{\"uuid\":\"", "{\"end\":{\"uuid\":\"x", "the end of another sweep"},
	{"\"rows\":1", "\"rows\":2", "lines are missing or were added"},
	{"{\"end\":", "", "the line is damaged: end of file expected"},
	{"{\"sweep\":", "{\"leg\":", "a row of leg outside a sweep"},
	{"{\"sweep\":{", "{\"end\":{", "an end outside a sweep"},
	{"\"uuid\":\"{UUID}\",\"status\"", "\"uuid\":\"12345678\",\"status\"", "a sweep without a valid uuid"},
	{"\"store_version\":", "\"store_version\":\"", "the line is damaged"},
};

/* TEXT with its last OLD replaced. */
static char *replace_last(const char *text, const char *old, const char *new)
{
	const char *at = g_strrstr(text, old);

	g_assert_nonnull(at);
	return g_strdup_printf("%.*s%s%s", (int)(at - text), text, new, at + strlen(old));
}

/* The number of the line in which two texts begin to differ. */
static guint first_difference(const char *a, const char *b)
{
	guint line = 1;

	for (; *a == *b; a++, b++)
		line += *a == '\n';
	return line;
}

static void check_refused(const char *text, const char *message, guint line, guint before)
{
	g_autoptr(Store) store = store_open(":memory:", STORE_WRITE, NULL);
	g_autoptr(GPtrArray) done = transfer_sweeps_new();
	g_autoptr(GError) error = NULL;
	g_autofree char *place = g_strdup_printf("some.jsonl:%u: ", line);

	g_assert_false(import_text(store, text, done, &error));
	g_assert_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED);
	g_test_message("%s", error->message);
	g_assert_nonnull(strstr(error->message, message));
	g_assert_true(line == 0 || g_str_has_prefix(error->message, place));
	g_assert_cmpuint(done->len, ==, before);
	g_assert_cmpint(count_rows(store, "sweep"), ==, before);
	g_assert_cmpint(count_rows(store, "run"), ==, 2 * before);
	/* The store goes on working. */
	whole_sweep(store);
}

static void test_damage(Fixture *fixture, gconstpointer data)
{
	g_autoptr(Store) from = fixture_open(fixture, STORE_WRITE);
	gint64 both[] = {whole_sweep(from), whole_sweep(from)};
	g_autofree char *text = export_text(from, both, 2);
	g_autoptr(Record) second = store_sweep(from, both[1], NULL);

	for (guint i = 0; i < G_N_ELEMENTS(damages); i++) {
		const Damage *damage = &damages[i];
		g_autoptr(GString) old = g_string_new(damage->old);
		g_autofree char *broken = NULL;
		gboolean sum = strstr(damage->message, "sha256") != NULL;

		g_string_replace(old, "{UUID}", record_get_text(second, "uuid"), 0);
		broken = replace_last(text, old->str, damage->new);
		check_refused(broken, damage->message, sum ? 0 : first_difference(text, broken), 1);
	}
}

/* Each damage costs its sweep and no other one: of three sweeps the Nth has it. */
static void test_goes_on(Fixture *fixture, gconstpointer data)
{
	static const struct {
		const char *old, *new; /* the first place in its sweep */
		const char *message;
	} cases[] = {
		{"\"block\":0", "\"block\":O", "the line is damaged"},
		{"{\"sweep\":", "{\"swee", "the line is damaged"},
		{"{\"end\":", "{\"ed\":", "there is no table of the name \"ed\""},
		{"{\"end\":", "{\"end\"", "the line is damaged"},
		{"{\"leg\":{\"id\":", "{\"leg\":{\"ix\":", "no column of the name \"ix\""},
		{"{\"end\":{\"uuid\":\"", "{\"end\":{\"uuid\":\"0", "the end of another sweep"},
	};
	g_autoptr(Store) from = fixture_open(fixture, STORE_WRITE);
	gint64 all[] = {whole_sweep(from), whole_sweep(from), whole_sweep(from)};
	g_autofree char *parts[G_N_ELEMENTS(all)] = {NULL};

	for (guint i = 0; i < G_N_ELEMENTS(all); i++)
		parts[i] = export_text(from, &all[i], 1);
	for (guint i = 0; i < G_N_ELEMENTS(cases) * G_N_ELEMENTS(all); i++) {
		guint at = i % G_N_ELEMENTS(all);
		g_autoptr(Record) sweep = store_sweep(from, all[at], NULL);
		g_autoptr(Store) to = store_open(":memory:", STORE_WRITE, NULL);
		g_autoptr(GPtrArray) done = transfer_sweeps_new();
		g_autoptr(GString) broken = g_string_new(parts[at]);
		g_autofree char *text = NULL;
		g_autofree char *lost = g_strdup_printf("; nothing of sweep %s is stored", record_get_text(sweep, "uuid"));
		GError *error = NULL;

		g_assert_cmpuint(g_string_replace(broken, cases[i / 3].old, cases[i / 3].new, 1), ==, 1);
		text = g_strconcat(at == 0 ? broken->str : parts[0], at == 1 ? broken->str : parts[1],
			at == 2 ? broken->str : parts[2], NULL);
		g_assert_false(import_text(to, text, done, &error));
		g_test_message("%s", error->message);
		g_assert_nonnull(strstr(error->message, cases[i / 3].message));
		g_assert_true(g_str_has_suffix(error->message, lost));
		g_assert_null(strchr(error->message, '\n'));
		g_assert_cmpuint(done->len, ==, 2);
		g_assert_cmpint(count_rows(to, "sweep"), ==, 2);
		g_assert_cmpint(count_rows(to, "run"), ==, 4);
		g_clear_error(&error);
	}
}

static void test_cut_anywhere(Fixture *fixture, gconstpointer data)
{
	g_autoptr(Store) from = fixture_open(fixture, STORE_WRITE);
	gint64 sweep = whole_sweep(from);
	g_autofree char *text = export_text(from, &sweep, 1);
	gsize length = strlen(text), header = (gsize)(strchr(text, '\n') - text) + 1;
	g_autoptr(Store) to = store_open(":memory:", STORE_WRITE, NULL);

	/* The last line feed alone may be missing; a header without sweeps is no damage. */
	for (gsize cut = 0; cut < length - 1; cut += cut < 400 ? 1 : 37) {
		g_autofree char *part = g_strndup(text, cut);
		g_autoptr(GPtrArray) done = transfer_sweeps_new();
		g_autoptr(GError) error = NULL;

		g_assert_cmpint(import_text(to, part, done, &error), ==, cut == header || cut == header - 1);
		g_assert_cmpint(count_rows(to, "sweep"), ==, 0);
	}
	g_assert_cmpint(count_rows(to, "leg"), ==, 0);
}

static void test_versions(void)
{
	static const char old[] =
		"{\"iogap_export\":1,\"store_version\":1,\"iogap_version\":\"0.0.1\"}\r\n\r\n"
		"{\"sweep\":{\"id\":7,\"uuid\":\"0f0f0f0f-0000-4000-8000-00000000000f\",\"status\":\"finished\",\"started_unix_ns\":1,"
		"\"profile\":\"old\",\"store_version\":1}}\r\n"
		"{\"end\":{\"uuid\":\"0f0f0f0f-0000-4000-8000-00000000000f\",\"rows\":1}}";
	g_autoptr(Store) store = store_open(":memory:", STORE_WRITE, NULL);
	g_autoptr(GPtrArray) done = transfer_sweeps_new();
	g_autoptr(GString) newer = g_string_new(old);
	g_autoptr(Record) record = NULL;
	GError *error = NULL;

	/* Few columns, other line ends, an empty line, no sum: what is not there is not measured. */
	import_text(store, old, done, &error);
	g_assert_no_error(error);
	record = store_sweep(store, 1, NULL);
	g_assert_cmpstr(record_get_text(record, "profile"), ==, "old");
	g_assert_false(record_has(record, "blocks"));
	check_refused("{\"iogap_export\":2,\"store_version\":1,\"iogap_version\":\"9.1\"}\n",
		"this export has format 2, written by iogap 9.1, and this iogap (" IOGAP_VERSION ") reads formats up to 1; use a newer",
		1, 0);
	check_refused("{\"iogap_export\":1,\"store_version\":9999,\"iogap_version\":\"9.1\"}\n",
		"comes from a store of version 9999, written by iogap 9.1", 1, 0);
	check_refused("{\"iogap_export\":1}\n", "does not tell the versions", 1, 0);
	check_refused("{\"sweep\":{}}\n", "no export of iogap", 1, 0);
	check_refused("[1]\n", "not a row", 1, 0);
	check_refused("12\n", "the line is damaged", 1, 0);
	check_refused("", "it is empty", 1, 0);
	g_assert_true(transfer_recognise(old, sizeof(old) - 1));
	/* Damaged, yet nothing else: the sweep is seen. */
	g_assert_true(transfer_recognise(old + 1, sizeof(old) - 2));
	g_assert_false(transfer_recognise(old + 1, 40));
	g_assert_false(transfer_recognise("", 0));
	g_assert_false(transfer_recognise("{}\n{\"iogap_export\":1}", 21));
}

/* Costs no more than the line, however it is made. */
static void test_bounds(void)
{
	g_autoptr(GString) text = g_string_new("{\"iogap_export\":1,\"store_version\":1}\n{\"sweep\":{\"id\":1");
	gsize had;

	for (guint i = 0; i <= TRANSFER_MOST_MEMBERS; i++)
		g_string_append_printf(text, ",\"c%u\":1", i);
	g_string_append(text, "}}\n");
	check_refused(text->str, "too many members", 2, 0);
	g_string_assign(text, "{\"iogap_export\":1,\"store_version\":1}\n{\"sweep\":{\"profile\":\"");
	had = text->len;
	g_string_set_size(text, TRANSFER_MOST_LINE + 100);
	memset(text->str + had, 'x', text->len - had);
	check_refused(text->str, "a line of more than", 2, 0);
}

static void test_no_such_sweep(Fixture *fixture, gconstpointer data)
{
	g_autoptr(Store) store = fixture_open(fixture, STORE_WRITE);
	g_autoptr(GOutputStream) out = g_memory_output_stream_new_resizable();
	g_autoptr(GError) error = NULL;
	gint64 none = 5;

	g_assert_false(transfer_export(store, &none, 1, out, &error));
	g_assert_error(error, IOGAP_ERROR, IOGAP_ERROR_NOTHING);
	whole_sweep(store);
}

#define ADD(name, function) g_test_add("/transfer/" name, Fixture, NULL, fixture_set_up, function, fixture_tear_down)

int main(int argc, char **argv)
{
	fixture_find_schema();
	g_test_init(&argc, &argv, NULL);
	ADD("round-trip", test_round_trip);
	ADD("there-already", test_there_already);
	ADD("damage", test_damage);
	ADD("goes-on", test_goes_on);
	ADD("cut-anywhere", test_cut_anywhere);
	ADD("no-such-sweep", test_no_such_sweep);
	g_test_add_func("/transfer/versions", test_versions);
	g_test_add_func("/transfer/bounds", test_bounds);
	return g_test_run();
}
