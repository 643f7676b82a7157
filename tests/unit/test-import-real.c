/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the installed dd (in all its languages), busybox, bonnie++ and ioping print here and now. */
#include <glib/gstdio.h>

#include "harness/base/subprocess.h"
#include "import-text.h"

static char *folder;

/* Both streams of a command line, words parted by blanks; "@" begins the folder of the test. */
static char *output_of(const char *command, gboolean with_stdout)
{
	g_auto(GStrv) words = g_strsplit(command, " ", -1);
	g_autofree char *out = NULL;
	g_autofree char *err = NULL;
	GError *error = NULL;
	int status;

	for (guint i = 0; words[i]; i++) {
		GString *word = g_string_new(words[i]);

		g_string_replace(word, "@", folder, 0);
		g_free(words[i]);
		words[i] = g_string_free(word, FALSE);
	}
	subprocess_run((const char *const *)words, 120, &out, &err, &status, &error);
	g_assert_no_error(error);
	return with_stdout ? g_strconcat(err, "\n", out, "\n", NULL) : g_steal_pointer(&err);
}

static gboolean missing(const char *program)
{
	g_autofree char *path = g_find_program_in_path(program);
	g_autofree char *reason = g_strdup_printf("%s is missing: make DEPS=test deps", program);

	if (!path)
		g_test_skip(reason);
	return path == NULL;
}

static void check_dd(const char *text, const char *what)
{
	g_autoptr(ImportResult) result = parse_text(text, "dd");
	const ImportRow *row = row_at(result, 0);
	ImportStats total = total_of(row);

	g_test_message("%s: %s", what, text);
	g_assert_cmpuint(result->rows->len, ==, 1);
	g_assert_cmpstr(row->failure, ==, NULL);
	g_assert_cmpuint(row->warnings->len, ==, 0);
	g_assert_cmpint(total.bytes, ==, 409600);
	g_assert_cmpint(record_get_int(row->leg, "block_size", -1), ==, 4096);
	g_assert_cmpint(total.ns, >, 0);
	/* The nanoseconds are rounded, seconds have six digits. */
	g_assert_cmpfloat_with_epsilon(total.bytes_per_s, 409600.0 / ((double)total.ns / 1e9), total.bytes_per_s * 1e-3);
}

/* All languages that coreutils is translated into here, with a decimal comma and with a point. */
static void test_dd_languages(void)
{
	static const char *const locales[][2] = {{"de_DE", "de_DE"}, {"en_US", "en_US"}};
	g_autoptr(GDir) dir = g_dir_open("/usr/share/locale", 0, NULL);
	const char *language;
	guint translated = 0;

	for (guint i = 0; i < G_N_ELEMENTS(locales); i++) {
		g_autofree char *make = g_strdup_printf("localedef -i %s -f UTF-8 @/%s.UTF-8", locales[i][0], locales[i][1]);
		g_autofree char *said = output_of(make, TRUE);
		g_autofree char *plain = g_strdup_printf(
			"env -u LC_ALL LOCPATH=@ LANG=%s.UTF-8 LC_ALL=%s.UTF-8 dd if=/dev/zero of=@/x bs=4k count=100",
			locales[i][0], locales[i][0]);
		g_autofree char *text = output_of(plain, FALSE);

		check_dd(text, locales[i][0]);
		/* The comma is there, so that reading it is proven. */
		g_assert_true((strstr(text, ",0") || strstr(text, "0,")) || i == 1);
	}
	while (dir && (language = g_dir_read_name(dir))) {
		g_autofree char *mo = g_build_filename("/usr/share/locale", language, "LC_MESSAGES", "coreutils.mo", NULL);
		g_autofree char *command = g_strdup_printf(
			"env LOCPATH=@ LANG=de_DE.UTF-8 LC_ALL=de_DE.UTF-8 LANGUAGE=%s dd if=/dev/zero of=@/x bs=4k count=100", language);
		g_autofree char *text = g_file_test(mo, G_FILE_TEST_EXISTS) ? output_of(command, FALSE) : NULL;

		if (!text)
			continue;
		check_dd(text, language);
		translated += strstr(text, "records in") == NULL;
	}
	g_test_message("%u languages", translated);
	if (translated == 0)
		g_test_incomplete("coreutils has no translations here");
}

static void test_dd_progress(void)
{
	g_autofree char *text = output_of("timeout -s INT 2.3 dd if=/dev/zero of=/dev/null bs=64k status=progress", FALSE);
	g_autoptr(ImportResult) result = parse_text(text, "dd");

	g_test_message("%s", text);
	g_assert_cmpuint(result->rows->len, ==, 1);
	g_assert_cmpint(record_get_int(row_at(result, 0)->more, "progress_updates", 0), >=, 1);
	g_assert_cmpint(total_of(row_at(result, 0)).ns, >=, 2000000000);
	g_assert_cmpint(record_get_int(row_at(result, 0)->leg, "block_size", -1), ==, 65536);
}

static void test_dd_failures(void)
{
	g_autofree char *full = output_of("dd if=/dev/zero of=/dev/full bs=4k count=10", FALSE);
	g_autofree char *none = output_of("dd if=@/nosuch of=/dev/null", FALSE);
	g_autofree char *word = output_of("dd if=/dev/zero of=/dev/null count=one", FALSE);
	g_autoptr(ImportResult) a = parse_text(full, "dd");
	g_autoptr(ImportResult) b = parse_text(none, "dd");
	g_autoptr(ImportResult) c = parse_text(word, "dd");

	g_assert_cmpuint(a->rows->len, ==, 1);
	g_assert_true(g_str_has_prefix(row_at(a, 0)->failure, "ENOSPC before the requested count"));
	g_assert_true(g_str_has_prefix(row_at(b, 0)->failure, "dd did not run: failed to open"));
	g_assert_true(g_str_has_prefix(row_at(c, 0)->failure, "dd did not run: invalid number"));
}

