/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Real loads on a real file: short runs whose counts must agree, and real failures. */
#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "guest-agent/common/cleanup.h"
#include "guest-agent/common/clock.h"
#include "guest-agent/common/hist.h"
#include "guest-agent/disk.h"
#include "guest-agent/fill.h"
#include "guest-agent/load.h"
#include "guest-agent/run.h"

#define BLOCK 4096
#define BLOCKS 37 /* odd, and no power of two */
#define SIZE (BLOCK * BLOCKS)

static char *folder, *path;

/* Runs the job with the keys REST beside path and size. */
static json_t *run(const char *file, guint64 size, Fault *fault, const char *rest)
{
	g_autofree char *text = g_strdup_printf("{\"path\":\"%s\",\"size\":%" G_GUINT64_FORMAT ",%s}", file, size, rest);
	CLEANUP_JSON json_t *object = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	RunContext context = {0};
	Job job;

	g_assert_nonnull(object);
	memset(fault, 0, sizeof(*fault));
	if (job_parse(object, &job, fault) < 0)
		return NULL;
	return run_job(&job, &context, fault);
}

static gboolean did_something(const json_t *result)
{
	const json_t *read = json_object_get(result, "read"), *write = json_object_get(result, "write");

	return json_integer_value(json_object_get(read, "ops")) + json_integer_value(json_object_get(write, "ops")) > 0;
}

/* These runs are short: on a machine whose disk is busy not one operation may finish in one, so there are a few tries. */
static json_t *run_well(const char *rest)
{
	Fault fault;
	json_t *result = NULL;

	for (int tries = 0; tries < 10; tries++) {
		json_decref(result);
		result = run(path, SIZE, &fault, rest);
		if (!result)
			g_error("%s: %s", rest, fault.message);
		if (did_something(result))
			break;
	}
	return result;
}

static void expect_fault(const char *file, guint64 size, const char *rest, int code, const char *what, const char *message)
{
	Fault fault;
	json_t *result = run(file, size, &fault, rest);

	g_assert_null(result);
	if (fault.code != code || strcmp(fault.what, what) != 0 || !strstr(fault.message, message))
		g_error("%s gave code %d, what \"%s\", message \"%s\"", rest, fault.code, fault.what, fault.message);
}

/* dig(result, "read", "complete", NULL) */
static const json_t *dig(const json_t *json, ...)
{
	const char *key;
	va_list keys;

	va_start(keys, json);
	while ((key = va_arg(keys, const char *))) {
		json = json_object_get(json, key);
		g_assert_nonnull(json);
	}
	va_end(keys);
	return json;
}

static gint64 number(const json_t *json, const char *key)
{
	g_assert_true(json_is_integer(json_object_get(json, key)));
	return json_integer_value(json_object_get(json, key));
}

static gint64 sum(const json_t *array)
{
	gint64 total = 0;

	for (size_t i = 0; i < json_array_size(array); i++)
		total += json_integer_value(json_array_get(array, i));
	return total;
}

static void check_hist(const json_t *hist, gint64 n)
{
	const json_t *slots = dig(hist, "slots", NULL);
	gint64 counted = number(hist, "below") + number(hist, "above");

	for (size_t i = 0; i < json_array_size(slots); i++)
		counted += json_integer_value(json_array_get(json_array_get(slots, i), 1));
	g_assert_cmpint(number(hist, "n"), ==, n);
	g_assert_cmpint(counted, ==, n);
	if (n)
		g_assert_cmpint(number(hist, "min_ns"), <=, number(hist, "sum_ns") / n);
	else
		g_assert_true(json_is_null(json_object_get(hist, "min_ns")));
}

static void check_side(const json_t *result, const char *name, gboolean used, gboolean exact)
{
	const json_t *side = dig(result, name, NULL);
	g_autofree char *key = g_strconcat(name, "_bytes", NULL);
	gint64 ops = number(side, "ops"), series = sum(dig(result, "series", key, NULL));

	g_assert_cmpint(ops > 0, ==, used);
	g_assert_cmpint(number(side, "bytes"), ==, ops * BLOCK);
	check_hist(dig(side, "complete", NULL), ops);
	if (exact)
		g_assert_cmpint(series, ==, ops * BLOCK);
	else
		g_assert_cmpint(series, <=, ops * BLOCK);
}

