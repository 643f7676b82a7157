/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Every doubt in both directions: it is raised when it should be, and not when it should not. */
#include <math.h>
#include <string.h>

#include "harness/check/check.h"

#define GiB (1ll << 30)
#define S 1000000000ll

/* ---- what came out ---- */

typedef struct {
	GString *flags;	 /* "FLAG: evidence\n" */
	GString *absent; /* "column: reason\n" */
} Out;

static void on_flag(const char *flag, const char *evidence, void *data)
{
	g_string_append_printf(((Out *)data)->flags, "%s: %s\n", flag, evidence);
}

static void on_absent(const char *column, const char *reason, void *data)
{
	g_string_append_printf(((Out *)data)->absent, "%s: %s\n", column, reason);
}

static Out out;
static const CheckSink sink = {on_flag, on_absent, &out};

static void clear(void)
{
	g_string_truncate(out.flags, 0);
	g_string_truncate(out.absent, 0);
}

static void silent(void)
{
	g_assert_cmpstr(out.flags->str, ==, "");
	clear();
}

/* One flag, whose evidence begins with BEGIN. */
static void raised(const char *begin)
{
	if (!g_str_has_prefix(out.flags->str, begin) || strchr(out.flags->str, '\n') != strrchr(out.flags->str, '\n'))
		g_error("expected one flag \"%s...\", got \"%s\"", begin, out.flags->str);
	clear();
}

/* ---- rows: "name=number" or "name=text" ---- */

static void set(Record *record, const char *text)
{
	g_auto(GStrv) words = g_strsplit(text, " ", 0);

	for (guint i = 0; words[i]; i++) {
		g_auto(GStrv) pair = g_strsplit(words[i], "=", 2);
		char *end;
		gint64 number = g_ascii_strtoll(pair[1], &end, 10);

		if (end != pair[1] && *end == '.')
			record_set_real(record, pair[0], g_ascii_strtod(pair[1], NULL));
		else if (end != pair[1] && !*end)
			record_set_int(record, pair[0], number);
		else
			record_set_text(record, pair[0], pair[1]);
	}
}

static Record *row(const char *text)
{
	Record *record = record_new();

	if (*text)
		set(record, text);
	return record;
}

/* ---- CACHED, MIXED ---- */

static void bytes(const char *text)
{
	g_autoptr(Record) run = row(text);

	check_bytes(run, 0, &sink);
}

static void test_bytes(void)
{
	g_autoptr(Record) run = row("ns=1000000000 bytes_read=1000 host_device_read_bytes=100 process_read_bytes=50");

	check_bytes(run, 0, &sink);
	raised("CACHED: 95.0 % of 0.0 MiB read by the load did not reach the host's device");
	g_assert_cmpfloat_with_epsilon(record_get_real(run, "absorbed_read", 0), 0.95, 1e-12);
	g_assert_false(record_has(run, "absorbed_write"));
	bytes("bytes_read=1000 host_device_read_bytes=980");
	silent();
	bytes("bytes_read=1000 host_device_read_bytes=979");
	raised("MIXED: 2.1 %");
	bytes("bytes_read=1000 host_device_read_bytes=800");
	raised("MIXED: 20.0 %");
	bytes("bytes_read=1000 host_device_read_bytes=799");
	raised("CACHED: 20.1 %");
	/* Others read too: what the process read counts. */
	bytes("bytes_read=1000 host_device_read_bytes=9000 process_read_bytes=0");
	raised("CACHED: 100.0 %");
	/* Read-ahead moves more than was asked for. */
	bytes("bytes_read=1000 host_device_read_bytes=1500 process_read_bytes=1400");
	silent();
	/* The ends of the time are known to within 5 %. */
	bytes("ns=1000 round_trip_ns=50 bytes_read=1000 host_device_read_bytes=940");
	silent();
	bytes("ns=1000 round_trip_ns=50 bytes_read=1000 host_device_read_bytes=920");
	raised("MIXED: 8.0 %");
	/* And so is where the time of another program lies. */
	record_set_int(run, "host_device_read_bytes", 940);
	record_set_int(run, "process_read_bytes", 940);
	record_set_int(run, "ns", 1000);
	check_bytes(run, 50, &sink);
	silent();
	check_bytes(run, 30, &sink);
	raised("MIXED: 6.0 %");
	bytes("bytes_written=1000 bytes_read=0 host_device_write_bytes=10 host_device_read_bytes=0");
	raised("CACHED: 99.0 % of 0.0 MiB written");
	/* No device, no verdict. */
	bytes("bytes_read=1000");
	silent();
}

