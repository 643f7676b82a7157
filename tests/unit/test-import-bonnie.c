/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bonnie++ as table and CSV, whole, folded and quoted: never a shifted column, and "too fast" is no number. */
#include "import-text.h"

#define FAST -1.0 /* "+++++" */

/* The row of a machine's test. */
static const ImportRow *find(const ImportResult *result, const char *machine, const char *test)
{
	for (guint i = 0; i < result->rows->len; i++) {
		const ImportRow *row = result->rows->pdata[i];

		if (g_str_equal(row->name, machine) && g_str_equal(record_get_text(row->more, "test"), test))
			return row;
	}
	g_error("no row of %s %s", machine, test);
}

typedef struct {
	const char *machine, *test, *rw;
	gint64 size;
	double rate;	/* bytes/s, seeks: per second; FAST */
	double cpu, latency_ns; /* NaN = not told */
} Want;

static void check(const ImportResult *result, const Want *want)
{
	const ImportRow *row = find(result, want->machine, want->test);
	ImportStats total = total_of(row);
	double latency = NAN;

	for (guint i = 0; i < IMPORT_DIRECTIONS; i++)
		if (!isnan(row->stats[i].total.max_ns))
			latency = row->stats[i].total.max_ns;
	g_assert_cmpstr(record_get_text(row->leg, "rw"), ==, want->rw);
	g_assert_cmpstr(record_get_text(row->leg, "engine"), ==,
		g_str_has_suffix(want->test, "tc") ? "bonnie++:char" : "bonnie++");
	g_assert_cmpint(record_get_int(row->leg, "target_size", -1), ==, want->size);
	if (want->rate == FAST) {
		g_assert_false(total.measured);
		g_assert_nonnull(strstr(row->failure, "too fast"));
		/* What helps where. */
		g_assert_nonnull(strstr(row->failure, g_str_equal(want->test, "seeks") ? "a fixed number of seeks" : "a larger data set"));
		g_assert_cmpuint(row->flags->len, ==, 1);
		g_assert_cmpstr(((const ImportFlag *)row->flags->pdata[0])->flag, ==, "TOO_FAST");
	} else {
		g_assert_cmpstr(row->failure, ==, NULL);
		assert_near(g_str_equal(want->test, "seeks") ? total.iops : total.bytes_per_s, want->rate);
		/* Seeks have no bytes, bytes no operations. */
		g_assert_true(isnan(g_str_equal(want->test, "seeks") ? total.bytes_per_s : total.iops));
	}
	if (isnan(want->cpu))
		g_assert_false(record_has(row->run, "cpu_percent"));
	else
		assert_near(record_get_real(row->run, "cpu_percent", NAN), want->cpu);
	g_assert_true(isnan(want->latency_ns) == isnan(latency));
	if (!isnan(latency))
		assert_near(latency, want->latency_ns);
}

#define CHECK_ALL(result, wants) \
	for (guint i_ = 0; i_ < G_N_ELEMENTS(wants); i_++) \
		check(result, &(wants)[i_])

static void test_text(void)
{
	static const Want wants[] = {
		{"guest-virtio", "putc", "write", 2147483648, 15728640, 40, NAN},
		{"guest-virtio", "write_block", "write", 2147483648, 20971520, 11, NAN},
		{"guest-virtio", "rewrite", "rw", 2147483648, 23068672, 35, NAN},
		{"guest-virtio", "getc", "read", 2147483648, 31457280, 88, NAN},
		{"guest-virtio", "read_block", "read", 2147483648, 68157440, 70, NAN},
		{"guest-virtio", "seeks", "randrw", 2147483648, 144.5, 12, NAN},
		{"guest-ide", "putc", "write", 2147483648, 26214400, 79, NAN},
		{"guest-ide", "write_block", "write", 2147483648, 27262976, 25, NAN},
		{"guest-ide", "rewrite", "rw", 2147483648, 25165824, 31, NAN},
		{"guest-ide", "getc", "read", 2147483648, 27525120, 77, NAN},
		{"guest-ide", "read_block", "read", 2147483648, 59768832, 15, NAN},
		{"guest-ide", "seeks", "randrw", 2147483648, 92.5, 3, NAN},
		{"host-md1", "putc", "write", 8589934592, 42199040, 96, NAN},
		{"host-md1", "write_block", "write", 8589934592, 73400320, 22, NAN},
		{"host-md1", "rewrite", "rw", 8589934592, 36700160, 12, NAN},
		{"host-md1", "getc", "read", 8589934592, 46137344, 97, NAN},
		{"host-md1", "read_block", "read", 8589934592, 94371840, 11, NAN},
		{"host-md1", "seeks", "randrw", 8589934592, 250, 1, NAN},
	};
	g_autoptr(ImportResult) result = parse_file("23-bonnie-1.03-text.txt", "bonnie", G_N_ELEMENTS(wants));

	CHECK_ALL(result, wants);
	g_assert_cmpstr(result->producer, ==, "bonnie++ 1.03");
	g_assert_cmpint(result->documents, ==, 3);
	g_assert_cmpuint(result->warnings->len, ==, 2);
	g_assert_true(any_has(result->warnings, "sizes differ between rows"));
	g_assert_true(any_has(result->warnings, "guest RAM unknown: cannot confirm size >= 2 x RAM"));
}

