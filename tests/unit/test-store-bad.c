/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The store in trouble: what is not ours, damaged, newer, locked, full, read-only, or cut off by a kill. */
#include "store-fixture.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOBODY 65534

static void test_missing_and_empty(Fixture *fixture, gconstpointer data)
{
	g_autofree char *folder = g_path_get_dirname(fixture->path);

	fixture_refused(fixture, STORE_READ, IOGAP_ERROR_NOTHING, "No such file");
	g_assert_false(g_file_test(folder, G_FILE_TEST_EXISTS));
	g_assert_cmpint(g_mkdir(folder, 0755), ==, 0);
	g_assert_true(g_file_set_contents(fixture->path, "", 0, NULL));
	fixture_refused(fixture, STORE_READ, IOGAP_ERROR_NOTHING, "is empty");
	store_close(fixture_open(fixture, STORE_WRITE));
	store_close(fixture_open(fixture, STORE_READ));
}

/* Opens for reading and writing must be refused, and the file stays as it was to the byte. */
static void refused_untouched(const Fixture *fixture, const char *text)
{
	g_autofree char *before = NULL;
	g_autofree char *after = NULL;
	gsize size, size_after;

	g_assert_true(g_file_get_contents(fixture->path, &before, &size, NULL));
	fixture_refused(fixture, STORE_READ, IOGAP_ERROR_FAILED, text);
	fixture_refused(fixture, STORE_WRITE, IOGAP_ERROR_FAILED, text);
	g_assert_true(g_file_get_contents(fixture->path, &after, &size_after, NULL));
	g_assert_cmpmem(before, size, after, size_after);
}

static void test_not_a_database(Fixture *fixture, gconstpointer data)
{
	g_autofree char *folder = g_path_get_dirname(fixture->path);
	g_autofree char *text = g_strnfill(5000, 'x');

	g_assert_cmpint(g_mkdir(folder, 0755), ==, 0);
	g_assert_true(g_file_set_contents(fixture->path, text, -1, NULL));
	refused_untouched(fixture, "not a database");
}

static void test_another_database(Fixture *fixture, gconstpointer data)
{
	g_autofree char *folder = g_path_get_dirname(fixture->path);
	sqlite3 *db;

	g_assert_cmpint(g_mkdir(folder, 0755), ==, 0);
	g_assert_cmpint(sqlite3_open(fixture->path, &db), ==, SQLITE_OK);
	g_assert_cmpint(sqlite3_exec(db, "CREATE TABLE store_meta (version)", NULL, NULL, NULL), ==, SQLITE_OK);
	sqlite3_close(db);
	refused_untouched(fixture, "database of another program");
}

static void test_a_folder(Fixture *fixture, gconstpointer data)
{
	g_assert_cmpint(g_mkdir_with_parents(fixture->path, 0755), ==, 0);
	fixture_refused(fixture, STORE_WRITE, IOGAP_ERROR_FAILED, "cannot open");
	fixture_refused(fixture, STORE_READ, IOGAP_ERROR_FAILED, "cannot open");
}

/* A store with some runs, closed. */
static void make_store(const Fixture *fixture, guint runs)
{
	g_autoptr(Store) store = fixture_open(fixture, STORE_WRITE);
	gint64 leg = add_some_leg(store, add_some_sweep(store), "host read 8k", -1);

	for (guint i = 0; i < runs; i++) {
		g_autoptr(StoreRun) run = some_run(i);

		g_assert_cmpint(store_add_run(store, leg, -1, run, NULL), >, 0);
	}
}

static void test_newer(Fixture *fixture, gconstpointer data)
{
	Store *store = fixture_open(fixture, STORE_WRITE);

	add_some_sweep(store);
	g_assert_true(store_exec(store, "UPDATE store_meta SET version = 7777", "write to", NULL));
	store_close(store);
	refused_untouched(fixture, "has version 7777 and this iogap (" IOGAP_VERSION ") knows versions up to ");
}

static void test_truncated(Fixture *fixture, gconstpointer data)
{
	struct stat st;

	make_store(fixture, 20);
	g_assert_cmpint(stat(fixture->path, &st), ==, 0);
	g_assert_cmpint(truncate(fixture->path, st.st_size / 2), ==, 0);
	refused_untouched(fixture, "the file is damaged");
	g_assert_cmpint(truncate(fixture->path, 50), ==, 0);
	refused_untouched(fixture, "the file is damaged");
}