/* On tmpfs the process counts nothing read, which is no cache's doing; on a disk the same count is. */
static void test_bytes_without_device(void)
{
	g_autoptr(Record) memory = row("ns=1000000000 bytes_read=1000 bytes_written=1000 process_read_bytes=0");
	g_autoptr(Record) disk = row("ns=1000000000 bytes_read=1000 process_read_bytes=0 host_device_read_bytes=0");

	check_bytes(memory, 0, &sink);
	silent();
	g_assert_false(record_has(memory, "absorbed_read"));
	g_assert_false(record_has(memory, "absorbed_write"));
	check_bytes(disk, 0, &sink);
	raised("CACHED: 100.0 % of 0.0 MiB read by the load did not reach the host's device (device 0.0 MiB, process 0.0 MiB)");
	g_assert_cmpfloat(record_get_real(disk, "absorbed_read", 0), ==, 1);
}

/* Three guests that moved 1000 bytes each: the device counts those of all. */
static void test_bytes_of_guests(void)
{
	g_autoptr(Record) both = row("ns=1000 bytes_read=1000 bytes_written=1000 other_guests_bytes=4000 host_device_read_bytes=3000");

	bytes("bytes_written=1000 bytes_read=0 other_guests_bytes=2000 host_device_write_bytes=1000");
	raised("CACHED: 66.7 % of 0.0 MiB written by the load of all guests did not reach the host's device");
	bytes("bytes_written=1000 bytes_read=0 other_guests_bytes=2000 host_device_write_bytes=2700");
	raised("MIXED: 10.0 %");
	bytes("bytes_written=1000 bytes_read=0 other_guests_bytes=2000 host_device_write_bytes=2990");
	silent();
	/* Of reads this guest's own process counts as well. */
	bytes("bytes_read=1000 other_guests_bytes=2000 host_device_read_bytes=3000 process_read_bytes=1000");
	silent();
	bytes("bytes_read=1000 other_guests_bytes=2000 host_device_read_bytes=3000 process_read_bytes=100");
	raised("CACHED: 90.0 %");
	bytes("bytes_read=1000 other_guests_bytes=2000 host_device_read_bytes=1000");
	raised("CACHED: 66.7 %");
	check_bytes(both, 0, &sink);
	g_assert_nonnull(strstr(out.absent->str, "absorbed_read: several guests read and wrote"));
	g_assert_nonnull(strstr(out.absent->str, "absorbed_write: several guests read and wrote"));
	g_assert_false(record_has(both, "absorbed_read"));
	silent();
}

/* ---- DATASET_SMALL: the six rows of a table that names each case ---- */

static void dataset(const char *leg_text, const char *run_text, guint64 host_memory)
{
	g_autoptr(Record) leg = row(leg_text);
	g_autoptr(Record) run = row(run_text);

	check_dataset(leg, host_memory, run, &sink);
}

static void test_dataset(void)
{
	dataset("side=guest direct=0 cache=none target_size=268435456 memory=536870912", "", GiB);
	raised("DATASET_SMALL: the guest's page cache may hold 512 MiB, the data set has 256 MiB; 1024 MiB are needed");
	dataset("side=guest direct=0 cache=none target_size=1153433600 memory=536870912", "", GiB);
	silent();
	dataset("side=guest direct=1 cache=none target_size=268435456 memory=536870912", "", GiB);
	silent();
	dataset("side=guest direct=1 cache=writeback target_size=1073741824 memory=536870912", "", 8 * GiB);
	raised("DATASET_SMALL: the host's page cache may hold 8192 MiB, the data set has 1024 MiB; 16384 MiB are needed");
	dataset("side=guest direct=1 cache=writeback target_size=17179869184 memory=536870912", "", 8 * GiB);
	silent();
	dataset("side=host direct=0 target_size=8589934592", "", 8 * GiB);
	raised("DATASET_SMALL: the host's page cache may hold 8192 MiB, the data set has 8192 MiB; 16384 MiB are needed");
	dataset("side=host direct=1 target_size=8589934592", "", 8 * GiB);
	silent();
	dataset("side=guest direct=1 cache=directsync target_size=1048576 memory=536870912", "", GiB);
	silent();
	dataset("side=guest direct=1 cache=writethrough target_size=1048576 memory=536870912", "", GiB);
	raised("DATASET_SMALL: the host's");
	/* All bytes reached the device: no cache can have answered. */
	dataset("side=host direct=0 target_size=1048576", "bytes_read=10 absorbed_read=0.01", GiB);
	silent();
	dataset("side=host direct=0 target_size=1048576", "bytes_read=10 bytes_written=5 absorbed_read=0.01", GiB);
	raised("DATASET_SMALL");
	/* Nor is it known where several guests read and wrote. */
	dataset("side=guest direct=1 cache=writeback target_size=1048576", "bytes_read=10 bytes_written=10 other_guests_bytes=20", GiB);
	raised("DATASET_SMALL");
	dataset("side=host direct=0 target_size=1048576", "bytes_read=10 absorbed_read=0.5", GiB);
	raised("DATASET_SMALL");
}

