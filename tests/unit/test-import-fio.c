/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fio's JSON: what its releases really print, and what damaged or odd output gives. */
#include <locale.h>

#include "harness/base/error.h"
#include "harness/import/fio.h"
#include "tests/unit/import-fixture.h"

#define F01 "01-fio-errors-before-json.json"
#define F02 "02-fio-note-qd-capped.json"
#define F03 "03-fio-2.14-usec-kib.json"
#define F04 "04-fio-2.2-zero-read-dup-keys.json"
#define F06 "06-fio-3.1-ns-no-bw_bytes.json"
#define F07 "07-fio-mixed-rw.json"
#define F08A "08a-fio-unified-mixed-only.json"
#define F08B "08b-fio-unified-both.json"
#define F09 "09-fio-group-reporting.json"
#define F11 "11-fio-status-interval.json"
#define F13 "13-fio-nan-inf.json"
#define F15 "15-fio-options-dup-and-global.json"
#define F17 "17-fio-gtod-reduce-no-latency.json"
#define F18 "18-fio-bssplit.json"
#define F19A "19a-fio-jsonplus-bins.json"
#define F19B "19b-fio-jsonplus-2.x-index-bins.json"

static const Expected cases[] = {
	{F01, 0, "name", "t0"},
	{F01, 0, "failure", "fio says error 5 (EIO): its figures are those of a part"},
	{F01, 0, "more.error", "5"},
	{F01, 0, "read.measured", "0"},
	{F01, 0, "write.bytes", "73728"},
	{F01, 0, "write.ops", "18"},
	{F01, 0, "write.ns", "9000000"},
	{F01, 0, "write.bytes_per_s", "8192000"},
	{F01, 0, "write.iops", "2000"},
	{F01, 0, "write.whole.mean", "460100.5"},
	{F01, 0, "write.complete.p50", "440320"},
	{F01, 0, "write.complete.p99", "978944"},
	{F01, 0, "leg.direct", "1"},
	{F01, 0, "leg.engine", "fio:libaio"},
	{F01, 0, "leg.block_size", "4096"},
	{F02, 0, "name", "rr16"},
	{F02, 0, "failure", NULL},
	{F02, 0, "leg.queue_depth", "16"},
	{F02, 0, "leg.effective_depth", "1"},
	{F02, 0, "flag", "NOT_AS_ASKED"},
	{F02, 0, "read.bytes", "4194304"},
	{F02, 0, "read.ops", "1024"},
	{F02, 0, "read.ns", "80000000"},
	{F02, 0, "read.bytes_per_s", "52428800"},
	{F02, 0, "read.iops", "12800"},
	{F02, 0, "read.whole.mean", "75120"},
	{F02, 0, "read.complete.p50", "71168"},
	{F02, 0, "read.complete.p99", "146432"},
	{F02, 0, "read.submit.mean", NULL},
	{F02, 0, "write.measured", "0"},
	{F03, 0, "read.bytes", "134217728"},
	{F03, 0, "read.ops", "8192"},
	{F03, 0, "read.ns", "1024000000"},
	{F03, 0, "read.bytes_per_s", "131072000"},
	{F03, 0, "read.iops", "8000"},
	{F03, 0, "read.submit.mean", "4300"},
	{F03, 0, "read.whole.mean", "122800"},
	{F03, 0, "read.complete.p50", "117000"},
	{F03, 0, "read.complete.p99", "251000"},
	{F03, 0, "write.measured", "0"},
	{F03, 0, "warnings", "0"},
	{F04, 0, "name", "w64"},
	{F04, 0, "failure", NULL},
	{F04, 0, "warnings", "0"},
	{F04, 0, "read.measured", "0"},
	{F04, 0, "read.complete.p0.001", NULL},
	{F04, 0, "write.bytes", "20971520"},
	{F04, 0, "write.ops", "320"},
	{F04, 0, "write.ns", "2500000000"},
	{F04, 0, "write.bytes_per_s", "8388608"},
	{F04, 0, "write.iops", "128"},
	{F04, 0, "write.whole.mean", "7801200"},
	{F04, 0, "write.complete.p50", "7776000"},
	{F04, 0, "write.complete.p99", "9920000"},
	{F04, 0, "leg.rw", "write?"}, /* no options: nothing else is known */
	{F04, 0, "leg.block_size", NULL},
	{F04, 0, "leg.direct", NULL},
	{F04, 0, "leg.queue_depth", NULL},
	{F04, 0, "leg.jobs", NULL},
	{F06, 0, "read.bytes", "491520000"},
	{F06, 0, "read.ops", "3750"},
	{F06, 0, "read.ns", "10000000000"},
	{F06, 0, "read.bytes_per_s", "49152000"},
	{F06, 0, "read.iops", "375"},
	{F06, 0, "read.whole.mean", "2650000.5"},
	{F06, 0, "read.complete.p50", "2605056"},
	{F06, 0, "read.complete.p99", "4112384"},
	{F06, 0, "write.measured", "0"},
	{F06, 0, "warnings", "0"},
	{F07, 0, "read.bytes", "286720000"},
	{F07, 0, "read.ops", "70000"},
	{F07, 0, "read.bytes_per_s", "28672000"},
	{F07, 0, "read.iops", "7000"},
	{F07, 0, "read.whole.mean", "100000"},
	{F07, 0, "read.complete.p99", "201728"},
	{F07, 0, "write.bytes", "122880000"},
	{F07, 0, "write.ops", "30000"},
	{F07, 0, "write.bytes_per_s", "12288000"},
	{F07, 0, "write.iops", "3000"},
	{F07, 0, "write.whole.mean", "300000"},
	{F07, 0, "write.complete.p99", "700416"},
	{F07, 0, "total.iops", "10000"},
	{F07, 0, "total.bytes_per_s", "40960000"},
	{F07, 0, "total.whole.mean", "160000"},
	{F07, 0, "total.complete.p99", NULL},
	{F07, 0, "leg.rw", "randrw"},
	{F07, 0, "leg.mix_read", "70"},
	{F07, 0, "leg.effective_depth", "4"},
	{F08A, 0, "read.measured", "0"},
	{F08A, 0, "write.measured", "0"},
	{F08A, 0, "mixed.bytes", "409600000"},
	{F08A, 0, "mixed.ops", "100000"},
	{F08A, 0, "mixed.iops", "10000"},
	{F08A, 0, "mixed.bytes_per_s", "40960000"},
	{F08A, 0, "mixed.whole.mean", "160000"},
	{F08A, 0, "total.iops", "10000"},
	{F08B, 0, "read.iops", "7000"},
	{F08B, 0, "write.iops", "3000"},
	{F08B, 0, "mixed.iops", "10000"},
	{F08B, 0, "total.iops", "10000"},
	{F08B, 0, "total.bytes_per_s", "40960000"},
	{F09, 0, "name", "g4"},
	{F09, 0, "leg.jobs", NULL},
	{F09, 0, "leg.rw", "randwrite"},
	{F09, 0, "write.bytes", "491520000"},
	{F09, 0, "write.ops", "120000"},
	{F09, 0, "write.ns", "5000000000"},
	{F09, 0, "write.bytes_per_s", "98304000"},
	{F09, 0, "write.iops", "24000"},
	{F09, 0, "write.whole.mean", "161500"},
	{F09, 0, "read.measured", "0"},
	{F11, 0, "name", "st"},
	{F11, 0, "read.ops", "3300"},
	{F11, 0, "read.bytes", "13516800"},
	{F11, 0, "read.ns", "3000000000"},
	{F11, 0, "read.iops", "1100"},
	{F11, 0, "read.bytes_per_s", "4505600"},
	{F11, 0, "more.time_based", "1"},
	{F13, 0, "failure", NULL},
	{F13, 0, "read.bytes", "4096000"},
	{F13, 0, "read.ops", "500"},
	{F13, 0, "read.ns", "4000000"},
	{F13, 0, "read.bytes_per_s", "1024000000"},
	{F13, 0, "read.iops", "125000"},
	{F13, 0, "read.whole.mean", "7000"},
	{F13, 0, "warnings", "2"},
	{F13, 0, "warning", "3 non-finite numbers (nan, inf) replaced by NULL"},
	{F15, 0, "leg.engine", "fio:libaio"},
	{F15, 0, "leg.queue_depth", "32"},
	{F15, 0, "leg.effective_depth", "32"},
	{F15, 0, "leg.rw", "randread"},
	{F15, 0, "leg.block_size", "65536"},
	{F15, 0, "leg.direct", "1"},
	{F15, 0, "leg.jobs", "1"},
	{F15, 0, "more.filename", "/dev/vdb:/dev/vdc:/dev/vdd"},
	{F15, 0, "read.bytes", "1048576000"},
	{F15, 0, "read.ops", "16000"},
	{F15, 0, "read.bytes_per_s", "131072000"},
	{F15, 0, "read.iops", "2000"},
	{F15, 0, "read.whole.mean", "15900000"},
	{F17, 0, "read.bytes", "2684354560"},
	{F17, 0, "read.ops", "655360"},
	{F17, 0, "read.bytes_per_s", "268435456"},
	{F17, 0, "read.iops", "65536"},
	{F17, 0, "read.whole.mean", NULL},
	{F17, 0, "read.complete.mean", NULL},
	{F17, 0, "read.complete.p99", NULL},
	{F17, 0, "read.whole.max", NULL},
	{F18, 0, "leg.block_sizes", "4k/60:64k/40"},
	{F18, 0, "leg.block_size", NULL},
	{F18, 0, "read.bytes", "286720000"},
	{F18, 0, "read.ops", "10000"},
	{F18, 0, "read.bytes_per_s", "28672000"},
	{F18, 0, "read.iops", "1000"},
	{F19A, 0, "read.ops", "100"},
	{F19A, 0, "read.iops", "5000"},
	{F19A, 0, "read.complete.p50", "80384"},
	{F19A, 0, "read.complete.p90", "100864"},
	{F19A, 0, "read.complete.p95", "401408"},
	{F19A, 0, "read.complete.p99", "401408"},
	{F19A, 0, "read.complete.p99.9", "5013504"},
	{F19A, 0, "warnings", "0"},
	{F19B, 0, "read.ops", "100"},
	{F19B, 0, "read.iops", "5000"},
	{F19B, 0, "read.complete.p50", "80000"},
	{F19B, 0, "read.complete.p99", "402000"},
	{F19B, 0, "read.complete.p90", NULL},
	{F19B, 0, "warning",
		"latency bins ignored: they are array indices, as fio before 2.20 prints, not durations"},
};

