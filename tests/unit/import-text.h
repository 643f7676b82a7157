/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the tests of text parsers share: a file or a text in, rows out. */
#ifndef IOGAP_TEST_IMPORT_TEXT_H
#define IOGAP_TEST_IMPORT_TEXT_H

#include <math.h>
#include <string.h>

#include "harness/base/error.h"
#include "harness/import/import.h"

/* A rate of the expectation: to its printed digits. */
#define assert_near(got, want) g_assert_cmpfloat_with_epsilon(got, want, fabs((double)(want)) * 1e-9 + 1e-12)

/* Recognised as FORMAT, or an error that is returned in *error. */
static inline ImportResult *parse_bytes(const char *text, gsize size, const char *name, const char *format, GError **error)
{
	const ImportInput input = {.name = name, .data = text, .size = size};
	const ImportFormat *found = NULL;
	ImportResult *result = import_parse(&input, NULL, &found, error);

	if (result)
		g_assert_cmpstr(found->name, ==, format);
	return result;
}

static inline ImportResult *parse_text(const char *text, const char *format)
{
	GError *error = NULL;
	ImportResult *result = parse_bytes(text, strlen(text), "some.txt", format, &error);

	g_assert_no_error(error);
	return result;
}

static inline char *data_text(const char *name, gsize *ret_size)
{
	const char *source = g_getenv("IOGAP_SRC");
	g_autofree char *path = g_build_filename(source ? source : ".", "tests", "data", "import", name, NULL);
	GError *error = NULL;
	char *text = NULL;

	g_file_get_contents(path, &text, ret_size, &error);
	g_assert_no_error(error);
	return text;
}

static inline ImportResult *parse_file(const char *name, const char *format, guint rows)
{
	GError *error = NULL;
	gsize size;
	g_autofree char *text = data_text(name, &size);
	ImportResult *result = parse_bytes(text, size, name, format, &error);

	g_assert_no_error(error);
	g_assert_cmpuint(result->rows->len, ==, rows);
	return result;
}

/* The text must be refused with a message that holds MESSAGE. */
static inline void refuse_text(const char *text, const char *message)
{
	g_autoptr(GError) error = NULL;

	g_assert_null(parse_bytes(text, strlen(text), "some.txt", "", &error));
	g_assert_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED);
	g_test_message("%s", error->message);
	g_assert_nonnull(strstr(error->message, message));
}

static inline const ImportRow *row_at(const ImportResult *result, guint i)
{
	g_assert_cmpuint(i, <, result->rows->len);
	return result->rows->pdata[i];
}

static inline gboolean any_has(const GPtrArray *texts, const char *part)
{
	for (guint i = 0; i < texts->len; i++)
		if (strstr(texts->pdata[i], part))
			return TRUE;
	return FALSE;
}

static inline ImportStats total_of(const ImportRow *row)
{
	ImportStats total;

	import_row_total(row, &total);
	return total;
}

#endif