/* Damage in the middle is found by the reader that meets it; it never becomes an empty or short answer. */
static void test_damaged(Fixture *fixture, gconstpointer data)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(Store) store = NULL;
	struct stat st;
	int fd;

	make_store(fixture, 40);
	fd = g_open(fixture->path, O_RDWR | O_CLOEXEC, 0);
	g_assert_cmpint(fstat(fd, &st), ==, 0);
	/* All pages but the first, which holds the list of tables, and the few of the dictionary and the list. */
	for (off_t at = 16 * 4096; at < st.st_size; at += 4096)
		g_assert_cmpint(pwrite(fd, "\xff\xff\xff\xff\xff\xff\xff\xff", 8, at), ==, 8);
	close(fd);
	store = store_open(fixture->path, STORE_READ, &error);
	if (store)
		g_assert_null(store_runs(store, 1, &error));
	g_assert_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED);
	g_test_message("%s", error->message);
	g_assert_nonnull(strstr(error->message, "the file is damaged"));
	g_assert_nonnull(strstr(error->message, fixture->path));
}

static void test_schema_missing(Fixture *fixture, gconstpointer data)
{
	g_autofree char *share = g_strdup(g_getenv("IOGAP_SHARE"));
	g_autoptr(GError) error = NULL;

	g_setenv("IOGAP_SHARE", fixture->folder, TRUE);
	g_assert_null(store_open(fixture->path, STORE_WRITE, &error));
	g_setenv("IOGAP_SHARE", share, TRUE);
	g_assert_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED);
	g_assert_nonnull(strstr(error->message, "001-*.sql is missing"));
	g_assert_false(g_file_test(fixture->path, G_FILE_TEST_EXISTS));
}

/* ---- upgrade ---------------------------------------------------------------------------------- */

/* A schema folder of the fixture's own: the real files, and SQL as number LATEST + ABOVE. */
static void make_schema(const Fixture *fixture, int latest, int above, const char *sql)
{
	g_autofree char *share = g_strdup(g_getenv("IOGAP_SHARE"));
	g_autofree char *real = g_build_filename(share, "schema", NULL);
	g_autofree char *folder = g_build_filename(fixture->folder, "schema", NULL);
	g_autofree char *name = g_strdup_printf("%03d-test.sql", latest + above);
	g_autofree char *file = g_build_filename(folder, name, NULL);
	g_autoptr(GDir) dir = g_dir_open(real, 0, NULL);
	const char *entry;

	g_assert_cmpint(g_mkdir_with_parents(folder, 0755), ==, 0);
	while ((entry = g_dir_read_name(dir))) {
		g_autofree char *path = g_build_filename(real, entry, NULL);
		g_autofree char *copy = g_build_filename(folder, entry, NULL);
		g_autofree char *text = NULL;
		gsize size;

		g_assert_true(g_file_get_contents(path, &text, &size, NULL));
		g_assert_true(g_file_set_contents(copy, text, (gssize)size, NULL));
	}
	g_assert_true(g_file_set_contents(file, sql, -1, NULL));
	g_setenv("IOGAP_SHARE", fixture->folder, TRUE);
}

/* The version of the fixture's store, which the real schema made. */
static int version_now(const Fixture *fixture)
{
	Store *store = fixture_open(fixture, STORE_READ);
	int version = store_version(store);

	store_close(store);
	return version;
}