/* ---- INCONSISTENT ---- */

static void little(const char *leg_text, const char *run_text)
{
	g_autoptr(Record) leg = row(leg_text);
	g_autoptr(Record) run = row(run_text);

	check_little(leg, run, &sink);
}

static void test_little(void)
{
	little("queue_depth=32 jobs=1", "ns=1000000000 ops_read=32000 complete_mean_ns=1000000.0 depth_mean=31.9");
	silent();
	little("queue_depth=32 jobs=1", "ns=1000000000 ops_read=32000 complete_mean_ns=900000.0 depth_mean=32.1");
	raised("INCONSISTENT: Little's law: operations per second x mean latency is 28.80 requests in flight, counted were 32.10");
	/* Without a count, what was asked for. */
	little("queue_depth=16 jobs=2", "ns=1000000000 ops_read=32000 complete_mean_ns=1000000.0");
	silent();
	little("queue_depth=16 jobs=4", "ns=1000000000 ops_read=32000 complete_mean_ns=1000000.0");
	raised("INCONSISTENT");
	little("queue_depth=4 jobs=1 rate_iops=100", "ns=1000000000 ops_read=100 complete_mean_ns=1000000.0");
	silent();
	little("block_size=4096", "ops_read=10 bytes_read=40960 ops_write=0 bytes_written=0");
	silent();
	little("block_size=4096", "ops_read=10 bytes_read=40961");
	raised("INCONSISTENT: bytes_read is 40961");
	little("block_size=4096", "ops_write=3 bytes_written=4096");
	raised("INCONSISTENT: bytes_written is 4096");
	little("", "");
	silent();
}

/* Engines that count no depth (fio): the time of the syncs is in ns, so fewer are in flight than asked, but never more. */
static void test_little_syncs(void)
{
	const char *every = "queue_depth=1 jobs=1 rw=write direct=1 sync=none fsync_every=8";
	const char *buffered = "queue_depth=1 jobs=1 rw=write direct=0 sync=none";
	const char *few = "ns=1000000000 ops_write=1000 complete_mean_ns=75000.0";
	const char *more = "ns=1000000000 ops_write=1000 complete_mean_ns=1200000.0";

	little(every, few);
	little(buffered, few);
	silent();
	little(every, more);
	raised("INCONSISTENT: Little's law: operations per second x mean latency is 1.20 requests in flight, asked were 1.00");
	little(buffered, more);
	raised("INCONSISTENT");
	/* Nothing waits for a sync here, and there a depth was counted. */
	little("queue_depth=1 jobs=1 rw=write direct=1 sync=none", few);
	raised("INCONSISTENT: Little's law: operations per second x mean latency is 0.07 requests in flight, asked were 1.00");
	little("queue_depth=1 jobs=1 rw=read direct=0 sync=none", few);
	raised("INCONSISTENT");
	little(every, "ns=1000000000 ops_write=1000 complete_mean_ns=75000.0 depth_mean=0.5");
	raised("INCONSISTENT: Little's law: operations per second x mean latency is 0.07 requests in flight, counted were 0.50");
}

static void test_depth(void)
{
	little("queue_depth=32 jobs=1 rw=read direct=1", "ns=1000 ops_read=1 depth_mean=1.0 complete_mean_ns=1000.0");
	raised("NOT_AS_ASKED: queue depth: asked 32, reached 1.00 on average");
	little("queue_depth=1 jobs=1 rw=read direct=1", "ns=1000 ops_read=1 depth_mean=0.5 complete_mean_ns=500.0");
	silent();
	little("queue_depth=32 jobs=1 rw=write direct=0 sync=none", "ns=1000 ops_write=1 depth_mean=9.0 complete_mean_ns=9000.0");
	silent();
}

/* ---- INCONSISTENT: what others printed ---- */

static void told(const char *leg_text, const char *run_text, double in_flight, double common)
{
	g_autoptr(Record) leg = row(leg_text);
	g_autoptr(Record) run = row(run_text);

	check_told(leg, run, in_flight, common, 33, &sink);
}