static void bad(const char *text, const char *expected);

#define F21 "21-fio-terse-v3.txt"
#define F21_ROW(n) \
	{F21, n, "name", "rr4k"}, {F21, n, "more.terse_version", "3"}, {F21, n, "read.bytes", "104857600"}, \
		{F21, n, "read.bytes_per_s", "52428800"}, {F21, n, "read.iops", "12800"}, {F21, n, "read.ns", "2000000000"}, \
		{F21, n, "read.whole.mean", "75250"}, {F21, n, "read.complete.p50", "69000"}, \
		{F21, n, "read.complete.p99", "131000"}, {F21, n, "read.submit.mean", NULL}, {F21, n, "write.measured", "0"}, \
		{F21, n, "leg.rw", "read?"}, {F21, n, "leg.effective_depth", "1"}, {F21, n, "failure", NULL}

static const Expected terse_cases[] = {
	F21_ROW(0),
	{F21, 0, "more.fields", "130"},
	{F21, 0, "more.disk", "vdb"},
	{F21, 0, "more.disk_util_percent", "80.5"},
	F21_ROW(1),
	{F21, 1, "more.fields", "121"},
	{F21, 1, "more.disk", NULL},
	{F21, 1, "more.disk_util_percent", NULL},
};


static void test_cases(void)
{
	check_expected(cases, G_N_ELEMENTS(cases));
	check_expected(terse_cases, G_N_ELEMENTS(terse_cases));
}