/* What was asked of the engine is what was in flight, and operations, latency and time agree (Little's law). */
static void check_depth(const json_t *result, const char *name, double depth)
{
	const json_t *complete = dig(result, name, "complete", NULL);
	double mean = json_real_value(json_object_get(result, "depth_mean"));
	double little = (double)number(complete, "sum_ns") / (double)number(result, "ns");

	g_assert_cmpfloat(mean, >, 0);
	g_assert_cmpfloat(mean, <=, depth * 1.001);
	/* In a run this short one stall at its edges weighs much, as a busy machine has them. */
	g_assert_cmpfloat(little, <, mean * 1.7);
	g_assert_cmpfloat(little, >, mean * 0.5);
}

static void test_engines(void)
{
	static const char *const loads[] = {"read", "write", "randread", "randwrite"};
	static const struct {
		const char *engine;
		int depth;
	} rows[] = {{"psync", 1}, {"libaio", 1}, {"libaio", 8}, {"io_uring", 1}, {"io_uring", 8}, {"null", 1}};

	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++)
		for (size_t j = 0; j < G_N_ELEMENTS(loads); j++) {
			g_autofree char *rest = g_strdup_printf("\"rw\":\"%s\",\"engine\":\"%s\",\"queue_depth\":%d,\"direct\":true,"
				"\"block_size\":4096,\"settle_ns\":5000000,\"run_ns\":100000000",
				loads[j], rows[i].engine, rows[i].depth);
			CLEANUP_JSON json_t *result = run_well(rest);
			gboolean writes = strstr(loads[j], "write") != NULL;

			check_side(result, "read", !writes, TRUE);
			check_side(result, "write", writes, TRUE);
			check_depth(result, writes ? "write" : "read", rows[i].depth);
			g_assert_cmpint(number(result, "ns"), ==, 100000000);
			g_assert_true(json_is_null(json_object_get(result, "final_sync_ns")));
			g_assert_cmpint(json_is_true(dig(result, "effective", "direct", NULL)), ==, strcmp(rows[i].engine, "null") != 0);
			g_assert_cmpuint(json_array_size(dig(result, "series", "read_bytes", NULL)), ==, 100);
		}
}

static char *read_file(void)
{
	char *data;
	gsize length;

	g_assert_true(g_file_get_contents(path, &data, &length, NULL));
	g_assert_cmpuint(length, ==, SIZE);
	return data;
}

/* Three jobs on 37 blocks: each block is written, nothing beside them is. */
static void test_every_block_is_written(void)
{
	static const char *const loads[] = {"\"write\",\"engine\":\"psync\"", "\"randwrite\",\"engine\":\"psync\"",
		"\"write\",\"engine\":\"io_uring\",\"queue_depth\":4", "\"randwrite\",\"engine\":\"io_uring\",\"queue_depth\":4"};

	for (size_t i = 0; i < G_N_ELEMENTS(loads); i++) {
		g_autofree char *zeros = g_malloc0(SIZE), *data = NULL;
		g_autofree char *rest = g_strdup_printf("\"rw\":%s,\"block_size\":4096,\"jobs\":3,\"offset\":4096,\"run_ns\":60000000", loads[i]);
		json_t *result;
		Fault fault;

		g_assert_true(g_file_set_contents_full(path, zeros, SIZE, G_FILE_SET_CONTENTS_NONE, 0600, NULL));
		result = run(path, SIZE - 2 * BLOCK, &fault, rest);
		g_assert_nonnull(result);
		json_decref(result);
		data = read_file();
		for (int block = 0; block < BLOCKS; block++)
			g_assert_cmpint(memcmp(data + block * BLOCK, zeros, BLOCK) != 0, ==, block != 0 && block != BLOCKS - 1);
	}
}

static void test_mix(void)
{
	CLEANUP_JSON json_t *result = run_well("\"rw\":\"randrw\",\"mix_read\":70,\"block_size\":4096,\"run_ns\":100000000");
	double reads = (double)number(dig(result, "read", NULL), "ops"), writes = (double)number(dig(result, "write", NULL), "ops");

	check_side(result, "read", TRUE, FALSE);
	check_side(result, "write", TRUE, FALSE);
	/* Exact in each hundred: the rest can only be of the hundred that the end cut. */
	g_assert_cmpfloat(ABS(reads - 0.7 * (reads + writes)), <=, 30);
}

static void test_buffered_writes(void)
{
	CLEANUP_JSON json_t *result = run_well("\"rw\":\"write\",\"block_size\":4096,\"settle_ns\":10000000,\"run_ns\":50000000");

	check_side(result, "write", TRUE, FALSE);
	g_assert_cmpint(number(result, "final_sync_ns"), >, 0);
	g_assert_cmpint(number(result, "ns"), >=, 50000000 + number(result, "final_sync_ns"));
	g_assert_cmpint(number(dig(result, "end", NULL), "boot_ns") - number(dig(result, "begin", NULL), "boot_ns"), >=, 50000000);
}

