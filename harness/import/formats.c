/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of formats, and what all of them share: lines, places in messages, recognising. */
#include "harness/import/formats.h"

#include "harness/base/error.h"

const ImportFormat *const import_formats[] = {
	/* clang-format off */
	&import_fio_json,
	&import_fio_terse,
	&import_table_csv,
	&import_table_json,
	&import_bonnie,
	&import_dd,
	&import_ioping,
	NULL,
	/* clang-format on */
};

gboolean import_line_next(const ImportInput *input, ImportLine *line)
{
	gsize at = line->number == 0 ? 0 : line->byte + line->length;
	const char *end;

	if (line->number == 0 && input->size >= 3 && memcmp(input->data, "\xef\xbb\xbf", 3) == 0)
		at = 3;
	if (line->number > 0) {
		if (at < input->size && input->data[at] == '\r')
			at++;
		if (at < input->size && input->data[at] == '\n')
			at++;
	}
	if (at >= input->size)
		return FALSE;
	end = memchr(input->data + at, '\n', input->size - at);
	line->text = input->data + at;
	line->length = end ? (gsize)(end - line->text) : input->size - at;
	if (line->length > 0 && line->text[line->length - 1] == '\r')
		line->length--;
	line->byte = at;
	line->number++;
	return TRUE;
}

guint import_place_line(ImportPlace *place, const ImportInput *input, gsize byte)
{
	const gsize end = MIN(byte, input->size);

	if (place->byte > end)
		*place = (ImportPlace){0};
	for (; place->byte < end; place->byte++)
		place->lines += input->data[place->byte] == '\n';
	return place->lines + 1;
}

gboolean import_fail(GError **error, const ImportInput *input, guint line, const char *format, ...)
{
	g_autofree char *text = NULL;
	va_list args;

	va_start(args, format);
	text = g_strdup_vprintf(format, args);
	va_end(args);
	if (line > 0)
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED, "%s:%u: %s", input->name, line, text);
	else
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED, "%s: %s", input->name, text);
	return FALSE;
}

gboolean import_fail_at(GError **error, const ImportInput *input, gsize byte, const char *format, ...)
{
	g_autofree char *text = NULL;
	ImportPlace place = {0};
	va_list args;

	va_start(args, format);
	text = g_strdup_vprintf(format, args);
	va_end(args);
	return import_fail(error, input, import_place_line(&place, input, byte), "%s (byte %" G_GSIZE_FORMAT ")", text, byte);
}

const ImportFormat *import_format_find(const char *name, GError **error)
{
	g_autoptr(GString) known = g_string_new(NULL);

	for (guint i = 0; import_formats[i]; i++) {
		if (g_str_equal(import_formats[i]->name, name))
			return import_formats[i];
		g_string_append_printf(known, "%s%s", i ? ", " : "", import_formats[i]->name);
	}
	g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_USAGE, "there is no import format \"%s\"; use one of: %s", name,
		known->str);
	return NULL;
}

static const ImportFormat *recognise(const ImportInput *input)
{
	const ImportFormat *best = NULL;
	int most = 0;

	for (guint i = 0; import_formats[i]; i++) {
		int score = import_formats[i]->recognise(input);

		if (score > most) {
			most = score;
			best = import_formats[i];
		}
	}
	return best;
}

ImportResult *import_parse(const ImportInput *input, const ImportFormat *format, const ImportFormat **ret_format,
	GError **error)
{
	g_autoptr(ImportResult) result = import_result_new();
	const gboolean guessed = !format;

	if (input->size == 0) {
		import_fail(error, input, 0, "it is empty");
		return NULL;
	}
	if (guessed)
		format = recognise(input);
	if (!format) {
		import_fail(error, input, 0,
			"its format is not recognised; name it with --format if it is one that `iogap import --help` lists");
		return NULL;
	}
	if (!format->parse(input, result, error))
		return NULL;
	if (result->rows->len == 0) {
		import_fail(error, input, 0,
			guessed ? "it holds no result of the format %s, which it looks most like; --format names another"
				: "it holds no result of the format %s",
			format->name);
		return NULL;
	}
	*ret_format = format;
	return g_steal_pointer(&result);
}
