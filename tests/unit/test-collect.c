/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Answers of an agent, whole and broken, and the rows that come of them. */
#include <string.h>

#include "harness/base/error.h"
#include "harness/run/collect.h"

#define EMPTY "{\"n\":0,\"sum_ns\":0,\"min_ns\":null,\"max_ns\":null,\"below\":0,\"above\":0,\"slots\":[]}"
/* Twenty I/Os of about 200 ns (slot 128 begins there). */
#define TWENTY "{\"n\":20,\"sum_ns\":4000,\"min_ns\":200,\"max_ns\":200,\"below\":0,\"above\":0,\"slots\":[[128,20]]}"

static const PlanWorkload workload = {
	.rw = "read",
	.sync = "none",
	.engine = "psync",
	.mix_read = -1,
	.block_size = 8192,
	.direct = TRUE,
	.queue_depth = 1,
	.jobs = 1,
	.rate_iops = -1,
};

static json_t *answer(void)
{
	json_error_t problem;
	json_t *result = json_loads("{\"read\":{\"ops\":20,\"bytes\":163840,\"submit\":" EMPTY ",\"complete\":" TWENTY "},"
		"\"write\":{\"ops\":0,\"bytes\":0,\"submit\":" EMPTY ",\"complete\":" EMPTY "},"
		"\"sync\":{\"ops\":0,\"latency\":" EMPTY "},\"ns\":500000000,\"final_sync_ns\":null,\"settle_ns\":1000,"
		"\"begin\":{\"boot_ns\":5,\"real_ns\":6},\"end\":{\"boot_ns\":500000005,\"real_ns\":7},"
		"\"cpu\":{\"load_user_ns\":11,\"load_system_ns\":12,\"load_voluntary_switches\":0,\"machine_steal_ns\":null},"
		"\"device\":null,\"depth_mean\":1.0,"
		"\"effective\":{\"direct\":true,\"sync_flags\":\"none\",\"engine\":\"psync\",\"queue_depth\":1,\"jobs\":1,\"block_size\":8192},"
		"\"series\":{\"interval_ns\":250000000,\"read_bytes\":[81920,81920],\"write_bytes\":[0,0]}}", 0, &problem);

	g_assert_nonnull(result);
	return result;
}

static void test_outside(void)
{
	g_autoptr(StoreRun) run = store_run_new();
	g_autoptr(GError) error = NULL;
	json_t *result = answer();

	g_assert_true(collect_result(result, &workload, run, &error));
	g_assert_false(record_has(run->run, "outside_version"));
	g_assert_false(record_has(run->run, "outside_job"));
	g_assert_false(record_has(run->run, "outside_messages"));
	json_object_set_new(result, "fio",
		json_pack("{s:s, s:s, s:[s]}", "version", "fio-3.33", "job", "[iogap]\n", "messages", "note: x"));
	g_assert_true(collect_result(result, &workload, run, &error));
	g_assert_cmpstr(record_get_text(run->run, "outside_version"), ==, "fio-3.33");
	g_assert_cmpstr(record_get_text(run->run, "outside_job"), ==, "[iogap]\n");
	g_assert_cmpstr(record_get_text(run->run, "outside_messages"), ==, "[\"note: x\"]");
	json_decref(result);
}

/* Every message of a failed fio is kept with its job file, and nothing else of the run. */
static void test_outside_failed(void)
{
	g_autoptr(StoreRun) run = store_run_new();
	g_autoptr(GError) error = NULL;
	json_t *result = json_loads("{\"failed\":{\"code\":\"EIO\",\"what\":\"fio\",\"message\":\"fio failed with status 1: a; b; c\"},"
		"\"fio\":{\"version\":\"fio-3.33\",\"job\":\"[iogap]\\n\",\"messages\":[\"a\",\"b\",\"c\",\"d\",\"e\"]}}", 0, NULL);

	g_assert_nonnull(result);
	g_assert_false(collect_result(result, &workload, run, &error));
	g_assert_error(error, IOGAP_ERROR, IOGAP_ERROR_AGENT);
	g_assert_cmpstr(error->message, ==, "run: fio failed with status 1: a; b; c (EIO)");
	g_assert_cmpstr(record_get_text(run->run, "outside_messages"), ==, "[\"a\",\"b\",\"c\",\"d\",\"e\"]");
	g_assert_cmpstr(record_get_text(run->run, "outside_job"), ==, "[iogap]\n");
	g_assert_false(record_has(run->run, "bytes_per_s"));
	g_assert_cmpuint(run->hists->len + run->flags->len, ==, 0);
	json_decref(result);
}