static void test_csv(void)
{
	static const Want wants[] = {
		{"guest-a", "putc", "write", 4294967296, 614400, 95, 20500000},
		{"guest-a", "write_block", "write", 4294967296, 83886080, 16, 390000000},
		{"guest-a", "rewrite", "rw", 4294967296, 39845888, 12, 305000000},
		{"guest-a", "getc", "read", 4294967296, 1966080, 85, 37250000},
		{"guest-a", "read_block", "read", 4294967296, 943718400, 40, 24125000},
		{"guest-a", "seeks", "randrw", 4294967296, 2500, 18, 8250000},
		{"guest-b", "putc", "write", 4294967296, 9437184, 27, NAN},
		{"guest-b", "write_block", "write", 4294967296, 11010048, 6, NAN},
		{"guest-b", "rewrite", "rw", 4294967296, 8912896, 4, NAN},
		{"guest-b", "getc", "read", 4294967296, 30408704, 66, NAN},
		{"guest-b", "read_block", "read", 4294967296, 41943040, 6, NAN},
		{"guest-b", "seeks", "randrw", 4294967296, 150.5, 1, NAN},
	};
	g_autoptr(ImportResult) result = parse_file("24-bonnie-csv-plusses.csv", "bonnie", G_N_ELEMENTS(wants));
	const ImportRow *a = find(result, "guest-a", "putc"), *b = find(result, "guest-b", "putc");

	CHECK_ALL(result, wants);
	g_assert_cmpint(result->unix_ns, ==, G_GINT64_CONSTANT(1700000000000000000));
	g_assert_cmpint(record_get_int(a->leg, "jobs", -1), ==, 1);
	/* Files: those too fast are not there, and said. */
	assert_near(record_get_real(a->more, "seq_create_per_s", NAN), 27000);
	assert_near(record_get_real(a->more, "ran_create_per_s", NAN), 14000);
	assert_near(record_get_real(a->more, "ran_delete_per_s", NAN), 25000);
	g_assert_false(record_has(a->more, "seq_stat_per_s"));
	/* As typed columns they stand with every test of the record. */
	assert_near(record_get_real(find(result, "guest-a", "seeks")->run, "ran_delete_per_s", NAN), 25000);
	g_assert_false(record_has(find(result, "guest-a", "seeks")->run, "seq_stat_per_s"));
	g_assert_false(record_has(a->more, "seq_delete_per_s"));
	g_assert_false(record_has(a->more, "ran_stat_per_s"));
	g_assert_cmpuint(a->warnings->len, ==, 3);
	g_assert_true(any_has(a->warnings, "seq_stat: finished too fast"));
	assert_near(record_get_real(a->more, "seq_create_latency_ns", NAN), 36400000);
	assert_near(record_get_real(a->more, "seq_stat_latency_ns", NAN), 410000);
	assert_near(record_get_real(a->more, "ran_delete_latency_ns", NAN), 540000);
	assert_near(record_get_real(b->more, "seq_create_per_s", NAN), 2200);
	assert_near(record_get_real(b->more, "ran_delete_per_s", NAN), 9200);
	g_assert_false(record_has(b->more, "seq_stat_per_s"));
	g_assert_false(record_has(b->more, "seq_create_latency_ns"));
}

static void test_quoted_and_wrapped(void)
{
	static const Want wants[] = {
		{"bench-host-01.example", "putc", "write", 34359738368, 716800, 99, 19500000},
		{"bench-host-01.example", "write_block", "write", 34359738368, 524288000, 96, 96250000},
		{"bench-host-01.example", "rewrite", "rw", 34359738368, 262144000, 61, 1375000000},
		{"bench-host-01.example", "getc", "read", 34359738368, 1433600, 99, 7900000},
		{"bench-host-01.example", "read_block", "read", 34359738368, 655360000, 74, 40125000},
		{"bench-host-01.example", "seeks", "randrw", 34359738368, 4100, 140, 14750000},
	};
	/* The table above holds the same run with the name cut: it is no second one. */
	g_autoptr(ImportResult) result = parse_file("26-bonnie-quoted-and-wrapped.txt", "bonnie", G_N_ELEMENTS(wants));

	CHECK_ALL(result, wants);
	g_assert_true(any_has(result->warnings, "the quotes were taken off"));
	g_assert_false(record_has(find(result, "bench-host-01.example", "putc")->more, "seq_create_per_s"));
}

