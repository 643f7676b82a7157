/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dd: GNU of all ages, BSD, busybox, any language; progress updates, several runs in one text, failures that print a rate.
 *
 * The rate is bytes / seconds; the printed one is rounded, decimal in one program and binary in another, so it is only
 * compared. Which way the data went stands in no line of dd's: only a command line beside it tells. Else rw is "rw?".
 */
#include "harness/import/dd.h"

#include <math.h>

#include "harness/import/formats.h"

#define MOST_MESSAGES 20

/* The block that is being read: records and messages, until its statistics end it. */
typedef struct {
	const ImportInput *input;
	ImportResult *result;
	GPtrArray *messages; /* of char *: what dd said since the last block */
	DdRecords records[2]; /* in, out */
	guint records_seen, records_line;
	DdCommand command;
	GPtrArray *progress; /* of ImportRow *: statistics that may be updates of the block to come */
	guint updates;	     /* that were left out */
	gboolean replaced;   /* the line at hand ended with a carriage return: the next one is printed over it */
	gboolean replaces;   /* the one before it did */
} Reader;

static void row_free(gpointer row)
{
	import_row_free(row);
}

/* ---- what a row says -------------------------------------------------------------------------- */

static gboolean is_source(const char *path)
{
	return path && g_str_has_prefix(path, "/dev/") &&
	       (strstr(path, "zero") || strstr(path, "random") || strstr(path, "null"));
}

static const char *direction_of(const DdCommand *command)
{
	if (command->output && g_str_equal(command->output, "/dev/null") && !is_source(command->input))
		return "read";
	if (is_source(command->input) && command->output && !is_source(command->output))
		return "write";
	return "rw?";
}

static gboolean has_flag(const DdCommand *command, const char *flag)
{
	g_autofree char *word = g_strconcat(",", flag, ",", NULL);

	return command->flags && strstr(command->flags, word);
}

static void describe_command(const DdCommand *command, ImportRow *row)
{
	gboolean known = command->input || command->output;

	record_set_text(row->leg, "rw", direction_of(command));
	record_set_text(row->leg, "engine", "dd");
	record_set_int(row->leg, "queue_depth", 1);
	record_set_int(row->leg, "jobs", 1);
	if (!known)
		return;
	record_set_int(row->leg, "direct", has_flag(command, "direct"));
	record_set_text(row->leg, "sync",
		has_flag(command, "dsync")  ? "dsync"
		: has_flag(command, "sync") ? "sync"
					    : "none");
	record_set_text(row->more, "if", command->input);
	record_set_text(row->more, "of", command->output);
	record_set_text(row->more, "flags", command->flags);
}

static ImportStats *stats_of(ImportRow *row)
{
	const char *rw = record_get_text(row->leg, "rw");

	return &row->stats[g_str_equal(rw, "read") ? IMPORT_READ : g_str_equal(rw, "write") ? IMPORT_WRITE : IMPORT_MIXED];
}

static gboolean fits(double rate, const DdStatistics *printed, double unit)
{
	double said = printed->rate * unit;
	double slack = rate * (0.01 + printed->seconds_step / printed->seconds) + printed->rate_step * unit;

	return fabs(said - rate) <= slack;
}

static void set_figures(ImportRow *row, const DdStatistics *printed)
{
	ImportStats *stats = stats_of(row);
	double ns = printed->seconds * 1e9, rate = (double)printed->bytes / printed->seconds;

	if (ns >= 1e18) {
		import_row_fail(row, "it says that it took %g s", printed->seconds);
		return;
	}
	stats->measured = TRUE;
	stats->bytes = printed->bytes;
	stats->ns = llrint(ns);
	if (printed->bytes == 0) {
		import_row_fail(row, "nothing was copied");
		return;
	}
	if (printed->seconds <= 0 || !isfinite(rate)) {
		import_row_fail(row, "zero elapsed time: no rate can be told");
		return;
	}
	stats->bytes_per_s = rate;
	if (!isnan(printed->rate) && !fits(rate, printed, printed->rate_decimal) && !fits(rate, printed, printed->rate_binary))
		import_row_warn(row, "the printed rate does not fit %" G_GINT64_FORMAT " bytes in %g s; bytes / seconds is kept",
			printed->bytes, printed->seconds);
}

