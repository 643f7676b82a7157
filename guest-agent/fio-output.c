/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "guest-agent/fio-output.h"

#include <errno.h>
#include <math.h>

#include "guest-agent/common/cleanup.h"
#include "guest-agent/common/units.h"

#define BIN_BITS 6	    /* of a value that its bin keeps beside the leading one */
#define BIN_EXACT (2u << BIN_BITS) /* values below are bins of their own */
#define MAX_MESSAGES 200

/* ---- JSON and messages ----------------------------------------------------------------------- */

static bool has_message(const json_t *messages, const char *line)
{
	size_t i;
	json_t *other;

	json_array_foreach(messages, i, other)
		if (!strcmp(json_string_value(other), line))
			return true;
	return false;
}

static void add_line(json_t *messages, const char *line, size_t length)
{
	char text[512];

	while (length && (line[length - 1] == ' ' || line[length - 1] == '\r'))
		length--;
	if (length >= sizeof(text))
		length = sizeof(text) - 1;
	snprintf(text, sizeof(text), "%.*s", (int)length, line);
	/* What is no UTF-8 (a torn character at the cut, say) is no JSON text either. */
	for (char *at = text; *at; at++)
		if (!(*at >= ' ' && *at < 0x7f) && *at != '\t')
			*at = '?';
	if (!*text || has_message(messages, text) || json_array_size(messages) > MAX_MESSAGES)
		return;
	if (json_array_size(messages) == MAX_MESSAGES)
		json_array_append_new(messages, json_string("(more messages were left out)"));
	else
		json_array_append_new(messages, json_string(text));
}

static void add_lines(json_t *messages, const char *text, size_t length)
{
	const char *end = text + length;

	while (text < end) {
		const char *newline = memchr(text, '\n', (size_t)(end - text));
		const char *stop = newline ? newline : end;

		add_line(messages, text, (size_t)(stop - text));
		text = stop + 1;
	}
}

/* fio's JSON begins with a line that is one brace. */
static const char *find_json(const char *out)
{
	while (out && strncmp(out, "{\n", 2) != 0) {
		out = strchr(out, '\n');
		if (out)
			out++;
	}
	return out;
}

void fio_output_split(const char *out, const char *err, json_t **ret_json, json_t **ret_messages)
{
	const char *begin = find_json(out);
	json_error_t error;

	*ret_messages = json_array();
	*ret_json = NULL;
	if (err)
		add_lines(*ret_messages, err, strlen(err));
	if (begin)
		*ret_json = json_loads(begin, JSON_DISABLE_EOF_CHECK | JSON_REJECT_DUPLICATES, &error);
	if (*ret_json) {
		add_lines(*ret_messages, out, (size_t)(begin - out));
		begin += error.position;
		add_lines(*ret_messages, begin, strlen(begin));
	} else if (out) {
		add_lines(*ret_messages, out, strlen(out));
	}
}

/* ---- figures --------------------------------------------------------------------------------- */

bool fio_output_bin(uint64_t key, uint64_t *ret_low, uint64_t *ret_high)
{
	unsigned shift;
	uint64_t low;

	if (key < BIN_EXACT) {
		*ret_low = *ret_high = key;
		return true;
	}
	shift = 63 - (unsigned)__builtin_clzll(key) - BIN_BITS;
	low = key >> shift << shift;
	if (key != low + (1ull << shift) / 2)
		return false;
	*ret_low = low;
	*ret_high = low + (1ull << shift) - 1;
	return true;
}

static int missing(const char *where, const char *key, Fault *fault)
{
	return fault_set(fault, EPROTO, "fio", "fio's output has no usable %s in %s", key, where);
}

static int get_count(const json_t *object, const char *where, const char *key, uint64_t *ret, Fault *fault)
{
	const json_t *value = json_object_get(object, key);

	if (!json_is_integer(value) || json_integer_value(value) < 0)
		return missing(where, key, fault);
	*ret = (uint64_t)json_integer_value(value);
	return 0;
}

static int get_real(const json_t *object, const char *where, const char *key, double *ret, Fault *fault)
{
	const json_t *value = json_object_get(object, key);

	if (!json_is_number(value) || !(json_number_value(value) >= 0))
		return missing(where, key, fault);
	*ret = json_number_value(value);
	return 0;
}

