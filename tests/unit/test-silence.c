/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What two looks at a silent guest tell: each place where its requests can hang has its own words. */
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/side/guest/silence.h"

#define IDLE {.vcpu_ns = 5000000000, .other_ns = 1000000000, .state = 'S'}

static char *tell(SilenceQueue first, SilenceQueue second)
{
	SilenceLook a = {IDLE, 1000, 0, first}, b = {IDLE, 1000, 0, second};

	return silence_text(&a, &b, 2, "vdb", 400);
}

static void has(const char *text, const char *part)
{
	if (!strstr(text, part))
		g_error("\"%s\" is not in: %s", part, text);
}

static void has_not(const char *text, const char *part)
{
	if (strstr(text, part))
		g_error("\"%s\" is in: %s", part, text);
}

/* The counts wrap at 65536, and do so here on the way. */
static void test_queue(void)
{
	static const SilenceQueue held = {20, 20, 65530, 26, 65530}, unseen = {3, 3, 3, 0, 65500}, untold = {2, 65534, 65534, 0, 65534},
				  empty = {9, 9, 9, 0, 9}, old = {-1, 9, 9, 0, -1}, later = {10, 9, 9, 0, 9};
	g_autofree char *in_qemu = tell(held, held), *interrupt = tell(unseen, unseen), *notify = tell(untold, untold);
	g_autofree char *nothing = tell(empty, empty), *dim = tell(old, old), *moving = tell(empty, later);
	g_autofree char *unknown = tell(SILENCE_QUEUE_UNKNOWN, SILENCE_QUEUE_UNKNOWN);

	has(in_qemu, "QEMU holds 26 requests that it took and did not return");
	has_not(in_qemu, "lost");
	has(interrupt, "QEMU returned requests up to 3 and the guest consumed them up to 65500: the interrupt was lost");
	has_not(interrupt, "QEMU holds");
	has(notify, "the guest offers 4 requests that QEMU did not take: the notification of QEMU was lost");
	has_not(notify, "interrupt was lost");
	has(nothing, "the disk's queue is empty");
	has(dim, "the disk's queue is empty");
	has(moving, "its requests still move");
	has_not(moving, "lost");
	has_not(unknown, "queue");
	has(unknown, "QEMU finished 400 operations on vdb since measuring began and 0 in this time");
	has(unknown, "in 2.0 s QEMU's vCPUs used 0.00 s of processor time and its other threads 0.00 s");
}

static void test_process(void)
{
	SilenceLook a = {{1000000000, 0, 0, 'S'}, -1, -1, SILENCE_QUEUE_UNKNOWN};
	SilenceLook b = {{2500000000, 250000000, 3, 'T'}, -1, -1, SILENCE_QUEUE_UNKNOWN};
	SilenceLook none = {{-1, -1, 0, 0}, -1, -1, SILENCE_QUEUE_UNKNOWN};
	g_autofree char *text = silence_text(&a, &b, 2, "vdb", -1);
	g_autofree char *gone = silence_text(&none, &none, 2, "vdb", -1);

	has(text, "QEMU's process is stopped by a signal");
	has(text, "used 1.50 s of processor time and its other threads 0.25 s");
	has(text, "3 of QEMU's threads wait inside the host's kernel");
	has_not(text, "vdb");
	has(gone, "cannot be read");
}

static void test_proc(void)
{
	SilenceCpu own, absent;
	pid_t child;
	int status;

	silence_cpu(getpid(), &own);
	g_assert_cmpint(own.other_ns, >=, 0);
	g_assert_cmpint(own.vcpu_ns, ==, -1);
	g_assert_cmpint(own.state, ==, 'R');
	child = fork();
	if (child == 0) {
		raise(SIGSTOP);
		_exit(0);
	}
	g_assert_cmpint(waitpid(child, &status, WUNTRACED), ==, child);
	silence_cpu(child, &own);
	g_assert_cmpint(own.state, ==, 'T');
	kill(child, SIGKILL);
	waitpid(child, &status, 0);
	silence_cpu(child, &absent);
	g_assert_cmpint(absent.vcpu_ns, ==, -1);
	g_assert_cmpint(absent.other_ns, ==, -1);
	g_assert_cmpint(absent.state, ==, 0);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/silence/queue", test_queue);
	g_test_add_func("/silence/process", test_process);
	g_test_add_func("/silence/proc", test_proc);
	return g_test_run();
}