static json_t *answer_of_tool(const char *name, const char *output)
{
	json_t *result = answer();

	json_object_del(result, "read");
	json_object_del(result, "write");
	json_object_del(result, "sync");
	json_object_del(result, "ns");
	json_object_set_new(result, "series", json_null());
	json_object_set_new(json_object_get(result, "effective"), "engine", json_string(name));
	json_object_set_new(result, "tool",
		json_pack("{s:s, s:s, s:[s,s], s:s}", "name", name, "version", "1", "arguments", name, "-x", "output", output));
	return result;
}

static StoreRun *collected_of_tool(const char *name, const char *rw, const char *output, const char *wrong)
{
	g_autoptr(StoreRun) run = store_run_new();
	g_autoptr(GError) error = NULL;
	PlanWorkload asked = workload;
	json_t *result = answer_of_tool(name, output);
	gboolean fine;

	asked.engine = name;
	asked.rw = rw;
	fine = collect_result(result, &asked, run, &error);
	json_decref(result);
	if (!wrong) {
		g_assert_no_error(error);
		g_assert_true(fine);
		return g_steal_pointer(&run);
	}
	g_assert_false(fine);
	g_assert_error(error, IOGAP_ERROR, IOGAP_ERROR_AGENT);
	if (!strstr(error->message, wrong))
		g_error("expected \"%s\", got \"%s\"", wrong, error->message);
	g_assert_false(record_has(run->run, "bytes_per_s") || record_has(run->run, "iops"));
	return NULL;
}

static void test_tool(void)
{
	static const char dd[] = "476+0 records in\n476+0 records out\n3899392 bytes (3.9 MB, 3.7 MiB) copied, 0.28 s, 14 MB/s\n";
	static const char ioping[] = "513 296724981 1729 14163250 75593 578411 17558596 1918023 514 300056001\n";
	g_autoptr(StoreRun) a = collected_of_tool("dd", "read", dd, NULL);
	g_autoptr(StoreRun) b = collected_of_tool("ioping", "randwrite", ioping, NULL);

	g_assert_cmpint(record_get_int(a->run, "bytes_read", -1), ==, 3899392);
	g_assert_cmpint(record_get_int(a->run, "bytes_written", -1), ==, 0);
	g_assert_cmpint(record_get_int(a->run, "ops_read", -1), ==, 476);
	g_assert_cmpint(record_get_int(a->run, "ns", -1), ==, 280000000);
	g_assert_cmpfloat_with_epsilon(record_get_real(a->run, "bytes_per_s", 0), 3899392 / 0.28, 1);
	g_assert_cmpfloat_with_epsilon(record_get_real(a->run, "iops", 0), 476 / 0.28, 1e-6);
	g_assert_false(record_has(a->run, "complete_mean_ns"));
	g_assert_false(record_has(a->run, "depth_mean"));
	g_assert_cmpint(record_get_int(a->run, "load_user_ns", -1), ==, 11);
	g_assert_cmpstr(record_get_text(a->run, "outside_job"), ==, "dd -x");
	g_assert_nonnull(strstr(record_get_text(a->run, "outside_messages"), "\"476+0 records out\""));
	g_assert_cmpuint(a->flags->len, ==, 0);
	g_assert_cmpint(record_get_int(b->run, "ops_write", -1), ==, 513);
	g_assert_cmpint(record_get_int(b->run, "bytes_written", -1), ==, 513 * 8192);
	g_assert_cmpfloat_with_epsilon(record_get_real(b->run, "complete_mean_ns", 0), 578411, 1);
	g_assert_cmpfloat_with_epsilon(record_get_real(b->run, "complete_max_ns", 0), 17558596, 1);
	g_assert_null(b->series);
	collected_of_tool("dd", "read", "", "what dd printed cannot be used: dd: it is empty");
	collected_of_tool("dd", "read", "hello\n", "what dd printed cannot be used");
	collected_of_tool("dd", "read", "0+0 records in\n0+0 records out\n0 bytes copied, 0.28 s, 0.0 kB/s\n", "what dd printed cannot be used");
	collected_of_tool("dd", "read", "1+1 records in\n1+1 records out\n8193 bytes (8.2 kB) copied, 0.28 s, 29 kB/s\n",
		"what dd printed cannot be used");
	collected_of_tool("ioping", "read", dd, "what ioping printed cannot be used");
}

static const char bonnie[] =
	"1.98,2.00a,iogap,1,1796104458,48M,,8192,5,,,19364,24,9000,11,,,+++++,+++,278596,896,16,,,,,5502,28,+++++,+++,31429,28,9085,"
	"38,7000,9,23566,23,,24696us,16146us,,8052us,27199us,109ms,12345us,12336us,12392us,16099us,19747us\n";

