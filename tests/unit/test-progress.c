/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What progress writes, in each mode: captured from a child's standard error. */
#include <stdio.h>
#include <string.h>

#include "harness/base/progress.h"

static void work(ProgressMode mode)
{
	g_autoptr(Progress) progress = progress_new(mode, 2, 10);

	progress_note(progress, "seed %d", 7);
	progress_step(progress, "host read \"8k\"", 5);
	progress_tick(progress);
	progress_done(progress, "812 MB/s");
	progress_step(progress, "guest read", 5);
	progress_done(progress, "failed: died");
}

static void expect(ProgressMode mode, const char *path, const char *pattern)
{
	if (g_test_subprocess()) {
		work(mode);
		return;
	}
	g_test_trap_subprocess(path, 0, 0);
	g_test_trap_assert_passed();
	g_test_trap_assert_stderr(pattern);
}

static void test_lines(void)
{
	expect(PROGRESS_LINES, "/progress/lines",
		"seed 7\n[1/2, 0:05 left] host read \"8k\": 812 MB/s\n[2/2, 0:00 left] guest read: failed: died\n");
}

static void test_json(void)
{
	expect(PROGRESS_JSON, "/progress/json",
		"{\"event\":\"note\",*\"text\":\"seed 7\"}\n*\"what\":\"host read \\\"8k\\\"\"}\n*\"finished\":1,*\"result\":\"812 MB/s\"}\n*");
}

static void test_none(void)
{
	expect(PROGRESS_NONE, "/progress/none", "");
}

static void test_bar(void)
{
	expect(PROGRESS_BAR, "/progress/bar", "*\r[....*] 0/2  *left  host read*[############............] 1/2*\r\033[K");
}

static void test_modes(void)
{
	ProgressMode mode = PROGRESS_NONE;

	g_assert_true(progress_mode_parse("json", &mode));
	g_assert_cmpint(mode, ==, PROGRESS_JSON);
	g_assert_false(progress_mode_parse("loud", &mode));
	g_assert_cmpint(mode, ==, PROGRESS_JSON);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/progress/lines", test_lines);
	g_test_add_func("/progress/json", test_json);
	g_test_add_func("/progress/none", test_none);
	g_test_add_func("/progress/bar", test_bar);
	g_test_add_func("/progress/modes", test_modes);
	return g_test_run();
}
