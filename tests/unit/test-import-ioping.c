/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ioping's text, raw lines in two units, JSON: times in ns, warm-up left out, nothing counted twice. */
#include "import-text.h"

static const ImportStats *stats_of(const ImportRow *row)
{
	for (guint i = 0; i < IMPORT_DIRECTIONS; i++)
		if (row->stats[i].measured)
			return &row->stats[i];
	g_assert_not_reached();
}

/* NaN = not told. */
typedef struct {
	double requests, total_ns, iops, rate, min, mean, max, mdev;
} Want;

static void same(double got, double want)
{
	if (isnan(want))
		g_assert_true(isnan(got));
	else
		assert_near(got, want);
}

static void check_row(const ImportRow *row, const Want *want)
{
	const ImportStats *stats = stats_of(row);

	g_assert_cmpstr(row->failure, ==, NULL);
	same((double)stats->ops, want->requests);
	same((double)stats->total.n, want->requests);
	same((double)stats->ns, want->total_ns);
	same(stats->iops, want->iops);
	same(stats->bytes_per_s, want->rate);
	same(stats->total.min_ns, want->min);
	same(stats->total.mean_ns, want->mean);
	same(stats->total.max_ns, want->max);
	same(stats->total.stddev_ns, want->mdev);
}

static void test_text(void)
{
	static const Want wants[] = {
		{2, 15.5e6, 129, 516.8 * 1024, 280000, 7740000, 15200000, 7460000},
		{8400, 960e6, 8750, 34.2 * 1048576, 44000, 114300, 7260000, 135700},
	};
	g_autoptr(ImportResult) result = parse_file("34a-ioping-text.txt", "ioping", 2);

	for (guint i = 0; i < 2; i++)
		check_row(row_at(result, i), &wants[i]);
	g_assert_cmpint(record_get_int(row_at(result, 0)->leg, "block_size", -1), ==, 4096);
	/* 8.4 k requests and 32.8 MiB are both rounded: no size can be told. */
	g_assert_false(record_has(row_at(result, 1)->leg, "block_size"));
	g_assert_cmpstr(record_get_text(row_at(result, 0)->leg, "rw"), ==, "read?");
	g_assert_cmpstr(record_get_text(row_at(result, 0)->more, "target"), ==, "/bench (ext4 /dev/vdb 8 GiB)");
	g_assert_cmpint(stats_of(row_at(result, 0))->bytes, ==, 8192);
	g_assert_cmpint(result->documents, ==, 2);
}

static void test_raw(void)
{
	static const Want usec = {5, 750000, 6667, 27306667, 138000, 150000, 175000, 13000};
	static const Want nsec = {4, 16000000, 250, 1024000, 1970000, 4000000, 9080000, 2940000};
	g_autoptr(ImportResult) eight = parse_file("34b-ioping-raw-8-fields-usec.txt", "ioping", 1);
	g_autoptr(ImportResult) ten = parse_file("34c-ioping-raw-10-fields-nsec.txt", "ioping", 1);

	check_row(row_at(eight, 0), &usec);
	check_row(row_at(ten, 0), &nsec);
	g_assert_cmpint(record_get_int(row_at(eight, 0)->leg, "block_size", -1), ==, 4096);
	g_assert_cmpint(record_get_int(row_at(ten, 0)->leg, "block_size", -1), ==, 4096);
	g_assert_cmpstr(record_get_text(row_at(ten, 0)->leg, "rw"), ==, "rw?");
	g_assert_cmpuint(row_at(eight, 0)->warnings->len + row_at(ten, 0)->warnings->len, ==, 0);
}

/* Either unit with either number of fields; no unit that fits; fields that contradict each other. */
static void test_raw_units(void)
{
	static const Want eight = {5, 750000, 6667, 27306667, 138000, 150000, 175000, 13000};
	static const Want ten = {4, 16000000, 250, 1024000, 1970000, 4000000, 9080000, 2940000};
	g_autoptr(ImportResult) a = parse_text("5 750000 6667 27306667 138000 150000 175000 13000\n", "ioping");
	g_autoptr(ImportResult) b = parse_text("4 16000 250 1024000 1970 4000 9080 2940 5 4002000\n", "ioping");
	g_autoptr(ImportResult) c = parse_text("4 16000 99999 1024000 1970 4000 9080 2940\n", "ioping");
	g_autoptr(ImportResult) d = parse_text("4 16000 250 1024000 1970 900 9080 2940\n", "ioping");

	check_row(row_at(a, 0), &eight);
	check_row(row_at(b, 0), &ten);
	g_assert_nonnull(strstr(row_at(c, 0)->failure, "micro- or nanoseconds cannot be told"));
	g_assert_true(any_has(row_at(d, 0)->warnings, "is not the time of all requests"));
	refuse_text("4 16000 250 1024000 1970 4000 9080 2940\n4 16000\n", "some.txt:2: a raw line of ioping has 8 or 10 numbers");
}