static void test_upgrade(Fixture *fixture, gconstpointer data)
{
	g_autofree char *share = g_strdup(g_getenv("IOGAP_SHARE"));
	g_autoptr(Record) changes = record_new();
	g_autoptr(GPtrArray) runs = NULL;
	g_autofree char *refusal = NULL;
	Store *old, *reader;
	int latest;

	make_store(fixture, 3);
	latest = version_now(fixture);
	make_schema(fixture, latest, 1,
		"ALTER TABLE run ADD COLUMN column_of_two INTEGER;"
		"ALTER TABLE sweep ADD COLUMN rack TEXT;"
		"INSERT INTO metric VALUES ('run', 'column_of_two', 'INTEGER', NULL, 'lower', 'sum', 'exits');"
		"UPDATE run SET column_of_two = 5 WHERE block = 1;");
	/* A reader never changes a store: it reads the old one as it is. */
	reader = fixture_open(fixture, STORE_READ);
	g_assert_cmpint(store_version(reader), ==, latest);
	store_close(reader);
	old = fixture_open(fixture, STORE_WRITE);
	g_assert_cmpint(store_version(old), ==, latest + 1);
	record_set_text(changes, "rack", "B7");
	g_assert_true(store_update_sweep(old, 1, changes, NULL));
	runs = store_runs(old, 1, NULL);
	g_assert_cmpuint(runs->len, ==, 3);
	g_assert_cmpint(record_get_int(runs->pdata[1], "column_of_two", -1), ==, 5);
	g_assert_false(record_has(runs->pdata[0], "column_of_two"));
	store_close(old);
	/* The second opening has nothing to do; an iogap that knows only the real files refuses now. */
	store_close(fixture_open(fixture, STORE_WRITE));
	g_setenv("IOGAP_SHARE", share, TRUE);
	refusal = g_strdup_printf("has version %d and this iogap (" IOGAP_VERSION ") knows versions up to %d;", latest + 1, latest);
	refused_untouched(fixture, refusal);
}

static void test_upgrade_that_fails(Fixture *fixture, gconstpointer data)
{
	static const struct {
		int above;
		const char *sql, *words;
	} bad[] = {
		{1, "ALTER TABLE run ADD COLUMN x INTEGER; UPDATE nowhere SET a = 1;", "-test.sql"},
		{1, "ALTER TABLE run ADD COLUMN x INTEGER; COMMIT;", "ends the transaction by itself"},
		{1, "DELETE FROM sweep;", "rows that are not there"},
		{2, "SELECT 1;", "-*.sql is missing"},
		{0, "SELECT 1;", "two schema files of number"},
	};
	g_autofree char *share = g_strdup(g_getenv("IOGAP_SHARE"));
	const char *const rm[] = {"rm", "-rf", fixture->folder, NULL};

	for (guint i = 0; i < G_N_ELEMENTS(bad); i++) {
		g_autoptr(GError) error = NULL;
		Store *store;
		int latest;

		make_store(fixture, 2);
		latest = version_now(fixture);
		make_schema(fixture, latest, bad[i].above, bad[i].sql);
		g_assert_null(store_open(fixture->path, STORE_WRITE, &error));
		g_test_message("%s", error->message);
		g_assert_nonnull(strstr(error->message, bad[i].words));
		g_setenv("IOGAP_SHARE", share, TRUE);
		store = fixture_open(fixture, STORE_WRITE);
		g_assert_cmpint(store_version(store), ==, latest);
		g_assert_cmpint(count_rows(store, "run"), ==, 2);
		store_close(store);
		g_assert_true(subprocess_run(rm, 20, NULL, NULL, NULL, NULL));
	}
	g_assert_cmpint(g_mkdir(fixture->folder, 0755), ==, 0);
}

/* ---- others at work ---------------------------------------------------------------------------- */

static void test_read_while_writing(Fixture *fixture, gconstpointer data)
{
	g_autoptr(Store) writer = fixture_open(fixture, STORE_WRITE);
	g_autoptr(Store) reader = NULL;
	gint64 leg = add_some_leg(writer, add_some_sweep(writer), "host read 8k", -1);
	g_autoptr(StoreRun) run = some_run(0);
	g_autoptr(GError) error = NULL;
	g_autoptr(Record) record = some_sweep("running", 1);

	reader = fixture_open(fixture, STORE_READ);
	g_assert_true(store_begin(writer, NULL));
	g_assert_cmpint(count_rows(reader, "run"), ==, 0);
	g_assert_true(store_commit(writer, NULL));
	g_assert_cmpint(store_add_run(writer, leg, -1, run, NULL), >, 0);
	g_assert_cmpint(count_rows(reader, "run"), ==, 1);
	g_assert_cmpint(store_add_sweep(reader, record, &error), ==, -1);
	g_assert_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED);
	g_assert_nonnull(strstr(error->message, fixture->path));
}

