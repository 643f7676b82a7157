/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sweeps for the tests of reports, put into a real store by the store's own functions. Every figure follows from a
 * formula or from a table in tests/data, so that the golden files can be checked by hand.
 */
#ifndef IOGAP_TEST_REPORT_FIXTURE_H
#define IOGAP_TEST_REPORT_FIXTURE_H

#include <math.h>

#include "harness/check/check.h"
#include "results/store.h"

/* ---- building blocks ------------------------------------------------------------------------------------------- */

static char *source_file(const char *name)
{
	const char *source = g_getenv("IOGAP_SRC");

	return g_build_filename(source ? source : ".", name, NULL);
}

/* Of a new row: its id, or the end of the test. */
static gint64 must(gint64 id, GError **error)
{
	g_assert_no_error(*error);
	g_assert_cmpint(id, >, 0);
	return id;
}

static gint64 add_sweep(Store *store, const char *label, const char *accel, const char *status, gint64 blocks)
{
	g_autoptr(GPtrArray) others = store_sweeps(store, NULL);
	g_autofree char *uuid = g_strdup_printf("0f8fad5b-d9cb-469f-a165-%012u", others->len + 1);
	g_autoptr(Record) sweep = record_new();
	GError *error = NULL;

	record_set_text(sweep, "uuid", uuid);
	record_set_text(sweep, "label", label);
	record_set_text(sweep, "status", status);
	record_set_int(sweep, "started_unix_ns", G_GINT64_CONSTANT(1764532934000000000));
	record_set_int(sweep, "finished_unix_ns", G_GINT64_CONSTANT(1764533024000000000));
	record_set_text(sweep, "profile", label ? label : "quick");
	record_set_text(sweep, "accel", accel);
	record_set_int(sweep, "seed", -2);
	record_set_int(sweep, "blocks", blocks);
	record_set_int(sweep, "store_version", 1);
	return must(store_add_sweep(store, sweep, &error), &error);
}

typedef struct {
	const char *label, *target, *rw, *bus, *cache;
	gint64 block_size, direct;
	gint64 host; /* leg of the host side; 0 = this is one */
	gboolean depth_unknown;
} LegSpec;

static gint64 add_leg(Store *store, gint64 sweep, LegSpec spec)
{
	g_autoptr(Record) leg = record_new();
	g_autofree char *label = NULL;
	GError *error = NULL;

	label = g_strdup_printf("%s %s %s%" G_GINT64_FORMAT "%s", spec.host ? spec.bus : "host",
		spec.cache ? spec.cache : "", spec.rw, spec.block_size, spec.direct ? " direct" : "");
	record_set_text(leg, "label", spec.label ? spec.label : label);
	record_set_text(leg, "side", spec.host ? "guest" : "host");
	record_set_text(leg, "target", spec.target);
	record_set_text(leg, "target_type", g_str_equal(spec.target, "lvm") ? "block" : "file");
	record_set_int(leg, "target_size", 1 << 30);
	record_set_text(leg, "filesystem",
		g_str_equal(spec.target, "lvm") ? NULL : g_str_equal(spec.target, "file-ext3") ? "ext3" : "ext4");
	record_set_text(leg, "rw", spec.rw);
	record_set_int(leg, "block_size", spec.block_size);
	record_set_int(leg, "direct", spec.direct);
	record_set_text(leg, "sync", "none");
	record_set_text(leg, "engine", "psync");
	if (!spec.depth_unknown)
		record_set_int(leg, "queue_depth", 1);
	record_set_int(leg, "jobs", 1);
	if (spec.host) {
		record_set_int(leg, "host_leg_id", spec.host);
		record_set_text(leg, "bus", spec.bus);
		record_set_text(leg, "cache", spec.cache);
		record_set_text(leg, "io", "threads");
		record_set_text(leg, "format", "raw");
		if (g_str_equal(spec.bus, "virtio"))
			record_set_int(leg, "queues", 1);
	}
	return must(store_add_leg(store, sweep, leg, &error), &error);
}

