/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The text tables of bonnie++. Tests that were not run are blank, so that a row with fewer values than columns is read by the
 * places of its columns, and is an error when a value does not stand in one: never a shifted column.
 */
#include <math.h>

#include "harness/import/bonnie.h"

#define FIRST_COLUMN 19 /* of the first pair "K/sec %CP" */
#define COLUMN 10	/* width of a pair */
#define MOST_WORDS 40

static GPtrArray *words_of(const char *line)
{
	GPtrArray *words = g_ptr_array_new_with_free_func(g_free);

	while (words->len < MOST_WORDS) {
		gsize length;

		line += strspn(line, " \t");
		length = strcspn(line, " \t");
		if (length == 0)
			break;
		g_ptr_array_add(words, g_strndup(line, length));
		line += length;
	}
	return words;
}

static void fail_row(BonnieText *text, const ImportInput *input, guint line, guint words)
{
	g_clear_pointer(&text->begun, g_free);
	if (!text->failure)
		import_fail(&text->failure, input, line,
			"a row of bonnie++'s table has %u words that do not stand in its columns (wrapped by a mail program?); "
			"import its CSV line instead",
			words);
}

static double unit_of(const BonnieText *text, guint test)
{
	return test < BONNIE_SEEKS ? text->unit : 0;
}

static gboolean name_of(BonnieRecord *record, const GPtrArray *words, guint *ret_used)
{
	const char *size = words->len > 1 ? words->pdata[1] : "";
	gsize length = strcspn(size, ":");

	if (!g_ascii_isdigit(*size) || !import_number_size(size, (gssize)length, &record->size))
		return FALSE;
	/* Without a suffix the old table's sizes are MiB. */
	if (length > 0 && g_ascii_isdigit(size[length - 1]) && __builtin_mul_overflow(record->size, 1 << 20, &record->size))
		return FALSE;
	record->machine = g_strdup(words->pdata[0]);
	*ret_used = 2;
	return TRUE;
}

/* A row with blank columns. */
static gboolean values_by_place(const BonnieText *text, BonnieRecord *record, const char *line, guint words)
{
	gsize length = strlen(line);
	guint found = 2;

	for (guint i = 0; i < BONNIE_TESTS; i++) {
		gsize from = FIRST_COLUMN + COLUMN * i;
		g_autofree char *part = from < length ? g_strndup(line + from, MIN(COLUMN, length - from)) : g_strdup("");
		g_autoptr(GPtrArray) pair = words_of(part);

		/* A word that begins before its column belongs to two. */
		if (from < length && line[from] != ' ' && line[from - 1] != ' ')
			return FALSE;
		if (pair->len != 0 && (pair->len != 2 || !bonnie_value(&record->values[i], pair->pdata[0], pair->pdata[1],
								unit_of(text, i))))
			return FALSE;
		found += pair->len;
	}
	return found == words;
}

static gboolean values_in_order(const BonnieText *text, BonnieRecord *record, const GPtrArray *words, guint used)
{
	for (guint i = 0; i < BONNIE_TESTS; i++)
		if (!bonnie_value(&record->values[i], words->pdata[used + 2 * i], words->pdata[used + 2 * i + 1],
			    unit_of(text, i)))
			return FALSE;
	return TRUE;
}

/* Keeps CONTENT, which the next line may complete; it may be text->begun itself. */
static void keep_begun(BonnieText *text, guint line, const char *content)
{
	char *kept = g_strdup(content);

	g_free(text->begun);
	text->begun = kept;
	text->begun_line = line;
}

/* Rows end with their twelfth value; what is shorter waits for the next line, unless it is the LAST. */
static void take_row(BonnieText *text, const ImportInput *input, guint line, const char *content, gboolean last)
{
	g_autoptr(GPtrArray) words = words_of(content);
	g_autoptr(BonnieRecord) record = bonnie_record_new(line);
	guint used = 0;
	gboolean fine;

	/* Prose between the tables has no size as its second word. */
	if (!name_of(record, words, &used))
		return;
	if (words->len < used + 2 * BONNIE_TESTS) {
		fine = values_by_place(text, record, content, words->len);
		if (!fine && !last) {
			keep_begun(text, line, content);
			return;
		}
	} else {
		fine = words->len == used + 2 * BONNIE_TESTS && values_in_order(text, record, words, used);
	}
	if (!fine) {
		fail_row(text, input, line, words->len);
		return;
	}
	record->version = g_strdup(text->version);
	record->printed = TRUE;
	record->concurrency = text->concurrency;
	g_ptr_array_add(text->records, g_steal_pointer(&record));
}

