/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What all importers share: numbers, lines, places in messages, totals of rows. */
#include <locale.h>
#include <math.h>

#include "harness/base/error.h"
#include "harness/import/import.h"
#include "harness/import/table.h"

static void test_int(void)
{
	static const char *const bad[] = {"", "-", "+1", " 1", "1 ", "1.0", "0x10", "1e3", "9223372036854775808",
		"-9223372036854775809", "1,000", "one"};
	gint64 value = 7;

	for (guint i = 0; i < G_N_ELEMENTS(bad); i++) {
		g_assert_false(import_number_int(bad[i], -1, &value));
		g_assert_cmpint(value, ==, 7);
	}
	g_assert_true(import_number_int("9223372036854775807", -1, &value));
	g_assert_cmpint(value, ==, G_MAXINT64);
	g_assert_true(import_number_int("-9223372036854775808", -1, &value));
	g_assert_cmpint(value, ==, G_MININT64);
	g_assert_true(import_number_int("0012xyz", 4, &value));
	g_assert_cmpint(value, ==, 12);
}

static void test_real(void)
{
	static const char *const bad[] = {"", ".", "-", "nan", "-nan", "inf", "1e999", "0x1p3", " 1", "1 ", "1..2", "1,5",
		"1e", "1e+", "--1", "+1"};
	double value = 7;

	for (guint i = 0; i < G_N_ELEMENTS(bad); i++) {
		g_assert_false(import_number_real(bad[i], -1, '.', &value));
		g_assert_cmpfloat(value, ==, 7);
	}
	g_assert_true(import_number_real("6.25e-05", -1, '.', &value));
	g_assert_cmpfloat(value, ==, 6.25e-05);
	g_assert_true(import_number_real("3,41333", -1, ',', &value));
	g_assert_cmpfloat(value, ==, 3.41333);
	g_assert_false(import_number_real("3.41333", -1, ',', &value));
	g_assert_true(import_number_real("123.75junk", 6, '.', &value));
	g_assert_cmpfloat(value, ==, 123.75);
	g_assert_true(import_number_is_nonfinite("-nan", -1));
	g_assert_true(import_number_is_nonfinite("Infinity", -1));
	g_assert_false(import_number_is_nonfinite("info", -1));
	g_assert_false(import_number_is_nonfinite("-", -1));
}

static void test_size(void)
{
	gint64 value;

	g_assert_true(import_number_size("64k", -1, &value));
	g_assert_cmpint(value, ==, 65536);
	g_assert_true(import_number_size("2G", -1, &value));
	g_assert_cmpint(value, ==, G_GINT64_CONSTANT(2147483648));
	g_assert_false(import_number_size("4k/60", -1, &value));
	g_assert_false(import_number_size("99999999999T", -1, &value));
}

static void test_lines(void)
{
	static const char text[] = "\xef\xbb\xbf" "a\r\n\nb\rc\r\nlast";
	const ImportInput input = {.name = "x", .data = text, .size = sizeof(text) - 1};
	static const char *const expected[] = {"a", "", "b\rc", "last"};
	ImportLine line = {0};

	for (guint i = 0; i < G_N_ELEMENTS(expected); i++) {
		g_assert_true(import_line_next(&input, &line));
		g_assert_cmpmem(line.text, line.length, expected[i], strlen(expected[i]));
		g_assert_cmpint(line.number, ==, i + 1);
		g_assert_true(line.text == text + line.byte);
	}
	g_assert_false(import_line_next(&input, &line));
}

static void test_places(void)
{
	const ImportInput input = {.name = "x.json", .data = "1\n2\n3", .size = 5};
	g_autoptr(GError) a = NULL;
	g_autoptr(GError) b = NULL;

	g_assert_false(import_fail(&a, &input, 0, "it is %s", "broken"));
	g_assert_error(a, IOGAP_ERROR, IOGAP_ERROR_FAILED);
	g_assert_cmpstr(a->message, ==, "x.json: it is broken");
	g_assert_false(import_fail_at(&b, &input, 4, "it ends"));
	g_assert_cmpstr(b->message, ==, "x.json:3: it ends (byte 4)");
}

static void test_not_recognised(void)
{
	const ImportInput empty = {.name = "e", .data = "", .size = 0};
	const ImportInput prose = {.name = "p", .data = "Dear all,\nit is slow.\n", .size = 22};
	const ImportFormat *format = NULL;
	g_autoptr(GError) a = NULL;
	g_autoptr(GError) b = NULL;
	g_autoptr(GError) c = NULL;

	g_assert_null(import_parse(&empty, NULL, &format, &a));
	g_assert_cmpstr(a->message, ==, "e: it is empty");
	g_assert_null(import_parse(&prose, NULL, &format, &b));
	g_assert_true(g_str_has_prefix(b->message, "p: its format is not recognised"));
	g_assert_null(import_format_find("excel", &c));
	g_assert_error(c, IOGAP_ERROR, IOGAP_ERROR_USAGE);
	g_assert_null(format);
}