static void test_locked(Fixture *fixture, gconstpointer data)
{
	g_autofree char *pid = NULL;
	g_autoptr(GError) error = NULL;
	g_autoptr(Record) record = some_sweep("running", 1);
	g_autoptr(Store) store = NULL;
	int ready[2], status;
	pid_t child;
	char byte;
	gint64 begun;

	make_store(fixture, 1);
	g_assert_cmpint(pipe(ready), ==, 0);
	child = fork();
	if (child == 0) {
		g_autoptr(Store) writer = store_open(fixture->path, STORE_WRITE, NULL);

		if (!writer || !store_begin(writer, NULL) || write(ready[1], "x", 1) != 1)
			_exit(1);
		pause();
		_exit(0);
	}
	g_assert_cmpint(read(ready[0], &byte, 1), ==, 1);
	store = fixture_open(fixture, STORE_WRITE);
	begun = g_get_monotonic_time();
	g_assert_cmpint(store_add_sweep(store, record, &error), ==, -1);
	g_assert_cmpint(g_get_monotonic_time() - begun, >, 4 * G_USEC_PER_SEC);
	g_assert_error(error, IOGAP_ERROR, IOGAP_ERROR_BUSY);
	g_test_message("%s", error->message);
	pid = g_strdup_printf("process %d (", (int)child);
	g_assert_nonnull(strstr(error->message, pid));
	g_assert_nonnull(strstr(error->message, fixture->path));
	kill(child, SIGKILL);
	g_assert_cmpint(waitpid(child, &status, 0), ==, child);
	g_clear_error(&error);
	g_assert_cmpint(store_add_sweep(store, record, &error), >, 0);
	close(ready[0]);
	close(ready[1]);
}

/* Adds runs until it is killed, and says so on OUT after each one that was stored. */
static void write_for_ever(const Fixture *fixture, int out)
{
	g_autoptr(Store) store = store_open(fixture->path, STORE_WRITE, NULL);

	for (gint64 i = 0;; i++) {
		g_autoptr(StoreRun) run = some_run(i);

		if (store_add_run(store, 1, -1, run, NULL) < 0 || write(out, "x", 1) != 1)
			_exit(1);
	}
}

static void test_killed(Fixture *fixture, gconstpointer data)
{
	make_store(fixture, 0);
	for (guint round = 1; round <= 5; round++) {
		g_autoptr(Store) store = NULL;
		g_autoptr(GPtrArray) verdict = NULL;
		g_autofree Hist *hist = g_new0(Hist, 1);
		gint64 stored = 0, runs, next;
		int said[2], status;
		pid_t child;
		char byte;

		store = fixture_open(fixture, STORE_WRITE);
		g_assert_true(store_exec(store, "DELETE FROM series; DELETE FROM flag; DELETE FROM hist; DELETE FROM run",
			"write to", NULL));
		store_close(g_steal_pointer(&store));
		g_assert_cmpint(pipe(said), ==, 0);
		child = fork();
		if (child == 0)
			write_for_ever(fixture, said[1]);
		close(said[1]);
		for (; stored < 3; stored++)
			g_assert_cmpint(read(said[0], &byte, 1), ==, 1);
		g_usleep(round * 700);
		kill(child, SIGKILL);
		g_assert_cmpint(waitpid(child, &status, 0), ==, child);
		g_assert_true(WIFSIGNALED(status));
		while (read(said[0], &byte, 1) == 1)
			stored++;
		close(said[0]);
		store = fixture_open(fixture, STORE_READ);
		runs = count_rows(store, "run");
		g_test_message("killed after %d runs said to be stored, %d found", (int)stored, (int)runs);
		g_assert_cmpint(runs, >=, stored);
		g_assert_cmpint(runs, <=, stored + 1);
		g_assert_cmpint(count_rows(store, "hist"), ==, runs);
		g_assert_cmpint(count_rows(store, "series"), ==, runs);
		g_assert_true(store_query_int(store, "SELECT max(id) FROM run", NULL, 0, -1, &next, NULL));
		g_assert_true(store_hist(store, next, "read", "complete", hist, NULL));
		verdict = store_query(store, "PRAGMA quick_check", NULL, 0, NULL);
		g_assert_cmpstr(record_get_text(verdict->pdata[0], "quick_check"), ==, "ok");
	}
}