/* Size and number of requests, where whole records tell them. */
static void set_records(const Reader *reader, ImportRow *row, gint64 bytes)
{
	ImportStats *stats = stats_of(row);
	gboolean failed_write;

	for (guint i = 0; i < reader->records_seen; i++) {
		const DdRecords *records = &reader->records[i];
		g_autofree char *text = g_strdup_printf("%" G_GINT64_FORMAT "+%" G_GINT64_FORMAT, records->full,
			records->partial);

		record_set_text(row->more, i == 0 ? "records_in" : "records_out", text);
	}
	/* A write that failed had been read: then the records out are those of the bytes. */
	failed_write = reader->records_seen == 2 && reader->records[0].full == reader->records[1].full + 1;
	for (guint i = failed_write; i < reader->records_seen && bytes > 0 && !record_has(row->leg, "block_size"); i++) {
		const DdRecords *records = &reader->records[i];

		if (records->partial == 0 && records->full > 0 && bytes % records->full == 0) {
			record_set_int(row->leg, "block_size", bytes / records->full);
			stats->ops = records->full;
			if (!isnan(stats->bytes_per_s))
				stats->iops = stats->bytes_per_s / ((double)bytes / (double)records->full);
		}
	}
	if (!record_has(row->leg, "block_size") && reader->command.block_size > 0)
		record_set_int(row->leg, "block_size", reader->command.block_size);
	if (reader->records_seen > 0 && reader->records[0].partial > 1) {
		record_unset(row->leg, "block_size");
		import_row_warn(row, "suspect: short reads, block size not honoured (%" G_GINT64_FORMAT " partial records)",
			reader->records[0].partial);
		import_row_flag(row, "NOT_AS_ASKED", "dd read %" G_GINT64_FORMAT " partial records: short reads, block size not "
			"honoured", reader->records[0].partial);
	}
}

/* ---- messages --------------------------------------------------------------------------------- */

/* MESSAGE without what stands in quotes: a file may have any name. */
static char *without_names(const char *message)
{
	const char *begin = strpbrk(message, "'`\""), *end;

	if (!begin)
		return g_strdup(message);
	end = MAX(strrchr(message, '\''), strrchr(message, '"'));
	return g_strdup_printf("%.*s%s", (int)(begin - message), message, end > begin ? end + 1 : "");
}

/* dd printed this and ended without any statistics. */
static gboolean never_ran(const char *message)
{
	static const char *const signs[] = {"open", "option", "operand", "invalid number", "unrecognized", "unknown", "disabled",
		"invalid status", "invalid conversion", "invalid input flag", "invalid output flag", "not found"};

	g_autofree char *words = without_names(message);

	for (guint i = 0; i < G_N_ELEMENTS(signs); i++)
		if (strstr(words, signs[i]))
			return TRUE;
	return FALSE;
}

/* Warnings name a way to go on; in other languages only the operand stays as it is. */
static gboolean is_warning(const char *message)
{
	return g_str_has_prefix(message, "warning") || strstr(message, "iflag=fullblock");
}

static void apply_messages(Reader *reader, ImportRow *row)
{
	for (guint i = 0; i < reader->messages->len; i++) {
		const char *message = reader->messages->pdata[i];

		if (is_warning(message))
			import_row_warn(row, "dd: %s", message);
		else if (strstr(message, "Invalid argument"))
			import_row_fail(row, "EINVAL: block size or alignment not allowed with direct I/O (dd: %s)", message);
		else if (strstr(message, "No space left"))
			import_row_fail(row, "ENOSPC before the requested count (dd: %s)", message);
		else
			import_row_fail(row, "dd: %s", message);
	}
	g_ptr_array_set_size(reader->messages, 0);
}