static void test_told(void)
{
	/* Others' loads wait and compute in between: fewer in flight are no contradiction, more are. */
	told("queue_depth=4 jobs=2", "ns=1000000000", 0.3, NAN);
	told("queue_depth=4 jobs=2", "ns=1000000000", 8.7, NAN);
	told("queue_depth=4 jobs=2", "ns=1000000000", NAN, NAN);
	silent();
	told("queue_depth=4 jobs=2", "ns=1000000000", 8.9, NAN);
	raised("INCONSISTENT: Little's law: operations per second x mean latency is 8.9 requests in flight, more than the 8 of the");
	/* Times of milliseconds tell no more than that; an open number of processes nothing. */
	told("queue_depth=4 jobs=2", "ns=4000000", 8.9, NAN);
	told("queue_depth=4", "ns=1000000000", 8.9, NAN);
	silent();
	/* No depth told: the other rows say it. */
	told("block_size=16384", "", 79.2, 72.1);
	told("block_size=16384", "", 713.6, NAN);
	told("block_size=16384 queue_depth=800 jobs=1", "", 713.6, 72.1);
	silent();
	told("block_size=16384", "", 713.6, 72.1);
	raised("INCONSISTENT: Little's law: operations per second x mean latency is 713.6 requests in flight, the median of 33 rows 72.1");
	told("block_size=16384", "", 6.4, 72.1);
	raised("INCONSISTENT");
}

static void test_told_bytes(void)
{
	/* A last request that is a part, and bytes in KiB. */
	told("block_size=4096 jobs=1", "ops_read=10 bytes_read=36865", NAN, NAN);
	told("block_size=4096 jobs=4", "ops_read=10 bytes_read=28672", NAN, NAN);
	told("block_size=512 jobs=1", "ops_read=3 bytes_read=2048", NAN, NAN);
	told("block_size=4096", "ops_read=10 bytes_read=4096", NAN, NAN);
	told("block_size=4096 jobs=1", "ops_read=10", NAN, NAN);
	silent();
	told("block_size=4096 jobs=1", "ops_read=10 bytes_read=36863", NAN, NAN);
	raised("INCONSISTENT: bytes_read is 36863, but ops_read x block size is 10 x 4096");
	told("block_size=65536 jobs=1", "ops_write=8000 bytes_written=32768000", NAN, NAN);
	raised("INCONSISTENT: bytes_written is 32768000");
}

static void test_common_depth(void)
{
	double depths[] = {72, 73, NAN, 70, 71, 700, 72, 74, 75, 69, 72};
	guint peers;

	g_assert_cmpfloat_with_epsilon(check_common_depth(depths, 11, &peers), 72, 1e-9);
	g_assert_cmpuint(peers, ==, 10);
	/* Two of ten that differ: the table has several depths. */
	depths[1] = 32;
	g_assert_true(isnan(check_common_depth(depths, 11, &peers)));
	g_assert_true(isnan(check_common_depth(depths + 6, 5, &peers)));
	g_assert_cmpuint(peers, ==, 5);
	g_assert_true(isnan(check_common_depth(depths, 0, &peers)));
}

/* ---- CLOCK_DRIFT ---- */

static void test_clock(void)
{
	g_autoptr(Record) run = row("bytes_per_s=20971520.0");
	CheckStamp before = {.sent_ns = 0, .other_ns = 5 * S, .came_ns = 0};
	CheckStamp after = {.sent_ns = 60 * S, .other_ns = 59 * S, .came_ns = 60 * S};

	/* 54 s of 60: what the guest calls 20 MiB/s were 18. */
	check_clock(&before, &after, run, &sink);
	raised("CLOCK_DRIFT: the clock of the load's side counted 54.000 s while the host's counted 60.000 s: -10.0 %, limit 1.0 %");
	g_assert_cmpfloat_with_epsilon(record_get_real(run, "drift", 0), -0.1, 1e-12);
	g_assert_cmpfloat_with_epsilon(record_get_real(run, "host_bytes_per_s", 0), 18874368, 1e-3);
	after.other_ns = 5 * S + 60 * S;
	check_clock(&before, &after, run, &sink);
	silent();
	after.other_ns = 5 * S + 60 * S * 1011 / 1000;
	check_clock(&before, &after, run, &sink);
	raised("CLOCK_DRIFT");
	/* The same with two questions that took a second each: the comparison is no better than that. */
	before.came_ns = S;
	after.came_ns = 61 * S;
	check_clock(&before, &after, run, &sink);
	silent();
	g_assert_cmpint(record_get_int(run, "round_trip_ns", 0), ==, S);
	/* A clock that stands still is no drift that could be told. */
	after.other_ns = before.other_ns;
	check_clock(&before, &after, run, &sink);
	g_assert_nonnull(strstr(out.absent->str, "drift: "));
	g_assert_false(record_has(run, "drift"));
	silent();
}

