/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Targets of type nbd: real servers and files, what they serve, their end and what is left of them. */
#include <fcntl.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/base/error.h"
#include "harness/side/target-private.h"
#include "tests/unit/keeper-fixture.h"

#define MIB (1 << 20)

typedef struct {
	Keeper keeper;
	TargetSpec spec;
	Target *target;
} Fixture;

static void setup(Fixture *f, gconstpointer data)
{
	g_autoptr(GError) error = NULL;

	keeper_set_up(&f->keeper);
	f->keeper.folder = g_dir_make_tmp("iogap-nbd-XXXXXX", NULL);
	f->spec = (TargetSpec){.name = "t", .type = "nbd", .size = 8 * MIB, .nbd_plugin = data};
	if (!target_check(&f->spec, NULL, &error))
		g_test_skip(error->message);
}

static void teardown(Fixture *f, gconstpointer data)
{
	target_close(f->target);
	/* Neither an announcement nor a file, socket or mount is left. */
	keeper_tear_down(&f->keeper);
	g_assert_cmpint(g_rmdir(f->keeper.folder), ==, 0);
	g_free(f->keeper.folder);
}

static gboolean begin(Fixture *f)
{
	g_autoptr(GError) error = NULL;

	if (!target_check(&f->spec, NULL, NULL))
		return FALSE;
	f->target = target_open(&f->spec, &f->keeper, &error);
	g_assert_no_error(error);
	g_assert_true(target_alive(f->target, &error));
	return TRUE;
}

/* Microseconds of one direct write of 4 KiB (FALSE: read) at the start; -1 with errno. */
static gint64 one(Fixture *f, gboolean write, char fill)
{
	void *buffer = NULL;
	int fd = open(target_path(f->target), O_RDWR | O_DIRECT | O_CLOEXEC);
	gint64 begun = g_get_monotonic_time();
	gssize n;

	g_assert_cmpint(fd, >=, 0);
	g_assert_cmpint(posix_memalign(&buffer, 4096, 4096), ==, 0);
	memset(buffer, fill, 4096);
	n = write ? pwrite(fd, buffer, 4096, 0) : pread(fd, buffer, 4096, 0);
	if (n == 4096 && !write)
		g_assert_cmpint(((char *)buffer)[7], ==, fill);
	free(buffer);
	close(fd);
	return n == 4096 ? g_get_monotonic_time() - begun : -1;
}

static void test_memory(Fixture *f, gconstpointer data)
{
	g_autoptr(Record) facts = record_new();
	struct stat st;

	if (!begin(f))
		return;
	g_assert_cmpint(one(f, TRUE, 'x'), >=, 0);
	g_assert_cmpint(one(f, FALSE, 'x'), >=, 0);
	g_assert_true(target_keeps(f->target));
	g_assert_false(target_is_block(f->target));
	g_assert_cmpint(stat(target_nbd_socket(f->target), &st), ==, 0);
	g_assert_true(S_ISSOCK(st.st_mode));
	g_assert_cmpint(stat(target_path(f->target), &st), ==, 0);
	g_assert_cmpint(st.st_size, ==, 8 * MIB);
	target_facts(f->target, facts);
	g_assert_cmpstr(record_get_text(facts, "filesystem"), ==, "nbd");
}

static void test_null(Fixture *f, gconstpointer data)
{
	if (!begin(f))
		return;
	g_assert_false(target_keeps(f->target));
	g_assert_cmpint(one(f, TRUE, 'x'), >=, 0);
	g_assert_cmpint(one(f, FALSE, 0), >=, 0);
}

/* One request takes at least the delay, and the difference is told apart from a busy machine by the other one. */
static void test_delay(Fixture *f, gconstpointer data)
{
	f->spec.nbd_delay_ns = 200 * 1000000u;
	if (!begin(f))
		return;
	g_assert_cmpint(one(f, FALSE, 0), >=, 200000);
	g_assert_cmpint(one(f, TRUE, 'x'), >=, 200000);
}

static void test_errors(Fixture *f, gconstpointer data)
{
	f->spec.nbd_error_rate = 100000;
	if (!begin(f))
		return;
	g_assert_cmpint(one(f, FALSE, 0), ==, -1);
	g_assert_cmpint(errno, ==, EIO);
}

