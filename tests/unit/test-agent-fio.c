/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fio's bins against our slots, its output taken apart, its job file. Real fio runs are in tests/cli/agent-fio.sh. */
#include <errno.h>
#include <glib.h>

#include "guest-agent/common/cleanup.h"
#include "guest-agent/fio-job.h"
#include "guest-agent/fio-output.h"

static json_t *load_recorded(void)
{
	const char *source = g_getenv("IOGAP_SRC");
	g_autofree char *file = g_build_filename(source ? source : ".", "tests/data/fio/latencies.json", NULL);
	json_error_t error;
	json_t *json = json_load_file(file, 0, &error);

	if (!json)
		g_error("%s: %s", file, error.text);
	return json;
}

/* fio's output around LAT, which becomes the reads' latencies. */
static json_t *output_of(json_t *lat, json_int_t bytes)
{
	return json_pack("{s:[{s:i, s:{s:I, s:i, s:i, s:i, s:{s:i, s:f, s:i, s:i}, s:O},"
			 "s:{s:i, s:i, s:i, s:i, s:{s:i, s:f, s:i, s:i}, s:{s:i, s:f, s:i, s:i}}, s:{s:{s:i, s:f, s:i, s:i}},"
			 "s:i, s:f, s:f}]}",
		"jobs", "error", 0, "read", "io_bytes", bytes, "runtime", 1000, "short_ios", 0, "drop_ios", 0, "slat_ns", "N", 0,
		"mean", 0.0, "min", 0, "max", 0, "lat_ns", lat, "write", "io_bytes", 0, "runtime", 0, "short_ios", 0,
		"drop_ios", 0, "slat_ns", "N", 0, "mean", 0.0, "min", 0, "max", 0, "lat_ns", "N", 0, "mean", 0.0, "min", 0,
		"max", 0, "sync", "lat_ns", "N", 0, "mean", 0.0, "min", 0, "max", 0, "job_runtime", 2000, "usr_cpu", 25.0,
		"sys_cpu", 50.0);
}

/* Every recorded latency lies in a bin whose bounds we know, and the bins hold just as many as fio counted. */
static void test_bounds(void)
{
	CLEANUP_JSON json_t *recorded = load_recorded();
	const json_t *values = json_object_get(recorded, "values");
	json_t *bins = json_object_get(json_object_get(recorded, "lat_ns"), "bins"), *count;
	const char *key;
	json_int_t all = 0;

	json_object_foreach(bins, key, count) {
		guint64 low, high;
		json_int_t inside = 0;

		g_assert_true(fio_output_bin(g_ascii_strtoull(key, NULL, 10), &low, &high));
		for (gsize i = 0; i < json_array_size(values); i++) {
			guint64 value = (guint64)json_integer_value(json_array_get(values, i));

			inside += value >= low && value <= high;
		}
		g_assert_cmpint(inside, ==, json_integer_value(count));
		all += inside;
	}
	g_assert_cmpint(all, ==, (json_int_t)json_array_size(values));
	g_assert_cmpint(all, >, 1000);
}

/* The same latencies counted one by one and by way of fio's bins: sums and extremes alike, percentiles within a bin. */
static void test_recorded(void)
{
	CLEANUP_JSON json_t *recorded = load_recorded();
	const json_t *values = json_object_get(recorded, "values");
	CLEANUP_JSON json_t *output = output_of(json_object_get(recorded, "lat_ns"), 4096 * 1219);
	g_autofree Hist *own = g_new(Hist, 1);
	g_autofree FioFigures *figures = g_new(FioFigures, 1);
	const Hist *theirs = &figures->complete[0];
	Fault fault = {0};

	hist_clear(own);
	for (gsize i = 0; i < json_array_size(values); i++)
		hist_add(own, (guint64)json_integer_value(json_array_get(values, i)));
	g_assert_cmpint(fio_output_parse(output, figures, &fault), ==, 0);
	g_assert_cmpuint(theirs->n, ==, own->n);
	g_assert_cmpuint(theirs->min_ns, ==, own->min_ns);
	g_assert_cmpuint(theirs->max_ns, ==, own->max_ns);
	/* fio prints its mean to a millionth. */
	g_assert_cmpuint(ABS((gint64)(theirs->sum_ns - own->sum_ns)), <=, 1);
	for (int percent = 1; percent < 100; percent++) {
		double a, b;

		g_assert_true(hist_quantile(own, percent / 100.0, true, &a));
		g_assert_true(hist_quantile(theirs, percent / 100.0, true, &b));
		g_assert_cmpfloat(ABS(a / b - 1), <=, 1.0 / 64);
	}
	g_assert_cmpuint(figures->ns, ==, 1000000000);
	g_assert_cmpuint(figures->user_ns, ==, 500000000);
	g_assert_cmpuint(figures->system_ns, ==, 1000000000);
	g_assert_cmpuint(figures->bytes[0], ==, 4096 * 1219);
	g_assert_cmpuint(figures->complete[1].n, ==, 0);
}