/* A line without its end, or with a field too much, is an error: no column ever moves. */
static void test_terse_cut(void)
{
	g_autoptr(ImportLoaded) loaded = load_data(F21);
	g_autofree char *line = g_strndup(loaded->input.data, strcspn(loaded->input.data, "\n"));
	g_autofree char *more = g_strdup_printf("3;fio-3.33;rr4k;0;0;7%s", line + strlen("3;fio-3.33;rr4k;0;0"));
	char *half = line;

	bad(more, "x:1: 131 fields are no line of fio's terse version 3");
	for (guint i = 0; i < 100; i++)
		half = strchr(half + 1, ';');
	*half = '\0';
	bad(line, "is it cut or wrapped?");
}

static ImportResult *result_of(const char *file)
{
	g_autoptr(ImportLoaded) loaded = load_data(file);
	const ImportFormat *format;
	GError *error = NULL;
	ImportResult *result = import_parse(&loaded->input, NULL, &format, &error);

	g_assert_no_error(error);
	g_assert_cmpstr(format->name, ==, "fio-json");
	return result;
}

/* What belongs to a file rather than to a row. */
static void test_files(void)
{
	g_autoptr(ImportResult) errors = result_of(F01);
	g_autoptr(ImportResult) note = result_of(F02);
	g_autoptr(ImportResult) interval = result_of(F11);
	g_autoptr(ImportResult) old = result_of(F04);

	g_assert_cmpstr(errors->producer, ==, "fio-3.12");
	g_assert_cmpint(errors->warnings->len, ==, 2);
	g_assert_true(g_str_has_prefix(errors->warnings->pdata[1], "line 2: fio: pid=2101, err=5"));
	g_assert_cmpint(errors->unix_ns, ==, G_GINT64_CONSTANT(1700000000250000000));
	g_assert_cmpint(note->warnings->len, ==, 1);
	g_assert_cmpint(interval->documents, ==, 4);
	g_assert_cmpint(interval->rows->len, ==, 1);
	g_assert_cmpstr(interval->warnings->pdata[0], ==,
		"4 documents of one run, each cumulative: the last (number 4) is used");
	g_assert_cmpstr(old->producer, ==, "fio-2.2.8");
	g_assert_cmpint(old->unix_ns, ==, G_GINT64_CONSTANT(1700000000000000000));
}

