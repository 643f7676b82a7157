/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Governor and turbo in trees of the test's own, set and set back, also after a kill; this program is keeper and victim too. */
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/base/error.h"
#include "harness/run/cpu-clock.h"
#include "harness/side/keeper.h"
#include "tests/unit/tree-fixture.h"

#define CPU "sys/devices/system/cpu/"

typedef struct {
	char *root;
	Keeper *keeper;
} Fixture;

static void has(const Fixture *tree, const char *file, const char *expected)
{
	g_autofree char *path = g_build_filename(tree->root, file, NULL);
	g_autofree char *text = NULL;

	g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
	g_assert_cmpstr(g_strchomp(text), ==, expected);
}

static void set_up(Fixture *tree, gconstpointer data)
{
	tree->root = tree_new();
	tree->keeper = keeper_start(NULL);
	g_assert_nonnull(tree->keeper);
}

static void tear_down(Fixture *tree, gconstpointer data)
{
	keeper_stop(tree->keeper);
	tree_free(tree->root);
}

static void plant(const Fixture *tree)
{
	put(tree->root, CPU "cpu0/cpufreq/scaling_governor", "powersave\n");
	put(tree->root, CPU "cpu1/cpufreq/scaling_governor", "schedutil\n");
	put(tree->root, CPU "cpu0/cpufreq/scaling_available_governors", "performance powersave schedutil\n");
	put(tree->root, CPU "cpu1/cpufreq/scaling_available_governors", "schedutil performance\n");
	put(tree->root, CPU "cpufreq/boost", "1\n");
	put(tree->root, CPU "cpuidle/current_driver", "none\n");
}

static void test_governor(Fixture *tree, gconstpointer data)
{
	CpuClock *clock;
	g_autoptr(GError) error = NULL;

	plant(tree);
	clock = cpu_clock_new(tree->root, tree->keeper);
	g_assert_true(cpu_clock_use(clock, NULL, NULL, &error));
	has(tree, CPU "cpu0/cpufreq/scaling_governor", "powersave");
	g_assert_true(cpu_clock_use(clock, "performance", NULL, &error));
	has(tree, CPU "cpu0/cpufreq/scaling_governor", "performance");
	has(tree, CPU "cpu1/cpufreq/scaling_governor", "performance");
	has(tree, CPU "cpufreq/boost", "1");
	/* A leg that leaves it, another value, and the end: always what was there first. */
	g_assert_true(cpu_clock_use(clock, NULL, NULL, &error));
	has(tree, CPU "cpu0/cpufreq/scaling_governor", "powersave");
	has(tree, CPU "cpu1/cpufreq/scaling_governor", "schedutil");
	g_assert_true(cpu_clock_use(clock, "performance", "off", &error));
	g_assert_true(cpu_clock_use(clock, "schedutil", "off", &error));
	has(tree, CPU "cpufreq/boost", "0");
	g_assert_no_error(error);
	cpu_clock_free(clock);
	has(tree, CPU "cpu0/cpufreq/scaling_governor", "powersave");
	has(tree, CPU "cpu1/cpufreq/scaling_governor", "schedutil");
	has(tree, CPU "cpufreq/boost", "1");
	cpu_clock_free(NULL);
}

/* Intel's switch says the opposite, and is there beside the other's. */
static void test_no_turbo(Fixture *tree, gconstpointer data)
{
	CpuClock *clock;
	g_autoptr(GError) error = NULL;

	plant(tree);
	put(tree->root, CPU "intel_pstate/no_turbo", "0\n");
	clock = cpu_clock_new(tree->root, tree->keeper);
	g_assert_true(cpu_clock_use(clock, NULL, "off", &error));
	has(tree, CPU "intel_pstate/no_turbo", "1");
	has(tree, CPU "cpufreq/boost", "1");
	g_assert_true(cpu_clock_use(clock, NULL, "on", &error));
	has(tree, CPU "intel_pstate/no_turbo", "0");
	g_assert_true(cpu_clock_use(clock, NULL, "off", &error));
	cpu_clock_free(clock);
	has(tree, CPU "intel_pstate/no_turbo", "0");
}