/* Takes the row that was begun, with MORE or without. */
static void end_begun(BonnieText *text, const ImportInput *input, const char *more)
{
	g_autofree char *begun = g_steal_pointer(&text->begun);
	g_autofree char *joined = begun && more ? g_strdup_printf("%s %s", begun, more) : NULL;

	if (begun)
		take_row(text, input, text->begun_line, joined ? joined : begun, TRUE);
}

/* "Latency 19500us ...": for the tests that were run, or for the files. */
static void take_latencies(BonnieText *text, const GPtrArray *words)
{
	BonnieRecord *record = text->records->len ? text->records->pdata[text->records->len - 1] : NULL;
	guint from = text->files ? BONNIE_SEQ_CREATE : BONNIE_PUTC, next = 1, run = 0;

	for (guint i = 0; record && i < BONNIE_TESTS; i++)
		run += record->values[from + i].state != BONNIE_ABSENT;
	if (words->len != run + 1)
		return;
	for (guint i = 0; record && i < BONNIE_TESTS; i++)
		if (record->values[from + i].state != BONNIE_ABSENT)
			bonnie_latency(&record->values[from + i], words->pdata[next++]);
}

/* "16 29123 99 +++++ +++ ...": rates of files, below the machine's first row. */
static void take_files(BonnieText *text, const GPtrArray *words)
{
	BonnieRecord *record = text->records->len ? text->records->pdata[text->records->len - 1] : NULL;

	if (!record || words->len != 13 || !g_ascii_isdigit(*(const char *)words->pdata[0]))
		return;
	for (guint i = 0; i < 6; i++)
		if (!bonnie_value(&record->values[BONNIE_SEQ_CREATE + i], words->pdata[1 + 2 * i], words->pdata[2 + 2 * i], 0))
			return;
}

/* Headings tell which table follows; TRUE when this is one. */
static gboolean take_heading(BonnieText *text, const char *content, const GPtrArray *words)
{
	if (words->len >= 2 && g_str_equal(words->pdata[0], "Version")) {
		g_free(text->version);
		text->version = g_strdup(words->pdata[1]);
		text->files = strstr(content, "Create") != NULL;
		text->table = FALSE;
		text->concurrency = -1;
		return TRUE;
	}
	if (strstr(content, "-Create-") || strstr(content, "Sequential Create")) {
		text->files = TRUE;
		text->table = FALSE;
		return TRUE;
	}
	if (words->len >= 2 && g_str_equal(words->pdata[0], "Concurrency")) {
		import_number_int(words->pdata[1], -1, &text->concurrency);
		return TRUE;
	}
	if (words->len >= 2 && (g_str_equal(words->pdata[0], "Machine") || g_str_has_prefix(words->pdata[0], "Name:Size")) &&
		strstr(content, "%CP")) {
		text->table = TRUE;
		text->files = FALSE;
		text->unit = strstr(content, "K/sec") ? 1024 : 1;
		return TRUE;
	}
	return strstr(content, "%CP") != NULL || strstr(content, "--") != NULL;
}

void bonnie_text_line(BonnieText *text, const ImportInput *input, guint line, const char *content)
{
	g_autoptr(GPtrArray) words = words_of(content);

	if (words->len == 0) {
		end_begun(text, input, NULL);
		text->table = text->files = FALSE;
	} else if (take_heading(text, content, words)) {
		end_begun(text, input, NULL);
	} else if (g_str_equal(words->pdata[0], "Latency")) {
		end_begun(text, input, NULL);
		take_latencies(text, words);
	} else if (text->begun) {
		end_begun(text, input, content);
	} else if (text->table) {
		take_row(text, input, line, content, FALSE);
	} else if (text->files) {
		take_files(text, words);
	}
}

void bonnie_text_end(BonnieText *text, const ImportInput *input)
{
	end_begun(text, input, NULL);
}
