/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/run/contradictions.h"

#include <math.h>

/* A mean of exact sums: what a double makes of it. */
#define ROUNDING 1e-6

static char *check_direction(const PlanWorkload *workload, const Counted *counted)
{
	gboolean reads_only = g_str_equal(workload->rw, "read") || g_str_equal(workload->rw, "randread");
	gboolean writes_only = g_str_equal(workload->rw, "write") || g_str_equal(workload->rw, "randwrite");

	if (reads_only && counted->ops_write)
		return g_strdup_printf("rw is %s, but it counts %" G_GUINT64_FORMAT " writes", workload->rw, counted->ops_write);
	if (writes_only && counted->ops_read)
		return g_strdup_printf("rw is %s, but it counts %" G_GUINT64_FORMAT " reads", workload->rw, counted->ops_read);
	return NULL;
}

static char *seconds_text(double ns)
{
	char text[G_ASCII_DTOSTR_BUF_SIZE];

	return g_strdup(g_ascii_formatd(text, sizeof(text), "%.3f", ns / 1e9));
}

static char *check_times(const json_t *result, const PlanWorkload *workload, const Counted *counted)
{
	const json_t *begin = json_object_get(json_object_get(result, "begin"), "boot_ns");
	const json_t *end = json_object_get(json_object_get(result, "end"), "boot_ns");
	double span, tick = plan_engine_program(workload->engine) ? CONTRADICTIONS_SEEN_NS : CONTRADICTIONS_TICK_NS;

	if (!json_is_integer(begin) || !json_is_integer(end))
		return NULL;
	span = (double)json_integer_value(end) - (double)json_integer_value(begin);
	if (fabs(span - (double)counted->ns) <= tick + 0.01 * (double)counted->ns)
		return NULL;
	g_autofree char *apart = seconds_text(span);
	g_autofree char *measured = seconds_text((double)counted->ns);

	return g_strdup_printf("begin and end are %s s apart, the measured time is %s s", apart, measured);
}

static char *check_depth(const json_t *result, const PlanWorkload *workload)
{
	const json_t *value = json_object_get(result, "depth_mean");
	double depth = json_number_value(value), most = (double)workload->queue_depth * (double)workload->jobs;
	char text[G_ASCII_DTOSTR_BUF_SIZE];

	if (!json_is_number(value) || (depth >= 0 && depth <= most * (1 + ROUNDING)))
		return NULL;
	return g_strdup_printf("a mean depth of %s is none that queue depth x jobs = %.0f allows",
		g_ascii_formatd(text, sizeof(text), "%.2f", depth), most);
}

/* Operations in all STEPS; -1: one is no count of whole blocks. */
static gint64 sum_of(const json_t *steps, guint64 block_size)
{
	guint64 sum = 0;

	for (gsize i = 0; i < json_array_size(steps); i++) {
		const json_t *step = json_array_get(steps, i);
		json_int_t bytes = json_integer_value(step);

		if (!json_is_integer(step) || bytes < 0 || (guint64)bytes % block_size)
			return -1;
		sum += (guint64)bytes / block_size;
	}
	return sum > G_MAXINT64 ? -1 : (gint64)sum;
}

static char *check_sum(const json_t *steps, const char *name, guint64 ops, const PlanWorkload *workload)
{
	guint64 in_flight = (guint64)workload->queue_depth * workload->jobs;
	gint64 sum = sum_of(steps, workload->block_size);

	if (sum < 0)
		return g_strdup_printf("a step of its series of %ss is not a number of whole blocks", name);
	/* What is in flight when the time is over completes after the last step. */
	if ((guint64)sum > ops || ops - (guint64)sum > in_flight)
		return g_strdup_printf("its series has %" G_GINT64_FORMAT " %ss, its counters %" G_GUINT64_FORMAT, sum, name, ops);
	return NULL;
}

static char *check_series(const json_t *result, const PlanWorkload *workload, const Counted *counted)
{
	const json_t *series = json_object_get(result, "series");
	const json_t *read = json_object_get(series, "read_bytes"), *write = json_object_get(series, "write_bytes");
	json_int_t interval = json_integer_value(json_object_get(series, "interval_ns"));
	gsize n = json_array_size(read);
	char *wrong;

	if (!series || json_is_null(series))
		return NULL;
	if (interval <= 0 || !json_is_array(read) || !json_is_array(write) || n != json_array_size(write))
		return g_strdup("its series has no interval, or not as many steps of reads as of writes");
	if (n && (double)(n - 1) * (double)interval >= (double)counted->ns)
		return g_strdup("its series goes on after the measured time");
	wrong = check_sum(read, "read", counted->ops_read, workload);
	return wrong ? wrong : check_sum(write, "write", counted->ops_write, workload);
}

char *contradictions_find(const json_t *result, const PlanWorkload *workload, const Counted *counted)
{
	char *wrong = check_direction(workload, counted);

	if (!wrong)
		wrong = check_times(result, workload, counted);
	if (!wrong)
		wrong = check_depth(result, workload);
	return wrong ? wrong : check_series(result, workload, counted);
}