static void test_truncated(void)
{
	g_autoptr(ImportLoaded) loaded = load_data("12-fio-truncated.json");
	g_autoptr(GError) error = NULL;
	const ImportFormat *format = NULL;

	g_assert_cmpint(loaded->bytes, ==, 899);
	g_assert_null(import_parse(&loaded->input, NULL, &format, &error));
	g_assert_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED);
	g_assert_true(g_str_has_suffix(error->message,
		"12-fio-truncated.json:40: truncated or incomplete JSON: the text ends in the middle of the document that "
		"begins in line 1 (byte 899)"));
	g_assert_null(format);
}

/* Cut at every byte, a document is never a result, and never a crash. */
static void test_cut_anywhere(void)
{
	g_autoptr(ImportLoaded) loaded = load_data(F02);
	gsize end = loaded->input.size;

	while (loaded->input.data[end - 1] != '}')
		end--;
	for (gsize size = 1; size < end; size += 7) {
		g_autofree char *part = g_strndup(loaded->input.data, size);
		g_autoptr(GError) error = NULL;
		ImportResult *result = parse_bytes(part, (gssize)size, &error);

		g_assert_null(result);
		g_assert_nonnull(error);
	}
}

/* ---- made documents -------------------------------------------------------------------------- */

#define LATENCY "{\"min\":1,\"max\":9,\"mean\":5.0,\"stddev\":1.0}"
#define DIRECTION(ops, iops, runtime) \
	"{\"io_bytes\":4096,\"io_kbytes\":4,\"bw_bytes\":4096,\"bw\":4,\"iops\":" iops ",\"runtime\":" runtime \
	",\"total_ios\":" ops ",\"lat_ns\":" LATENCY ",\"clat_ns\":" LATENCY "}"
#define JOB(name, options, direction) \
	"{\"jobname\":\"" name "\",\"groupid\":0,\"error\":0,\"job options\":{" options "},\"read\":" direction "}"
#define DOCUMENT(stamp, jobs) "{\"fio version\":\"fio-3.33\",\"timestamp\":1,\"timestamp_ms\":" stamp ",\"jobs\":[" jobs "]}\n"