static gint64 add_bad_run(Store *store, gint64 leg, gint64 block, const char *status, const char *reason)
{
	g_autoptr(StoreRun) run = store_run_new();
	GError *error = NULL;

	record_set_int(run->run, "block", block);
	record_set_text(run->run, "status", status);
	record_set_text(run->run, "reason", reason);
	return must(store_add_run(store, leg, -1, run, &error), &error);
}

static StoreRun *good_run(gint64 block, double bytes_per_s)
{
	StoreRun *run = store_run_new();

	record_set_int(run->run, "block", block);
	record_set_text(run->run, "status", "ok");
	record_set_real(run->run, "bytes_per_s", bytes_per_s);
	return run;
}

static void store_run(Store *store, gint64 leg, const StoreRun *run)
{
	GError *error = NULL;

	must(store_add_run(store, leg, -1, run, &error), &error);
}

/* N values of NS, and one of every hundred ten times as long. */
static void fill_hist(Hist *hist, guint n, guint64 ns)
{
	hist_clear(hist);
	for (guint i = 0; i < n; i++)
		hist_add(hist, i % 100 == 99 ? 10 * ns : ns);
}

/* A second of I/O at a constant rate, with all that the table shows. */
static StoreRun *full_run(gint64 block, gboolean guest, const char *rw, gint64 block_size, guint ops)
{
	StoreRun *run = good_run(block, (double)ops * block_size);
	gboolean reads = g_str_equal(rw, "read");
	g_autofree Hist *hist = g_new(Hist, 1);

	record_set_int(run->run, "ns", 1000000000);
	record_set_int(run->run, reads ? "ops_read" : "ops_write", ops);
	record_set_int(run->run, reads ? "ops_write" : "ops_read", 0);
	record_set_real(run->run, "iops", ops);
	record_set_int(run->run, "load_user_ns", 50000000);
	record_set_int(run->run, "load_system_ns", 250000000);
	record_set_int(run->run, "load_voluntary_switches", ops);
	record_set_int(run->run, "load_involuntary_switches", ops / 10);
	record_set_int(run->run, "machine_user_ns", 60000000);
	record_set_int(run->run, "machine_system_ns", 300000000);
	record_set_int(run->run, "machine_switches", 2 * ops);
	if (guest) {
		record_set_int(run->run, "host_user_ns", 900000000);
		record_set_int(run->run, "host_system_ns", 350000000);
		record_set_int(run->run, "host_switches", 5 * ops);
	}
	fill_hist(hist, ops, 900000000u / ops);
	store_run_add_hist(run, reads ? "read" : "write", "complete", hist);
	return run;
}

/* ---- fixtures -------------------------------------------------------------------------------------------------- */

/* Requests in flight by a line's figures. */
static double integrity_depth(char **f)
{
	double size = g_str_equal(f[3], "1M") ? 1 << 20 : g_ascii_strtod(f[3], NULL) * 1024;
	double seconds = g_ascii_strtod(f[11], NULL) / 1e6 + g_ascii_strtod(f[12], NULL) / 1e3;

	return g_ascii_strtod(f[9], NULL) * 1e6 / size * seconds;
}

static void integrity_flag(const char *flag, const char *evidence, void *run)
{
	store_run_add_flag(run, flag, evidence);
}

/* INCONSISTENT is the import's to find, from all rows of the table. */
static void integrity_judge(char **lines, char **own, StoreRun *run)
{
	const CheckSink sink = {.flag = integrity_flag, .data = run};
	double depths[64];
	g_autoptr(Record) leg = record_new();
	guint n = 0, peers;

	for (guint i = 1; lines[i]; i++) {
		g_auto(GStrv) f = g_strsplit(lines[i], ",", 0);

		depths[n++] = integrity_depth(f);
	}
	check_told(leg, run->run, integrity_depth(own), check_common_depth(depths, n, &peers), peers, &sink);
}