/* The server is killed: reads fail, and the reason is the server's end, not only EIO. */
static void test_killed(Fixture *f, gconstpointer data)
{
	g_autoptr(GError) error = NULL;
	pid_t pid = 0;

	if (!begin(f))
		return;
	for (guint i = 0; i < f->keeper.list->len && !pid; i++)
		if (g_str_has_prefix(f->keeper.list->pdata[i], "process "))
			pid = (pid_t)g_ascii_strtoll((char *)f->keeper.list->pdata[i] + 8, NULL, 10);
	g_assert_cmpint(pid, >, 1);
	g_assert_cmpint(kill(pid, SIGKILL), ==, 0);
	for (int i = 0; i < 200 && target_alive(f->target, NULL); i++)
		g_usleep(20000);
	g_assert_false(target_alive(f->target, &error));
	g_test_message("%s", error->message);
	g_assert_nonnull(strstr(error->message, "target t: nbdkit, which serves it, has ended with signal 9 (Killed)"));
	g_assert_cmpint(one(f, FALSE, 0), ==, -1);
}

/* A second of reads after a pause of two: no more passes than the rate and its burst of 0.1 s, and a slow machine only has less. */
static void test_rate(Fixture *f, gconstpointer data)
{
	g_autofree char *buffer = g_malloc(64 << 10);
	const guint64 rate = 8 << 20;
	guint64 bytes = 0;
	gint64 begun, took;
	int fd;

	f->spec.nbd_rate = rate;
	if (!begin(f))
		return;
	fd = open(target_path(f->target), O_RDONLY | O_DIRECT | O_CLOEXEC);
	g_assert_cmpint(fd, >=, 0);
	g_usleep(2000000);
	begun = g_get_monotonic_time();
	do {
		gssize n = pread(fd, (void *)(((gsize)buffer + 4095) & ~(gsize)4095), 32 << 10, (off_t)(bytes % (8 << 20)));

		g_assert_cmpint(n, ==, 32 << 10);
		bytes += (guint64)n;
		took = g_get_monotonic_time() - begun;
	} while (took < 1000000);
	close(fd);
	g_test_message("%.2f MB/s of %.2f", (double)bytes / (double)took, (double)rate / 1e6);
	/* The last request, and half the burst for the filter's own clock. */
	g_assert_cmpfloat((double)bytes, <=, (double)rate * ((double)took / 1e6 + 0.15) + (32 << 10));
}

static void test_refusals(Fixture *f, gconstpointer data)
{
	g_autoptr(GError) error = NULL;

	if (!target_check(&f->spec, NULL, NULL))
		return;
	f->spec.nbd_delay_ns = 1500000;
	g_assert_false(target_check(&f->spec, NULL, &error));
	g_assert_nonnull(strstr(error->message, "whole number of milliseconds"));
	g_clear_error(&error);
	f->spec.nbd_delay_ns = 0;
	f->spec.path = "/tmp";
	g_assert_false(target_check(&f->spec, NULL, &error));
	g_assert_nonnull(strstr(error->message, "has no path and no filesystem"));
}

/* A server that does not start leaves nothing, and its own words are the reason. */
static void test_no_start(Fixture *f, gconstpointer data)
{
	g_autoptr(GError) error = NULL;

	if (!target_check(&f->spec, NULL, NULL))
		return;
	f->spec.nbd_plugin = "there-is-no-such-plugin";
	g_assert_null(target_open(&f->spec, &f->keeper, &error));
	g_test_message("%s", error->message);
	g_assert_nonnull(strstr(error->message, "target t: nbdkit ended at once: nbdkit: error: cannot open plugin"));
}

#define ADD(name, plugin, func) g_test_add("/target-nbd/" name, Fixture, plugin, setup, func, teardown)

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	ADD("memory", "memory", test_memory);
	ADD("null", "null", test_null);
	ADD("delay", "null", test_delay);
	ADD("errors", "memory", test_errors);
	ADD("killed", "memory", test_killed);
	ADD("rate", "null", test_rate);
	ADD("refusals", "memory", test_refusals);
	ADD("no-start", "memory", test_no_start);
	return g_test_run();
}