static ImportResult *good(const char *text)
{
	GError *error = NULL;
	ImportResult *result = parse_bytes(text, -1, &error);

	g_assert_no_error(error);
	return result;
}

static void bad(const char *text, const char *expected)
{
	g_autoptr(GError) error = NULL;

	g_assert_null(parse_bytes(text, -1, &error));
	g_assert_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED);
	if (!strstr(error->message, expected))
		g_error("got \"%s\", expected \"%s\"", error->message, expected);
}

static void check(const char *text, guint row, const char *path, const char *expected)
{
	g_autoptr(ImportResult) result = good(text);
	g_autofree char *got = NULL;

	g_assert_cmpint(row, <, result->rows->len);
	got = row_value(result->rows->pdata[row], path);
	if (!same_value(got, expected))
		g_error("%s: got %s, expected %s, in %s", path, got ? got : "NULL", expected ? expected : "NULL", text);
}

/* Two runs in one file are not two states of one run. */
static void test_two_runs(void)
{
	g_autoptr(ImportResult) two = good(DOCUMENT("1000", JOB("a", "", DIRECTION("100", "50.0", "2000")))
			DOCUMENT("3100", JOB("a", "", DIRECTION("110", "55.0", "2001"))));
	g_autoptr(ImportResult) other = good(DOCUMENT("1000", JOB("a", "", DIRECTION("100", "50.0", "2000")))
			DOCUMENT("2000", JOB("b", "", DIRECTION("110", "55.0", "3000"))));
	g_autoptr(ImportResult) less = good(DOCUMENT("1000", JOB("a", "", DIRECTION("100", "50.0", "2000")))
			DOCUMENT("2000", JOB("a", "", DIRECTION("90", "55.0", "3000"))));
	g_autoptr(ImportResult) one = good(DOCUMENT("1000", JOB("a", "", DIRECTION("100", "50.0", "2000")))
			DOCUMENT("2000", JOB("a", "", DIRECTION("150", "50.0", "3000"))));
	g_autoptr(ImportResult) glued = good("{\"fio version\":\"fio-3.33\",\"jobs\":[" JOB("a", "", DIRECTION("1", "1.0", "1"))
			"]}{\"fio version\":\"fio-3.33\",\"jobs\":[" JOB("b", "", DIRECTION("1", "1.0", "1")) "]}");

	g_assert_cmpint(two->rows->len, ==, 2);
	g_assert_cmpint(other->rows->len, ==, 2);
	g_assert_cmpint(less->rows->len, ==, 2);
	g_assert_cmpint(one->rows->len, ==, 1);
	g_assert_cmpint(glued->rows->len, ==, 2);
}

/* A good document and half of one: the run was still going on when it broke. */
static void test_truncated_second(void)
{
	bad(DOCUMENT("1000", JOB("a", "", DIRECTION("100", "50.0", "1000"))) "{\"fio version\":\"fio-3.33\",\n\"jobs\":[{",
		"x:3: truncated or incomplete JSON: the text ends in the middle of the document that begins in line 2");
}

static void test_bad_documents(void)
{
	bad("{\"fio version\":\"fio-3.33\"}", "without \"jobs\"");
	bad("{\"fio version\":\"fio-3.33\",\"jobs\":[1]}", "a job is an object");
	bad("{\"fio version\":\"fio-3.33\",\"jobs\":[]}", "no result of the format fio-json");
	bad("{\"fio version\":\"fio-3.33\",\n\"jobs\":[oops]}", "x:2: no valid JSON: a value expected, not \"o\" (byte 35)");
	bad("{\"fio version\":\"fio-3.33\" \"jobs\":[]}", "\",\" or \"}\" expected");
	bad("{\"fio version\":\"fio-3.33\",}", "a key in quotes expected");
	bad("{\"fio version\":\"fio-3.33\",\"x\":1.2.3}", "a value expected");
}

static void test_depth_bound(void)
{
	g_autoptr(GString) text = g_string_new("{\"fio version\":\"fio-3.33\",\"jobs\":");

	for (guint i = 0; i < 100000; i++)
		g_string_append_c(text, '[');
	bad(text->str, "nested deeper than 64 levels");
}