static void test_json(void)
{
	static const Want want = {1, 250000, 4000, 16384000, 250000, 250000, 250000, 0};
	g_autoptr(ImportResult) result = parse_file("34d-ioping.json", "ioping", 1);
	const ImportRow *row = row_at(result, 0);

	check_row(row, &want);
	g_assert_cmpint(record_get_int(row->leg, "block_size", -1), ==, 4096);
	g_assert_cmpstr(record_get_text(row->leg, "filesystem"), ==, "ext4");
	g_assert_cmpstr(record_get_text(row->more, "device"), ==, "/dev/vdb");
	refuse_text("[{\"io\":{\"operation\":\"read\",\"ignored\":true}},\n{\"stat\":{\"mdev\":1", "some.txt:2: ");
	refuse_text("[{\"io\":{\"operation\":\"read\",\"ignored\":true}}]", "no \"stat\" in it");
}

/* The statistics of the whole are the sum of the periods before it. */
static void test_periods(void)
{
	g_autoptr(ImportResult) sum = parse_text("2 300 6667 27306667 138 150 175 13\n3 450 6667 27306667 138 150 175 13\n"
						 "5 750 6667 27306667 138 150 175 13\n", "ioping");
	g_autoptr(ImportResult) apart = parse_text("2 300 6667 27306667 138 150 175 13\n3 450 6667 27306667 138 150 175 13\n",
		"ioping");

	g_assert_cmpuint(sum->rows->len, ==, 1);
	g_assert_cmpint(stats_of(row_at(sum, 0))->ops, ==, 5);
	g_assert_true(any_has(row_at(sum, 0)->warnings, "2 periods"));
	g_assert_cmpuint(apart->rows->len, ==, 2);
}

/* Other releases, other shapes. */
static void test_shapes(void)
{
	static const Want old = {10, 9004.4e6, 2339, 9.1 * 1048576, 200000, 400000, 600000, 100000};
	static const Want micro = {3, 1500, 2e6, 7.5 * 1073741824, 400, 500, 600, 100};
	g_autoptr(ImportResult) a = parse_text("--- . (ext4 /dev/sda1) ioping statistics ---\r\n"
		"10 requests completed in 9004.4 ms, 2339 iops, 9.1 mb/s\r\nmin/avg/max/mdev = 0.2/0.4/0.6/0.1 ms\r\n", "ioping");
	g_autoptr(ImportResult) b = parse_text("8 KiB >>> x (tmpfs): request=1 time=1.0 us (warmup)\n--- x (tmpfs) ioping statistics ---\n"
		"3 requests completed in 1.5 \xc2\xb5s, 24 KiB written, 2 M iops, 7.5 GiB/s\n"
		"min/avg/max/mdev = 400 ns / 500 ns / 0.6 \xc2\xb5s / 100 ns\n", "ioping");
	g_autoptr(ImportResult) c = parse_text("--- x (tmpfs) ioping statistics ---\n"
		"0 requests completed in 0 ns, 0 B read, 0 iops, 0 B/s\nmin/avg/max/mdev = 0 ns / 0 ns / 0 ns / 0 ns\n", "ioping");
	g_autoptr(ImportResult) d = parse_text("--- x (tmpfs) ioping statistics ---\n--- y (tmpfs) ioping statistics ---\n"
		"1 requests completed in 1 ms, 4 KiB read, 1 k iops, 4 MiB/s\n3 requests was too fast\n", "ioping");

	check_row(row_at(a, 0), &old);
	check_row(row_at(b, 0), &micro);
	g_assert_cmpstr(record_get_text(row_at(b, 0)->leg, "rw"), ==, "write?");
	g_assert_cmpint(record_get_int(row_at(b, 0)->leg, "block_size", -1), ==, 8192);
	g_assert_true(row_at(b, 0)->stats[IMPORT_WRITE].measured);
	g_assert_cmpstr(row_at(c, 0)->failure, ==, "no request was completed");
	g_assert_cmpuint(d->rows->len, ==, 2);
	g_assert_nonnull(strstr(row_at(d, 0)->failure, "cut off"));
	g_assert_true(any_has(row_at(d, 1)->warnings, "3 requests was too fast"));
	refuse_text("4 KiB <<< . (ext4): request=1 time=119.2 us (warmup)\n", "no statistics block");
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/import-ioping/34a-text", test_text);
	g_test_add_func("/import-ioping/34bc-raw", test_raw);
	g_test_add_func("/import-ioping/raw-units", test_raw_units);
	g_test_add_func("/import-ioping/34d-json", test_json);
	g_test_add_func("/import-ioping/periods", test_periods);
	g_test_add_func("/import-ioping/shapes", test_shapes);
	return g_test_run();
}
