/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bonnie++: a record is one run of up to six tests of bytes, each a row here, and six of files, kept beside the first of them.
 *
 * Mails quote and wrap: quotes are taken off, and a CSV line goes on until it has all its fields. bonnie++ prints the same
 * run as table and as CSV; then the CSV counts, which has the machine's whole name.
 */
#include "harness/import/bonnie.h"

#include <math.h>

#include "guest-agent/common/bonnie.h"
#include "harness/import/formats.h"

#define MOST_CSV_LINES 16
#define MOST_LINE 4000

static const struct {
	const char *name, *rw, *engine;
	ImportDirection direction;
} tests[BONNIE_TESTS] = {
	[BONNIE_PUTC] = {"putc", "write", BONNIE_CHARS, IMPORT_WRITE},
	[BONNIE_WRITE] = {"write_block", "write", BONNIE_BLOCKS, IMPORT_WRITE},
	/* Reads a block, writes it back; the rate counts each block once. */
	[BONNIE_REWRITE] = {"rewrite", "rw", BONNIE_BLOCKS, IMPORT_MIXED},
	[BONNIE_GETC] = {"getc", "read", BONNIE_CHARS, IMPORT_READ},
	[BONNIE_READ] = {"read_block", "read", BONNIE_BLOCKS, IMPORT_READ},
	/* One block in ten is written back. */
	[BONNIE_SEEKS] = {"seeks", "randrw", BONNIE_BLOCKS, IMPORT_MIXED},
};

static const char *const files[] = {"seq_create", "seq_stat", "seq_delete", "ran_create", "ran_stat", "ran_delete"};

static void record_free_void(gpointer record)
{
	bonnie_record_free(record);
}

/* ---- rows ------------------------------------------------------------------------------------- */

static void set_figures(ImportRow *row, BonnieTest test, const BonnieValue *value)
{
	ImportStats *stats = &row->stats[tests[test].direction];

	stats->total.max_ns = value->latency_ns;
	if (!isnan(value->cpu_percent))
		record_set_real(row->run, "cpu_percent", value->cpu_percent);
	if (value->state == BONNIE_TOO_FAST) {
		import_row_flag(row, "TOO_FAST", "bonnie++ printed +++++: the test ended before it could be timed");
		import_row_fail(row, test == BONNIE_SEEKS ?
			"finished too fast to be timed (+++++): bonnie++ makes a fixed number of seeks, too few for a disk or cache of this speed" :
			"finished too fast to be timed (+++++): use a larger data set");
		return;
	}
	stats->measured = TRUE;
	if (test == BONNIE_SEEKS)
		stats->iops = value->rate;
	else
		stats->bytes_per_s = value->rate;
}

static ImportRow *row_of(const BonnieRecord *record, BonnieTest test)
{
	ImportRow *row = import_row_new(record->machine, record->line);

	record_set_text(row->leg, "rw", tests[test].rw);
	record_set_text(row->leg, "engine", tests[test].engine);
	record_set_int(row->leg, "queue_depth", 1);
	if (record->concurrency > 0)
		record_set_int(row->leg, "jobs", record->concurrency);
	if (record->size > 0)
		record_set_int(row->leg, "target_size", record->size);
	if (record->chunk > 0 && test != BONNIE_PUTC && test != BONNIE_GETC)
		record_set_int(row->leg, "block_size", record->chunk);
	record_set_text(row->more, "test", tests[test].name);
	set_figures(row, test, &record->values[test]);
	return row;
}

/* Every row of the record has them as typed columns; what else there is, and warnings, stand beside the first. */
static void set_files(const BonnieRecord *record, Record *run)
{
	for (guint i = 0; i < G_N_ELEMENTS(files); i++) {
		const BonnieValue *value = &record->values[BONNIE_SEQ_CREATE + i];
		g_autofree char *column = g_strconcat(files[i], "_per_s", NULL);

		if (value->state == BONNIE_MEASURED && value->rate > 0)
			record_set_real(run, column, value->rate);
	}
}

