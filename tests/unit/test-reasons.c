/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reasons that follow from the engine: there for what is NULL and applies, not for what is there or does not. */
#include <string.h>

#include "harness/run/reasons.h"

static char *reasons_of(const char *side, const char *engine, const char *has)
{
	g_autoptr(Record) leg = record_new(), run = record_new();
	g_autoptr(Absent) absent = absent_new(NULL);

	record_set_text(leg, "side", side);
	record_set_text(leg, "engine", engine);
	record_set_int(run, has, 0);
	reasons_note(leg, run, absent);
	reasons_note(leg, run, NULL);
	return absent_json(absent);
}

static gboolean says(const char *json, const char *column, const char *reason)
{
	g_autofree char *want = g_strdup_printf("\"%s\":[\"%s", column, reason);

	return strstr(json, want) != NULL;
}

static void test_program(void)
{
	g_autofree char *host = reasons_of("host", "fio:psync", "cut_ns"), *guest = reasons_of("guest", "fio:psync", "depth_mean");

	g_assert_true(says(host, "depth_mean", "another program does not tell"));
	g_assert_true(says(host, "load_voluntary_switches", "fio does not tell"));
	g_assert_true(says(host, "process_read_bytes", "the I/O on the host was done by another program"));
	g_assert_null(strstr(host, "cut_ns")); /* it is there, though it is 0 */
	g_assert_null(strstr(guest, "depth_mean"));
	g_assert_null(strstr(guest, "process_read_bytes")); /* QEMU's, which is looked at */
	g_assert_true(says(guest, "cut_ns", "another program tells no rate"));
}

static void test_agent(void)
{
	g_autofree char *host = reasons_of("host", "psync", "complete_p99_ns");

	g_assert_null(strstr(host, "depth_mean"));
	g_assert_null(strstr(host, "load_voluntary_switches"));
	g_assert_null(strstr(host, "process_read_bytes"));
	g_assert_null(strstr(host, "\"complete_p99_ns\""));
	g_assert_true(says(host, "complete_p999_ns", "a percentile needs ten operations"));
	g_assert_true(says(host, "cut_ns", "buffered writes"));
	g_assert_true(says(host, "submit_mean_ns", "the engine waits"));
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/reasons/program", test_program);
	g_test_add_func("/reasons/agent", test_agent);
	return g_test_run();
}
