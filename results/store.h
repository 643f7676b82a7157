/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The store: sweeps, legs, boots, runs, their histograms, series and flags, for ever.
 *
 * SQLite (WAL, foreign keys, synchronous=FULL) behind this header; the schema is made and upgraded by
 * the numbered SQL files of results/schema. Rows go in and come out as records whose names are columns; a name or
 * type that the schema does not have is IOGAP_ERROR_FAILED and nothing is written. NULL = not measured. The
 * unit, direction and meaning of every column stand once, in the table "metric" (results/dictionary.c makes the
 * documentation from it). Every function that fails says which store.
 */
#ifndef IOGAP_RESULTS_STORE_H
#define IOGAP_RESULTS_STORE_H

#include <glib.h>
#include "harness/base/record.h"
#include "guest-agent/common/hist.h"

typedef struct Store Store;

typedef enum {
	STORE_READ,   /* must exist */
	STORE_WRITE,  /* made if missing (and its folder), upgraded if old */
} StoreMode;

/* IOGAP_ERROR_BUSY: another process is writing (after 5 s). IOGAP_ERROR_NOTHING: no such store (STORE_READ), or an empty file.
 * IOGAP_ERROR_FAILED: not a store, damaged, or from a newer iogap (both versions named); it is left untouched.
 * Reading works while a sweep writes and in a folder that this user cannot write to. ":memory:" with STORE_WRITE is a store
 * that lasts until it is closed. */
Store *store_open(const char *path, StoreMode mode, GError **error);
void store_close(Store *store);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Store, store_close)
const char *store_path(const Store *store);

/* The version of the opened store's schema. A reader may meet an older one: its records then lack newer columns. */
int store_version(const Store *store);

/*
 * Each returns the new row's id, or -1 with the error set. All of one call is one transaction. "id" and the parents'
 * ids (sweep_id, leg_id, boot_id, run_id) are set by the store and refused in records. A sweep without uuid or
 * store_version gets them here. Statuses: sweep and boot are running, finished, interrupted or failed; a run is ok (then
 * bytes_per_s or iops is set), failed or skipped (then reason is set). A leg's host_leg_id is a leg of the same sweep.
 */
gint64 store_add_sweep(Store *store, const Record *sweep, GError **error);
gint64 store_add_leg(Store *store, gint64 sweep, const Record *leg, GError **error);
gint64 store_add_refusal(Store *store, gint64 sweep, const Record *refusal, GError **error);
gint64 store_add_boot(Store *store, gint64 sweep, const Record *boot, GError **error);
/* A file that a sweep was imported from. */
gint64 store_add_source(Store *store, gint64 sweep, const Record *source, GError **error);
gboolean store_update_sweep(Store *store, gint64 sweep, const Record *changes, GError **error);
gboolean store_update_boot(Store *store, gint64 boot, const Record *changes, GError **error);

/*
 * Between begin and end all calls are one transaction: other processes see nothing of it before store_bulk_end with KEEP, and
 * nothing stays of it otherwise. After a call that failed in between, only store_bulk_end without KEEP is allowed. Not nested.
 */
gboolean store_bulk_begin(Store *store, GError **error);
gboolean store_bulk_end(Store *store, gboolean keep, GError **error);

typedef struct {
	char *direction; /* read, write, sync */
	char *kind;	 /* submit, complete */
	Hist hist;
} StoreHist;

typedef struct {
	char *flag, *evidence;
} StoreFlag;

/* One finished (or failed) run with all that belongs to it. */
typedef struct {
	Record *run;	   /* columns of the run table: block, position, status, reason, ops_read ... */
	GPtrArray *hists;  /* of StoreHist * */
	GPtrArray *flags;  /* of StoreFlag * */
	char *series;	   /* JSON text of the series object, or NULL */
} StoreRun;
StoreRun *store_run_new(void);
void store_run_free(StoreRun *run);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(StoreRun, store_run_free)
void store_run_add_flag(StoreRun *run, const char *flag, const char *evidence);
void store_run_add_hist(StoreRun *run, const char *direction, const char *kind, const Hist *hist);

/* LEG and BOOT are ids of one sweep; BOOT -1 = none (host side). A second run with status ok of the same leg and block is
 * refused: nothing is measured twice. A histogram must add up (slots + below + above = n). */
gint64 store_add_run(Store *store, gint64 leg, gint64 boot, const StoreRun *run, GError **error);

/*
 * Readers return arrays of records (each with "id" and its parent's id), in the order in which they were added; arrays
 * and records belong to the caller (g_ptr_array_unref frees both). Every record of a table has all its columns, in the
 * schema's order; those not measured are NULL in it.
 */
GPtrArray *store_sweeps(Store *store, GError **error);
/* One short record per sweep, for lists: id, uuid, label, status, started_unix_ns, finished_unix_ns, profile, accel,
 * commit_id, branch, and the counts legs, boots, refusals, runs_ok, runs_failed, runs_skipped. */
GPtrArray *store_overview(Store *store, GError **error);
Record *store_sweep(Store *store, gint64 sweep, GError **error);
GPtrArray *store_legs(Store *store, gint64 sweep, GError **error);
GPtrArray *store_refusals(Store *store, gint64 sweep, GError **error);
GPtrArray *store_sources(Store *store, gint64 sweep, GError **error);
GPtrArray *store_boots(Store *store, gint64 sweep, GError **error);
/* All runs of a sweep; each has leg_id, boot_id. */
GPtrArray *store_runs(Store *store, gint64 sweep, GError **error);
/* The same with a few columns only, which is many times as fast: id, leg_id, and COLUMNS (NULL-terminated) of the run table. */
GPtrArray *store_run_columns(Store *store, gint64 sweep, const char *const *columns, GError **error);
/* Flags of all runs of a sweep: run_id, flag, evidence. */
GPtrArray *store_flags(Store *store, gint64 sweep, GError **error);
/* How many runs of each leg have which status: leg_id, status, runs. Legs without any run are not in it. */
GPtrArray *store_run_counts(Store *store, gint64 sweep, GError **error);
/* FALSE without an error when there is no such histogram. */
gboolean store_hist(Store *store, gint64 run, const char *direction, const char *kind, Hist *ret, GError **error);
/* The same, merged over all runs of LEG that are ok: percentiles of several runs come from here. */
gboolean store_leg_hist(Store *store, gint64 leg, const char *direction, const char *kind, Hist *ret, GError **error);
/* JSON text, or NULL without an error when there is none. */
char *store_series(Store *store, gint64 run, GError **error);

/*
 * REF: a number, "latest" (the one started last), a label (of several sweeps the one started last), a uuid or its
 * beginning. -1 with IOGAP_ERROR_NOTHING when nothing matches, IOGAP_ERROR_USAGE when a beginning fits several.
 */
gint64 store_find_sweep(Store *store, const char *ref, GError **error);
/* The sweep that was imported last from a file with this SHA-256 (hexadecimal, lower case); -1 without an error if there is none. */
gint64 store_find_source(Store *store, const char *sha256, GError **error);
/* The sweep started last that is running or interrupted and has this profile, byte for byte; -1 without an error if there is none. */
gint64 store_find_resumable(Store *store, const char *profile_name, const char *profile_text, GError **error);

/* The data dictionary: records with table, column, type, unit, direction (higher, lower, none), combine (sum, mean,
 * merge, none), meaning. */
GPtrArray *store_dictionary(Store *store, GError **error);
/* docs/data-dictionary.md: the dictionary of the newest schema that this program knows, as Markdown. */
char *store_dictionary_markdown(GError **error);

#endif