#define HEAD "Version  1.03       ------Sequential Output------ --Sequential Input- --Random-\n" \
	     "                    -Per Chr- --Block-- -Rewrite- -Per Chr- --Block-- --Seeks--\n" \
	     "Machine        Size K/sec %CP K/sec %CP K/sec %CP K/sec %CP K/sec %CP  /sec %CP\n"
#define CSV_27 "h,1G,1,2,3,4,5,6,7,8,9,10,11,12,16,1,2,3,4,5,6,7,8,9,10,11,12\n"

/* Tests that were not run leave their columns blank: by place, in the table of 2.00 with its letters. */
static void test_blank_columns(void)
{
	static const Want wants[] = {
		{"vm", "write_block", "write", 33554432, 246 * 1024, 43, 12125000},
		{"vm", "rewrite", "rw", 33554432, 1.5 * 1048576, 5, 9933000},
		{"vm", "read_block", "read", 33554432, 2147483648, 34, 12115000},
		{"vm", "seeks", "randrw", 33554432, FAST, NAN, 83117000},
	};
	g_autoptr(ImportResult) result = parse_text(
		"Version 2.00a       ------Sequential Output------ --Sequential Input- --Random-\n"
		"                    -Per Chr- --Block-- -Rewrite- -Per Chr- --Block-- --Seeks--\n"
		"Name:Size etc        /sec %CP  /sec %CP  /sec %CP  /sec %CP  /sec %CP  /sec %CP\n"
		"vm              32M            246k  43  1.5m   5            2.0g  34 +++++ +++\n"
		"Latency                       12125us    9933us             12115us   83117us\n",
		"bonnie");

	g_assert_cmpuint(result->rows->len, ==, 4);
	CHECK_ALL(result, wants);
}

static void test_folded(void)
{
	/* CSV cut within a field, and between two. */
	g_autoptr(ImportResult) csv = parse_text("h,1G,1,2,3,4,5,6,7,8,9,1\n0,11,12,16,1,2,3,4,5,6,7,8,\n9,10,11,12\n", "bonnie");
	/* A row of the table cut once; a CSV record ends where another begins. */
	g_autoptr(ImportResult) text = parse_text(HEAD "guest  2G 15360  40 20480  11 22528  35\n 30720  88 66560  70 144.5  12\n",
		"bonnie");

	assert_near(total_of(find(csv, "h", "read_block")).bytes_per_s, 9216);
	assert_near(record_get_real(find(csv, "h", "read_block")->run, "cpu_percent", NAN), 10);
	assert_near(total_of(find(text, "guest", "seeks")).iops, 144.5);
	refuse_text("h,1G,1,2,3,4,5,6,7,8,9,10\n\n" CSV_27,
		"some.txt:1: bonnie++ CSV record has 12 fields, expected 27, 48 or 50 (line wrapped by a mail program?)");
	refuse_text("h,1G,1,2,3,4,5,6,7,8,9,10\n" CSV_27, "has 12 fields");
	refuse_text("h,1G,1,2,3,4,5,6,7,8,9,10,11,12,16,1,2,3,4,5,6,7,8,9,10,11,12,13\n", "has 28 fields");
	refuse_text("h,1G,1,2,3,4,x,6,7,8,9,10,11,12,16,1,2,3,4,5,6,7,8,9,10,11,12\n",
		"field 7 of the bonnie++ CSV record cannot be \"x\"");
	refuse_text(HEAD "guest  2G 15360  40 20480  11 22528  35\n\n", "do not stand in its columns");
	refuse_text(HEAD "guest  2G 15360 20480 22528 30720 66560 144.5 12\nmore 1 2 3\n", "do not stand in its columns");
	refuse_text(HEAD "guest  2G 1 2 3 4 5 6 7 8 9 10 11 12 13\n", "do not stand in its columns");
}

/* A table's row that no CSV record has is a run of its own; prose is none. */
static void test_both(void)
{
	g_autoptr(ImportResult) result = parse_text(HEAD "h                1G     1   2     3   4     5   6     7   8     9  10  11.0  12\n"
		"i                1G     1   2     3   4     5   6     7   8     9  10  11.0  12\nIt was 5 degrees.\n\nthat is 5 lines\n\n"
		CSV_27, "bonnie");

	g_assert_cmpuint(result->rows->len, ==, 12);
	assert_near(total_of(find(result, "h", "write_block")).bytes_per_s, 3072);
	assert_near(total_of(find(result, "i", "write_block")).bytes_per_s, 3072);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/import-bonnie/23-text", test_text);
	g_test_add_func("/import-bonnie/24-csv", test_csv);
	g_test_add_func("/import-bonnie/26-quoted-and-wrapped", test_quoted_and_wrapped);
	g_test_add_func("/import-bonnie/blank-columns", test_blank_columns);
	g_test_add_func("/import-bonnie/folded", test_folded);
	g_test_add_func("/import-bonnie/both", test_both);
	return g_test_run();
}
