/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dd in all its dialects: bytes and seconds are right, in whatever words, and a failure is none of a result. */
#include "import-text.h"

/* -1 and NaN = not told; failure and warning: a part of the text, NULL = there must be none. */
typedef struct {
	gint64 bytes;
	double seconds, rate;
	gint64 block_size;
	const char *failure, *warning, *name;
} Want;

static void check_row(const ImportRow *row, const Want *want)
{
	ImportStats total = total_of(row);

	g_assert_cmpint(total.bytes, ==, want->bytes);
	g_assert_cmpint(total.ns, ==, isnan(want->seconds) ? -1 : llrint(want->seconds * 1e9));
	if (isnan(want->rate))
		g_assert_true(isnan(total.bytes_per_s));
	else
		assert_near(total.bytes_per_s, want->rate);
	g_assert_cmpint(record_get_int(row->leg, "block_size", -1), ==, want->block_size);
	if (want->failure)
		g_assert_nonnull(strstr(row->failure, want->failure));
	else
		g_assert_cmpstr(row->failure, ==, NULL);
	if (want->warning)
		g_assert_true(any_has(row->warnings, want->warning));
	else if (!want->failure)
		g_assert_cmpuint(row->warnings->len, ==, 0);
	g_assert_cmpstr(row->name, ==, want->name);
	g_assert_cmpstr(record_get_text(row->leg, "engine"), ==, "dd");
}

static ImportResult *check_file(const char *name, const Want *wants, guint count)
{
	ImportResult *result = parse_file(name, "dd", count);

	for (guint i = 0; i < count; i++)
		check_row(row_at(result, i), &wants[i]);
	return result;
}

#define CHECK_FILE(name, wants) g_autoptr(ImportResult) result = check_file(name, wants, G_N_ELEMENTS(wants))

static void test_current(void)
{
	static const Want wants[] = {
		{8192000000, 3.5, 8192000000 / 3.5, 8192},
		{512, 6.25e-05, 8192000, 512},
		{1, 0.0001, 10000, -1},
	};
	CHECK_FILE("27-dd-gnu-current.txt", wants);

	assert_near(total_of(row_at(result, 0)).bytes_per_s, 2340571428.5714288);
	g_assert_cmpint(total_of(row_at(result, 0)).ops, ==, 1000000);
	g_assert_cmpstr(record_get_text(row_at(result, 0)->more, "records_in"), ==, "1000000+0");
	g_assert_cmpstr(record_get_text(row_at(result, 2)->more, "records_in"), ==, "0+1");
	/* Nothing says which way the data went. */
	g_assert_cmpstr(record_get_text(row_at(result, 0)->leg, "rw"), ==, "rw?");
	g_assert_false(record_has(row_at(result, 0)->leg, "direct"));
	g_assert_cmpuint(result->warnings->len, ==, 0);
}

static void test_locales(void)
{
	static const Want wants[] = {
		{819200000, 4, 204800000, 8192},
		{819200000, 8, 102400000, 8192},
		{1073741824, 16, 67108864, 65536},
		{819200000, 2.5, 327680000, 8192},
		{512, 6.25e-05, 8192000, 512},
		{512, 0.0025, 204800, 512},
		{8192000000, 3.41333, 8192000000 / 3.41333, 8192},
	};
	CHECK_FILE("28-dd-locales.txt", wants);

	assert_near(total_of(row_at(result, 6)).bytes_per_s, 2400002343.752);
}

static void test_old_and_bsd(void)
{
	static const Want wants[] = {
		/* Four million bytes are no whole number of records: the text was retouched, and its size stays unknown. */
		{4194304000, 20, 209715200, -1},
		{1073741824, 4, 268435456, 65536},
		{0, 0.000118, NAN, -1, "nothing was copied"},
		{-1, NAN, NAN, -1, "no size/time line"},
	};
	CHECK_FILE("29-dd-old-and-bsd.txt", wants);
}

static void test_busybox(void)
{
	static const Want wants[] = {
		{67108864, 2, 33554432, 1048576},
		{8388608, 10.24, 819200, 4096},
		{-1, NAN, NAN, -1, "no size/time line"},
	};
	CHECK_FILE("30-dd-busybox.txt", wants);

	g_assert_nonnull(strstr(row_at(result, 2)->failure, "give no size and no time; use GNU dd, or the load agent"));
}