static void test_fsync(void)
{
	static const char *const engine[] = {"\"psync\"", "\"io_uring\",\"queue_depth\":4", "\"libaio\",\"direct\":true,\"queue_depth\":4"};

	for (size_t i = 0; i < G_N_ELEMENTS(engine); i++) {
		g_autofree char *rest = g_strdup_printf("\"rw\":\"randwrite\",\"block_size\":4096,\"sync\":\"fsync\",\"fsync_every\":10,"
			"\"run_ns\":100000000,\"engine\":%s", engine[i]);
		CLEANUP_JSON json_t *result = run_well(rest);
		gint64 writes = number(dig(result, "write", NULL), "ops"), syncs = number(dig(result, "sync", NULL), "ops");

		check_hist(dig(result, "sync", "latency", NULL), syncs);
		g_assert_cmpint(syncs, >, 0);
		g_assert_cmpint(ABS(syncs * 10 - writes), <=, 20);
	}
}

static void test_sync_flags(void)
{
	static const char *const flags[] = {"dsync", "sync"};

	for (size_t i = 0; i < G_N_ELEMENTS(flags); i++) {
		g_autofree char *rest = g_strdup_printf("\"rw\":\"write\",\"block_size\":4096,\"sync\":\"%s\",\"run_ns\":30000000", flags[i]);
		CLEANUP_JSON json_t *result = run_well(rest);

		g_assert_cmpstr(json_string_value(dig(result, "effective", "sync_flags", NULL)), ==, flags[i]);
		g_assert_true(json_is_null(json_object_get(result, "final_sync_ns")));
	}
}

static void test_rate(void)
{
	static const char *const engine[] = {"\"psync\",\"jobs\":2", "\"io_uring\",\"queue_depth\":4", "\"libaio\",\"direct\":true,\"queue_depth\":4"};

	for (size_t i = 0; i < G_N_ELEMENTS(engine); i++) {
		g_autofree char *rest = g_strdup_printf("\"rw\":\"randread\",\"block_size\":4096,\"rate_iops\":500,\"run_ns\":200000000,\"engine\":%s",
			engine[i]);
		CLEANUP_JSON json_t *result = run_well(rest);
		gint64 ops = number(dig(result, "read", NULL), "ops");

		/* 100 are due; a busy machine can be late for the last ones, and never early. */
		g_assert_cmpint(ops, <=, 101);
		g_assert_cmpint(ops, >=, 60);
		g_assert_cmpfloat(json_real_value(json_object_get(result, "depth_mean")), <, 1);
	}
}

#define SHORT "\"rw\":\"read\",\"block_size\":4096,\"run_ns\":20000000"
#define SHORT_WRITE "\"rw\":\"write\",\"block_size\":4096,\"run_ns\":20000000"

static void test_refused(void)
{
	g_autofree char *hole = g_build_filename(folder, "hole", NULL);
	g_autofree char *gone = g_build_filename(folder, "gone", NULL);
	int fd = open(hole, O_RDWR | O_CREAT, 0600);

	g_assert_cmpint(pwrite(fd, "x", 1, 0), ==, 1);
	g_assert_cmpint(ftruncate(fd, 1 << 20), ==, 0);
	g_assert_cmpint(fsync(fd), ==, 0);
	close(fd);
	expect_fault(gone, SIZE, SHORT, ENOENT, "path", "cannot be opened for reading: No such file");
	expect_fault(folder, SIZE, SHORT, EINVAL, "path", "neither a regular file nor a block device");
	expect_fault(folder, SIZE, SHORT_WRITE, EISDIR, "path", "cannot be opened for writing");
	expect_fault("/dev/null", SIZE, SHORT, EINVAL, "path", "neither a regular file nor a block device");
	expect_fault(path, SIZE + BLOCK, SHORT, EINVAL, "size", "has 151552 bytes, the job needs 155648");
	expect_fault(hole, 1 << 20, SHORT, ENODATA, "path", "hole or unwritten space at byte 4096");
	expect_fault(path, SIZE, "\"rw\":\"read\",\"block_size\":1000,\"direct\":true,\"run_ns\":20000000", EINVAL, "block_size",
		"block_size 1000 is not a multiple of");
	expect_fault(path, SIZE - 4096, "\"rw\":\"read\",\"block_size\":4096,\"offset\":100,\"direct\":true,\"run_ns\":20000000", EINVAL,
		"offset", "offset 100 is not a multiple of");
	g_unlink(hole);
}

