/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One line of an export: bounded before it is parsed, and each value of the type that its column has. */
#include "results/transfer-private.h"

#include "harness/base/error.h"
#include "results/transfer.h"

#define CHUNK 65536u

TransferLines *transfer_lines_new(GInputStream *in, const char *name)
{
	TransferLines *lines = g_new0(TransferLines, 1);

	lines->in = g_object_ref(in);
	lines->name = g_strdup(name);
	lines->buffer = g_byte_array_new();
	return lines;
}

void transfer_lines_free(TransferLines *lines)
{
	if (!lines)
		return;
	g_object_unref(lines->in);
	g_free(lines->name);
	g_byte_array_unref(lines->buffer);
	g_free(lines);
}

static gboolean fail(GError **error, const char *text)
{
	g_set_error_literal(error, IOGAP_ERROR, IOGAP_ERROR_FAILED, text);
	return FALSE;
}

/* TEXT is not NUL-terminated. */
static gboolean starts(const char *text, gsize size, const char *with)
{
	return size >= strlen(with) && memcmp(text, with, strlen(with)) == 0;
}

/* What no other program writes at the begin of a line. */
static gboolean is_row(const char *text, gsize size)
{
	return starts(text, size, "{\"sweep\":{\"id\":") || starts(text, size, "{\"end\":{\"uuid\":");
}

gboolean transfer_recognise(const char *data, gsize size)
{
	static const char key[] = "\"iogap_export\"";
	const char *end, *at = data;
	gsize length;

	size = MIN(size, 4096);
	end = memchr(data, '\n', size);
	length = end ? (gsize)(end - data) : size;
	if (length > 0 && g_strstr_len(data, (gssize)length, key) &&
		(*data == '{' || starts(data, length, TRANSFER_BYTE_ORDER_MARK)))
		return TRUE;
	/* The first line may be damaged. */
	for (; at; at = end ? end + 1 : NULL) {
		gsize left = size - (gsize)(at - data);

		if (is_row(at, left))
			return TRUE;
		end = left > 0 ? memchr(at, '\n', left) : NULL;
	}
	return FALSE;
}

/* Reads on; at the end of the input lines->ended is set. */
static gboolean read_more(TransferLines *lines, GError **error)
{
	guint have = lines->buffer->len;
	gssize got;

	g_byte_array_set_size(lines->buffer, have + CHUNK);
	got = g_input_stream_read(lines->in, lines->buffer->data + have, CHUNK, NULL, error);
	g_byte_array_set_size(lines->buffer, have + (guint)MAX(got, 0));
	lines->ended |= got == 0;
	lines->broken |= got < 0;
	return got >= 0;
}

/* Drops the rest of a line that was too long. */
static gboolean drop_rest(TransferLines *lines, GError **error)
{
	while (lines->too_long) {
		const guint8 *end = lines->buffer->len > 0 ? memchr(lines->buffer->data, '\n', lines->buffer->len) : NULL;

		if (end) {
			g_byte_array_remove_range(lines->buffer, 0, (guint)(end - lines->buffer->data) + 1);
			lines->too_long = FALSE;
			return TRUE;
		}
		g_byte_array_set_size(lines->buffer, 0);
		if (lines->ended)
			return TRUE;
		if (!read_more(lines, error))
			return FALSE;
	}
	return TRUE;
}

/* Sets text and length; *ret_there is FALSE at the end of the input. */
static gboolean next_text(TransferLines *lines, gboolean *ret_there, GError **error)
{
	const guint8 *end = NULL;
	gsize searched = 0;

	g_byte_array_remove_range(lines->buffer, 0, (guint)lines->taken);
	lines->taken = 0;
	if (!drop_rest(lines, error))
		return FALSE;
	lines->number++;
	for (;;) {
		if (lines->buffer->len > searched)
			end = memchr(lines->buffer->data + searched, '\n', lines->buffer->len - searched);
		if (end || lines->ended)
			break;
		searched = lines->buffer->len;
		if (searched > TRANSFER_MOST_LINE)
			break;
		if (!read_more(lines, error))
			return FALSE;
	}
	lines->text = (const char *)lines->buffer->data;
	lines->length = end ? (gsize)((const char *)end - lines->text) : lines->buffer->len;
	if (lines->length > TRANSFER_MOST_LINE) {
		lines->too_long = TRUE;
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED, "a line of more than %u bytes", TRANSFER_MOST_LINE);
		return FALSE;
	}
	lines->taken = lines->length + (end != NULL);
	if (lines->number == 1 && starts(lines->text, lines->length, TRANSFER_BYTE_ORDER_MARK)) {
		lines->text += strlen(TRANSFER_BYTE_ORDER_MARK);
		lines->length -= strlen(TRANSFER_BYTE_ORDER_MARK);
	}
	*ret_there = lines->taken > 0;
	if (lines->length > 0 && lines->text[lines->length - 1] == '\r')
		lines->length--;
	return TRUE;
}