static gboolean take_message(Reader *reader, const ImportLine *line, const char *text, gsize length, GError **error)
{
	g_autofree char *message = g_strndup(text, length);
	ImportRow *row;

	if (!never_ran(message)) {
		if (reader->messages->len < MOST_MESSAGES)
			g_ptr_array_add(reader->messages, g_utf8_make_valid(message, -1));
		return TRUE;
	}
	row = import_row_new(NULL, line->number);
	describe_command(&reader->command, row);
	import_row_fail(row, "dd did not run: %s", message);
	return import_result_add(reader->result, reader->input, row, error);
}

/* ---- blocks ----------------------------------------------------------------------------------- */

/* What is still waiting for a final line is a result of its own. */
static gboolean release_progress(Reader *reader, GError **error)
{
	gboolean fine = TRUE;

	if (reader->progress->len > 0 && reader->updates > 0)
		import_row_warn(reader->progress->pdata[reader->progress->len - 1],
			"only progress updates were found, no end of the copy: the last one is taken");
	for (guint i = 0; i < reader->progress->len && fine; i++) {
		ImportRow *row = reader->progress->pdata[i];

		reader->progress->pdata[i] = NULL;
		fine = import_result_add(reader->result, reader->input, row, error);
	}
	g_ptr_array_set_size(reader->progress, 0);
	reader->updates = 0;
	return fine;
}

/* Whether EARLY can be an update of the copy that LATE ends, or updates again. */
static gboolean is_update(const ImportRow *early, const ImportRow *late)
{
	const ImportStats *a = stats_of((ImportRow *)early), *b = stats_of((ImportRow *)late);

	return !early->name && a->bytes <= b->bytes && a->ns <= b->ns;
}

/* Statistics before ROW that grow up to it, without a label of their own, are updates of the same copy. */
static void drop_updates(Reader *reader, const ImportRow *row)
{
	guint left = reader->progress->len;

	while (left > 0 && is_update(reader->progress->pdata[left - 1], row))
		row = reader->progress->pdata[--left];
	reader->updates += reader->progress->len - left;
	g_ptr_array_set_size(reader->progress, (gint)left);
}

/* Records without statistics: POSIX asks for no more, and some builds print no more. */
static gboolean flush_records(Reader *reader, GError **error)
{
	ImportRow *row;

	if (reader->records_seen == 0)
		return TRUE;
	row = import_row_new(NULL, reader->records_line);
	describe_command(&reader->command, row);
	set_records(reader, row, -1);
	import_row_fail(row, "no size/time line: this dd prints only its records, which give no size and no time; use GNU dd, or the load agent");
	apply_messages(reader, row);
	reader->records_seen = 0;
	return import_result_add(reader->result, reader->input, row, error);
}

static gboolean take_records(Reader *reader, const ImportLine *line, const DdRecords *records, GError **error)
{
	if (reader->records_seen == 2 && !flush_records(reader, error))
		return FALSE;
	if (reader->records_seen == 0)
		reader->records_line = line->number;
	reader->records[reader->records_seen++] = *records;
	return TRUE;
}

/* Statistics without records: an update of a copy that goes on, or a result that was pasted alone. */
static gboolean await_end(Reader *reader, ImportRow *row, GError **error)
{
	ImportRow *last = reader->progress->len ? reader->progress->pdata[reader->progress->len - 1] : NULL;

	if (last && reader->replaces && is_update(last, row)) {
		g_ptr_array_set_size(reader->progress, (gint)reader->progress->len - 1);
		reader->updates++;
	} else if (last && !is_update(last, row) && !release_progress(reader, error)) {
		import_row_free(row);
		return FALSE;
	}
	if (reader->progress->len >= IMPORT_MOST_ROWS)
		return import_result_add(reader->result, reader->input, row, error);
	g_ptr_array_add(reader->progress, row);
	return TRUE;
}