static void test_progress(void)
{
	static const Want wants[] = {
		{3145728000, 3.2, 983040000, 1048576},
		{1073741824, 0.625, 1717986918.4, -1, NULL, NULL, "run 1"},
		{1073741824, 1.25, 858993459.2, -1, NULL, NULL, "run 2"},
		{1073741824, 1, 1073741824, -1, NULL, NULL, "run 3"},
	};
	double rates[3], seconds = 0, bytes = 0;
	CHECK_FILE("31-dd-progress-and-three-runs.txt", wants);

	g_assert_cmpint(record_get_int(row_at(result, 0)->more, "progress_updates", -1), ==, 3);
	for (guint i = 0; i < 3; i++) {
		ImportStats total = total_of(row_at(result, i + 1));

		rates[i] = total.bytes_per_s;
		seconds += (double)total.ns / 1e9;
		bytes += (double)total.bytes;
	}
	assert_near((rates[0] + rates[1] + rates[2]) / 3, 1216907400.5333333);
	assert_near(bytes / seconds, 1120426251.1304348);
}

static void test_failures(void)
{
	static const Want wants[] = {
		{0, 0.000354427, NAN, -1, "EINVAL: block size or alignment not allowed with direct I/O"},
		{6, 0.102227, 6 / 0.102227, -1, NULL, "short reads, block size not honoured"},
		{268435456, 0.5, 536870912, 1048576, "ENOSPC before the requested count"},
		{4096, 0, NAN, -1, "zero elapsed time"},
		{-1, NAN, NAN, -1, "dd did not run"},
	};
	CHECK_FILE("33-dd-failures.txt", wants);

	g_assert_cmpuint(row_at(result, 1)->flags->len, ==, 1);
}

/* One text, what its only row must be. */
static const struct {
	const char *text;
	Want want;
} shapes[] = {
	/* Carriage returns and line feeds, no line feed at the end, a BOM. */
	{"\xef\xbb\xbf" "1+0 records in\r\n1+0 records out\r\n512 bytes copied, 0.5 s, 1.0 kB/s", {512, 0.5, 1024, 512}},
	/* Full-width parentheses without spaces (new Chinese), Japanese seconds, Korean. */
	{"1073741824字节（1.1 GB，1.0 GiB）已复制，0.5 s，2.1 GB/s\n", {1073741824, 0.5, 2147483648, -1}},
	{"1073741824 バイト (1.1 GB) コピーされました、 1.0 秒、 1.1 GB/秒\n", {1073741824, 1, 1073741824, -1}},
	{"512 바이트 복사함, 0.0005 초, 1.0 MB/초\n", {512, 0.0005, 1024000, -1}},
	/* Latin-1 bytes are no UTF-8. */
	{"512 octets copi\xe9s, 0,25 s, 2,0 kB/s\n", {512, 0.25, 2048, -1}},
	/* BSD progress, toybox, uutils. */
	{"  419430400 bytes (419 MB, 400 MiB) transferred 1.000s, 419 MB/s\n", {419430400, 1, 419430400, -1}},
	{"67108864 bytes (64 M) copied, 0.500 s, 128 M/s\n", {67108864, 0.5, 134217728, -1}},
	{"4096 bytes (4.1 kB, 4.0 KiB) copied, 0.001 s, 4.1 MB/s\n", {4096, 0.001, 4096000, -1}},
	{"1,073,741,824 bytes transferred in 4.000 secs (268435456 bytes/sec)\n", {1073741824, 4, 268435456, -1}},
	/* Glued by a terminal that lost the carriage returns; the copy never ended. */
	{"100 bytes copied, 1 s, 0.1 kB/s\r200 bytes copied, 2 s, 0.1 kB/s\r", {200, 2, 100, -1, NULL, "only progress updates"}},
	/* A rate that is none of this copy. */
	{"1000000 bytes (1.0 MB) copied, 1.0 s, 5.0 GB/s\n", {1000000, 1, 1000000, -1, NULL, "does not fit"}},
	/* The last record may be short; many may not. */
	{"8+1 records in\n8+1 records out\n4100 bytes copied, 1 s, 4.1 kB/s\n", {4100, 1, 4100, -1}},
	{"0+9 records in\n0+9 records out\n4100 bytes copied, 1 s, 4.1 kB/s\n", {4100, 1, 4100, -1, NULL, "short reads"}},
	/* Any error of dd spoils the numbers below it, in any language. */
	{"dd: Fehler beim Schreiben von 'x': Auf dem Gerät ist kein Speicherplatz mehr verfügbar\n2+0 Datensätze ein\n"
	 "1+0 Datensätze aus\n512 Bytes kopiert, 1 s, 0,5 kB/s\n", {512, 1, 512, 512, "Fehler beim Schreiben"}},
	{"dd: error reading '/open/option': Input/output error\n1+0 records in\n1+0 records out\n512 bytes copied, 1 s, 0.5 kB/s\n",
		{512, 1, 512, 512, "Input/output error"}},
	{"/bin/dd: failed to open '/dev/x': Permission denied\n", {-1, NAN, NAN, -1, "dd did not run: failed to open"}},
	{"dd: /dev/x: Permission denied\n", {-1, NAN, NAN, -1, "Permission denied"}},
	{"1+0 records in\n1+0 records out\n512 bytes copied, 1e+300 s, 0.0 kB/s\n", {-1, NAN, NAN, 512, "it says that it took"}},
};