static void add_files(const BonnieRecord *record, ImportRow *row)
{
	for (guint i = 0; i < G_N_ELEMENTS(files); i++) {
		const BonnieValue *value = &record->values[BONNIE_SEQ_CREATE + i];
		g_autofree char *rate = g_strconcat(files[i], "_per_s", NULL);
		g_autofree char *latency = g_strconcat(files[i], "_latency_ns", NULL);

		if (value->state == BONNIE_MEASURED)
			record_set_real(row->more, rate, value->rate);
		else if (value->state == BONNIE_TOO_FAST)
			import_row_warn(row, "%s: finished too fast to be timed (+++++)", files[i]);
		if (!isnan(value->latency_ns))
			record_set_real(row->more, latency, value->latency_ns);
	}
}

static gboolean add_record(const ImportInput *input, ImportResult *result, const BonnieRecord *record, GError **error)
{
	gboolean first = TRUE;

	for (guint i = 0; i < BONNIE_TESTS; i++) {
		ImportRow *row;

		if (record->values[i].state == BONNIE_ABSENT)
			continue;
		row = row_of(record, i);
		set_files(record, row->run);
		if (first)
			add_files(record, row);
		first = FALSE;
		if (!import_result_add(result, input, row, error))
			return FALSE;
	}
	if (first)
		import_result_warn(result, "line %u: no test of bytes was run on %s", record->line, record->machine);
	if (!result->producer && record->version)
		result->producer = g_strdup_printf("bonnie++ %s", record->version);
	if (result->unix_ns < 0)
		result->unix_ns = record->unix_ns;
	result->documents++;
	return TRUE;
}

/* Whether the table's row is the run that the CSV record holds, too. */
static gboolean is_same(const BonnieRecord *printed, const BonnieRecord *csv)
{
	if (!g_str_has_prefix(csv->machine, printed->machine) || printed->size != csv->size)
		return FALSE;
	for (guint i = 0; i < BONNIE_TESTS; i++)
		if (printed->values[i].state != csv->values[i].state)
			return FALSE;
	return TRUE;
}

static void warn_sizes(ImportResult *result, const GPtrArray *records)
{
	gint64 least = G_MAXINT64, most = -1;

	for (guint i = 0; i < records->len; i++) {
		const BonnieRecord *record = records->pdata[i];

		least = MIN(least, record->size);
		most = MAX(most, record->size);
	}
	if (records->len > 1 && least != most)
		import_result_warn(result, "sizes differ between rows (%" G_GINT64_FORMAT "M to %" G_GINT64_FORMAT "M)",
			least >> 20, most >> 20);
	import_result_warn(result, "guest RAM unknown: cannot confirm size >= 2 x RAM");
}

/* ---- lines ------------------------------------------------------------------------------------ */

typedef struct {
	const ImportInput *input;
	GPtrArray *csv; /* of BonnieRecord * */
	BonnieText text;
	GString *open; /* a CSV record that may go on */
	guint open_line, open_lines;
	gboolean quoted;
} Reader;

/* The line without "> > " and spaces at its end; FALSE for one that is too long to be bonnie++'s. */
static char *unquoted(const ImportLine *line, gboolean *ret_quoted)
{
	const char *text = line->text, *end = line->text + line->length;

	*ret_quoted = FALSE;
	if (line->length > MOST_LINE || memchr(text, '\0', line->length))
		return NULL;
	while (text < end && (*text == '>' || (*text == ' ' && *ret_quoted && text + 1 < end && text[1] == '>'))) {
		*ret_quoted = TRUE;
		text++;
	}
	if (*ret_quoted && text < end && *text == ' ')
		text++;
	while (end > text && g_ascii_isspace(end[-1]))
		end--;
	return g_strndup(text, (gsize)(end - text));
}

/* 1.97 and later end with a latency, so that a last field cut in two is seen, too. */
static gboolean is_complete(const char *csv)
{
	guint expected = bonnie_csv_expected(csv), fields = bonnie_csv_fields(csv);

	if (fields != expected)
		return fields > expected;
	return !g_str_has_suffix(csv, ",") || bonnie_csv_expected(csv) != 27;
}

static gboolean end_csv(Reader *reader, GError **error)
{
	BonnieRecord *record = NULL;
	gboolean fine;

	if (!reader->open)
		return TRUE;
	fine = bonnie_csv(reader->input, reader->open_line, reader->open->str, &record, error);
	g_string_free(reader->open, TRUE);
	reader->open = NULL;
	if (fine)
		g_ptr_array_add(reader->csv, record);
	return fine;
}

