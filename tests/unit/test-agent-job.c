/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <glib.h>

#include "guest-agent/common/cleanup.h"
#include "guest-agent/job.h"

#define LEAST "\"path\":\"/x\",\"size\":1048576,\"rw\":\"read\",\"block_size\":4096,\"run_ns\":1000000000"
#define BUT_RW "\"path\":\"/x\",\"size\":1048576,\"block_size\":4096,\"run_ns\":1000000000,"

static void test_defaults(void)
{
	CLEANUP_JSON json_t *json = json_loads("{" LEAST "}", 0, NULL);
	Fault fault = {0};
	Job job;

	g_assert_cmpint(job_parse(json, &job, &fault), ==, 0);
	g_assert_cmpint(fault.code, ==, 0);
	g_assert_cmpstr(job.path, ==, "/x");
	g_assert_cmpuint(job.queue_depth, ==, 1);
	g_assert_cmpuint(job.jobs, ==, 1);
	g_assert_cmpstr(engine_names[job.engine], ==, "psync");
	g_assert_false(job.direct);
	g_assert_cmpuint(job.mix_read, ==, KEY_NONE);
	g_assert_cmpuint(job.rate_iops, ==, KEY_NONE);
	g_assert_cmpuint(job.interval_ns, ==, 10000000);
	g_assert_true(job_reads(&job));
	g_assert_false(job_writes(&job));
	g_assert_false(job_needs_final_sync(&job));
}

/* The example of docs/protocol.md, nulls and all. */
static void test_documented(void)
{
	CLEANUP_JSON json_t *json = json_loads("{\"path\":\"/dev/vda\",\"offset\":0,\"size\":1073741824,\"rw\":\"randread\","
		"\"mix_read\":null,\"block_size\":8192,\"direct\":true,\"sync\":\"none\",\"fsync_every\":null,\"queue_depth\":1,\"jobs\":1,"
		"\"engine\":\"psync\",\"rate_iops\":null,\"seed\":1,\"settle_ns\":250000000,\"run_ns\":1000000000,\"interval_ns\":10000000}",
		0, NULL);
	Fault fault;
	Job job;

	g_assert_nonnull(json);
	g_assert_cmpint(job_parse(json, &job, &fault), ==, 0);
	g_assert_true(job_is_random(&job));
}

typedef struct {
	const char *json;
	int code;
	const char *what, *message; /* message: a part of it */
} Bad;

static const Bad bad[] = {
	{"{}", EINVAL, "path", "path is missing"},
	{"{" LEAST ",\"blocksize\":1}", EINVAL, "blocksize", "unknown key"},
	{"{" LEAST ",\"offset\":\"0\"}", EINVAL, "offset", "whole number"},
	{"{" LEAST ",\"offset\":1.0}", EINVAL, "offset", "whole number"},
	{"{" LEAST ",\"offset\":-1}", ERANGE, "offset", "is -1"},
	{"{" LEAST ",\"direct\":1}", EINVAL, "direct", "true or false"},
	{"{" LEAST ",\"sync\":\"fdatasync\"}", EINVAL, "sync", "must be one of none, dsync, sync, fsync"},
	{"{" LEAST ",\"engine\":\"posixaio\"}", EINVAL, "engine", "psync, libaio, io_uring, null"},
	{"{" LEAST ",\"engine\":[\"psync\"]}", EINVAL, "engine", "must be a text"},
	{"{" LEAST ",\"jobs\":0}", ERANGE, "jobs", "from 1 to 256"},
	{"{" LEAST ",\"jobs\":257}", ERANGE, "jobs", "from 1 to 256"},
	{"{" LEAST ",\"jobs\":256,\"block_size\":8192}", EINVAL, "size", "less than one block of 8192 for each of 256 jobs"},
	{"{" LEAST ",\"queue_depth\":2}", EINVAL, "queue_depth", "engine psync has one request in flight"},
	{"{" LEAST ",\"queue_depth\":2,\"engine\":\"null\"}", EINVAL, "queue_depth", "engine null"},
	{"{" LEAST ",\"engine\":\"libaio\",\"queue_depth\":8}", EINVAL, "engine", "on a buffered file waits inside every call"},
	{"{" LEAST ",\"mix_read\":50}", EINVAL, "mix_read", "means nothing without rw rw or randrw"},
	{"{" BUT_RW "\"rw\":\"randrw\"}", EINVAL, "mix_read", "is missing"},
	{"{" BUT_RW "\"rw\":\"rw\",\"mix_read\":101}", ERANGE, "mix_read", "from 0 to 100"},
	{"{" BUT_RW "\"rw\":\"write\",\"sync\":\"fsync\"}", EINVAL, "fsync_every", "is missing"},
	{"{" BUT_RW "\"rw\":\"write\",\"fsync_every\":4}", EINVAL, "fsync_every", "means nothing without sync fsync"},
	{"{" LEAST ",\"sync\":\"fsync\",\"fsync_every\":4}", EINVAL, "sync", "only reads"},
	{"{" BUT_RW "\"rw\":\"trim\"}", EINVAL, "rw", "must be one of"},
	{"{" LEAST ",\"interval_ns\":100000,\"settle_ns\":0,\"run_ns\":10000000000}", ERANGE, "interval_ns", "20000 steps"},
	{"{" LEAST ",\"run_ns\":0}", ERANGE, "run_ns", "is 0"},
	{"{" LEAST ",\"rate_iops\":0}", ERANGE, "rate_iops", "is 0"},
	{"{" LEAST ",\"offset\":9223372036854775807}", ERANGE, "offset", "largest file"},
	{"{" LEAST ",\"path\":null}", EINVAL, "path", "is missing"},
	{"{" LEAST ",\"block_size\":2147483648}", ERANGE, "block_size", "1073741824"},
};