/*
 * Rows are flat: no lists, three levels at most, a bounded number of members. A line that is not would take up to 30 times
 * its length once parsed, so it is refused before.
 */
static gboolean is_flat(const char *text, gsize length)
{
	guint depth = 0, members = 0;
	gboolean quoted = FALSE;

	for (gsize i = 0; i < length; i++) {
		char c = text[i];

		if (quoted) {
			i += c == '\\';
			quoted = c != '"';
			continue;
		}
		quoted = c == '"';
		members += c == ',';
		depth += c == '{';
		depth -= c == '}' && depth > 0;
		if (c == '[' || depth > 3 || members > TRANSFER_MOST_MEMBERS)
			return FALSE;
	}
	return TRUE;
}

gboolean transfer_lines_next(TransferLines *lines, json_t **ret, GError **error)
{
	json_error_t problem;
	gboolean there;
	json_t *line;

	*ret = NULL;
	do {
		if (!next_text(lines, &there, error))
			return FALSE;
		if (!there) {
			lines->number -= lines->number > 1;
			return TRUE;
		}
	} while (lines->length == 0);
	if (!is_flat(lines->text, lines->length))
		return fail(error, "not a row: it has lists, more than three levels or too many members");
	line = json_loadb(lines->text, lines->length, JSON_REJECT_DUPLICATES, &problem);
	if (!line) {
		g_autofree char *cause = g_utf8_make_valid(problem.text, -1);

		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED, "the line is damaged: %s (column %d)", cause,
			problem.column);
		return FALSE;
	}
	if (json_is_object(line)) {
		*ret = line;
		return TRUE;
	}
	json_decref(line);
	return fail(error, "a line holds one row: {\"TABLE\":{...}}");
}

/* Strict: g_base64_decode skips what is no base64. */
static guchar *bytes_of(const json_t *value, gsize *ret_size)
{
	const char *text = json_string_value(json_object_get(value, "base64"));
	g_autofree guchar *bytes = NULL;
	g_autofree char *again = NULL;

	if (!text || json_object_size(value) != 1)
		return NULL;
	bytes = g_base64_decode(text, ret_size);
	again = g_base64_encode(*ret_size > 0 ? bytes : (const guchar *)"", *ret_size);
	return g_str_equal(again, text) ? g_steal_pointer(&bytes) : NULL;
}

static gboolean bind_bytes(sqlite3_stmt *statement, int at, const StoreRowColumn *column, const json_t *value,
	GError **error)
{
	gsize size = 0;
	guchar *bytes = bytes_of(value, &size);

	if (!bytes) {
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED, "column \"%s\" takes {\"base64\":...}", column->name);
		return FALSE;
	}
	if (column->type == STORE_COLUMN_TEXT)
		sqlite3_bind_text64(statement, at, (const char *)bytes, size, SQLITE_TRANSIENT, SQLITE_UTF8);
	else
		sqlite3_bind_blob64(statement, at, size ? (const void *)bytes : "", size, SQLITE_TRANSIENT);
	g_free(bytes);
	return TRUE;
}

gboolean transfer_bind(sqlite3_stmt *statement, int at, const StoreRowColumn *column, json_t *value, GError **error)
{
	static const char *const wanted[] = {
		[STORE_COLUMN_INT] = "an integer",
		[STORE_COLUMN_REAL] = "a number",
		[STORE_COLUMN_TEXT] = "a text",
		[STORE_COLUMN_BLOB] = "bytes",
	};
	gboolean text = column->type == STORE_COLUMN_TEXT;

	if (json_is_object(value) && (text || column->type == STORE_COLUMN_BLOB))
		return bind_bytes(statement, at, column, value, error);
	if (column->type == STORE_COLUMN_INT && json_is_integer(value))
		sqlite3_bind_int64(statement, at, json_integer_value(value));
	else if (column->type == STORE_COLUMN_REAL && json_is_number(value))
		sqlite3_bind_double(statement, at, json_number_value(value));
	else if (text && json_is_string(value))
		sqlite3_bind_text64(statement, at, json_string_value(value), json_string_length(value), SQLITE_STATIC,
			SQLITE_UTF8);
	else {
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED, "column \"%s\" takes %s", column->name,
			wanted[column->type]);
		return FALSE;
	}
	return TRUE;
}

gboolean transfer_check_hist(json_t *row, GError **error)
{
	g_autofree Hist *hist = g_new0(Hist, 1);
	g_autofree guchar *bytes = NULL;
	json_int_t n = json_integer_value(json_object_get(row, "n"));
	json_int_t below = json_integer_value(json_object_get(row, "below"));
	json_int_t above = json_integer_value(json_object_get(row, "above"));
	guint64 sum = (guint64)below + (guint64)above;
	gsize size = 0;

	bytes = bytes_of(json_object_get(row, "slots"), &size);
	if (!bytes || !store_hist_decode(bytes, size, hist, &sum) || n < 0 || below < 0 || above < 0 || sum != (guint64)n)
		return fail(error, "a histogram that does not add up");
	return TRUE;
}