static void test_keys(void)
{
	static const struct {
		guint64 key, low, high;
	} good[] = {
		{0, 0, 0}, {127, 127, 127}, {129, 128, 129}, {255, 254, 255}, {258, 256, 259}, {1012, 1008, 1015}, {1032, 1024, 1039},
	};
	static const guint64 bad[] = {128, 130, 256, 257, 1024, 1040, 1 << 20, G_MAXUINT64};

	for (gsize i = 0; i < G_N_ELEMENTS(good); i++) {
		guint64 low, high;

		g_assert_true(fio_output_bin(good[i].key, &low, &high));
		g_assert_cmpuint(low, ==, good[i].low);
		g_assert_cmpuint(high, ==, good[i].high);
	}
	for (gsize i = 0; i < G_N_ELEMENTS(bad); i++) {
		guint64 low = 7, high = 7;

		g_assert_false(fio_output_bin(bad[i], &low, &high));
		g_assert_cmpuint(low + high, ==, 14);
	}
}

/* One thing wrong with the recorded output, and what is said about it. */
static void test_contradictions(void)
{
	static const struct {
		const char *where, *key, *value, *message;
	} rows[] = {
		{"lat_ns", "N", "1220", "the bins of read lat_ns hold 1219 values of 1220"},
		{"lat_ns", "N", "\"1219\"", "no usable N in read"},
		{"lat_ns", "mean", "-1.0", "no usable mean in read"},
		{"lat_ns", "mean", NULL, "no usable mean in read"},
		{"bins", "128", "3", "bin \"128\" in read that is none of its own"},
		{"bins", "x", "3", "bin \"x\" in read"},
		{"bins", "129", "-3", "bin \"129\" in read"},
		{"read", "short_ios", "2", "2 of its reads were short and 0 were dropped"},
		{"read", "io_bytes", NULL, "no usable io_bytes in read"},
		{"read", "lat_ns", "[]", "no usable N in read"},
		{"job", "error", "5", "fio ended with error 5: Input/output error"},
		{"job", "usr_cpu", "\"all\"", "no usable usr_cpu in the job"},
		{"job", "sync", NULL, "no usable N in sync"},
		{"output", "jobs", "[]", "has 0 jobs, not one"},
	};
	g_autofree FioFigures *figures = g_new(FioFigures, 1);

	for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
		CLEANUP_JSON json_t *recorded = load_recorded();
		json_t *lat = json_object_get(recorded, "lat_ns");
		CLEANUP_JSON json_t *output = output_of(lat, 4096 * 1219);
		json_t *job = json_array_get(json_object_get(output, "jobs"), 0);
		json_t *place = g_str_equal(rows[i].where, "lat_ns") ? lat :
			g_str_equal(rows[i].where, "bins")	    ? json_object_get(lat, "bins") :
			g_str_equal(rows[i].where, "read")	    ? json_object_get(job, "read") :
			g_str_equal(rows[i].where, "job")	    ? job :
								      output;
		Fault fault = {0};

		if (rows[i].value)
			json_object_set_new(place, rows[i].key, json_loads(rows[i].value, JSON_DECODE_ANY, NULL));
		else
			json_object_del(place, rows[i].key);
		g_assert_cmpint(fio_output_parse(output, figures, &fault), <, 0);
		if (!strstr(fault.message, rows[i].message))
			g_error("%s %s: \"%s\" is not in \"%s\"", rows[i].where, rows[i].key, rows[i].message, fault.message);
	}
}

static void check_split(const char *out, const char *err, gboolean json, const char *expected)
{
	CLEANUP_JSON json_t *messages = NULL;
	CLEANUP_JSON json_t *found = NULL;
	char *text;

	fio_output_split(out, err, &found, &messages);
	text = json_dumps(messages, JSON_COMPACT);
	g_assert_cmpstr(text, ==, expected);
	g_assert_true((found != NULL) == json);
	free(text);
}