static void test_busybox(void)
{
	g_autofree char *text = missing("busybox") ? NULL
						   : output_of("busybox dd if=/dev/zero of=@/x bs=4k count=100", FALSE);
	g_autoptr(ImportResult) result = text ? parse_text(text, "dd") : NULL;

	if (!result)
		return;
	/* Its third line is a matter of the build. */
	if (strstr(text, "copied"))
		check_dd(text, "busybox");
	else
		g_assert_nonnull(strstr(row_at(result, 0)->failure, "no size/time line"));
}

static void test_bonnie(void)
{
	g_autofree char *both = missing("bonnie++") ? NULL
						    : output_of("bonnie++ -d @ -s 8M -r 4 -n 1 -u root -m some.machine", TRUE);
	g_autoptr(GString) csv = g_string_new(both);
	g_autoptr(ImportResult) result = both ? parse_text(both, "bonnie") : NULL;
	g_autoptr(ImportResult) alone = NULL;

	if (!result)
		return;
	g_test_message("%s", both);
	/* The table and the CSV are one run: six tests, however fast they were. */
	g_assert_cmpuint(result->rows->len, ==, 6);
	g_assert_cmpstr(row_at(result, 0)->name, ==, "some.machine");
	g_assert_cmpint(record_get_int(row_at(result, 0)->leg, "target_size", -1), ==, 8 << 20);
	g_assert_cmpint(result->unix_ns, >, G_GINT64_CONSTANT(1500000000000000000));
	for (guint i = 0; i < 6; i++)
		g_assert_true(row_at(result, i)->failure || total_of(row_at(result, i)).measured);
	g_string_erase(csv, 0, strstr(both, "\n1.9") - both + 1);
	alone = parse_text(csv->str, "bonnie");
	g_assert_cmpuint(alone->rows->len, ==, 6);
	for (guint i = 0; i < 6; i++)
		g_assert_cmpfloat(total_of(row_at(alone, i)).measured, ==, total_of(row_at(result, i)).measured);
	/* And the table alone, whose rates are rounded. */
	g_clear_pointer(&alone, import_result_free);
	*(strstr(both, "\n1.9") + 1) = '\0';
	alone = parse_text(both, "bonnie");
	g_assert_cmpuint(alone->rows->len, ==, 6);
	for (guint i = 0; i < 5; i++) {
		double rate = total_of(row_at(result, i)).bytes_per_s;

		if (!isnan(rate))
			g_assert_cmpfloat_with_epsilon(total_of(row_at(alone, i)).bytes_per_s, rate, rate * 0.06);
	}
}

static void check_ioping(const char *command, const char *rw, gboolean sized)
{
	g_autofree char *text = output_of(command, TRUE);
	g_autoptr(ImportResult) result = parse_text(text, "ioping");
	const ImportRow *row = row_at(result, 0);
	ImportStats total = total_of(row);

	g_test_message("%s", text);
	g_assert_cmpuint(result->rows->len, ==, 1);
	g_assert_cmpstr(row->failure, ==, NULL);
	/* The first of five requests warms up. */
	g_assert_cmpint(total.ops, ==, 4);
	g_assert_cmpfloat(total.total.mean_ns, >, 0);
	g_assert_cmpfloat_with_epsilon(total.total.mean_ns * 4, (double)total.ns, (double)total.ns * 0.02);
	g_assert_cmpfloat(total.total.min_ns, <=, total.total.mean_ns);
	g_assert_cmpfloat(total.total.mean_ns, <=, total.total.max_ns);
	g_assert_cmpfloat_with_epsilon(total.bytes_per_s, 4 * 8192 / ((double)total.ns / 1e9), total.bytes_per_s * 0.02);
	g_assert_cmpstr(record_get_text(row->leg, "rw"), ==, rw);
	g_assert_cmpint(record_get_int(row->leg, "block_size", -1), ==, 8192);
}

static void test_ioping(void)
{
	if (missing("ioping"))
		return;
	check_ioping("ioping -c 5 -i 0 -s 8k @", "read?", TRUE);
	check_ioping("ioping -q -c 5 -i 0 -s 8k @", "read?", TRUE);
	check_ioping("ioping -W -c 5 -i 0 -s 8k @", "write?", TRUE);
	check_ioping("ioping -B -c 5 -i 0 -s 8k @", "rw?", TRUE);
	check_ioping("ioping -J -c 5 -i 0 -s 8k @", "read?", TRUE);
	check_ioping("ioping -J -W -c 5 -i 0 -s 8k @", "write?", TRUE);
}

int main(int argc, char **argv)
{
	const char *const rm[] = {"rm", "-rf", "--", NULL, NULL};
	const char *remove[G_N_ELEMENTS(rm)];
	int status;

	g_test_init(&argc, &argv, NULL);
	folder = g_dir_make_tmp("iogap-real-XXXXXX", NULL);
	g_assert_nonnull(folder);
	g_test_add_func("/import-real/dd-languages", test_dd_languages);
	g_test_add_func("/import-real/dd-progress", test_dd_progress);
	g_test_add_func("/import-real/dd-failures", test_dd_failures);
	g_test_add_func("/import-real/busybox", test_busybox);
	g_test_add_func("/import-real/bonnie", test_bonnie);
	g_test_add_func("/import-real/ioping", test_ioping);
	status = g_test_run();
	memcpy(remove, rm, sizeof(rm));
	remove[3] = folder;
	subprocess_run(remove, 20, NULL, NULL, NULL, NULL);
	g_free(folder);
	return status;
}