/* The table of 2008: one run of each leg, no histograms, no context switches. */
static gint64 make_integrity(Store *store)
{
	static const char *const cache_on[2] = {"writeback", "writethrough"};
	g_autofree char *path = source_file("tests/data/disk-integrity-2008.csv");
	g_autoptr(GHashTable) hosts = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	g_autofree char *text = NULL;
	g_auto(GStrv) lines = NULL;
	gint64 sweep = add_sweep(store, "disk integrity 2008", "kvm", "finished", 1);

	g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
	lines = g_strsplit(g_strchomp(text), "\n", 0);
	for (guint i = 1; lines[i]; i++) {
		g_auto(GStrv) f = g_strsplit(lines[i], ",", 0);
		g_autofree char *work = g_strdup_printf("%s %s", f[2], f[3]);
		g_autofree char *label = g_strdup_printf("%s %s %s %s %s", f[0], f[1], work, f[6], f[7]);
		gboolean dsync = g_str_equal(f[7], "O_DSYNC");
		g_autoptr(StoreRun) run = good_run(0, g_ascii_strtod(f[9], NULL) * 1e6);
		LegSpec spec = {.label = label, .target = f[1], .rw = f[2], .direct = 1, .depth_unknown = TRUE};
		gint64 leg;

		spec.block_size = g_str_equal(f[3], "1M") ? 1 << 20 : g_ascii_strtoll(f[3], NULL, 10) << 10;
		if (g_str_equal(f[0], "guest")) {
			spec.host = GPOINTER_TO_INT(g_hash_table_lookup(hosts, work));
			spec.bus = f[5];
			spec.cache = g_str_equal(f[6], "off") ? "none" : cache_on[dsync];
		}
		leg = add_leg(store, sweep, spec);
		if (!spec.host)
			g_hash_table_insert(hosts, g_strdup(work), GINT_TO_POINTER((gint)leg));
		record_set_int(run->run, "ns", 1000000000);
		record_set_int(run->run, spec.host ? "host_user_ns" : "machine_user_ns", 0);
		record_set_int(run->run, spec.host ? "host_system_ns" : "machine_system_ns",
			g_ascii_strtoll(f[10], NULL, 10) * 10000000);
		record_set_real(run->run, "submit_mean_ns", g_ascii_strtod(f[11], NULL) * 1e3);
		record_set_real(run->run, "complete_mean_ns", g_ascii_strtod(f[12], NULL) * 1e6);
		integrity_judge(lines, f, run);
		store_run(store, leg, run);
	}
	return sweep;
}

/* Rates of the quick fixture: host 4000, 2000, 400 operations a second by block size, writes half of that, buffered
 * double; virtio half of the host, IDE an eighth; block 2 is a tenth faster on the host, a twentieth on guests. */
static guint quick_ops(guint size, gboolean write, gboolean buffered, const char *bus, guint block)
{
	static const guint base[] = {64000, 16000, 1600};
	double ops = base[size] * (write ? 0.5 : 1) * (buffered ? 2 : 1);

	if (!bus)
		return lround(ops * (block ? 1.1 : 1));
	return lround(ops / (g_str_equal(bus, "ide") ? 8 : 2) * (block ? 1.05 : 1));
}

static void quick_runs(Store *store, gint64 leg, const char *bus, guint size, const char *rw, gint64 bytes, gboolean direct)
{
	for (guint block = 0; block < 2; block++) {
		gboolean write = g_str_equal(rw, "write");
		guint ops = quick_ops(size, write, !direct, bus, block);
		g_autoptr(StoreRun) run = full_run(block, bus != NULL, rw, bytes, ops);

		if (bus && g_str_equal(bus, "ide") && size == 2 && write) {
			add_bad_run(store, leg, block, block ? "skipped" : "failed",
				block ? "the guest was lost in block 1" : "the guest died: killed by signal 9");
			continue;
		}
		if (bus && !direct && !write)
			store_run_add_flag(run, "CACHED", "absorbed 98.5 % of 1024 MiB");
		if (!bus && size == 0 && block == 1)
			store_run_add_flag(run, "NOT_STEADY", "five windows range over 31 %");
		if (bus && size == 1 && direct)
			store_run_add_flag(run, "SOLAR_FLARE", "a flag that this version does not know");
		store_run(store, leg, run);
	}
}

