/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Every importer: FUZZ_FORMAT names one of them, else each of them gets the input. */
#include <math.h>
#include <string.h>

#include "harness/import/import.h"
#include "tests/fuzz/fuzz.h"

static void check_latency(const ImportLatency *latency)
{
	guint64 sum;

	if (!latency->hist)
		return;
	sum = latency->hist->below + latency->hist->above;
	for (guint i = 0; i < HIST_SLOTS; i++)
		sum += latency->hist->slots[i];
	g_assert_cmpuint(sum, ==, latency->hist->n);
}

/* What the store relies on. */
static void check_row(const ImportRow *row)
{
	ImportStats total;

	for (guint i = 0; i < IMPORT_DIRECTIONS; i++) {
		const ImportStats *stats = &row->stats[i];

		g_assert_cmpint(stats->bytes, >=, -1);
		g_assert_cmpint(stats->ops, >=, -1);
		g_assert_cmpint(stats->ns, >=, -1);
		g_assert_true(!isinf(stats->bytes_per_s) && !isinf(stats->iops));
		check_latency(&stats->submit);
		check_latency(&stats->complete);
		check_latency(&stats->total);
	}
	for (guint i = 0; i < row->warnings->len; i++)
		g_assert_true(g_utf8_validate(row->warnings->pdata[i], -1, NULL));
	g_assert_true(!row->failure || g_utf8_validate(row->failure, -1, NULL));
	import_row_total(row, &total);
}

static void check_format(const ImportInput *input, const ImportFormat *format)
{
	const ImportFormat *found = NULL;
	GError *error = NULL;
	ImportResult *result;

	g_assert_cmpint(format->recognise(input), <=, 100);
	result = import_parse(input, format, &found, &error);
	g_assert_true((result == NULL) == (error != NULL));
	for (guint i = 0; result && i < result->rows->len; i++)
		check_row(result->rows->pdata[i]);
	g_assert_true(!error || g_utf8_validate(error->message, -1, NULL));
	import_result_free(result);
	g_clear_error(&error);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *only = g_getenv("FUZZ_FORMAT");
	g_autofree char *text = g_malloc(size + 1);
	const ImportInput input = {.name = "input", .data = text, .size = size};

	/* A copy of just this size, so that a step beyond it is seen. */
	if (size)
		memcpy(text, data, size);
	text[size] = '\0';
	for (guint i = 0; import_formats[i]; i++)
		if (!only || g_str_equal(only, import_formats[i]->name))
			check_format(&input, import_formats[i]);
	return 0;
}
