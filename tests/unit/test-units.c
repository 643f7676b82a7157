/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <glib.h>

#include "guest-agent/common/units.h"

#define UNTOUCHED 12345

typedef int (*Parser)(const char *text, uint64_t *ret);

typedef struct {
	const char *text;
	guint64 value;
} Good;

static void check_good(Parser parse, const Good *rows)
{
	for (; rows->text; rows++) {
		guint64 value = UNTOUCHED;

		if (parse(rows->text, &value) != 0 || value != rows->value)
			g_error("\"%s\" gave %" G_GUINT64_FORMAT, rows->text, value);
	}
}

static void check_bad(Parser parse, const char *const *texts, int code)
{
	for (; *texts; texts++) {
		guint64 value = UNTOUCHED;

		if (parse(*texts, &value) != code || value != UNTOUCHED)
			g_error("\"%s\" was taken, or with another code, or the result was touched", *texts);
	}
}

static void test_size(void)
{
	static const Good good[] = {{"0", 0}, {"1", 1}, {"512", 512}, {"8k", 8192}, {"8K", 8192}, {"8KiB", 8192}, {"8kB", 8192},
		{"8Ki", 8192}, {"64k", 65536}, {"1M", 1048576}, {"1m", 1048576}, {"1.5k", 1536}, {"0.5M", 524288},
		{"0.0009765625k", 1}, {"1G", 1073741824}, {"2T", G_GUINT64_CONSTANT(2199023255552)}, {"007", 7}, {"1.0", 1},
		{"18446744073709551615", G_MAXUINT64}, {"16777215T", G_GUINT64_CONSTANT(18446742974197923840)}, {NULL, 0}};
	static const char *const bad[] = {"", " ", "k", "-1", "+1", " 1", "1 ", "1 k", "8kk", "8x", "8iB", "8B", "8KIB", "8kib", "1.",
		".5k", "1.5", "0.3k", "1e3", "0x10", "nan", "inf", "1,5k", "1k1", "1..5k", "\xd9\xa1", NULL};
	static const char *const huge[] = {"18446744073709551616", "16777216T", "99999999999999999999", "1.00000000000000000000k", NULL};

	check_good(units_parse_size, good);
	check_bad(units_parse_size, bad, -EINVAL);
	check_bad(units_parse_size, huge, -ERANGE);
}

static void test_duration(void)
{
	static const Good good[] = {{"0", 0}, {"1", 1000000000}, {"1s", 1000000000}, {"0.25s", 250000000}, {"250ms", 250000000},
		{"10us", 10000}, {"7ns", 7}, {"1.5us", 1500}, {"2m", G_GUINT64_CONSTANT(120000000000)},
		{"1h", G_GUINT64_CONSTANT(3600000000000)}, {"0.000000001s", 1}, {NULL, 0}};
	static const char *const bad[] = {"", "s", "-1s", "1S", "1sec", "1 s", "0.5ns", "0.0000000001s", "1d", "1ms ", "1e3s", "nan",
		NULL};
	static const char *const huge[] = {"18446744074s", "5124096h", NULL};

	check_good(units_parse_duration, good);
	check_bad(units_parse_duration, bad, -EINVAL);
	check_bad(units_parse_duration, huge, -ERANGE);
}

static void test_uint(void)
{
	static const Good good[] = {{"0", 0}, {"32", 32}, {"18446744073709551615", G_MAXUINT64}, {NULL, 0}};
	static const char *const bad[] = {"", "-0", "+1", "1k", "1.0", " 1", "1\n", "0b1", NULL};
	static const char *const huge[] = {"18446744073709551616", NULL};

	check_good(units_parse_uint, good);
	check_bad(units_parse_uint, bad, -EINVAL);
	check_bad(units_parse_uint, huge, -ERANGE);
}

static void test_format(void)
{
	char buf[32];

	g_assert_cmpstr(units_format_size(0, buf, sizeof(buf)), ==, "0");
	g_assert_cmpstr(units_format_size(1000, buf, sizeof(buf)), ==, "1000");
	g_assert_cmpstr(units_format_size(8192, buf, sizeof(buf)), ==, "8k");
	g_assert_cmpstr(units_format_size(1048576, buf, sizeof(buf)), ==, "1M");
	g_assert_cmpstr(units_format_size(1536, buf, sizeof(buf)), ==, "1536");
	g_assert_cmpstr(units_format_size(G_MAXUINT64, buf, sizeof(buf)), ==, "18446744073709551615");
	g_assert_cmpstr(units_format_duration(0, buf, sizeof(buf)), ==, "0s");
	g_assert_cmpstr(units_format_duration(250000000, buf, sizeof(buf)), ==, "250ms");
	g_assert_cmpstr(units_format_duration(1500000000, buf, sizeof(buf)), ==, "1500ms");
	g_assert_cmpstr(units_format_duration(2000000000, buf, sizeof(buf)), ==, "2s");
	g_assert_cmpstr(units_format_duration(90000000000, buf, sizeof(buf)), ==, "90s");
	g_assert_cmpstr(units_format_duration(7, buf, sizeof(buf)), ==, "7ns");
	g_assert_cmpstr(units_format_size(8192, buf, 2), ==, "8"); /* cut, and closed */
}

/* What is printed is read back as the same number. */
static void test_round_trip(void)
{
	char buf[32];

	for (int i = 0; i < 20000; i++) {
		guint64 value = ((guint64)g_test_rand_int() << 32 | (guint32)g_test_rand_int()) >> g_test_rand_int_range(0, 63);
		guint64 back = 0;

		g_assert_cmpint(units_parse_size(units_format_size(value, buf, sizeof(buf)), &back), ==, 0);
		g_assert_cmpuint(back, ==, value);
		g_assert_cmpint(units_parse_duration(units_format_duration(value, buf, sizeof(buf)), &back), ==, 0);
		g_assert_cmpuint(back, ==, value);
	}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/units/size", test_size);
	g_test_add_func("/units/duration", test_duration);
	g_test_add_func("/units/uint", test_uint);
	g_test_add_func("/units/format", test_format);
	g_test_add_func("/units/round-trip", test_round_trip);
	return g_test_run();
}