static void test_shapes(void)
{
	for (guint i = 0; i < G_N_ELEMENTS(shapes); i++) {
		g_autoptr(ImportResult) result = parse_text(shapes[i].text, "dd");

		g_test_message("%s", shapes[i].text);
		g_assert_cmpuint(result->rows->len, ==, 1);
		check_row(row_at(result, 0), &shapes[i].want);
	}
}

/* Results of different size without records are results; the first is no update of the second. */
static void test_lone_lines(void)
{
	g_autoptr(ImportResult) result = parse_text(
		"1000 bytes copied, 1 s, 1.0 kB/s\n2000 bytes copied, 2 s, 1.0 kB/s\n2000 bytes copied, 2 s, 1.0 kB/s\n", "dd");

	g_assert_cmpuint(result->rows->len, ==, 3);
}

/* The command above the output says what the output does not. */
static void test_command(void)
{
	g_autoptr(ImportResult) result = parse_text(
		"# sync; dd if=/dev/zero of=/mnt/t bs=1M count=2 oflag=direct,dsync\n2+0 records in\n2+0 records out\n"
		"2097152 bytes (2.1 MB, 2.0 MiB) copied, 1 s, 2.1 MB/s\n"
		"$ dd if=/mnt/t of=/dev/null bs=64k\n32+0 records in\n32+0 records out\n"
		"2097152 bytes (2.1 MB, 2.0 MiB) copied, 1 s, 2.1 MB/s\n",
		"dd");
	const ImportRow *first = row_at(result, 0), *second = row_at(result, 1);

	g_assert_cmpuint(result->rows->len, ==, 2);
	g_assert_cmpstr(record_get_text(first->leg, "rw"), ==, "write");
	g_assert_cmpint(record_get_int(first->leg, "direct", -1), ==, 1);
	g_assert_cmpstr(record_get_text(first->leg, "sync"), ==, "dsync");
	g_assert_true(first->stats[IMPORT_WRITE].measured);
	g_assert_cmpint(record_get_int(first->leg, "block_size", -1), ==, 1048576);
	g_assert_cmpstr(record_get_text(second->leg, "rw"), ==, "read");
	g_assert_cmpint(record_get_int(second->leg, "direct", -1), ==, 0);
	g_assert_true(second->stats[IMPORT_READ].measured);
	assert_near(second->stats[IMPORT_READ].iops, 32);
}

/* Other texts are not dd's. */
static void test_not_dd(void)
{
	refuse_text("hello\n", "not recognised");
	refuse_text("2023-11-14T22:13:20+0000 started\nbytes: 12, seconds: 3\n", "not recognised");
	refuse_text("a1+2 b\n3 apples, 4 pears, 5/6\n", "not recognised");
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/import-dd/27-current", test_current);
	g_test_add_func("/import-dd/28-locales", test_locales);
	g_test_add_func("/import-dd/29-old-and-bsd", test_old_and_bsd);
	g_test_add_func("/import-dd/30-busybox", test_busybox);
	g_test_add_func("/import-dd/31-progress", test_progress);
	g_test_add_func("/import-dd/33-failures", test_failures);
	g_test_add_func("/import-dd/shapes", test_shapes);
	g_test_add_func("/import-dd/lone-lines", test_lone_lines);
	g_test_add_func("/import-dd/command", test_command);
	g_test_add_func("/import-dd/not-dd", test_not_dd);
	return g_test_run();
}
