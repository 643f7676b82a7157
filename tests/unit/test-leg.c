/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One run of one leg against a side that answers from this file: what becomes a row, a flag, a lost side. */
#include <string.h>

#include "guest-agent/common/clock.h"
#include "harness/base/error.h"
#include "harness/run/leg.h"
#include "harness/side/fake.h"

#define EMPTY "{\"n\":0,\"sum_ns\":0,\"min_ns\":null,\"max_ns\":null,\"below\":0,\"above\":0,\"slots\":[]}"
#define ONE "{\"n\":1,\"sum_ns\":200,\"min_ns\":200,\"max_ns\":200,\"below\":0,\"above\":0,\"slots\":[[128,1]]}"
#define RESULT \
	"{\"id\":%ID%,\"type\":\"phase\",\"phase\":\"measure\",\"boot_ns\":1}\n" \
	"{\"id\":%ID%,\"type\":\"result\",\"result\":{\"read\":{\"ops\":1,\"bytes\":4096,\"submit\":" EMPTY ",\"complete\":" ONE "}," \
	"\"write\":{\"ops\":0,\"bytes\":0,\"submit\":" EMPTY ",\"complete\":" EMPTY "},\"sync\":{\"ops\":0,\"latency\":" EMPTY "}," \
	"\"ns\":1000000,\"settle_ns\":0,\"effective\":{\"direct\":true,\"sync_flags\":\"none\",\"engine\":\"psync\"," \
	"\"queue_depth\":1,\"jobs\":1,\"block_size\":4096}}}\n"
#define DROPPED "{\"id\":%ID%,\"type\":\"result\",\"result\":{\"dropped\":true,\"resident_bytes\":0}}\n"
#define NOT_DROPPED "{\"id\":%ID%,\"type\":\"result\",\"result\":{\"dropped\":false,\"resident_bytes\":null,\"reason\":\"not permitted\"}}\n"

typedef struct {
	const char *drop, *run; /* answers; NULL = hang up */
	char *job;		/* the job as it came, JSON */
	GCancellable *cancel;	/* triggered when the run is asked for */
} Script;

static char *answer(const char *cmd, const json_t *request, void *data)
{
	Script *script = data;

	if (g_str_equal(cmd, "drop"))
		return g_strdup(script->drop);
	if (g_str_equal(cmd, "ping"))
		return g_strdup_printf("{\"id\":%%ID%%,\"type\":\"result\",\"result\":{\"boot_ns\":%" G_GUINT64_FORMAT
				       ",\"real_ns\":1}}\n", clock_read(CLOCK_BOOTTIME));
	if (g_str_equal(cmd, "inspect"))
		return g_strdup("{\"id\":%ID%,\"type\":\"result\",\"result\":{\"bus\":null,\"scheduler\":\"none\"}}\n");
	if (g_str_equal(cmd, "cancel"))
		return g_strdup("{\"id\":%ID%,\"type\":\"error\",\"error\":{\"code\":\"ECANCELED\",\"message\":\"cancelled\"}}\n");
	g_assert_cmpstr(cmd, ==, "run");
	script->job = json_dumps(json_object_get(request, "job"), JSON_SORT_KEYS | JSON_COMPACT);
	if (script->cancel) {
		g_cancellable_cancel(script->cancel);
		return g_strdup("{\"id\":%ID%,\"type\":\"phase\",\"phase\":\"settle\",\"boot_ns\":1}\n");
	}
	return g_strdup(script->run);
}

typedef struct {
	Profile profile;
	Plan plan;
	PlanLeg leg;
	Side *host;
	Neighbours *neighbours; /* taken over; NULL = none */
	gboolean lost;
	GError *error;
} Fixture;