static StoreRun *collected_of_bonnie(const char *engine, const char *rw, const char *wrong)
{
	g_autoptr(StoreRun) run = store_run_new();
	g_autoptr(GError) error = NULL;
	PlanWorkload asked = workload;
	json_t *result = answer_of_tool("bonnie++", bonnie);

	json_object_set_new(json_object_get(result, "tool"), "said", json_string("a table\n"));
	json_object_set_new(json_object_get(result, "effective"), "engine", json_string(engine));
	asked.engine = engine;
	asked.rw = rw;
	if (collect_result(result, &asked, run, &error)) {
		g_assert_null(wrong);
	} else {
		g_assert_nonnull(wrong);
		g_assert_error(error, IOGAP_ERROR, IOGAP_ERROR_AGENT);
		g_assert_cmpstr(error->message, ==, wrong);
	}
	json_decref(result);
	return g_steal_pointer(&run);
}

/* One run of bonnie++ holds a figure for each leg that shares it. */
static void test_bonnie(void)
{
	g_autoptr(StoreRun) write = collected_of_bonnie("bonnie++", "write", NULL);
	g_autoptr(StoreRun) rewrite = collected_of_bonnie("bonnie++", "rw", NULL);
	g_autoptr(StoreRun) seeks = collected_of_bonnie("bonnie++", "randrw", NULL);
	g_autoptr(StoreRun) fast = collected_of_bonnie("bonnie++", "read",
		"what bonnie++ printed cannot be used: finished too fast to be timed (+++++): use a larger data set");
	g_autoptr(StoreRun) none = collected_of_bonnie("bonnie++:char", "read",
		"what bonnie++ printed cannot be used: this test is not in it");

	g_assert_cmpfloat_with_epsilon(record_get_real(write->run, "bytes_per_s", 0), 19364 * 1024.0, 1e-3);
	g_assert_cmpfloat_with_epsilon(record_get_real(write->run, "iops", 0), 19364 * 1024.0 / (double)workload.block_size, 1e-3);
	g_assert_cmpfloat(record_get_real(write->run, "cpu_percent", 0), ==, 24);
	g_assert_cmpfloat(record_get_real(write->run, "complete_max_ns", 0), ==, 24696e3);
	g_assert_cmpfloat_with_epsilon(record_get_real(rewrite->run, "bytes_per_s", 0), 9000 * 1024.0, 1e-3);
	g_assert_false(record_has(rewrite->run, "iops"));
	g_assert_cmpfloat(record_get_real(seeks->run, "iops", 0), ==, 278596);
	g_assert_false(record_has(seeks->run, "bytes_per_s"));
	/* It tells no time and no counts. */
	g_assert_false(record_has(write->run, "ns") || record_has(write->run, "bytes_written") || record_has(write->run, "ops_write"));
	g_assert_cmpfloat(record_get_real(seeks->run, "seq_create_per_s", 0), ==, 5502);
	g_assert_cmpfloat(record_get_real(seeks->run, "ran_stat_per_s", 0), ==, 7000);
	g_assert_false(record_has(seeks->run, "seq_stat_per_s"));
	/* What it printed is kept whether or not its figure can be used. */
	g_assert_true(g_str_has_suffix(record_get_text(fast->run, "outside_messages"), "19747us\",\"a table\"]"));
	g_assert_cmpuint(fast->flags->len, ==, 1);
	g_assert_cmpstr(((const StoreFlag *)fast->flags->pdata[0])->flag, ==, "TOO_FAST");
	g_assert_false(record_has(fast->run, "bytes_per_s") || record_has(fast->run, "iops"));
}

static void test_whole(void)
{
	g_autoptr(StoreRun) run = store_run_new();
	g_autoptr(GError) error = NULL;
	json_t *result = answer();

	g_assert_true(collect_result(result, &workload, run, &error));
	g_assert_no_error(error);
	g_assert_cmpfloat(record_get_real(run->run, "bytes_per_s", 0), ==, 327680);
	g_assert_cmpfloat(record_get_real(run->run, "iops", 0), ==, 40);
	g_assert_cmpfloat(record_get_real(run->run, "complete_mean_ns", 0), ==, 200);
	g_assert_cmpint(record_get_int(run->run, "ops_read", -1), ==, 20);
	g_assert_cmpint(record_get_int(run->run, "ops_write", -1), ==, 0);
	g_assert_cmpint(record_get_int(run->run, "load_voluntary_switches", -1), ==, 0);
	/* NULL is not zero: what the agent did not measure, and tails with too few values. */
	g_assert_false(record_has(run->run, "machine_steal_ns"));
	g_assert_false(record_has(run->run, "device_read_bytes"));
	g_assert_false(record_has(run->run, "submit_mean_ns"));
	g_assert_false(record_has(run->run, "final_sync_ns"));
	g_assert_true(record_has(run->run, "complete_p50_ns"));
	g_assert_false(record_has(run->run, "complete_p99_ns"));
	g_assert_cmpuint(run->hists->len, ==, 1);
	g_assert_cmpuint(run->flags->len, ==, 0);
	g_assert_nonnull(run->series);
	json_decref(result);
}

