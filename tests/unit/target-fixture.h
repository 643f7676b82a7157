/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the tests of targets share: a folder that has to be empty in the end, and a keeper that remembers. */
#ifndef IOGAP_TESTS_TARGET_FIXTURE_H
#define IOGAP_TESTS_TARGET_FIXTURE_H

#include <glib/gstdio.h>
#include <unistd.h>

#include "harness/base/error.h"
#include "harness/side/keeper-list.h"
#include "harness/side/target-private.h"
#include "tests/unit/keeper-fixture.h"

#define MIB (1 << 20)
#define NOBODY 65534

typedef struct {
	char *dir;
	Keeper keeper;
	TargetSpec spec;
} Fixture;

static inline guint entries(const char *dir)
{
	g_autoptr(GDir) d = g_dir_open(dir, 0, NULL);
	guint n = 0;

	while (d && g_dir_read_name(d))
		n++;
	return n;
}

/* How many loop devices have a backing file below DIR. */
static inline guint loops_of(const char *dir)
{
	g_autoptr(GDir) d = g_dir_open("/sys/block", 0, NULL);
	const char *name;
	guint n = 0;

	while (d && (name = g_dir_read_name(d))) {
		g_autofree char *file = g_build_filename("/sys/block", name, "loop", "backing_file", NULL);
		g_autofree char *text = NULL;

		if (g_file_get_contents(file, &text, NULL, NULL) && g_str_has_prefix(text, dir))
			n++;
	}
	return n;
}

static inline void setup(Fixture *f, gconstpointer data)
{
	f->dir = g_dir_make_tmp("iogap-target-XXXXXX", NULL);
	g_assert_nonnull(f->dir);
	keeper_set_up(&f->keeper);
	f->spec = (TargetSpec){.name = "scratch", .type = "file", .path = f->dir, .size = 4 * MIB, .folder = f->dir};
}

static inline void teardown(Fixture *f, gconstpointer data)
{
	keeper_tear_down(&f->keeper);
	g_assert_cmpuint(loops_of(f->dir), ==, 0);
	g_assert_cmpint(g_rmdir(f->dir), ==, 0); /* empty: nothing was left */
	g_free(f->dir);
}

static inline gboolean root_only(void)
{
	if (geteuid() == 0)
		return TRUE;
	g_test_skip("needs root");
	return FALSE;
}

static inline gboolean loops_work(void)
{
	g_autoptr(GError) error = NULL;
	g_autofree char *device = NULL;
	g_autofree char *file = NULL;
	int fd;

	if (!target_loop_check(NULL, &error)) {
		g_test_skip(error->message);
		return FALSE;
	}
	fd = g_file_open_tmp("iogap-loop-XXXXXX", &file, NULL);
	g_assert_cmpint(ftruncate(fd, MIB), ==, 0);
	close(fd);
	fd = target_loop_attach(file, &device, &error);
	g_unlink(file);
	if (fd < 0) {
		g_test_skip(error->message);
		return FALSE;
	}
	target_loop_detach(fd, device);
	return TRUE;
}

/* Both check and open refuse SPEC with a message that contains TEXT. */
static inline void refused(Fixture *f, int code, const char *text)
{
	g_autoptr(GError) from_check = NULL;
	g_autoptr(GError) from_open = NULL;

	g_assert_false(target_check(&f->spec, NULL, &from_check));
	g_assert_error(from_check, IOGAP_ERROR, code);
	g_test_message("%s", from_check->message);
	if (!strstr(from_check->message, text))
		g_error("\"%s\" is not in \"%s\"", text, from_check->message);
	g_assert_null(target_open(&f->spec, &f->keeper, &from_open));
	g_assert_cmpstr(from_open->message, ==, from_check->message);
	g_assert_cmpuint(f->keeper.list->len, ==, 0);
}

/* A raw loop target is the block device under test. */
static inline Target *loop_device(Fixture *f)
{
	TargetSpec spec = f->spec;
	g_autoptr(GError) error = NULL;
	Target *loop;

	spec.type = "loop";
	spec.size = 16 * MIB;
	loop = target_open(&spec, &f->keeper, &error);
	g_assert_no_error(error);
	g_assert_true(target_is_block(loop));
	return loop;
}

#define ADD(name, func) g_test_add("/target/" name, Fixture, NULL, setup, func, teardown)

#endif