static gint64 make_quick(Store *store)
{
	static const gint64 sizes[] = {8192, 65536, 1 << 20};
	static const char *const rws[] = {"read", "write"}, *const buses[] = {"virtio", "ide"};
	gint64 sweep = add_sweep(store, NULL, "tcg", "finished", 2);
	g_autoptr(Record) refusal = record_new();
	GError *error = NULL;

	record_set_text(refusal, "combination", "bus=ide logical_block_size=4096");
	record_set_text(refusal, "reason", "QEMU refuses 4096-byte sectors on IDE; use virtio or virtio-scsi");
	record_set_int(refusal, "line", 12);
	record_set_int(refusal, "legs", 12);
	must(store_add_refusal(store, sweep, refusal, &error), &error);
	for (guint i = 0; i < 12; i++) {
		LegSpec spec = {.target = "scratch", .rw = rws[i / 6], .direct = i % 2, .block_size = sizes[i / 2 % 3]};
		gint64 host = add_leg(store, sweep, spec);

		quick_runs(store, host, NULL, i / 2 % 3, spec.rw, spec.block_size, spec.direct);
		for (guint k = 0; k < 2; k++) {
			spec.host = host;
			spec.bus = buses[k];
			spec.cache = "none";
			quick_runs(store, add_leg(store, sweep, spec), spec.bus, i / 2 % 3, spec.rw, spec.block_size,
				spec.direct);
		}
	}
	return sweep;
}

/* One block, one pair, faster than its host, next to nothing measured, and names meant to break a layout. */
static gint64 make_hostile(Store *store)
{
	gint64 sweep = add_sweep(store, "a \"b\" <script>\x1b[31m\n'; DROP \xe2\x80\xae", "kvm", "finished", 1);
	LegSpec spec = {.target = "tab\there | \xe7\xa3\x81\xe7\x9b\x98 & <b>${x}</b>, longer than any column has room for",
		.rw = "randrw", .block_size = 1000, .label = "host\n\n\tlabel {{ 7*7 }}"};
	g_autoptr(StoreRun) slow = good_run(0, 1.5);
	g_autoptr(StoreRun) fast = good_run(0, 150);
	gint64 host = add_leg(store, sweep, spec);

	store_run(store, host, slow);
	spec.label = "guest \r\n$(reboot) \xf0\x9f\x92\xbe label\x07";
	spec.host = host;
	spec.bus = "vir\ttio";
	spec.cache = "strange";
	store_run_add_flag(fast, "ODD\nFLAG", "evidence\x1b[2J");
	store_run(store, add_leg(store, sweep, spec), fast);
	return sweep;
}

/* A host leg alone. */
static gint64 make_one_leg(Store *store)
{
	gint64 sweep = add_sweep(store, "one", "kvm", "finished", 1);
	LegSpec spec = {.target = "scratch", .rw = "read", .block_size = 4096, .direct = 1};
	g_autoptr(StoreRun) run = full_run(0, FALSE, "read", 4096, 20000);

	store_run(store, add_leg(store, sweep, spec), run);
	return sweep;
}

/* Interrupted before anything was measured. */
static gint64 make_nothing(Store *store)
{
	gint64 sweep = add_sweep(store, "nothing", "kvm", "interrupted", 2);
	LegSpec spec = {.target = "scratch", .rw = "read", .block_size = 4096, .direct = 1};

	spec.host = add_leg(store, sweep, spec);
	spec.bus = "virtio";
	spec.cache = "none";
	add_leg(store, sweep, spec);
	return sweep;
}

/* Without even a leg. */
static gint64 make_empty(Store *store)
{
	return add_sweep(store, "empty", NULL, "failed", 2);
}