/* Sets PATH ("read.ops") of a good answer to VALUE and expects a refusal that leaves the row alone. */
static void refused(const char *group, const char *key, json_t *value, const char *part)
{
	g_autoptr(StoreRun) run = store_run_new();
	g_autoptr(GError) error = NULL;
	json_t *result = answer();

	json_object_set_new(group ? json_object_get(result, group) : result, key, value);
	g_assert_false(collect_result(result, &workload, run, &error));
	g_assert_error(error, IOGAP_ERROR, IOGAP_ERROR_AGENT);
	if (!strstr(error->message, part))
		g_error("\"%s\" is not in \"%s\"", part, error->message);
	g_assert_cmpuint(record_size(run->run), ==, 0);
	g_assert_cmpuint(run->hists->len, ==, 0);
	json_decref(result);
}

static void test_contradictions(void)
{
	refused(NULL, "ns", json_integer(0), "no measured time");
	refused(NULL, "ns", json_null(), "no measured time");
	refused("read", "ops", json_integer(19), "bytes are not operations");
	refused("read", "bytes", json_integer(163841), "bytes are not operations");
	refused("read", "ops", json_integer(-1), "missing");
	refused("read", "complete", json_null(), "missing");
	refused("read", "complete", json_loads(EMPTY, 0, NULL), "does not hold every operation");
	refused("write", "submit", json_loads(TWENTY, 0, NULL), "submit histogram");
	refused("sync", "ops", json_integer(1), "sync histogram");
	refused(NULL, "read", json_loads("{\"ops\":0,\"bytes\":0,\"submit\":" EMPTY ",\"complete\":" EMPTY "}", 0, NULL),
		"not one operation");
}

#define DIRECTION "{\"ops\":20,\"bytes\":163840,\"submit\":" EMPTY ",\"complete\":" TWENTY "}"

/* Figures that each are well formed, and are not those of the load that was asked for. */
static void test_another_load(void)
{
	refused(NULL, "write", json_loads(DIRECTION, 0, NULL), "rw is read, but it counts 20 writes");
	refused("end", "boot_ns", json_integer(77000000005), "begin and end are 77.000 s apart, the measured time is 0.500 s");
	refused("end", "boot_ns", json_integer(1), "begin and end are -0.000 s apart");
	refused("end", "boot_ns", json_integer(516000005), "begin and end are 0.516 s apart");
	refused(NULL, "depth_mean", json_real(-3), "a mean depth of -3.00 is none that queue depth x jobs = 1 allows");
	refused(NULL, "depth_mean", json_real(1.01), "a mean depth of 1.01");
	refused("series", "read_bytes", json_pack("[ii]", 1, 0), "is not a number of whole blocks");
	refused("series", "read_bytes", json_pack("[ii]", -8192, 0), "is not a number of whole blocks");
	refused("series", "read_bytes", json_pack("[ii]", 8192, 0), "its series has 1 reads, its counters 20");
	refused("series", "read_bytes", json_pack("[ii]", 163840, 8192), "its series has 21 reads, its counters 20");
	refused("series", "write_bytes", json_pack("[ii]", 8192, 0), "its series has 1 writes, its counters 0");
	refused("series", "read_bytes", json_pack("[i]", 163840), "not as many steps");
	refused("series", "interval_ns", json_integer(500000000), "goes on after the measured time");
}

/* The same answers where they are right. */
static void collected(const char *rw, const char *engine, const char *group, const char *key, json_t *value)
{
	g_autoptr(StoreRun) run = store_run_new();
	g_autoptr(GError) error = NULL;
	PlanWorkload asked = workload;
	json_t *result = answer();

	asked.rw = rw;
	asked.engine = engine;
	json_object_set_new(group ? json_object_get(result, group) : result, key, value);
	g_assert_true(collect_result(result, &asked, run, &error));
	g_assert_no_error(error);
	json_decref(result);
}