static void test_split(void)
{
	g_autoptr(GString) many = g_string_new(NULL);
	CLEANUP_JSON json_t *messages = NULL;
	CLEANUP_JSON json_t *found = NULL;

	check_split(NULL, NULL, FALSE, "[]");
	check_split("{\n \"a\": 1\n}\n", "", TRUE, "[]");
	check_split("note: one\nnote: one\n{\n \"a\": {}}\nlast", "fio: bad\n\n", TRUE, "[\"fio: bad\",\"note: one\",\"last\"]");
	check_split("{\n \"a\": ", NULL, FALSE, "[\"{\",\" \\\"a\\\":\"]");
	check_split(NULL, "a\1b\r\n\xc3(\n", FALSE, "[\"a?b\",\"?(\"]");
	for (int i = 0; i < 300; i++)
		g_string_append_printf(many, "line %d\n", i);
	fio_output_split(NULL, many->str, &found, &messages);
	g_assert_cmpuint(json_array_size(messages), ==, 201);
	g_assert_cmpstr(json_string_value(json_array_get(messages, 200)), ==, "(more messages were left out)");
}

static void parse_job(const char *rest, Job *ret)
{
	g_autofree char *text = g_strconcat("{\"path\":\"/d:1\",\"size\":1052672,\"block_size\":4096,\"run_ns\":1500000001,", rest,
		"}", NULL);
	/* The path is borrowed from it, and tests are short. */
	json_t *json = json_loads(text, 0, NULL);
	Fault fault = {0};

	g_assert_nonnull(json);
	if (job_parse(json, ret, &fault) < 0)
		g_error("%s", fault.message);
}

#define HEAD "[iogap]\nfilename=/d\\:1\nallow_file_create=0\nfallocate=none\ninvalidate=0\n"
#define TAIL "clocksource=clock_gettime\nclat_percentiles=0\nslat_percentiles=1\nlat_percentiles=1\n"

static void test_job_file(void)
{
	Fault fault = {0};
	char *text;
	Job job;

	parse_job("\"rw\":\"randrw\",\"mix_read\":75,\"engine\":\"fio:io_uring\",\"queue_depth\":8,\"jobs\":2,\"rate_iops\":800,"
		  "\"direct\":true,\"sync\":\"dsync\",\"seed\":7,\"offset\":8192", &job);
	g_assert_cmpint(fio_job_check(&job, &fault), ==, 0);
	text = fio_job_text(&job, 250000000, job.run_ns, false);
	g_assert_cmpstr(text, ==,
		HEAD "offset=8192\nsize=524288\noffset_increment=524288\nrw=randrw\nbs=4096\ndirect=1\nrwmixread=75\nsync=dsync\n"
		     "ioengine=io_uring\niodepth=8\nthread=1\nnumjobs=2\ngroup_reporting=1\nrate_iops=300,100\nrandseed=7\n"
		     "scramble_buffers=1\ntime_based=1\nramp_time=250000us\nruntime=1500001us\n" TAIL);
	free(text);
	parse_job("\"rw\":\"write\",\"engine\":\"fio:psync\",\"sync\":\"fsync\",\"fsync_every\":3", &job);
	text = fio_job_text(&job, 0, job.run_ns, true);
	g_assert_cmpstr(text, ==,
		HEAD "offset=0\nsize=1052672\nrw=write\nbs=4096\ndirect=0\nfsync=3\nioengine=psync\niodepth=1\nthread=1\nnumjobs=1\n"
		     "group_reporting=1\nrandseed=1\nscramble_buffers=1\ntime_based=1\nruntime=1500001us\nend_fsync=1\n" TAIL);
	free(text);
}

static void test_job_refused(void)
{
	static const char *const paths[] = {"/a ", "/a$b", "/a\\b", "/a;b", "/a#b", "/a\nb", "/a`b", "/a\tb"};
	Job job;

	parse_job("\"rw\":\"randread\",\"engine\":\"fio:psync\",\"jobs\":3,\"rate_iops\":100", &job);
	{
		Fault fault = {0};

		g_assert_cmpint(fio_job_check(&job, &fault), ==, -EINVAL);
		g_assert_nonnull(strstr(fault.message, "rate_iops is 100, which fio cannot share evenly"));
	}
	job.rate_iops = 300;
	for (gsize i = 0; i < G_N_ELEMENTS(paths); i++) {
		Fault fault = {0};

		job.path = paths[i];
		g_assert_cmpint(fio_job_check(&job, &fault), ==, -EINVAL);
		g_assert_nonnull(strstr(fault.message, "of a path as something else"));
	}
	job.path = "/dev/my disk/by-id/'x',y=\"z\":1";
	g_assert_cmpint(fio_job_check(&job, &(Fault){0}), ==, 0);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/fio/bounds-of-bins", test_bounds);
	g_test_add_func("/fio/recorded-latencies", test_recorded);
	g_test_add_func("/fio/keys-of-bins", test_keys);
	g_test_add_func("/fio/contradictions", test_contradictions);
	g_test_add_func("/fio/messages", test_split);
	g_test_add_func("/fio/job-file", test_job_file);
	g_test_add_func("/fio/job-refused", test_job_refused);
	return g_test_run();
}
