/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The lock of the machine: one holder, whose process is named to others, and none left by a holder that ended. */
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/base/error.h"
#include "harness/run/lock.h"

static char *own_name(void)
{
	return g_strdup_printf("iogap-test-lock-%d", (int)getpid());
}

static void busy(const char *name, pid_t holder)
{
	g_autofree char *who = g_strdup_printf("another sweep is running on this machine (process %d)", (int)holder);
	g_autoptr(GError) error = NULL;

	g_assert_cmpint(lock_take_machine(name, &error), ==, -1);
	g_assert_error(error, IOGAP_ERROR, IOGAP_ERROR_BUSY);
	g_assert_nonnull(strstr(error->message, who));
	g_assert_nonnull(strstr(error->message, "wait for it, or set IOGAP_ALLOW_PARALLEL=1"));
}

static void test_machine(void)
{
	g_autofree char *name = own_name();
	g_autofree char *other = g_strconcat(name, "x", NULL);
	g_autoptr(GError) error = NULL;
	int fd = lock_take_machine(name, &error), longer;

	g_assert_no_error(error);
	g_assert_cmpint(fd, >=, 0);
	for (int i = 0; i < 5; i++)
		busy(name, getpid());
	/* A name ends where it ends. */
	longer = lock_take_machine(other, &error);
	g_assert_no_error(error);
	lock_release(longer);
	lock_release(fd);
	fd = lock_take_machine(name, &error);
	g_assert_no_error(error);
	lock_release(fd);
	lock_release(-1);
}

static void test_killed(void)
{
	g_autofree char *name = own_name();
	g_autoptr(GError) error = NULL;
	int ready[2], fd, status;
	char byte;
	pid_t child;

	g_assert_cmpint(pipe(ready), ==, 0);
	child = fork();
	g_assert_cmpint(child, >=, 0);
	if (child == 0) {
		if (lock_take_machine(name, NULL) < 0 || write(ready[1], "x", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	g_assert_cmpint(read(ready[0], &byte, 1), ==, 1);
	busy(name, child);
	g_assert_cmpint(kill(child, SIGKILL), ==, 0);
	g_assert_cmpint(waitpid(child, &status, 0), ==, child);
	fd = lock_take_machine(name, &error);
	g_assert_no_error(error);
	lock_release(fd);
	close(ready[0]);
	close(ready[1]);
}

static void test_allowed(void)
{
	g_unsetenv("IOGAP_ALLOW_PARALLEL");
	g_assert_false(lock_parallel_allowed());
	g_setenv("IOGAP_ALLOW_PARALLEL", "0", TRUE);
	g_assert_false(lock_parallel_allowed());
	g_setenv("IOGAP_ALLOW_PARALLEL", "1", TRUE);
	g_assert_true(lock_parallel_allowed());
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/lock/machine", test_machine);
	g_test_add_func("/lock/killed", test_killed);
	g_test_add_func("/lock/allowed", test_allowed);
	return g_test_run();
}