/* Runs the one leg of a plan made by hand against SCRIPT. */
static StoreRun *run_leg(Fixture *f, Script *script, guint block)
{
	const PlanWorkload workload = {.rw = "read", .sync = "none", .engine = "psync", .mix_read = -1, .block_size = 4096,
		.direct = TRUE, .queue_depth = 1, .jobs = 1, .rate_iops = -1};
	const SideDisk disk = {.image = "/there/is/no/such/file", .size = 1 << 20};
	LegRun run = {.plan = &f->plan, .block = block, .position = 3, .disk = &disk, .size = 1 << 20};
	StoreRun *row;

	f->profile = (Profile){.settle_ns = 1000, .run_ns = 1000000, .interval_ns = 1000};
	f->plan = (Plan){.profile = &f->profile, .seed = 42};
	f->plan.workloads = g_array_new(FALSE, FALSE, sizeof(PlanWorkload));
	g_array_append_val(f->plan.workloads, workload);
	f->plan.legs = g_ptr_array_new();
	f->leg = (PlanLeg){.side = PLAN_HOST, .host = -1};
	g_ptr_array_add(f->plan.legs, &f->leg);
	f->host = run.host = run.side = fake_side_new(answer, script);
	g_assert_true(side_start(f->host, NULL, NULL));
	run.neighbours = f->neighbours;
	if (f->neighbours)
		g_assert_true(neighbours_disk(f->neighbours, 0, f->host, &disk, NULL, NULL));
	row = leg_run(&run, script->cancel, &f->lost, &f->error);
	neighbours_free(f->neighbours);
	side_free(f->host);
	g_array_unref(f->plan.workloads);
	g_ptr_array_unref(f->plan.legs);
	return row;
}

static void test_ok(void)
{
	Fixture f = {0};
	Script script = {.drop = DROPPED, .run = RESULT};
	g_autoptr(StoreRun) row = run_leg(&f, &script, 1);

	g_assert_cmpstr(record_get_text(row->run, "status"), ==, "ok");
	g_assert_cmpint(record_get_int(row->run, "block", -1), ==, 1);
	g_assert_cmpint(record_get_int(row->run, "position", -1), ==, 3);
	g_assert_cmpint(record_get_int(row->run, "drop_ok", -1), ==, 1);
	g_assert_cmpuint(row->flags->len, ==, 0);
	g_assert_nonnull(strstr(script.job, "\"fsync_every\":null"));
	g_assert_nonnull(strstr(script.job, "\"block_size\":4096"));
	free(script.job);
}

/* The job's seed: the same for the same block, another one for another block. */
static void test_seed(void)
{
	char *jobs[3];
	static const guint blocks[] = {0, 0, 1};

	for (guint i = 0; i < 3; i++) {
		Fixture f = {0};
		Script script = {.drop = DROPPED, .run = RESULT};
		g_autoptr(StoreRun) row = run_leg(&f, &script, blocks[i]);

		jobs[i] = script.job;
	}
	g_assert_cmpstr(jobs[0], ==, jobs[1]);
	g_assert_cmpstr(jobs[0], !=, jobs[2]);
	for (guint i = 0; i < 3; i++)
		free(jobs[i]);
}

static void test_drop_failed(void)
{
	Fixture f = {0};
	Script script = {.drop = NOT_DROPPED, .run = RESULT};
	g_autoptr(StoreRun) row = run_leg(&f, &script, 0);
	const StoreFlag *flag;

	g_assert_cmpstr(record_get_text(row->run, "status"), ==, "ok");
	g_assert_cmpint(record_get_int(row->run, "drop_ok", -1), ==, 0);
	g_assert_false(record_has(row->run, "resident_bytes"));
	g_assert_cmpuint(row->flags->len, ==, 1);
	flag = g_ptr_array_index(row->flags, 0);
	g_assert_cmpstr(flag->flag, ==, "DROP_FAILED");
	g_assert_nonnull(strstr(flag->evidence, "not permitted"));
	free(script.job);
}

/* RESULT of a load that was not direct. */
static char *not_direct(void)
{
	GString *text = g_string_new(RESULT);

	g_string_replace(text, "\"direct\":true", "\"direct\":false", 0);
	return g_string_free(text, FALSE);
}

/* The flags of a run beside another guest, "FLAG: evidence|..."; that one answers with OTHER. */
static char *flags_beside(const Script *other, gint64 *ret_bytes)
{
	Script script = {.drop = DROPPED, .run = RESULT}, second = *other;
	Fixture f = {.neighbours = neighbours_new()};
	g_autoptr(StoreRun) row = NULL;
	GString *flags = g_string_new(NULL);

	g_assert_true(neighbours_add(f.neighbours, fake_side_new(answer, &second), NULL, NULL));
	row = run_leg(&f, &script, 0);
	g_assert_cmpstr(record_get_text(row->run, "status"), ==, "ok");
	for (guint i = 0; i < row->flags->len; i++) {
		const StoreFlag *flag = g_ptr_array_index(row->flags, i);

		g_string_append_printf(flags, "%s%s: %s", i ? "|" : "", flag->flag, flag->evidence);
	}
	*ret_bytes = record_get_int(row->run, "other_guests_bytes", -1);
	free(script.job);
	free(second.job);
	return g_string_free(flags, FALSE);
}