static int add_bins(const json_t *bins, const char *where, Hist *ret, Fault *fault)
{
	const char *key;
	json_t *count;

	json_object_foreach((json_t *)bins, key, count) {
		uint64_t value, low, high;

		if (units_parse_uint(key, &value) < 0 || !fio_output_bin(value, &low, &high) || !json_is_integer(count) ||
			json_integer_value(count) < 0)
			return fault_set(fault, EPROTO, "fio", "fio's output has a bin \"%.40s\" in %s that is none of its own",
				key, where);
		if (json_integer_value(count))
			hist_add_many(ret, value, (uint64_t)json_integer_value(count));
	}
	return 0;
}

/* One latency object. Its bins are missing when it has no values, and when percentiles of it were not asked for. */
static int get_hist(const json_t *parent, const char *where, const char *key, Hist *ret, Fault *fault)
{
	const json_t *object = json_object_get(parent, key);
	uint64_t n, least, most;
	double mean;
	int r = get_count(object, where, "N", &n, fault);

	hist_clear(ret);
	if (r == 0)
		r = get_real(object, where, "mean", &mean, fault);
	if (r == 0)
		r = get_count(object, where, "min", &least, fault);
	if (r == 0)
		r = get_count(object, where, "max", &most, fault);
	if (r < 0 || !n)
		return r;
	r = add_bins(json_object_get(object, "bins"), where, ret, fault);
	if (r == 0 && ret->n != n)
		r = fault_set(fault, EPROTO, "fio", "fio's output contradicts itself: the bins of %s %s hold %llu values of %llu",
			where, key, (unsigned long long)ret->n, (unsigned long long)n);
	ret->sum_ns = (uint64_t)llround(mean * (double)n);
	ret->min_ns = least;
	ret->max_ns = most;
	return r;
}

static int get_direction(const json_t *job, const char *name, int i, FioFigures *ret, Fault *fault)
{
	const json_t *object = json_object_get(job, name);
	uint64_t runtime, shorter, dropped;
	int r = get_count(object, name, "io_bytes", &ret->bytes[i], fault);

	if (r == 0)
		r = get_count(object, name, "runtime", &runtime, fault);
	if (r == 0)
		r = get_count(object, name, "short_ios", &shorter, fault);
	if (r == 0)
		r = get_count(object, name, "drop_ios", &dropped, fault);
	if (r == 0 && (shorter || dropped))
		r = fault_set(fault, EIO, "fio", "fio says that %llu of its %ss were short and %llu were dropped",
			(unsigned long long)shorter, name, (unsigned long long)dropped);
	if (r == 0)
		r = get_hist(object, name, "slat_ns", &ret->submit[i], fault);
	if (r == 0)
		r = get_hist(object, name, "lat_ns", &ret->complete[i], fault);
	if (r == 0 && runtime * 1000000 > ret->ns)
		ret->ns = runtime * 1000000;
	return r;
}

/* The shares are of job_runtime, the sum over all threads. */
static int get_cpu(const json_t *job, FioFigures *ret, Fault *fault)
{
	uint64_t runtime;
	double user, system_share;
	int r = get_count(job, "the job", "job_runtime", &runtime, fault);

	if (r == 0)
		r = get_real(job, "the job", "usr_cpu", &user, fault);
	if (r == 0)
		r = get_real(job, "the job", "sys_cpu", &system_share, fault);
	if (r < 0)
		return r;
	ret->user_ns = (uint64_t)llround(user / 100 * (double)runtime * 1e6);
	ret->system_ns = (uint64_t)llround(system_share / 100 * (double)runtime * 1e6);
	return 0;
}

int fio_output_parse(const json_t *json, FioFigures *ret, Fault *fault)
{
	const json_t *jobs = json_object_get(json, "jobs");
	const json_t *job = json_array_get(jobs, 0);
	uint64_t error;
	int r;

	if (json_array_size(jobs) != 1)
		return fault_set(fault, EPROTO, "fio", "fio's output has %zu jobs, not one", json_array_size(jobs));
	ret->ns = 0;
	r = get_count(job, "the job", "error", &error, fault);
	if (r == 0 && error)
		r = fault_set(fault, (int)error, "fio", "fio ended with error %llu: %s", (unsigned long long)error,
			strerror((int)error));
	if (r == 0)
		r = get_direction(job, "read", 0, ret, fault);
	if (r == 0)
		r = get_direction(job, "write", 1, ret, fault);
	if (r == 0)
		r = get_hist(json_object_get(job, "sync"), "sync", "lat_ns", &ret->sync, fault);
	return r == 0 ? get_cpu(job, ret, fault) : r;
}
