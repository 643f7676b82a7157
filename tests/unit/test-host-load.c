/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Waiting for a calm host: the share by planted counters, and for real with a load of this test's own. */
#include <math.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/base/error.h"
#include "harness/run/host-load.h"

#define SECOND 1000000000ll

static void test_share(void)
{
	MachineSnapshot begin = {.machine_valid = TRUE, .user_ns = 10 * SECOND, .idle_ns = 5 * SECOND};
	MachineSnapshot end = begin, broken = begin;

	g_assert_true(isnan(host_load_share(&begin, &end)));
	end.idle_ns += 8 * SECOND;
	g_assert_cmpfloat(host_load_share(&begin, &end), ==, 0);
	/* Waiting for a disk is idle too. */
	end.iowait_ns += 2 * SECOND;
	g_assert_cmpfloat(host_load_share(&begin, &end), ==, 0);
	end.user_ns += 4 * SECOND;
	end.system_ns += 3 * SECOND;
	end.irq_ns += 2 * SECOND;
	end.steal_ns += SECOND;
	g_assert_cmpfloat(host_load_share(&begin, &end), ==, 0.5);
	broken.machine_valid = FALSE;
	g_assert_true(isnan(host_load_share(&broken, &end)));
	g_assert_true(isnan(host_load_share(&begin, &broken)));
}

/* As many as there are processors, each at work without pause. */
static void burn(pid_t *children, guint n)
{
	for (guint i = 0; i < n; i++) {
		children[i] = fork();
		if (children[i] == 0)
			for (volatile guint spin = 0;; spin++)
				;
	}
}

static void test_wait(void)
{
	g_autoptr(Progress) progress = progress_new(PROGRESS_NONE, 0, 0);
	guint n = g_get_num_processors();
	g_autofree pid_t *children = g_new(pid_t, n);
	g_autofree char *calm = NULL, *busy = NULL;
	g_autoptr(GError) error = NULL;
	gint64 begun = g_get_monotonic_time();

	/* Nobody can use more than all. */
	g_assert_true(host_load_wait(1, 60 * (guint64)SECOND, "block 1", progress, NULL, &calm, &error));
	g_assert_null(calm);
	g_assert_cmpint(g_get_monotonic_time() - begun, <, 10 * G_USEC_PER_SEC);
	burn(children, n);
	begun = g_get_monotonic_time();
	g_assert_true(host_load_wait(0.2, 2 * (guint64)SECOND, "block 3", progress, NULL, &busy, &error));
	g_assert_cmpint(g_get_monotonic_time() - begun, >=, 2 * G_USEC_PER_SEC);
	for (guint i = 0; i < n; i++) {
		kill(children[i], SIGKILL);
		waitpid(children[i], NULL, 0);
	}
	g_assert_no_error(error);
	g_assert_true(g_str_has_prefix(busy, "other load before block 3: "));
	g_assert_nonnull(strstr(busy, " % of the time of the host's processors, over max_load 20 %, and it did not go down in time"));
}

static gboolean on_cancel(gpointer cancel)
{
	g_cancellable_cancel(cancel);
	return G_SOURCE_REMOVE;
}

static void test_interrupted(void)
{
	g_autoptr(Progress) progress = progress_new(PROGRESS_NONE, 0, 0);
	g_autoptr(GCancellable) cancel = g_cancellable_new();
	g_autoptr(GError) error = NULL;
	char *evidence = NULL;

	g_timeout_add(100, on_cancel, cancel);
	g_assert_false(host_load_wait(0.0001, 60 * (guint64)SECOND, "block 1", progress, cancel, &evidence, &error));
	g_assert_error(error, IOGAP_ERROR, IOGAP_ERROR_INTERRUPTED);
	g_assert_null(evidence);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/host-load/share", test_share);
	g_test_add_func("/host-load/wait", test_wait);
	g_test_add_func("/host-load/interrupted", test_interrupted);
	return g_test_run();
}