static void test_headlines(void)
{
	check(DOCUMENT("1", JOB("a", "", DIRECTION("100", "nan", "1000"))), 0, "failure", "iops is not a number (nan or inf)");
	check(DOCUMENT("1", JOB("a", "", "{\"total_ios\":1,\"bw\":-inf,\"iops\":1}")), 0, "failure",
		"bw is not a number (nan or inf)");
	check(DOCUMENT("1", JOB("a", "", "{\"total_ios\":1,\"bw\":1,\"iops\":1,\"lat_ns\":{\"mean\":-nan}}")), 0, "failure",
		"the mean of lat_ns is not a number (nan or inf)");
	check(DOCUMENT("1", JOB("a", "", "{\"total_ios\":0,\"bw\":0,\"iops\":0}")), 0, "failure", "no I/O was done");
}

/* numjobs without group_reporting: shares of one result. */
static void test_joined(void)
{
	static const char text[] = DOCUMENT("1", JOB("a", "\"numjobs\":\"2\"", DIRECTION("100", "50.0", "2000")) ","
		JOB("a", "\"numjobs\":\"2\"", DIRECTION("300", "150.0", "1999")) ","
		JOB("other", "\"rw\":\"write\"", DIRECTION("1", "1.0", "1000")));

	check(text, 0, "leg.jobs", "2");
	check(text, 0, "total.iops", "200");
	check(text, 0, "total.ops", "400");
	check(text, 0, "total.bytes", "8192");
	check(text, 0, "total.ns", "2000000000");
	check(text, 0, "total.whole.mean", "5");
	check(text, 0, "more.joined_entries", "2");
	check(text, 0, "warning", "1 more job of its group ran at the same time: its figures are a share");
	check(text, 1, "name", "other");
}

static void test_options(void)
{
	static const struct {
		const char *options, *path, *value;
	} rows[] = {
		{"\"bs\":\"4k,64k\"", "leg.block_sizes", "4k,64k"},
		{"\"bs\":\"4k,4096\"", "leg.block_size", "4096"},
		{"\"blocksize\":\"1m\"", "leg.block_size", "1048576"},
		{"\"bs\":\"4ki\"", "leg.block_size", "4000"},
		{"\"bs\":\"4k\",\"kb_base\":\"1000\"", "leg.block_size", "4000"},
		{"\"bs\":\"4KiB\",\"kb_base\":\"1000\"", "leg.block_size", "4096"},
		{"\"bsrange\":\"4k-64k\"", "leg.block_sizes", "4k-64k"},
		{"\"rw\":\"randread\"", "leg.block_size", "4096"},
		{"\"rw\":\"readwrite:8\"", "leg.rw", "rw"},
		{"\"rw\":\"randrw\",\"rwmixwrite\":\"20\"", "leg.mix_read", "80"},
		{"\"rw\":\"randrw\"", "leg.mix_read", "50"},
		{"\"rw\":\"read\"", "leg.mix_read", NULL},
		{"\"direct\":\"\"", "leg.direct", "1"},
		{"\"buffered\":\"0\"", "leg.direct", "1"},
		{"\"rw\":\"read\"", "leg.direct", "0"},
		{"\"sync\":\"dsync\"", "leg.sync", "dsync"},
		{"\"sync\":\"1\"", "leg.sync", "sync"},
		{"\"sync\":\"0\"", "leg.sync", "none"},
		{"\"fsync\":\"8\"", "leg.fsync_every", "8"},
		{"\"fsync\":\"8\"", "leg.sync", "fsync"},
		{"\"numjobs\":\"4\",\"group_reporting\":\"\"", "leg.jobs", "4"},
		{"\"group_reporting\":\"\"", "leg.jobs", NULL},
		{"\"iodepth\":\"8\",\"iodepth\":\"16\"", "leg.queue_depth", "16"},
		{"\"rate_iops\":\"1000\"", "leg.rate_iops", "1000"},
		{"\"bs\":\"lots\"", "leg.block_sizes", "lots"},
		{"\"iodepth\":\"many\"", "leg.queue_depth", "1"},
		{"\"filename\":\"a\\\"\\u00e9\\ud83d\\ude00\"", "more.filename", "a\"\xc3\xa9\xf0\x9f\x98\x80"},
	};

	for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
		g_autofree char *text = g_strdup_printf("{\"fio version\":\"x\",\"jobs\":[{\"jobname\":\"a\",\"job options\":{%s},"
			"\"read\":%s}]}", rows[i].options, DIRECTION("100", "50.0", "2000"));

		check(text, 0, rows[i].path, rows[i].value);
	}
}