static void test_bad(void)
{
	for (size_t i = 0; i < G_N_ELEMENTS(bad); i++) {
		CLEANUP_JSON json_t *json = json_loads(bad[i].json, 0, NULL);
		Fault fault = {0};
		Job job;

		g_assert_nonnull(json);
		if (job_parse(json, &job, &fault) != -bad[i].code || fault.code != bad[i].code ||
			strcmp(fault.what, bad[i].what) != 0 || !strstr(fault.message, bad[i].message))
			g_error("%s gave code %d, what \"%s\", message \"%s\"", bad[i].json, fault.code, fault.what, fault.message);
	}
}

static void test_buffered_writes_end_with_a_sync(void)
{
	static const struct {
		const char *rest;
		gboolean expected;
	} rows[] = {
		{"\"rw\":\"write\"}", TRUE}, {"\"rw\":\"write\",\"direct\":true}", FALSE}, {"\"rw\":\"write\",\"sync\":\"dsync\"}", FALSE},
		{"\"rw\":\"write\",\"sync\":\"fsync\",\"fsync_every\":2}", TRUE}, {"\"rw\":\"rw\",\"mix_read\":100}", FALSE},
		{"\"rw\":\"rw\",\"mix_read\":99}", TRUE}, {"\"rw\":\"write\",\"engine\":\"null\"}", FALSE},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		g_autofree char *text = g_strconcat("{" BUT_RW, rows[i].rest, NULL);
		CLEANUP_JSON json_t *json = json_loads(text, 0, NULL);
		Fault fault;
		Job job;

		g_assert_cmpint(job_parse(json, &job, &fault), ==, 0);
		g_assert_cmpint(job_needs_final_sync(&job), ==, rows[i].expected);
	}
}

static void test_engines_are_complete(void)
{
	for (unsigned i = 0; engines[i]; i++) {
		const EngineOps *ops = engines[i];

		g_assert_cmpuint(ops->version, ==, ENGINE_VERSION);
		g_assert_cmpstr(ops->name, ==, engine_names[i]);
		g_assert_cmpuint(engine_find(ops->name), ==, i);
		g_assert_nonnull(ops->summary);
		g_assert_nonnull(ops->probe);
		if (ops->outside)
			g_assert_true(!ops->transfer && !ops->submit &&
				(g_str_has_suffix(ops->name, ops->outside) || g_str_has_prefix(ops->name, ops->outside)));
		else
			g_assert_true((ops->transfer != NULL) != (ops->submit != NULL));
		g_assert_true((ops->submit != NULL) == (ops->reap != NULL));
	}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/job/defaults", test_defaults);
	g_test_add_func("/job/documented", test_documented);
	g_test_add_func("/job/bad", test_bad);
	g_test_add_func("/job/buffered-writes-end-with-a-sync", test_buffered_writes_end_with_a_sync);
	g_test_add_func("/job/engines-are-complete", test_engines_are_complete);
	return g_test_run();
}