/* ---- NOT_STEADY ---- */

static Record *steady(const char *leg_text, guint fast, guint n, gboolean extended)
{
	g_autoptr(Record) leg = row(leg_text);
	g_autofree guint64 *ops = g_new(guint64, n);
	Record *run = record_new();
	gint64 total = 0;

	for (guint i = 0; i < n; i++)
		total += (gint64)(ops[i] = i < fast ? 300 : 100);
	record_set_int(run, "ns", (gint64)n * 10000000);
	record_set_int(run, "ops_read", total);
	record_set_real(run, "bytes_per_s", total * 4096.0 / (n * 0.01));
	check_steady(leg, ops, n, 10000000, extended, run, &sink);
	return run;
}

static void test_steady(void)
{
	const char *leg = "rw=read direct=1 block_size=4096";
	g_autoptr(Record) flat = steady(leg, 0, 100, FALSE);
	g_autoptr(Record) warm = NULL, late = NULL, few = NULL, buffered = NULL;

	silent();
	g_assert_cmpint(record_get_int(flat, "steady", -1), ==, 1);
	g_assert_cmpint(record_get_int(flat, "cut_ns", -1), ==, 0);
	g_assert_cmpfloat(record_get_real(flat, "bytes_per_s", 0), ==, 40960000);
	/* The warm-up is left out, and the run's number is that of the rest. */
	warm = steady(leg, 20, 100, FALSE);
	silent();
	g_assert_cmpint(record_get_int(warm, "steady", -1), ==, 1);
	g_assert_cmpint(record_get_int(warm, "cut_ns", -1), ==, 200000000);
	g_assert_cmpfloat_with_epsilon(record_get_real(warm, "bytes_per_s", 0), 40960000, 1e-3);
	g_assert_cmpfloat_with_epsilon(record_get_real(warm, "iops", 0), 10000, 1e-6);
	late = steady(leg, 70, 100, TRUE);
	raised("NOT_STEADY: the means of five windows range over");
	g_assert_cmpint(record_get_int(late, "steady", -1), ==, 0);
	few = steady(leg, 0, 99, FALSE);
	g_assert_nonnull(strstr(out.absent->str, "steady: the series has fewer than 100 intervals"));
	g_assert_false(record_has(few, "steady"));
	g_assert_false(record_has(few, "cut_ns"));
	silent();
	buffered = steady("rw=write direct=0 sync=none block_size=4096", 70, 100, FALSE);
	g_assert_nonnull(strstr(out.absent->str, "steady: buffered writes"));
	g_assert_false(record_has(buffered, "steady"));
	silent();
}

/* ---- EMULATED, THROTTLED ---- */

static void test_emulated(void)
{
	static const char *const legs[][2] = {{"side=guest accel=tcg", "EMULATED: accel=tcg"}, {"side=guest accel=kvm", NULL},
		{"side=host", NULL}};

	for (guint i = 0; i < G_N_ELEMENTS(legs); i++) {
		g_autoptr(Record) leg = row(legs[i][0]);

		check_emulated(leg, &sink);
		if (legs[i][1])
			raised(legs[i][1]);
		else
			silent();
	}
}

static void throttled(const char *leg_text, const char *run_text, guint cpus)
{
	g_autoptr(Record) leg = row(leg_text);
	g_autoptr(Record) run = row(run_text);

	check_throttled(leg, run, cpus, &sink);
}

/* How long the processors were idle and how long at what is not asked about. */
#define HOST_IDLE(ns) "host_idle_ns=" #ns " host_iowait_ns=0 host_irq_ns=0 host_steal_ns=0 "
#define MACHINE(idle, irq, steal) "machine_idle_ns=" #idle " machine_iowait_ns=0 machine_irq_ns=" #irq " machine_steal_ns=" #steal " "