static void test_facts(Fixture *tree, gconstpointer data)
{
	g_autofree char *reason = NULL, *turbo = cpu_clock_no_turbo(tree->root), *none = cpu_clock_governors(tree->root, &reason), *unused = NULL;
	g_autofree char *both = NULL, *unknown = NULL;

	g_assert_null(none);
	g_assert_cmpstr(reason, ==, "the host's kernel has no frequency governor (/sys/devices/system/cpu/cpu0/cpufreq is not there)");
	g_assert_true(g_str_has_prefix(turbo, "the host's kernel has no switch for it"));
	put(tree->root, CPU "cpu0/cpufreq/scaling_governor", "powersave\n");
	unknown = cpu_clock_governors(tree->root, &unused);
	g_assert_cmpstr(unknown, ==, "");
	plant(tree);
	both = cpu_clock_governors(tree->root, &unused);
	g_assert_cmpstr(both, ==, "performance schedutil");
	g_assert_null(cpu_clock_no_turbo(tree->root));
}

static void test_errors(Fixture *tree, gconstpointer data)
{
	g_autoptr(CpuClock) clock = cpu_clock_new(tree->root, tree->keeper);
	g_autoptr(GError) error = NULL;
	g_autofree char *governor = g_build_filename(tree->root, CPU "cpu0/cpufreq/scaling_governor", NULL);

	g_assert_false(cpu_clock_use(clock, "performance", NULL, &error));
	g_assert_error(error, IOGAP_ERROR, IOGAP_ERROR_UNSUPPORTED);
	g_assert_cmpstr(error->message, ==, "the host's kernel has no frequency governor");
	g_clear_error(&error);
	g_assert_false(cpu_clock_use(clock, NULL, "off", &error));
	g_assert_cmpstr(error->message, ==, "the host's kernel has no switch for turbo");
	g_clear_error(&error);
	/* A file that takes everything and keeps nothing. */
	put(tree->root, CPU "cpu0/cpufreq/other", "x");
	g_assert_cmpint(symlink("/dev/null", governor), ==, 0);
	g_assert_false(cpu_clock_use(clock, "performance", NULL, &error));
	g_assert_true(g_str_has_prefix(error->message, "the frequency governor was set to performance in "));
}

/* The harness is killed with its changes made: its keeper sets them back. */
static void test_killed(Fixture *tree, gconstpointer data)
{
	int report[2];
	char byte;
	pid_t pid;

	plant(tree);
	g_assert_cmpint(pipe(report), ==, 0);
	pid = fork();
	if (pid == 0) {
		Keeper *own = keeper_start(NULL);
		CpuClock *clock = own ? cpu_clock_new(tree->root, own) : NULL;

		if (clock && cpu_clock_use(clock, "performance", "off", NULL) && write(report[1], "x", 1) == 1)
			pause();
		_exit(1);
	}
	close(report[1]);
	g_assert_cmpint(read(report[0], &byte, 1), ==, 1);
	close(report[0]);
	has(tree, CPU "cpu1/cpufreq/scaling_governor", "performance");
	has(tree, CPU "cpufreq/boost", "0");
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	for (guint i = 0; i < 200; i++) {
		g_autofree char *path = g_build_filename(tree->root, CPU "cpu0/cpufreq/scaling_governor", NULL);
		g_autofree char *text = NULL;

		/* The first that was changed is the last to be set back. */
		if (g_file_get_contents(path, &text, NULL, NULL) && g_str_equal(text, "powersave"))
			break;
		g_usleep(10000);
	}
	has(tree, CPU "cpu0/cpufreq/scaling_governor", "powersave");
	has(tree, CPU "cpu1/cpufreq/scaling_governor", "schedutil");
	has(tree, CPU "cpufreq/boost", "1");
}

/* The lock of the runtime folder is all that keepers leave in it. */
static void remove_runtime(const char *runtime)
{
	g_autofree char *lock = g_build_filename(runtime, "lock", NULL);

	g_unlink(lock);
	g_rmdir(runtime);
}

int main(int argc, char **argv)
{
	g_autofree char *runtime = NULL;
	int status;

	if (argc == 3 && g_str_equal(argv[1], "keeper"))
		return keeper_main(argv[2], NULL);
	g_test_init(&argc, &argv, NULL);
	runtime = g_dir_make_tmp("iogap-clock-run-XXXXXX", NULL);
	g_assert_nonnull(runtime);
	g_setenv("IOGAP_RUNTIME", runtime, TRUE);
	g_test_add("/cpu-clock/governor", Fixture, NULL, set_up, test_governor, tear_down);
	g_test_add("/cpu-clock/no-turbo", Fixture, NULL, set_up, test_no_turbo, tear_down);
	g_test_add("/cpu-clock/facts", Fixture, NULL, set_up, test_facts, tear_down);
	g_test_add("/cpu-clock/errors", Fixture, NULL, set_up, test_errors, tear_down);
	g_test_add("/cpu-clock/killed", Fixture, NULL, set_up, test_killed, tear_down);
	status = g_test_run();
	remove_runtime(runtime);
	return status;
}