/* Every run failed, one boot too; the second cell has good runs of both sides, but never in one block. */
static gint64 make_failed(Store *store)
{
	gint64 sweep = add_sweep(store, "failed", "kvm", "finished", 2);
	LegSpec spec = {.target = "scratch", .rw = "read", .block_size = 4096, .direct = 1};
	g_autoptr(StoreRun) first = good_run(0, 1e8);
	g_autoptr(StoreRun) second = good_run(1, 2e8);
	g_autoptr(Record) boot = record_new();
	GError *error = NULL;

	record_set_int(boot, "block", 1);
	record_set_int(boot, "boot_no", 0);
	record_set_text(boot, "status", "failed");
	record_set_text(boot, "error", "the guest never said hello within 60 s");
	must(store_add_boot(store, sweep, boot, &error), &error);

	spec.host = add_leg(store, sweep, spec);
	add_bad_run(store, spec.host, 0, "failed", "read: Input/output error");
	add_bad_run(store, spec.host, 1, "failed", "read: Input/output error");
	spec.bus = "virtio";
	spec.cache = "none";
	add_bad_run(store, add_leg(store, sweep, spec), 0, "failed", "the guest paused: no space left on the host");

	spec.rw = "write";
	spec.host = 0;
	spec.host = add_leg(store, sweep, spec);
	store_run(store, spec.host, first);
	add_bad_run(store, spec.host, 1, "failed", "write: No space left on device");
	store_run(store, add_leg(store, sweep, spec), second);
	return sweep;
}

/* Every flag that there is, each on a leg of its own; the last cell is faster than its host, for all the reasons that show. */
static const char *const all_flags[] = {"CACHED", "CLOCK_DRIFT", "DATASET_SMALL", "DROP_FAILED", "EMULATED", "INCONSISTENT",
	"MIXED", "NOT_AS_ASKED", "NOT_STEADY", "THROTTLED"};

static StoreRun *device_run(double rate, gint64 requests, gint64 bytes, gint64 queue_ns, double absorbed)
{
	StoreRun *run = good_run(0, rate);

	record_set_int(run->run, "ns", 1000000000);
	record_set_int(run->run, "host_device_reads", requests);
	record_set_int(run->run, "host_device_writes", 0);
	record_set_int(run->run, "host_device_read_bytes", bytes);
	record_set_int(run->run, "host_device_write_bytes", 0);
	record_set_int(run->run, "host_device_queue_ns", queue_ns);
	record_set_real(run->run, "absorbed_read", absorbed);
	return run;
}

static gint64 make_flags(Store *store)
{
	gint64 sweep = add_sweep(store, "flags", "kvm", "finished", 1);
	LegSpec spec = {.target = "scratch", .rw = "read", .block_size = 4096, .direct = 1};
	g_autoptr(StoreRun) plain = device_run(100e6, 1000, 4096000, 1000000000, 0.0);
	g_autoptr(StoreRun) fast = device_run(300e6, 1000, 8192000, 2000000000, 0.1);
	gint64 host = add_leg(store, sweep, spec);

	store_run(store, host, plain);
	spec.host = host;
	spec.bus = "virtio";
	spec.cache = "none";
	for (guint i = 0; i < G_N_ELEMENTS(all_flags); i++) {
		g_autofree char *label = g_strdup_printf("guest %u", i);
		g_autofree char *evidence = g_strdup_printf("evidence %u", i);
		g_autoptr(StoreRun) run = device_run(80e6, 1000, 4096000, 1000000000, 0.0);

		spec.label = label;
		store_run_add_flag(run, all_flags[i], evidence);
		store_run(store, add_leg(store, sweep, spec), run);
	}
	spec.label = "guest fast";
	store_run(store, add_leg(store, sweep, spec), fast);
	return sweep;
}

#include "tests/unit/report-rich.h"
#include "tests/unit/report-threads.h"

typedef struct {
	const char *name;
	gint64 (*make)(Store *store); /* returns the sweep */
} FixtureRow;

static const FixtureRow fixtures[] = {
	{"integrity", make_integrity},
	{"quick", make_quick},
	{"rich", make_rich},
	{"hostile", make_hostile},
	{"one-leg", make_one_leg},
	{"nothing", make_nothing},
	{"empty", make_empty},
	{"failed", make_failed},
	{"flags", make_flags},
	{"odirect", make_odirect},
	{"bonnie", make_bonnie},
};

#endif
