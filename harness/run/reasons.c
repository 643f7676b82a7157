/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/run/reasons.h"

#include "harness/plan/plan.h"

typedef struct {
	const Record *leg;
	gboolean program; /* not the agent's own engine */
} Facts;

static gboolean always(const Facts *facts)
{
	(void)facts;
	return TRUE;
}

static gboolean by_program(const Facts *facts)
{
	return facts->program;
}

static gboolean by_agent(const Facts *facts)
{
	return !facts->program;
}

static gboolean program_on_host(const Facts *facts)
{
	return facts->program && g_strcmp0(record_get_text(facts->leg, "side"), "host") == 0;
}

static const struct {
	const char *column;
	gboolean (*applies)(const Facts *facts);
	const char *reason;
} rows[] = {
	{"depth_mean", by_program, "another program does not tell how many of its requests were in flight"},
	{"load_voluntary_switches", by_program, "fio does not tell the context switches of its I/O threads"},
	{"load_involuntary_switches", by_program, "fio does not tell the context switches of its I/O threads"},
	{"steady", by_program, "another program tells no rate of each interval, which steadiness is judged by"},
	{"cut_ns", by_program, "another program tells no rate of each interval, by which a warm-up could be cut"},
	{"cut_ns", by_agent, "buffered writes are judged as a whole, and of a run with few intervals or operations no warm-up can be told"},
	{"process_read_bytes", program_on_host, "the I/O on the host was done by another program, a child whose counters end with it"},
	{"submit_mean_ns", always, "the engine waits for each operation in the call that submits it: there is no time of submission"},
	{"complete_p50_ns", always, "a percentile needs ten operations beyond it"},
	{"complete_p90_ns", always, "a percentile needs ten operations beyond it"},
	{"complete_p99_ns", always, "a percentile needs ten operations beyond it"},
	{"complete_p999_ns", always, "a percentile needs ten operations beyond it"},
	{"complete_p9999_ns", always, "a percentile needs ten operations beyond it"},
};

void reasons_note(const Record *leg, const Record *run, Absent *absent)
{
	const char *engine = record_get_text(leg, "engine");
	const Facts facts = {leg, engine && plan_engine_program(engine)};

	for (guint i = 0; absent && i < G_N_ELEMENTS(rows); i++)
		if (!record_has(run, rows[i].column) && rows[i].applies(&facts))
			absent_note(absent, rows[i].column, rows[i].reason);
}