static void test_throttled(void)
{
	throttled("side=guest", "ns=1000 machine_steal_ns=50 host_steal_ns=50", 2);
	silent();
	throttled("side=guest", "ns=1000 machine_steal_ns=51", 2);
	raised("THROTTLED: others took 5.1 % of a processor's time from the guest (steal)");
	throttled("side=guest", "ns=1000 machine_steal_ns=0 host_steal_ns=300", 2);
	raised("THROTTLED: others took 30.0 % of a processor's time from the host");
	throttled("side=guest", "ns=1000 " HOST_IDLE(500) "host_kthread_ns=0 qemu_user_ns=900 qemu_system_ns=200", 2);
	silent();
	throttled("side=guest", "ns=1000 " HOST_IDLE(500) "host_kthread_ns=600 qemu_user_ns=400 qemu_system_ns=200", 2);
	silent();
	throttled("side=guest", "ns=1000 " HOST_IDLE(500) "qemu_user_ns=400 qemu_system_ns=200", 2);
	silent();
	throttled("side=guest", "ns=1000 " HOST_IDLE(500) "host_kthread_ns=0 qemu_user_ns=400 qemu_system_ns=200", 2);
	raised("THROTTLED: other load: 45.0 % of the time of the host's 2 processors");
	throttled("side=host", "ns=1000 " MACHINE(1000, 0, 0) "host_kthread_ns=0 load_user_ns=400 load_system_ns=300", 2);
	silent();
	throttled("side=host", "ns=1000 " MACHINE(0, 0, 0) "host_kthread_ns=0 load_user_ns=400 load_system_ns=300", 2);
	raised("THROTTLED: other load: 65.0 %");
	throttled("side=host target_type=nbd", "ns=1000 " MACHINE(0, 0, 0) "host_kthread_ns=0 load_user_ns=400 load_system_ns=300", 2);
	silent();
	throttled("side=host target_type=loop", "ns=1000 " MACHINE(0, 0, 0) "host_kthread_ns=0 load_user_ns=400 load_system_ns=300", 2);
	raised("THROTTLED: other load: 65.0 %");
	throttled("side=host", "ns=1000 " MACHINE(0, 0, 0) "host_kthread_ns=900 load_user_ns=400 load_system_ns=300", 2);
	silent();
	throttled("side=host", "ns=1000 " MACHINE(0, 900, 40) "host_kthread_ns=0 load_user_ns=400 load_system_ns=300", 2);
	silent();
	/* Ticks that would say so are not asked, but the time of which it is known that nobody worked. */
	throttled("side=guest", "ns=1000 host_user_ns=1500 host_system_ns=500 " HOST_IDLE(900) "host_kthread_ns=0 qemu_user_ns=700 qemu_system_ns=300", 2);
	silent();
	throttled("side=host", "ns=1000 host_throttle_events=0 host_khz=3000000 host_base_khz=3200000", 2);
	silent();
	throttled("side=host", "ns=1000 host_throttle_events=3", 2);
	raised("THROTTLED: the host's processors were slowed down for heat 3 times");
	throttled("side=host", "ns=1000 host_khz=2000000 host_base_khz=3200000", 2);
	raised("THROTTLED: even the fastest of the host's processors ran at 2000 MHz, under 90 % of its base of 3200 MHz");
	throttled("side=host rw=read", "process_read_bytes=1000 host_device_read_bytes=1150 host_device_write_bytes=100", 2);
	silent();
	throttled("side=host rw=read", "process_read_bytes=1000 host_device_read_bytes=1250", 2);
	raised("THROTTLED: other load on the device: 0.0 MiB read by others");
	throttled("side=host rw=read", "process_read_bytes=1000 host_device_write_bytes=250", 2);
	raised("THROTTLED: other load on the device: 0.0 MiB written by others");
	throttled("side=host rw=write", "process_read_bytes=1000 host_device_write_bytes=250", 2);
	silent();
	throttled("side=host rw=read engine=bonnie++", "process_read_bytes=1000 host_device_write_bytes=950", 2);
	silent();
}

/* ---- NOT_AS_ASKED ---- */

static void test_disk(void)
{
	g_autoptr(Record) leg = row("side=guest bus=virtio queues=2 logical_block_size=512 guest_scheduler=none");
	g_autoptr(Record) host = row("side=host host_scheduler=kyber");
	CheckDisk seen = {.bus = "virtio", .driver = "virtio_blk", .scheduler = "none", .queues = 2, .logical_block_size = 512};
	const CheckDisk unknown = {.queues = -1, .logical_block_size = -1};

	check_disk(leg, &seen, &sink);
	silent();
	check_disk(leg, &unknown, &sink);
	silent();
	seen.queues = 1;
	check_disk(leg, &seen, &sink);
	raised("NOT_AS_ASKED: queues: asked 2, in effect 1");
	seen.queues = 2;
	seen.bus = "ide";
	check_disk(leg, &seen, &sink);
	raised("NOT_AS_ASKED: bus: asked virtio, in effect ide");
	seen.bus = NULL;
	seen.driver = "megaraid_sas";
	check_disk(leg, &seen, &sink);
	raised("NOT_AS_ASKED: bus: asked virtio, in effect megaraid_sas");
	seen.bus = "virtio";
	seen.scheduler = "mq-deadline";
	check_disk(leg, &seen, &sink);
	raised("NOT_AS_ASKED: guest scheduler: asked none, in effect mq-deadline");
	seen.scheduler = "none";
	seen.logical_block_size = 4096;
	check_disk(leg, &seen, &sink);
	raised("NOT_AS_ASKED: logical block size: asked 512, in effect 4096");
	seen.scheduler = "none";
	check_disk(host, &seen, &sink);
	raised("NOT_AS_ASKED: host scheduler: asked kyber, in effect none");
}

