/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the tests of the store share: a folder of its own per test and rows to put in. */
#ifndef IOGAP_TEST_STORE_FIXTURE_H
#define IOGAP_TEST_STORE_FIXTURE_H

#include <glib/gstdio.h>

#include "harness/base/error.h"
#include "harness/base/subprocess.h"
#include "results/store-private.h"

typedef struct {
	char *folder, *path;
} Fixture;

static inline void fixture_set_up(Fixture *fixture, gconstpointer data)
{
	fixture->folder = g_dir_make_tmp("iogap-store-XXXXXX", NULL);
	g_assert_nonnull(fixture->folder);
	fixture->path = g_build_filename(fixture->folder, "data", "s.sqlite", NULL);
}

static inline void fixture_tear_down(Fixture *fixture, gconstpointer data)
{
	const char *const rm[] = {"rm", "-rf", "--", fixture->folder, NULL};

	g_assert_true(subprocess_run(rm, 20, NULL, NULL, NULL, NULL));
	g_free(fixture->folder);
	g_free(fixture->path);
}

/* The schema that this build ships, wherever the test program lies. */
static inline void fixture_find_schema(void)
{
	const char *build = g_getenv("IOGAP_BUILD");
	g_autofree char *share = g_build_filename(build ? build : "build", "share", NULL);

	g_setenv("IOGAP_SHARE", share, TRUE);
}

static inline Store *fixture_open(const Fixture *fixture, StoreMode mode)
{
	GError *error = NULL;
	Store *store = store_open(fixture->path, mode, &error);

	g_assert_no_error(error);
	return store;
}

/* store_open must fail with CODE and a message that holds TEXT and the store's path. */
static inline void fixture_refused(const Fixture *fixture, StoreMode mode, int code, const char *text)
{
	g_autoptr(GError) error = NULL;

	g_assert_null(store_open(fixture->path, mode, &error));
	g_assert_error(error, IOGAP_ERROR, code);
	g_test_message("%s", error->message);
	g_assert_nonnull(strstr(error->message, text));
	g_assert_nonnull(strstr(error->message, fixture->path));
}

static inline Record *some_sweep(const char *status, gint64 started)
{
	Record *record = record_new();

	record_set_text(record, "status", status);
	record_set_int(record, "started_unix_ns", started);
	record_set_text(record, "profile", "quick");
	record_set_text(record, "profile_text", "name: quick\n");
	record_set_int(record, "blocks", 2);
	record_set_text(record, "stopped", "ceiling");
	return record;
}

static inline gint64 add_some_sweep(Store *store)
{
	g_autoptr(Record) record = some_sweep("running", 1000);
	GError *error = NULL;
	gint64 id = store_add_sweep(store, record, &error);

	g_assert_no_error(error);
	g_assert_cmpint(id, >, 0);
	return id;
}

static inline gint64 add_some_leg(Store *store, gint64 sweep, const char *label, gint64 host)
{
	g_autoptr(Record) record = record_new();
	GError *error = NULL;
	gint64 id;

	record_set_text(record, "label", label);
	record_set_text(record, "side", host > 0 ? "guest" : "host");
	record_set_text(record, "rw", "read");
	record_set_int(record, "block_size", 8192);
	if (host > 0) {
		record_set_int(record, "host_leg_id", host);
		record_set_text(record, "bus", "virtio");
	}
	id = store_add_leg(store, sweep, record, &error);
	g_assert_no_error(error);
	g_assert_cmpint(id, >, 0);
	return id;
}

static inline gint64 add_some_boot(Store *store, gint64 sweep)
{
	g_autoptr(Record) record = record_new();
	GError *error = NULL;
	gint64 id;

	record_set_text(record, "status", "running");
	record_set_int(record, "block", 0);
	id = store_add_boot(store, sweep, record, &error);
	g_assert_no_error(error);
	g_assert_cmpint(id, >, 0);
	return id;
}

/* A histogram with COUNT values of about NS each. */
static inline void fill_hist(Hist *hist, guint slot, guint64 count, guint64 ns)
{
	memset(hist, 0, sizeof(*hist));
	hist->n = count;
	hist->sum_ns = count * ns;
	hist->min_ns = count ? ns : UINT64_MAX;
	hist->max_ns = count ? ns : 0;
	hist->slots[slot] = count;
}

static inline StoreRun *some_run(gint64 block)
{
	StoreRun *run = store_run_new();
	g_autofree Hist *hist = g_new(Hist, 1);

	record_set_int(run->run, "block", block);
	record_set_text(run->run, "status", "ok");
	record_set_int(run->run, "ns", 1000000000);
	record_set_int(run->run, "bytes_read", 81920000);
	record_set_real(run->run, "bytes_per_s", 81920000.0);
	fill_hist(hist, 700, 10000, 100000);
	store_run_add_hist(run, "read", "complete", hist);
	store_run_add_flag(run, "EMULATED", "accel=tcg");
	run->series = g_strdup("{\"interval_ns\":10000000,\"read_bytes\":[8192],\"write_bytes\":[0]}");
	return run;
}

static inline gint64 count_rows(Store *store, const char *table)
{
	g_autofree char *sql = g_strdup_printf("SELECT count(*) FROM %s", table);
	GError *error = NULL;
	gint64 count = -1;

	store_query_int(store, sql, NULL, 0, -1, &count, &error);
	g_assert_no_error(error);
	return count;
}

#endif
