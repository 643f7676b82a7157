/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A job file of fio's: an error at its line, or options that say, read again, what was read out of the file. */
#include <string.h>

#include "harness/profile/fio-file.h"
#include "tests/fuzz/fuzz.h"

static void check_fields(const ProfileFioFile *file)
{
	gboolean mixed = g_str_equal(file->rw, "rw") || g_str_equal(file->rw, "randrw");

	g_assert_true(mixed ? file->mix_read >= 0 && file->mix_read <= 100 : file->mix_read == -1);
	g_assert_true(file->block_size > 0 && file->queue_depth > 0 && file->jobs > 0);
	g_assert_true(file->queue_depth == 1 || !fio_file_is_synchronous(file));
	g_assert_true(file->rate_iops == -1 || file->rate_iops >= (gint64)file->jobs);
	g_assert_true((file->fsync_every > 0) == g_str_equal(file->sync, "fsync"));
	g_assert_true(g_str_has_prefix(file->name, "fio:input.fio#"));
	g_assert_cmpuint(strlen(file->name), ==, strlen("fio:input.fio#") + 12);
	/* The agent takes a bracket for a section, and fio would, too. */
	g_assert_null(strchr(file->options, '['));
	g_assert_true(g_utf8_validate(file->options, -1, NULL));
}

/* fio reads the options from the first to the last, not the file: they must come to the same. */
static void check_options(const ProfileFioFile *file)
{
	g_autofree char *text = g_strconcat("[job]\n", file->options, NULL);
	g_autoptr(GError) error = NULL;
	g_autoptr(ProfileFioFile) again = fio_file_parse("input.fio", text, strlen(text), &error);

	if (!again && strlen(text) > FIO_FILE_BYTES)
		return;
	g_assert_no_error(error);
	check_fields(again);
	g_assert_cmpstr(again->options, ==, file->options);
	g_assert_cmpstr(again->rw, ==, file->rw);
	g_assert_cmpstr(again->sync, ==, file->sync);
	g_assert_cmpstr(again->ioengine, ==, file->ioengine);
	g_assert_cmpint(again->mix_read, ==, file->mix_read);
	g_assert_cmpuint(again->block_size, ==, file->block_size);
	g_assert_true(again->direct == file->direct);
	g_assert_cmpuint(again->fsync_every, ==, file->fsync_every);
	g_assert_cmpuint(again->queue_depth, ==, file->queue_depth);
	g_assert_cmpuint(again->jobs, ==, file->jobs);
	g_assert_cmpint(again->rate_iops, ==, file->rate_iops);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	g_autofree char *text = g_malloc(size ? size : 1); /* no byte behind the last: what reads on is found */
	g_autoptr(GError) error = NULL;
	g_autoptr(ProfileFioFile) file = NULL;

	if (size)
		memcpy(text, data, size);
	file = fio_file_parse("some/input.fio", text, size, &error);
	g_assert_true((file == NULL) == (error != NULL));
	if (!file) {
		g_assert_true(g_str_has_prefix(error->message, "some/input.fio:"));
		g_assert_true(g_utf8_validate(error->message, -1, NULL));
		g_assert_null(strchr(error->message, '\n'));
		return 0;
	}
	check_fields(file);
	check_options(file);
	return 0;
}