/* ---- no space, no permission ------------------------------------------------------------------- */

/* Adds runs until one is refused for want of space; those before stay, and space given again helps. */
static void fill_up(Store *store, gint64 leg)
{
	g_autoptr(GError) error = NULL;
	gint64 stored = 0;

	while (!error && stored < 5000) {
		g_autoptr(StoreRun) run = some_run(stored);

		if (store_add_run(store, leg, -1, run, &error) > 0)
			stored++;
	}
	g_assert_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED);
	g_test_message("after %d runs: %s", (int)stored, error->message);
	g_assert_nonnull(strstr(error->message, "no space is left for it"));
	g_assert_nonnull(strstr(error->message, store_path(store)));
	g_assert_cmpint(stored, >, 0);
	g_assert_cmpint(count_rows(store, "run"), ==, stored);
	g_assert_cmpint(count_rows(store, "series"), ==, stored);
}

static void test_page_limit(Fixture *fixture, gconstpointer data)
{
	g_autoptr(Store) store = fixture_open(fixture, STORE_WRITE);
	gint64 leg = add_some_leg(store, add_some_sweep(store), "host read 8k", -1);
	g_autoptr(StoreRun) run = some_run(100000);

	g_assert_true(store_exec(store, "PRAGMA max_page_count = 60", "open", NULL));
	fill_up(store, leg);
	g_assert_true(store_exec(store, "PRAGMA max_page_count = 1000000", "open", NULL));
	g_assert_cmpint(store_add_run(store, leg, -1, run, NULL), >, 0);
}

static void test_disk_full(Fixture *fixture, gconstpointer data)
{
	g_autofree char *folder = g_path_get_dirname(fixture->path);
	g_autoptr(StoreRun) run = some_run(100000);
	g_autoptr(GPtrArray) verdict = NULL;
	Store *store;
	gint64 leg;

	g_assert_cmpint(g_mkdir(folder, 0755), ==, 0);
	if (mount("iogap-test", folder, "tmpfs", 0, "size=1m") < 0) {
		g_test_skip("needs root: a small file system to fill");
		return;
	}
	store = fixture_open(fixture, STORE_WRITE);
	leg = add_some_leg(store, add_some_sweep(store), "host read 8k", -1);
	fill_up(store, leg);
	g_assert_cmpint(mount("iogap-test", folder, "tmpfs", MS_REMOUNT, "size=4m"), ==, 0);
	g_assert_cmpint(store_add_run(store, leg, -1, run, NULL), >, 0);
	verdict = store_query(store, "PRAGMA quick_check", NULL, 0, NULL);
	g_assert_cmpstr(record_get_text(verdict->pdata[0], "quick_check"), ==, "ok");
	store_close(store);
	g_assert_cmpint(umount(folder), ==, 0);
}

/* BODY as an ordinary user in a child: permissions mean nothing to root. */
static void as_nobody(const Fixture *fixture, void (*body)(const Fixture *fixture))
{
	int status;
	pid_t child = fork();

	if (child == 0) {
		if (geteuid() == 0 && (setgid(NOBODY) < 0 || setuid(NOBODY) < 0))
			_exit(99);
		body(fixture);
		_exit(0);
	}
	g_assert_cmpint(waitpid(child, &status, 0), ==, child);
	g_assert_cmpint(status, ==, 0);
}

static void read_all(const Fixture *fixture)
{
	g_autoptr(Store) store = fixture_open(fixture, STORE_READ);

	g_assert_cmpint(count_rows(store, "run"), ==, 4);
}

static void expect_no_writing(const Fixture *fixture)
{
	fixture_refused(fixture, STORE_WRITE, IOGAP_ERROR_FAILED, "it is read-only for this user");
}

static void expect_no_folder(const Fixture *fixture)
{
	fixture_refused(fixture, STORE_WRITE, IOGAP_ERROR_FAILED, "Permission denied");
}