static void test_total(void)
{
	g_autoptr(ImportRow) row = import_row_new("mix", 3);
	ImportStats *read = &row->stats[IMPORT_READ], *write = &row->stats[IMPORT_WRITE], total;

	import_row_total(row, &total);
	g_assert_false(total.measured);
	g_assert_cmpint(total.bytes, ==, -1);
	g_assert_true(isnan(total.iops));

	read->measured = write->measured = TRUE;
	read->ops = 70000;
	write->ops = 30000;
	read->iops = 7000;
	write->iops = 3000;
	read->bytes = 1;
	read->total.mean_ns = 100000;
	write->total.mean_ns = 300000;
	read->total.max_ns = 5;
	import_latency_percentile(&read->total, 99, 5);
	import_latency_percentile(&read->total, 50, 3);
	import_row_total(row, &total);
	g_assert_cmpfloat(total.iops, ==, 10000);
	g_assert_cmpfloat(total.total.mean_ns, ==, 160000);
	g_assert_cmpint(total.bytes, ==, -1); /* the writes' are not known */
	g_assert_true(isnan(total.total.max_ns));
	g_assert_null(total.total.percentiles);
	g_assert_cmpfloat(import_latency_at(&read->total, 50), ==, 3);
	g_assert_true(isnan(import_latency_at(&read->total, 90)));

	row->stats[IMPORT_MIXED].measured = TRUE;
	row->stats[IMPORT_MIXED].iops = 10001;
	import_row_total(row, &total);
	g_assert_cmpfloat(total.iops, ==, 10001);
}

/* Text of a stranger reaches terminals and reports without control characters, and a flood of it is bounded. */
static void test_warnings(void)
{
	g_autoptr(ImportResult) result = import_result_new();
	g_autoptr(ImportRow) row = import_row_new(NULL, 1);

	for (guint i = 0; i < IMPORT_MOST_WARNINGS + 3; i++)
		import_result_warn(result, "a\x1b[31m\xff%u", i);
	g_assert_cmpint(result->warnings->len, ==, IMPORT_MOST_WARNINGS);
	g_assert_cmpint(result->more_warnings, ==, 3);
	g_assert_cmpstr(result->warnings->pdata[0], ==, "a [31m\xef\xbf\xbd" "0");
	import_row_fail(row, "first");
	import_row_fail(row, "second");
	g_assert_cmpstr(row->failure, ==, "first");
	g_assert_cmpstr(row->warnings->pdata[0], ==, "second");
}

/* docs/import.md has the columns of tables as the code has them. IOGAP_UPDATE=1 writes them anew. */
static void test_manual(void)
{
	static const char head[] = "| column | values | where they go |\n| --- | --- | --- |\n";
	const char *source = g_getenv("IOGAP_SRC");
	g_autofree char *path = g_build_filename(source ? source : ".", "docs/import.md", NULL);
	g_autoptr(GString) wanted = g_string_new(head);
	g_autofree char *page = NULL;
	char *row, *begin;

	for (guint i = 0; (row = table_row_of_manual(i)); i++) {
		g_string_append_printf(wanted, "%s\n", row);
		g_free(row);
	}
	g_assert_true(g_file_get_contents(path, &page, NULL, NULL));
	begin = strstr(page, head);
	g_assert_nonnull(begin);
	if (g_getenv("IOGAP_UPDATE")) {
		const char *end = strstr(begin, "\n\n");
		g_autofree char *text = g_strdup_printf("%.*s%s%s", (int)(begin - page), page, wanted->str, end ? end + 1 : "");

		g_assert_true(g_file_set_contents(path, text, -1, NULL));
		return;
	}
	/* The whole table: an empty line or the end follows. */
	g_assert_true(g_str_has_prefix(begin, wanted->str));
	g_assert_true(begin[wanted->len] == '\n' || begin[wanted->len] == '\0');
}

int main(int argc, char **argv)
{
	setlocale(LC_ALL, "");
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/import/number/int", test_int);
	g_test_add_func("/import/number/real", test_real);
	g_test_add_func("/import/number/size", test_size);
	g_test_add_func("/import/lines", test_lines);
	g_test_add_func("/import/places", test_places);
	g_test_add_func("/import/not-recognised", test_not_recognised);
	g_test_add_func("/import/total", test_total);
	g_test_add_func("/import/warnings", test_warnings);
	g_test_add_func("/import/manual", test_manual);
	return g_test_run();
}
