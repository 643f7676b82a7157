/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Child programs: what is told of their end, and that they do not outlive who started them. */
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/base/error.h"
#include "harness/base/subprocess.h"

#define STARTER "--start"

static void test_end(void)
{
	const char *good[] = {"sh", "-c", "echo out; echo err >&2", NULL};
	const char *bad[] = {"sh", "-c", "echo first >&2; echo last >&2; exit 3", NULL};
	g_autofree char *out = NULL;
	g_autofree char *err = NULL;
	g_autoptr(GError) error = NULL;
	int status = 0;

	g_assert_true(subprocess_run(good, 10, &out, &err, NULL, &error));
	g_assert_cmpstr(out, ==, "out");
	g_assert_cmpstr(err, ==, "err");
	g_assert_true(subprocess_run(bad, 10, NULL, NULL, &status, &error));
	g_assert_cmpint(status, ==, 3);
	g_assert_false(subprocess_run(bad, 10, NULL, NULL, NULL, &error));
	g_assert_nonnull(strstr(error->message, "last"));
}

/* The id that a child wrote into FILE, waited for; 0 = it never did. */
static pid_t written(const char *file)
{
	for (int i = 0; i < 500; i++) {
		g_autofree char *text = NULL;

		if (g_file_get_contents(file, &text, NULL, NULL) && g_str_has_suffix(text, "\n"))
			return (pid_t)g_ascii_strtoll(text, NULL, 10);
		g_usleep(20000);
	}
	return 0;
}

/* Gone, or a zombie that nobody has reaped yet: the state stands behind the name, which is in parentheses. */
static gboolean is_dead(pid_t pid)
{
	g_autofree char *path = g_strdup_printf("/proc/%d/stat", (int)pid);
	g_autofree char *text = NULL;
	const char *name_end;

	if (!g_file_get_contents(path, &text, NULL, NULL))
		return TRUE;
	name_end = strrchr(text, ')');
	return !name_end || g_str_has_prefix(name_end, ") Z") || g_str_has_prefix(name_end, ") X");
}

static void test_killed_with_its_starter(void)
{
	g_autofree char *file = g_build_filename(g_get_tmp_dir(), "iogap-subprocess-XXXXXX", NULL);
	g_autofree char *script = NULL;
	pid_t starter, program;

	close(g_mkstemp(file));
	script = g_strdup_printf("echo $$ >'%s'; exec sleep 60", file);
	/* A program of its own: GLib's thread, which waits for children, does not come along when a process forks. */
	starter = fork();
	if (starter == 0) {
		execl("/proc/self/exe", "test-subprocess", STARTER, script, NULL);
		_exit(1);
	}
	program = written(file);
	g_assert_cmpint(program, >, 1);
	g_assert_false(is_dead(program));
	kill(starter, SIGKILL);
	g_assert_cmpint(waitpid(starter, NULL, 0), ==, starter);
	for (int i = 0; i < 500 && !is_dead(program); i++)
		g_usleep(20000);
	g_assert_true(is_dead(program));
	g_unlink(file);
}

static int start(const char *script)
{
	const char *argv[] = {"sh", "-c", script, NULL};

	return subprocess_run(argv, 60, NULL, NULL, NULL, NULL) ? 0 : 1;
}

int main(int argc, char **argv)
{
	if (argc == 3 && g_str_equal(argv[1], STARTER))
		return start(argv[2]);
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/child/end", test_end);
	g_test_add_func("/child/killed-with-its-starter", test_killed_with_its_starter);
	return g_test_run();
}