static void test_read_only_folder(Fixture *fixture, gconstpointer data)
{
	g_autofree char *folder = g_path_get_dirname(fixture->path);
	g_autofree char *wal = g_strconcat(fixture->path, "-wal", NULL);

	make_store(fixture, 4);
	g_assert_cmpint(g_chmod(fixture->folder, 0755), ==, 0);
	g_assert_cmpint(g_chmod(fixture->path, 0444), ==, 0);
	g_assert_cmpint(g_chmod(folder, 0555), ==, 0);
	as_nobody(fixture, read_all);
	as_nobody(fixture, expect_no_folder);
	g_assert_false(g_file_test(wal, G_FILE_TEST_EXISTS));
	g_assert_cmpint(g_chmod(folder, 0777), ==, 0);
	as_nobody(fixture, read_all);
	as_nobody(fixture, expect_no_writing);
	g_assert_cmpint(g_chmod(folder, 0755), ==, 0);
}

static void expect_unread_log(const Fixture *fixture)
{
	fixture_refused(fixture, STORE_READ, IOGAP_ERROR_FAILED, "copy both files to another folder");
}

/* The log of a killed writer holds the last runs: without it the reader would show too few of them. */
static void test_read_only_folder_with_log(Fixture *fixture, gconstpointer data)
{
	g_autofree char *folder = g_path_get_dirname(fixture->path);
	g_autofree char *wal = g_strconcat(fixture->path, "-wal", NULL);
	g_autofree char *shm = g_strconcat(fixture->path, "-shm", NULL);
	int status;
	pid_t child = fork();

	if (child == 0) {
		make_store(fixture, 4);
		/* One more store object keeps the log from being put away. */
		fixture_open(fixture, STORE_WRITE);
		make_store(fixture, 0);
		_exit(0);
	}
	g_assert_cmpint(waitpid(child, &status, 0), ==, child);
	g_assert_cmpint(status, ==, 0);
	g_assert_true(g_file_test(wal, G_FILE_TEST_EXISTS));
	g_assert_cmpint(g_chmod(fixture->folder, 0755), ==, 0);
	g_assert_cmpint(g_unlink(shm), ==, 0);
	g_assert_cmpint(g_chmod(wal, 0), ==, 0);
	g_assert_cmpint(g_chmod(folder, 0555), ==, 0);
	as_nobody(fixture, expect_unread_log);
	g_assert_cmpint(g_chmod(folder, 0755), ==, 0);
}

static void test_folder_not_writable(Fixture *fixture, gconstpointer data)
{
	g_autofree char *folder = g_path_get_dirname(fixture->path);

	g_assert_cmpint(g_chmod(fixture->folder, 0555), ==, 0);
	as_nobody(fixture, expect_no_folder);
	g_assert_false(g_file_test(folder, G_FILE_TEST_EXISTS));
	g_assert_cmpint(g_chmod(fixture->folder, 0755), ==, 0);
	g_assert_cmpint(g_mkdir(folder, 0555), ==, 0);
	as_nobody(fixture, expect_no_folder);
	g_assert_false(g_file_test(fixture->path, G_FILE_TEST_EXISTS));
	g_assert_cmpint(g_chmod(folder, 0755), ==, 0);
}

#define ADD(name, function) g_test_add(name, Fixture, NULL, fixture_set_up, function, fixture_tear_down)

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	fixture_find_schema();
	ADD("/store/missing-and-empty", test_missing_and_empty);
	ADD("/store/not-a-database", test_not_a_database);
	ADD("/store/another-database", test_another_database);
	ADD("/store/a-folder", test_a_folder);
	ADD("/store/newer", test_newer);
	ADD("/store/truncated", test_truncated);
	ADD("/store/damaged", test_damaged);
	ADD("/store/schema-missing", test_schema_missing);
	ADD("/store/upgrade", test_upgrade);
	ADD("/store/upgrade-that-fails", test_upgrade_that_fails);
	ADD("/store/read-while-writing", test_read_while_writing);
	ADD("/store/locked", test_locked);
	ADD("/store/killed", test_killed);
	ADD("/store/page-limit", test_page_limit);
	ADD("/store/disk-full", test_disk_full);
	ADD("/store/read-only-folder", test_read_only_folder);
	ADD("/store/read-only-folder-with-log", test_read_only_folder_with_log);
	ADD("/store/folder-not-writable", test_folder_not_writable);
	return g_test_run();
}