static void test_changed(void)
{
	const CheckDisk before = {.bus = "virtio", .driver = "virtio_blk", .scheduler = "none", .queues = 2, .logical_block_size = 512};
	const CheckDisk unknown = {.queues = -1, .logical_block_size = -1};
	CheckDisk after = before;

	check_changed(&before, &after, &sink);
	silent();
	check_changed(&before, &unknown, &sink);
	silent();
	check_changed(&unknown, &after, &sink);
	silent();
	after.scheduler = "bfq";
	check_changed(&before, &after, &sink);
	raised("NOT_AS_ASKED: scheduler: changed from none to bfq during the run");
	after = before;
	after.queues = 1;
	check_changed(&before, &after, &sink);
	raised("NOT_AS_ASKED: queues: changed from 2 to 1 during the run");
}

static void test_qemu(void)
{
	g_autoptr(Record) leg = row("side=guest bus=virtio cache=none io=native iothread=1 ioeventfd=1 queues=2 "
		"format=qcow2 cluster_size=4096 backing=2 extended_l2=1");
	g_autoptr(Record) host = row("side=host");
	g_autoptr(Record) seen = row("seen_cache=none seen_host_direct=1 seen_aio=native seen_iothread=1 seen_ioeventfd=1 seen_queues=2 "
		"seen_format=qcow2 seen_cluster_size=4096 seen_backing=2 seen_extended_l2=1");
	g_autoptr(Record) unknown = record_new();
	static const struct {
		const char *column, *value, *evidence;
	} planted[] = {
		{"seen_cache", "writeback", "NOT_AS_ASKED: cache: asked none, QEMU has writeback"},
		{"seen_host_direct", "0", "NOT_AS_ASKED: cache: asked none, but QEMU has the image open without O_DIRECT"},
		{"seen_aio", "threads", "NOT_AS_ASKED: aio: asked native, QEMU has threads"},
		{"seen_iothread", "0", "NOT_AS_ASKED: iothread: asked on, QEMU has it off"},
		{"seen_ioeventfd", "0", "NOT_AS_ASKED: ioeventfd: asked on, QEMU has it off"},
		{"seen_queues", "1", "NOT_AS_ASKED: queues: asked 2, QEMU has 1"},
		{"seen_format", "raw", "NOT_AS_ASKED: format: asked qcow2, QEMU has raw"},
		{"seen_cluster_size", "65536", "NOT_AS_ASKED: cluster_size: asked 4096, QEMU has 65536"},
		{"seen_backing", "0", "NOT_AS_ASKED: backing: asked 2, QEMU has 0"},
		{"seen_extended_l2", "0", "NOT_AS_ASKED: extended_l2: asked on, QEMU has it off"},
	};

	check_qemu(leg, seen, &sink);
	silent();
	check_qemu(leg, unknown, &sink);
	silent();
	for (guint i = 0; i < G_N_ELEMENTS(planted); i++) {
		g_autoptr(Record) other = record_copy(seen);
		g_autofree char *text = g_strconcat(planted[i].column, "=", planted[i].value, NULL);
		g_autoptr(Record) change = row(text);

		record_merge(other, change);
		check_qemu(host, other, &sink);
		silent();
		check_qemu(leg, other, &sink);
		raised(planted[i].evidence);
	}
}

static void test_isolation(void)
{
	g_autoptr(Record) leg = row("side=guest host_cache_limit=301989888");
	g_autoptr(Record) free = row("side=host");
	g_autoptr(Record) seen = row("seen_host_cache_limit=301989888");
	g_autoptr(Record) rounded = row("seen_host_cache_limit=301989889");
	g_autoptr(Record) smaller = row("seen_host_cache_limit=201989888");
	g_autoptr(Record) none = record_new();

	check_isolation(leg, seen, &sink);
	check_isolation(leg, rounded, &sink);
	check_isolation(free, none, &sink);
	/* A limit of the container's that nobody asked for. */
	check_isolation(free, smaller, &sink);
	silent();
	check_isolation(leg, smaller, &sink);
	raised("NOT_AS_ASKED: host_cache_limit: asked 301989888 bytes, in effect 201989888");
	check_isolation(leg, none, &sink);
	raised("NOT_AS_ASKED: host_cache_limit: asked 301989888 bytes, in effect none");
}