/* What is wrong with another guest's load is wrong with the run, since all of them are its load. */
static void test_neighbour(void)
{
	g_autofree char *buffered = not_direct();
	gint64 bytes;
	g_autofree char *good = flags_beside(&(Script){.drop = DROPPED, .run = RESULT}, &bytes);
	g_autofree char *odd = NULL, *cached = NULL;

	g_assert_cmpstr(good, ==, "");
	g_assert_cmpint(bytes, ==, 4096);
	cached = flags_beside(&(Script){.drop = NOT_DROPPED, .run = RESULT}, &bytes);
	g_assert_cmpstr(cached, ==, "DROP_FAILED: guest 2: fake: not permitted");
	odd = flags_beside(&(Script){.drop = DROPPED, .run = buffered}, &bytes);
	g_assert_cmpstr(odd, ==, "NOT_AS_ASKED: guest 2: direct: asked true, in effect false");
}

static void test_agent_error(void)
{
	Fixture f = {0};
	Script script = {.drop = DROPPED,
		.run = "{\"id\":%ID%,\"type\":\"error\",\"error\":{\"code\":\"ENOSPC\",\"message\":\"write at 4096: no space\"}}\n"};
	g_autoptr(StoreRun) row = run_leg(&f, &script, 0);

	g_assert_cmpstr(record_get_text(row->run, "status"), ==, "failed");
	g_assert_nonnull(strstr(record_get_text(row->run, "reason"), "no space (ENOSPC)"));
	g_assert_false(record_has(row->run, "bytes_per_s"));
	g_assert_false(f.lost);
	free(script.job);
}

static void test_lost(void)
{
	Fixture f = {0};
	Script script = {.drop = DROPPED, .run = NULL};
	g_autoptr(StoreRun) row = run_leg(&f, &script, 0);

	g_assert_cmpstr(record_get_text(row->run, "status"), ==, "failed");
	g_assert_nonnull(strstr(record_get_text(row->run, "reason"), "hung up"));
	g_assert_true(f.lost);
	free(script.job);
}

static void test_contradiction(void)
{
	Fixture f = {0};
	Script script = {.drop = DROPPED, .run = "{\"id\":%ID%,\"type\":\"result\",\"result\":{\"ns\":5}}\n"};
	g_autoptr(StoreRun) row = run_leg(&f, &script, 0);

	g_assert_cmpstr(record_get_text(row->run, "status"), ==, "failed");
	g_assert_nonnull(strstr(record_get_text(row->run, "reason"), "contradicts itself"));
	g_assert_false(record_has(row->run, "bytes_per_s"));
	free(script.job);
}

/* An interrupted run is no result at all. */
static void test_interrupted(void)
{
	Fixture f = {0};
	g_autoptr(GCancellable) cancel = g_cancellable_new();
	Script script = {.drop = DROPPED, .cancel = cancel};

	g_assert_null(run_leg(&f, &script, 0));
	g_assert_error(f.error, IOGAP_ERROR, IOGAP_ERROR_INTERRUPTED);
	g_clear_error(&f.error);
	free(script.job);
}

static void test_not_run(void)
{
	g_autoptr(StoreRun) row = leg_not_run(2, 5, "the guest never said hello");

	g_assert_cmpstr(record_get_text(row->run, "status"), ==, "failed");
	g_assert_cmpstr(record_get_text(row->run, "reason"), ==, "the guest never said hello");
	g_assert_false(record_has(row->run, "bytes_per_s"));
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/leg/ok", test_ok);
	g_test_add_func("/leg/seed", test_seed);
	g_test_add_func("/leg/drop-failed", test_drop_failed);
	g_test_add_func("/leg/neighbour", test_neighbour);
	g_test_add_func("/leg/agent-error", test_agent_error);
	g_test_add_func("/leg/lost", test_lost);
	g_test_add_func("/leg/contradiction", test_contradiction);
	g_test_add_func("/leg/interrupted", test_interrupted);
	g_test_add_func("/leg/not-run", test_not_run);
	return g_test_run();
}