static gboolean take_statistics(Reader *reader, const ImportLine *line, const DdStatistics *printed, GError **error)
{
	g_autofree char *label = printed->label ? g_strndup(printed->label, printed->label_length) : NULL;
	g_autofree char *name = label ? g_utf8_make_valid(label, -1) : NULL;
	gboolean complete = reader->records_seen > 0;
	ImportRow *row = import_row_new(name, complete ? reader->records_line : line->number);

	describe_command(&reader->command, row);
	apply_messages(reader, row);
	set_figures(row, printed);
	set_records(reader, row, printed->bytes);
	reader->result->documents++;
	if (complete) {
		drop_updates(reader, row);
		if (reader->updates > 0)
			record_set_int(row->more, "progress_updates", reader->updates);
		reader->updates = 0;
		reader->records_seen = 0;
		if (release_progress(reader, error))
			return import_result_add(reader->result, reader->input, row, error);
		import_row_free(row);
		return FALSE;
	}
	return await_end(reader, row, error);
}

static gboolean take_line(Reader *reader, const ImportLine *line, const char *text, gsize length, GError **error)
{
	DdStatistics printed;
	DdRecords records;
	DdCommand command;
	const char *message;
	gsize at = 0, message_length;

	if (dd_message(text, length, &message, &message_length))
		return release_progress(reader, error) && take_message(reader, line, message, message_length, error);
	if (dd_records(text, length, &records))
		return take_records(reader, line, &records, error);
	if (dd_command(text, length, &command)) {
		gboolean fine = flush_records(reader, error) && release_progress(reader, error);

		dd_command_clear(&reader->command);
		reader->command = command;
		return fine;
	}
	while (dd_statistics(text, length, &at, &printed))
		if (!take_statistics(reader, line, &printed, error))
			return FALSE;
	return TRUE;
}

/* Progress output goes back to the start of its line again and again. */
static gboolean take_parts(Reader *reader, const ImportLine *line, GError **error)
{
	const char *text = line->text, *end = line->text + line->length;

	while (text < end) {
		const char *stop = memchr(text, '\r', (gsize)(end - text));
		gsize length = (gsize)((stop ? stop : end) - text);

		reader->replaces = reader->replaced;
		reader->replaced = stop != NULL;
		if (!take_line(reader, line, text, length, error))
			return FALSE;
		text += length + 1;
	}
	return TRUE;
}

static gboolean take_end(Reader *reader, GError **error)
{
	ImportRow *row;

	if (!flush_records(reader, error) || !release_progress(reader, error))
		return FALSE;
	if (reader->messages->len == 0)
		return TRUE;
	row = import_row_new(NULL, 0);
	describe_command(&reader->command, row);
	apply_messages(reader, row);
	import_row_fail(row, "dd did not run");
	return import_result_add(reader->result, reader->input, row, error);
}

static gboolean parse(const ImportInput *input, ImportResult *result, GError **error)
{
	Reader reader = {.input = input, .result = result, .command.block_size = -1};
	ImportLine line = {0};
	gboolean fine = TRUE;

	reader.messages = g_ptr_array_new_with_free_func(g_free);
	reader.progress = g_ptr_array_new_with_free_func(row_free);
	while (fine && import_line_next(input, &line))
		fine = take_parts(&reader, &line, error);
	fine = fine && take_end(&reader, error);
	g_ptr_array_unref(reader.messages);
	g_ptr_array_unref(reader.progress);
	dd_command_clear(&reader.command);
	return fine;
}

static int recognise(const ImportInput *input)
{
	ImportLine line = {0};
	DdStatistics printed;
	DdRecords records;
	const char *message;
	gsize length, at;
	int score = 0;

	while (line.number < 200 && line.byte < 65536 && import_line_next(input, &line)) {
		at = 0;
		length = MIN(line.length, 4096);
		if (dd_records(line.text, length, &records))
			score = MAX(score, 60);
		else if (dd_message(line.text, length, &message, &at))
			score = MAX(score, 30);
		else if (dd_statistics(line.text, length, &at, &printed))
			score = MAX(score, 40);
	}
	return score;
}

const ImportFormat import_dd = {
	.name = "dd",
	.summary = "dd of GNU, BSD or busybox, in any language, with progress updates and several runs",
	.recognise = recognise,
	.parse = parse,
};