static void test_placement(void)
{
	g_autoptr(Record) leg = row("side=guest pin_vcpu=0/1 pin_iothread=2-3 pin_emulator=4-5 numa=0-1 hugepages=2097152");
	g_autoptr(Record) equal = row("side=guest pin_vcpu=1-2/1-2");
	g_autoptr(Record) host = row("side=host pin_load=0-3");
	g_autoptr(Record) free = row("side=guest");
	g_autoptr(Record) seen = row("seen_pin_vcpu=0/1 seen_pin_iothread=2-3 seen_pin_emulator=4-5 seen_pin_worker=2-5 seen_numa=0-1 "
				     "seen_hugepages=2097152");
	g_autoptr(Record) one = row("seen_pin_vcpu=1-2");
	g_autoptr(Record) all = row("seen_pin_load=0-3"), few = row("seen_pin_load=0-1");
	g_autoptr(Record) clock = row("side=host governor=performance turbo=off");
	g_autoptr(Record) clocked = row("seen_governor=performance seen_turbo=off"), drifted = row("seen_turbo=off");
	g_autoptr(Record) unknown = record_new();
	static const struct {
		const char *change, *evidence;
	} planted[] = {
		{"seen_pin_vcpu=0-3", "NOT_AS_ASKED: pin_vcpu: asked 0/1, in effect 0-3"},
		{"seen_pin_vcpu=1/0", "NOT_AS_ASKED: pin_vcpu: asked 0/1, in effect 1/0"},
		{"seen_pin_iothread=0-3", "NOT_AS_ASKED: pin_iothread: asked 2-3, in effect 0-3"},
		{"seen_pin_emulator=2-3", "NOT_AS_ASKED: pin_emulator: asked 4-5, in effect 2-3"},
		{"seen_pin_worker=1-5", "NOT_AS_ASKED: workers of QEMU: pin_emulator and pin_iothread asked 4-5,2-3, in effect 1-5"},
		{"seen_numa=default", "NOT_AS_ASKED: numa: asked 0-1, in effect default"},
		{"seen_hugepages=4096", "NOT_AS_ASKED: hugepages: asked pages of 2097152 bytes, in effect 4096"},
	};

	record_set_text(drifted, "seen_governor", "performance powersave");
	check_isolation(leg, seen, &sink);
	check_isolation(equal, one, &sink);
	check_isolation(leg, unknown, &sink);
	check_isolation(free, seen, &sink);
	check_isolation(host, all, &sink);
	silent();
	check_isolation(clock, clocked, &sink);
	silent();
	check_isolation(clock, drifted, &sink);
	raised("NOT_AS_ASKED: governor: asked performance, in effect performance powersave");
	check_isolation(host, few, &sink);
	raised("NOT_AS_ASKED: pin_load: asked 0-3, in effect 0-1");
	for (guint i = 0; i < G_N_ELEMENTS(planted); i++) {
		g_autoptr(Record) other = record_copy(seen);
		g_autoptr(Record) change = row(planted[i].change);

		record_merge(other, change);
		check_isolation(leg, other, &sink);
		raised(planted[i].evidence);
	}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	out = (Out){g_string_new(NULL), g_string_new(NULL)};
	g_test_add_func("/check/bytes", test_bytes);
	g_test_add_func("/check/bytes-without-device", test_bytes_without_device);
	g_test_add_func("/check/bytes-of-guests", test_bytes_of_guests);
	g_test_add_func("/check/changed", test_changed);
	g_test_add_func("/check/qemu", test_qemu);
	g_test_add_func("/check/isolation", test_isolation);
	g_test_add_func("/check/placement", test_placement);
	g_test_add_func("/check/dataset", test_dataset);
	g_test_add_func("/check/little", test_little);
	g_test_add_func("/check/little-syncs", test_little_syncs);
	g_test_add_func("/check/depth", test_depth);
	g_test_add_func("/check/told", test_told);
	g_test_add_func("/check/told-bytes", test_told_bytes);
	g_test_add_func("/check/common-depth", test_common_depth);
	g_test_add_func("/check/clock", test_clock);
	g_test_add_func("/check/steady", test_steady);
	g_test_add_func("/check/emulated", test_emulated);
	g_test_add_func("/check/throttled", test_throttled);
	g_test_add_func("/check/disk", test_disk);
	return g_test_run();
}