static void test_direct_refused(void)
{
	const char *file = "/sys/kernel/mm/transparent_hugepage/enabled"; /* sysfs knows no direct I/O */
	CLEANUP_JSON json_t *facts = NULL;
	Fault fault;

	if (access(file, R_OK) < 0) {
		g_test_skip("no file of sysfs to try direct I/O on");
		return;
	}
	expect_fault(file, 4096, "\"rw\":\"read\",\"block_size\":4096,\"direct\":true,\"run_ns\":20000000", EINVAL, "direct",
		"O_DIRECT is refused at open (Invalid argument); it lies on sysfs");
	facts = disk_inspect(file, &fault);
	g_assert_true(json_is_null(dig(facts, "dio_offset_align", NULL)));
}

/* A limit on the file size makes real writes fail: beyond it with EFBIG, across it with a short transfer. */
static void test_io_errors(void)
{
	static const char *const engine[] = {"psync", "io_uring"};
	struct rlimit old, low;

	signal(SIGXFSZ, SIG_IGN);
	g_assert_cmpint(getrlimit(RLIMIT_FSIZE, &old), ==, 0);
	for (size_t i = 0; i < G_N_ELEMENTS(engine); i++) {
		g_autofree char *rest = g_strdup_printf(SHORT_WRITE ",\"engine\":\"%s\"", engine[i]);

		low = old;
		low.rlim_cur = 8 * BLOCK;
		g_assert_cmpint(setrlimit(RLIMIT_FSIZE, &low), ==, 0);
		expect_fault(path, SIZE, rest, EFBIG, "write", "write of 4096 bytes at offset 32768 of");
		low.rlim_cur = 8 * BLOCK + 100;
		g_assert_cmpint(setrlimit(RLIMIT_FSIZE, &low), ==, 0);
		expect_fault(path, SIZE, rest, EIO, "write", "moved only 100 (a short transfer)");
		g_assert_cmpint(setrlimit(RLIMIT_FSIZE, &old), ==, 0);
	}
}

static void test_memory(void)
{
	expect_fault(path, SIZE, "\"rw\":\"read\",\"block_size\":512,\"engine\":\"io_uring\",\"queue_depth\":4097,\"run_ns\":20000000", ERANGE,
		"queue_depth", "from 1 to 4096");
	expect_fault(path, UINT64_C(1) << 40, "\"rw\":\"read\",\"block_size\":1073741824,\"engine\":\"null\",\"jobs\":256,\"run_ns\":20000000",
		ENOMEM, "queue_depth", "more than half of the free memory");
}

static void test_fill_and_drop(void)
{
	g_autofree char *file = g_build_filename(folder, "filled", NULL), *first = NULL, *second = NULL;
	json_t *result;
	Fault fault;
	gsize length;

	g_assert_null(fill_range(file, 0, 5000, 3, &fault)); /* never made */
	g_assert_cmpint(fault.code, ==, ENOENT);
	g_assert_true(g_file_set_contents(file, "", 0, NULL));
	result = fill_range(file, 0, 3000001, 3, &fault);
	g_assert_nonnull(result);
	g_assert_cmpint(number(result, "bytes"), ==, 3000001);
	json_decref(result);
	g_assert_true(g_file_get_contents(file, &first, &length, NULL));
	g_assert_cmpuint(length, ==, 3000001);
	/* The second half anew gives the same bytes: data follows from seed and place. */
	result = fill_range(file, 1 << 20, 1 << 20, 3, &fault);
	json_decref(result);
	g_assert_true(g_file_get_contents(file, &second, &length, NULL));
	g_assert_cmpmem(first, 3000001, second, length);
	result = fill_drop(file, &fault);
	g_assert_nonnull(result);
	if (json_is_true(json_object_get(result, "dropped")))
		g_assert_cmpint(number(result, "resident_bytes"), ==, 0);
	else
		g_assert_true(json_is_string(json_object_get(result, "reason")));
	json_decref(result);
	g_unlink(file);
}

static void test_null_cost(void)
{
	double cost = load_null_cost();

	g_assert_cmpfloat(cost, >, 1);
	g_assert_cmpfloat(cost, <, 100000);
}