static gboolean take_csv(Reader *reader, guint line, const char *content, GError **error)
{
	if (!reader->open) {
		reader->open = g_string_new(NULL);
		reader->open_line = line;
		reader->open_lines = 0;
	}
	g_string_append(reader->open, content);
	reader->open_lines++;
	return is_complete(reader->open->str) || reader->open_lines == MOST_CSV_LINES ? end_csv(reader, error) : TRUE;
}

static gboolean take_line(Reader *reader, const ImportLine *line, GError **error)
{
	gboolean quoted;
	g_autofree char *content = unquoted(line, &quoted);

	if (!content)
		return end_csv(reader, error);
	reader->quoted |= quoted;
	if (reader->open && (*content == '\0' || bonnie_is_csv(content)) && !end_csv(reader, error))
		return FALSE;
	if (reader->open || bonnie_is_csv(content))
		return take_csv(reader, line->number, content, error);
	if (reader->text.records->len > IMPORT_MOST_ROWS || reader->csv->len > IMPORT_MOST_ROWS)
		return import_fail(error, reader->input, line->number, "more than %d rows; split the file", IMPORT_MOST_ROWS);
	bonnie_text_line(&reader->text, reader->input, line->number, content);
	return TRUE;
}

/* Rows of the table that no CSV record has, and all CSV records, in the order of the input. */
static void merge(Reader *reader)
{
	guint next = 0;

	for (guint i = 0; i < reader->text.records->len; i++) {
		BonnieRecord *printed = reader->text.records->pdata[i];

		/* Both come in one order: the record of a row is the next one that fits. */
		if (next < reader->csv->len && is_same(printed, reader->csv->pdata[next])) {
			next++;
			continue;
		}
		reader->text.records->pdata[i] = NULL;
		g_ptr_array_add(reader->csv, printed);
	}
}

static gboolean read_all(Reader *reader, ImportResult *result, GError **error)
{
	ImportLine line = {0};

	while (import_line_next(reader->input, &line))
		if (!take_line(reader, &line, error))
			return FALSE;
	if (!end_csv(reader, error))
		return FALSE;
	bonnie_text_end(&reader->text, reader->input);
	if (reader->text.failure && reader->csv->len == 0) {
		g_propagate_error(error, g_steal_pointer(&reader->text.failure));
		return FALSE;
	}
	if (reader->text.failure)
		import_result_warn(result, "%s", reader->text.failure->message);
	return TRUE;
}

static gboolean parse(const ImportInput *input, ImportResult *result, GError **error)
{
	Reader reader = {.input = input, .text = {.concurrency = -1, .unit = 1024}};
	gboolean fine;

	reader.csv = g_ptr_array_new_with_free_func(record_free_void);
	reader.text.records = g_ptr_array_new_with_free_func(record_free_void);
	fine = read_all(&reader, result, error);
	if (fine) {
		merge(&reader);
		if (reader.quoted)
			import_result_warn(result, "quoted text: the quotes were taken off and folded lines joined");
		for (guint i = 0; fine && i < reader.csv->len; i++)
			fine = add_record(input, result, reader.csv->pdata[i], error);
		if (reader.csv->len > 0)
			warn_sizes(result, reader.csv);
	}
	g_ptr_array_unref(reader.csv);
	g_ptr_array_unref(reader.text.records);
	g_free(reader.text.version);
	g_free(reader.text.begun);
	g_clear_error(&reader.text.failure);
	if (reader.open)
		g_string_free(reader.open, TRUE);
	return fine;
}

static int recognise(const ImportInput *input)
{
	ImportLine line = {0};
	int score = 0;

	while (line.number < 400 && line.byte < 65536 && import_line_next(input, &line)) {
		gboolean quoted;
		g_autofree char *content = unquoted(&line, &quoted);

		if (!content)
			continue;
		if (strstr(content, "%CP") || strstr(content, "-Per Chr-") || strstr(content, "--Block--"))
			score = MAX(score, 90);
		else if (bonnie_is_csv(content))
			score = MAX(score, bonnie_csv_fields(content) == bonnie_csv_expected(content) ? 80 : 40);
	}
	return score;
}

const ImportFormat import_bonnie = {
	.name = "bonnie",
	.summary = "bonnie++'s table and its CSV, of 1.03 to 2.00, quoted and wrapped by mail programs too",
	.recognise = recognise,
	.parse = parse,
};