/* The bins decide by what they hold, not by a version: indices that an unmarked build prints are found out too. */
static void test_bins(void)
{
	static const struct {
		const char *bins, *warning;
	} rows[] = {
		{"\"100000\":60,\"200000\":40", NULL},
		{"\"100000\":60,\"200000\":39", "latency bins ignored: their counts do not add up to the number of samples"},
		{"\"100000\":60,\"900000\":40", "latency bins ignored: they lie above the longest latency"},
		{"\"100000\":60,\"150000\":40", "latency bins ignored: they end below the longest latency"},
		{"\"50000\":60,\"200000\":40", "latency bins ignored: they lie below the shortest latency"},
		{"\"100000\":99,\"200000\":1", "latency bins ignored: the percentiles beside them differ"},
		{"\"100000\":60,\"x\":40", "latency bins ignored: a bin is not a duration with a count"},
		{"\"100000\":-1", "latency bins ignored: a bin is not a duration with a count"},
		{"\"99999999999999999\":100", "latency bins ignored: a bin is not a duration with a count"},
		{"\"100000\":0", "latency bins ignored: they are all empty"},
		{"", NULL},
	};

	for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
		g_autofree char *text = g_strdup_printf("{\"fio version\":\"x\",\"jobs\":[{\"jobname\":\"a\",\"read\":{"
			"\"total_ios\":100,\"iops\":10,\"runtime\":1000,\"clat_ns\":{\"min\":100000,\"max\":200000,\"mean\":140000,"
			"\"N\":100,\"percentile\":{\"99.000000\":200000},\"bins\":{%s}}}}]}", rows[i].bins);

		check(text, 0, "warning", rows[i].warning);
		check(text, 0, "read.complete.p90", rows[i].warning || !*rows[i].bins ? NULL : "200000");
	}
}

/* Wherever the locale puts its decimal mark, numbers stay the same. */
static void test_locale(void)
{
	static const char *const names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE.utf8"};

	for (guint i = 0; i < G_N_ELEMENTS(names); i++)
		if (setlocale(LC_ALL, names[i])) {
			check_expected(cases, G_N_ELEMENTS(cases));
			setlocale(LC_ALL, "C");
			return;
		}
	g_test_skip("no locale with a decimal comma is installed");
}

/* Line ends of other systems change nothing. */
static void test_crlf(void)
{
	g_autoptr(ImportLoaded) loaded = load_data(F01);
	g_auto(GStrv) lines = g_strsplit(loaded->input.data, "\n", -1);
	g_autofree char *text = g_strjoinv("\r\n", lines);

	check(text, 0, "write.bytes", "73728");
	check(text, 0, "name", "t0");
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/import/fio/cases", test_cases);
	g_test_add_func("/import/fio/terse-cut", test_terse_cut);
	g_test_add_func("/import/fio/files", test_files);
	g_test_add_func("/import/fio/truncated", test_truncated);
	g_test_add_func("/import/fio/cut-anywhere", test_cut_anywhere);
	g_test_add_func("/import/fio/two-runs", test_two_runs);
	g_test_add_func("/import/fio/truncated-second", test_truncated_second);
	g_test_add_func("/import/fio/bad-documents", test_bad_documents);
	g_test_add_func("/import/fio/depth-bound", test_depth_bound);
	g_test_add_func("/import/fio/headlines", test_headlines);
	g_test_add_func("/import/fio/joined", test_joined);
	g_test_add_func("/import/fio/options", test_options);
	g_test_add_func("/import/fio/bins", test_bins);
	g_test_add_func("/import/fio/locale", test_locale);
	g_test_add_func("/import/fio/crlf", test_crlf);
	return g_test_run();
}