/* File systems without direct I/O cannot run the direct jobs above. */
static gboolean direct_works(void)
{
	int fd = open(path, O_RDONLY | O_DIRECT);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/* ---- extension: the only other thread of this process is slowed down in the last two fifths of its time ---- */

#define EXTEND_RUN_MS 300

static gint helper_id;

static void waste(int signal)
{
	uint64_t until = clock_now() + 2700000;

	while (clock_now() < until)
		;
}

static void slow_down(void)
{
	g_autoptr(GDir) dir = g_dir_open("/proc/self/task", 0, NULL);
	const char *name;

	while (dir && (name = g_dir_read_name(dir))) {
		pid_t id = (pid_t)g_ascii_strtoll(name, NULL, 10);

		/* A thread that has just ended is no failure. */
		if (id != getpid() && id != g_atomic_int_get(&helper_id))
			syscall(SYS_tgkill, getpid(), id, SIGUSR1);
	}
}

static gpointer slow_down_late(gpointer data)
{
	uint64_t begin = clock_now();

	g_atomic_int_set(&helper_id, gettid());
	clock_sleep_until(begin + EXTEND_RUN_MS * UINT64_C(600000));
	while (clock_now() < begin + EXTEND_RUN_MS * UINT64_C(1000000)) {
		slow_down();
		clock_sleep_until(clock_now() + 3000000);
	}
	return NULL;
}

static json_t *run_null(gboolean slow, const char *rest)
{
	g_autofree char *text = g_strdup_printf(
		"\"rw\":\"randread\",\"block_size\":4096,\"engine\":\"null\",\"interval_ns\":3000000,\"run_ns\":%d000000%s",
		EXTEND_RUN_MS, rest);
	GThread *helper = slow ? g_thread_new("slow", slow_down_late, NULL) : NULL;
	json_t *result = run_well(text);

	if (helper)
		g_thread_join(helper);
	return result;
}

static void check_extended(json_t *result, gboolean extended)
{
	const json_t *series = dig(result, "series", NULL);
	gint64 ms = EXTEND_RUN_MS * (extended ? 2 : 1);

	g_assert_cmpint(json_is_true(dig(result, "extended", NULL)), ==, extended);
	g_assert_cmpint(number(result, "ns"), ==, ms * 1000000);
	g_assert_cmpuint(json_array_size(dig(series, "read_bytes", NULL)), ==, (size_t)ms / 3);
	/* Nothing is lost where the one time goes over into the other. */
	g_assert_cmpint(sum(dig(series, "read_bytes", NULL)), ==, number(dig(result, "read", NULL), "bytes"));
	check_hist(dig(result, "read", "complete", NULL), number(dig(result, "read", NULL), "ops"));
	json_decref(result);
}

static void test_extend(void)
{
	struct sigaction action = {.sa_handler = waste, .sa_flags = SA_RESTART};
	gboolean steady = FALSE;

	sigaction(SIGUSR1, &action, NULL);
	check_extended(run_null(TRUE, ",\"extend\":true"), TRUE);
	check_extended(run_null(TRUE, ""), FALSE);
	/* Limited to what it does easily, a load is steady, but for what else this machine is doing: one in a few tries must be. */
	for (guint i = 0; i < 10 && !steady; i++) {
		json_t *result = run_null(FALSE, ",\"extend\":true,\"rate_iops\":1000");

		steady = !json_is_true(json_object_get(result, "extended"));
		check_extended(result, !steady);
	}
	g_assert_true(steady);
	check_extended(run_null(TRUE, ",\"extend\":true,\"jobs\":3"), TRUE);
}

int main(int argc, char **argv)
{
	json_t *filled;
	Fault fault;
	int r;

	g_test_init(&argc, &argv, NULL);
	folder = g_dir_make_tmp("iogap-load-XXXXXX", NULL);
	path = g_build_filename(folder, "data", NULL);
	g_assert_true(g_file_set_contents(path, "", 0, NULL));
	filled = fill_range(path, 0, SIZE, 1, &fault);
	g_assert_nonnull(filled);
	json_decref(filled);
	if (direct_works()) {
		g_test_add_func("/load/engines", test_engines);
		g_test_add_func("/load/fsync", test_fsync);
		g_test_add_func("/load/rate", test_rate);
	}
	g_test_add_func("/load/every-block-is-written", test_every_block_is_written);
	g_test_add_func("/load/mix", test_mix);
	g_test_add_func("/load/buffered-writes", test_buffered_writes);
	g_test_add_func("/load/sync-flags", test_sync_flags);
	g_test_add_func("/load/refused", test_refused);
	g_test_add_func("/load/direct-refused", test_direct_refused);
	g_test_add_func("/load/io-errors", test_io_errors);
	g_test_add_func("/load/memory", test_memory);
	g_test_add_func("/load/fill-and-drop", test_fill_and_drop);
	g_test_add_func("/load/null-cost", test_null_cost);
	g_test_add_func("/load/extend", test_extend);
	r = g_test_run();
	g_unlink(path);
	g_rmdir(folder);
	return r;
}