static void test_no_contradiction(void)
{
	collected("rw", "psync", NULL, "write", json_loads("{\"ops\":0,\"bytes\":0,\"submit\":" EMPTY ",\"complete\":" EMPTY "}", 0, NULL));
	collected("randread", "psync", "end", "boot_ns", json_integer(514500005));
	/* Nobody tells when an outside program begins. */
	collected("read", "fio:psync", "end", "boot_ns", json_integer(900000005));
	collected("read", "psync", NULL, "depth_mean", json_real(0));
	collected("read", "psync", NULL, "depth_mean", json_null());
	/* One was in flight when the time was over. */
	collected("read", "psync", "series", "read_bytes", json_pack("[ii]", 81920, 73728));
	collected("read", "psync", NULL, "series", json_null());
	collected("read", "psync", NULL, "begin", json_null());
}

static void test_wrong_reads(void)
{
	g_autoptr(StoreRun) run = store_run_new();
	g_autoptr(GError) error = NULL;
	PlanWorkload asked = workload;
	json_t *result = answer();

	asked.rw = "randwrite";
	g_assert_false(collect_result(result, &asked, run, &error));
	g_assert_error(error, IOGAP_ERROR, IOGAP_ERROR_AGENT);
	g_assert_cmpstr(error->message, ==, "the agent's result contradicts itself: rw is randwrite, but it counts 20 reads");
	json_decref(result);
}

static void broken_hist(const char *text)
{
	json_t *json = json_loads(text, 0, NULL);
	Hist hist;

	g_assert_nonnull(json);
	g_assert_false(collect_hist(json, &hist));
	json_decref(json);
}

static void test_histograms(void)
{
	/* Slots that do not add up, that do not exist, that are no numbers. */
	broken_hist("{\"n\":21,\"sum_ns\":1,\"min_ns\":1,\"max_ns\":1,\"below\":0,\"above\":0,\"slots\":[[128,20]]}");
	broken_hist("{\"n\":20,\"sum_ns\":1,\"min_ns\":1,\"max_ns\":1,\"below\":0,\"above\":0,\"slots\":[[3840,20]]}");
	broken_hist("{\"n\":20,\"sum_ns\":1,\"min_ns\":1,\"max_ns\":1,\"below\":0,\"above\":0,\"slots\":[[-1,20]]}");
	broken_hist("{\"n\":20,\"sum_ns\":1,\"min_ns\":1,\"max_ns\":1,\"below\":0,\"above\":0,\"slots\":[[1,\"x\"]]}");
	broken_hist("{\"n\":0,\"sum_ns\":0,\"min_ns\":null,\"max_ns\":null,\"below\":0,\"above\":0,\"slots\":null}");
	broken_hist("{}");
}

static void differs(const char *key, json_t *value, const char *evidence)
{
	g_autoptr(StoreRun) run = store_run_new();
	g_autoptr(GError) error = NULL;
	json_t *result = answer();
	const StoreFlag *flag;

	json_object_set_new(json_object_get(result, "effective"), key, value);
	g_assert_true(collect_result(result, &workload, run, &error));
	g_assert_cmpuint(run->flags->len, ==, 1);
	flag = g_ptr_array_index(run->flags, 0);
	g_assert_cmpstr(flag->flag, ==, "NOT_AS_ASKED");
	g_assert_cmpstr(flag->evidence, ==, evidence);
	json_decref(result);
}

static void test_not_as_asked(void)
{
	differs("direct", json_false(), "direct: asked true, in effect false");
	differs("direct", json_null(), "direct: asked true, in effect unknown");
	differs("engine", json_string("libaio"), "engine: asked psync, in effect libaio");
	differs("sync_flags", json_string("dsync"), "sync: asked none, in effect dsync");
	differs("queue_depth", json_integer(4), "queue_depth: asked 1, in effect 4");
	differs("block_size", json_integer(4096), "block_size: asked 8192, in effect 4096");
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/collect/outside-program", test_outside);
	g_test_add_func("/collect/outside-program-failed", test_outside_failed);
	g_test_add_func("/collect/tool", test_tool);
	g_test_add_func("/collect/bonnie", test_bonnie);
	g_test_add_func("/collect/whole", test_whole);
	g_test_add_func("/collect/contradictions", test_contradictions);
	g_test_add_func("/collect/another-load", test_another_load);
	g_test_add_func("/collect/wrong-reads", test_wrong_reads);
	g_test_add_func("/collect/no-contradiction", test_no_contradiction);
	g_test_add_func("/collect/histograms", test_histograms);
	g_test_add_func("/collect/not-as-asked", test_not_as_asked);
	return g_test_run();
}
