/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stores for the tests of the gate. Everything in them is made up by a random-number generator with fixed seeds, and every
 * sweep says so in its label: nothing here was ever measured.
 */
#ifndef IOGAP_TEST_GATE_FIXTURE_H
#define IOGAP_TEST_GATE_FIXTURE_H

#include <math.h>

#include "results/store.h"

typedef struct {
	const char *name;
	guint cells, blocks;
	double sd;	    /* of ln(rate) of a run */
	double loss;	    /* of the candidate's first cell */
	double host_loss;   /* of the candidate's host legs */
	const char *flag;   /* on every candidate run of the first cell */
	gboolean no_new, no_base; /* the last cell is absent from that arm */
	gboolean fail;	    /* every candidate run of the first cell failed */
	guint fail_some;    /* so many of them */
	const char *status; /* of the sweep; NULL = finished */
	gboolean no_arms, hostile;
	const char *profile; /* text; NULL = none */
	gboolean same;	     /* both arms are set up alike; else they name two emulators */
	const char *hash;    /* of both emulators */
	gboolean families;   /* guest runs have p99 latency, CPU time and context switches too */
	double latency_loss, cpu_loss; /* of the candidate's first cell */
} Scenario;

/* Waives every row that the loss of the first cell shows in. The sweeps began on 2025-11-30. */
#define PROFILE(until) \
	"name: p\ntargets: [{name: t, size: 1M}]\ngate:\n  waivers:\n" \
	"    - {cell: virtio none/native read 4k direct depth=1, reason: known, until: " until "}\n" \
	"    - {cell: \"geomean:reads\", reason: the same, until: " until "}\n" \
	"    - {cell: \"geomean:target file\", reason: the same, until: " until "}\n" \
	"    - {cell: \"geomean:all\", reason: the same, until: " until "}\n" \
	"    - {cell: gone, reason: old, until: " until "}\n"

#define GATE(section) "name: p\ntargets: [{name: t, size: 1M}]\ngate: " section "\n"

static const Scenario scenarios[] = {
	{"pass", 6, 17, 0.005},
	{"regressed", 6, 17, 0.005, .loss = 0.06},
	{"improved", 6, 17, 0.005, .loss = -0.08},
	{"drift", 6, 17, 0.005, .loss = 0.06, .host_loss = 0.03},
	{"invalid", 6, 17, 0.005, .flag = "CACHED"},
	{"emulated", 6, 17, 0.005, .flag = "EMULATED"},
	{"missing", 6, 17, 0.005, .no_new = TRUE},
	{"new", 6, 17, 0.005, .no_base = TRUE},
	{"failed", 6, 17, 0.005, .fail = TRUE},
	{"some-failed", 6, 17, 0.005, .fail_some = 3},
	{"failed-and-regressed", 6, 17, 0.005, .loss = 0.06, .fail_some = 3},
	{"noisy", 6, 17, 0.2},
	{"few-blocks", 6, 9, 0.005, .loss = 0.06},
	{"interrupted", 6, 17, 0.005, .loss = 0.06, .status = "interrupted"},
	{"interrupted-gating", 6, 17, 0.005, .status = "interrupted", .profile = GATE("{latency: gating, waivers: "
		"[{cell: \"geomean:all\", reason: known, until: 2025-11-30}]}")},
	{"no-arms", 6, 17, 0.005, .no_arms = TRUE},
	{"hostile", 6, 17, 0.005, .loss = 0.06, .hostile = TRUE},
	{"many", 1500, 12, 0.005, .loss = 0.06, .hostile = TRUE},
	{"waived", 6, 17, 0.005, .loss = 0.06, .profile = PROFILE("2025-11-30")},
	{"expired", 6, 17, 0.005, .loss = 0.06, .profile = PROFILE("2025-11-29")},
	{"strict", 6, 17, 0.005, .loss = 0.02, .profile = "name: p\ntargets: [{name: t, size: 1M}]\ngate: {least: 1%, group_least: 0.2%}\n"},
	{"newer", 6, 17, 0.005, .profile = "name: p\ntargets: [{name: t, size: 1M}]\ngate: {beta: 1%}\n"},
	{"same", 6, 17, 0.005, .same = TRUE},
	{"same-alarm", 6, 17, 0.005, .loss = 0.06, .same = TRUE},
	{"same-noisy", 6, 17, 0.2, .same = TRUE},
	{"same-drift", 6, 17, 0.005, .host_loss = 0.03, .same = TRUE},
	{"same-hash", 6, 17, 0.005, .loss = 0.06, .hash = "5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03"},
	{"same-hash-missing", 6, 17, 0.005, .no_new = TRUE, .hash = "5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03"},
	{"families", 6, 17, 0.005, .families = TRUE},
	{"latency", 6, 17, 0.005, .families = TRUE, .latency_loss = 0.3},
	{"latency-gating", 6, 17, 0.005, .families = TRUE, .latency_loss = 0.3, .profile = GATE("{latency: gating}")},
	{"latency-off", 6, 17, 0.005, .families = TRUE, .latency_loss = 0.3, .profile = GATE("{latency: off}")},
	{"both-gating", 6, 17, 0.005, .families = TRUE, .cpu_loss = 0.2, .profile = GATE("{latency: gating, cpu: gating}")},
	{"gating-missing", 6, 17, 0.005, .profile = GATE("{switches: gating}")},
	{"gating-missing-regressed", 6, 17, 0.005, .loss = 0.06, .profile = GATE("{switches: gating}")},
	{"all-regressed", 30, 17, 0.005, .host_loss = 0, .loss = 0.06},
};

static gint64 must(gint64 id, GError **error)
{
	g_assert_no_error(*error);
	g_assert_cmpint(id, >, 0);
	return id;
}

static double normal(GRand *rand, double sd)
{
	return sd * sqrt(-2 * log(1 - g_rand_double(rand))) * cos(2 * G_PI * g_rand_double(rand));
}

static Record *sweep_row(const char *label, const char *status)
{
	Record *sweep = record_new();

	record_set_text(sweep, "label", label);
	record_set_text(sweep, "status", status ? status : "finished");
	record_set_int(sweep, "started_unix_ns", G_GINT64_CONSTANT(1764532934000000000));
	record_set_text(sweep, "profile", "synthetic");
	record_set_text(sweep, "accel", "kvm");
	record_set_int(sweep, "seed", 7);
	record_set_text(sweep, "uuid", "0f8fad5b-d9cb-469f-a165-000000000001");
	return sweep;
}

static gint64 add_scenario_leg(Store *store, const Scenario *s, gint64 sweep, const char *label, const char *arm, guint number,
	gint64 host)
{
	g_autofree char *emulator = arm && host && s && !s->same ? g_strdup_printf("/opt/%s/qemu-system-x86_64", arm) : NULL;
	g_autofree char *full = arm ? g_strdup_printf("%s @%s", label, arm) : g_strdup(label);
	g_autoptr(Record) leg = record_new();
	GError *error = NULL;

	record_set_text(leg, "label", full);
	record_set_text(leg, "side", host ? "guest" : "host");
	record_set_text(leg, "arm", arm);
	record_set_text(leg, "target", number % 2 ? "disk" : "file");
	record_set_text(leg, "rw", number / 2 % 2 ? "randwrite" : "read");
	if (host)
		record_set_int(leg, "host_leg_id", host);
	record_set_text(leg, "emulator", emulator);
	record_set_text(leg, "emulator_sha256", emulator ? s->hash : NULL);
	return must(store_add_leg(store, sweep, leg, &error), &error);
}

static gint64 add_leg(Store *store, gint64 sweep, const char *label, const char *arm, guint number, gint64 host)
{
	return add_scenario_leg(store, NULL, sweep, label, arm, number, host);
}

/* Factors of the figures of a run beside its rate. */
typedef struct {
	double latency, cpu, switches;
} Figures;

/* RATE 0 = a failed run; FIGURES may be NULL. */
static void add_full_run(Store *store, gint64 leg, guint block, double rate, const char *flag, const Figures *figures)
{
	g_autoptr(StoreRun) run = store_run_new();
	GError *error = NULL;

	if (figures) {
		record_set_int(run->run, "ops_read", 100000);
		record_set_int(run->run, "ops_write", 0);
		record_set_real(run->run, "complete_p99_ns", 2e5 * figures->latency);
		record_set_int(run->run, "qemu_user_ns", (gint64)(1e9 * figures->cpu));
		record_set_int(run->run, "qemu_system_ns", (gint64)(5e8 * figures->cpu));
		record_set_int(run->run, "qemu_voluntary_switches", (gint64)(3e5 * figures->switches));
		record_set_int(run->run, "qemu_involuntary_switches", 100);
	}
	record_set_int(run->run, "block", block);
	/* The arms take turns: every other block the legs of the arm that came last (they have the higher numbers) are the first. */
	record_set_int(run->run, "started_unix_ns", G_GINT64_CONSTANT(1764532934000000000) + block * G_GINT64_CONSTANT(10000000000000) +
		(block % 2 ? 9000 - leg : leg) * 1000000000);
	record_set_text(run->run, "status", rate > 0 ? "ok" : "failed");
	if (rate > 0)
		record_set_real(run->run, "bytes_per_s", rate);
	else
		record_set_text(run->run, "reason", "read: Input/output error");
	if (flag)
		store_run_add_flag(run, flag, "made up");
	must(store_add_run(store, leg, -1, run, &error), &error);
}

static void add_run(Store *store, gint64 leg, guint block, double rate, const char *flag)
{
	add_full_run(store, leg, block, rate, flag, NULL);
}

static char *cell_label(const Scenario *s, guint cell)
{
	if (s->hostile && cell == 0)
		return g_strdup("guest a|b <c> & \"d\" `e` %0A::error::x,y: \n\xe2\x80\xae @everyone [x](y)\x1b[31m ]]>");
	return g_strdup_printf("guest virtio none/native %s 4k direct depth=%u", cell / 2 % 2 ? "randwrite" : "read", cell + 1);
}

/* Deterministic by itself, whatever other cells do. */
static void add_guest(Store *store, const Scenario *s, gint64 sweep, guint cell, gboolean candidate, gint64 host)
{
	const char *arm = s->no_arms ? NULL : candidate ? "new" : "base";
	g_autoptr(GRand) rand = g_rand_new_with_seed(7919 * (2 * cell + candidate) + 13);
	g_autoptr(GRand) other = g_rand_new_with_seed(104729 * (2 * cell + candidate) + 29);
	g_autofree char *label = cell_label(s, cell);
	gboolean first = candidate && cell == 0, all = candidate && g_str_equal(s->name, "all-regressed");
	gint64 leg = add_scenario_leg(store, s, sweep, label, arm, cell, host);

	for (guint r = 0; r < s->blocks; r++) {
		double rate = 1e8 * exp(normal(rand, s->sd)) * (first || all ? 1 - s->loss : 1);
		Figures figures = {exp(normal(other, 0.02)) / (first ? 1 - s->latency_loss : 1),
			exp(normal(other, 0.01)) / (first ? 1 - s->cpu_loss : 1), exp(normal(other, 0.02))};
		gboolean fail = first && (s->fail || r < s->fail_some);

		add_full_run(store, leg, r, fail ? 0 : rate, first ? s->flag : NULL, s->families && !fail ? &figures : NULL);
	}
}

static void add_arm(Store *store, const Scenario *s, gint64 sweep, gboolean candidate)
{
	const char *arm = s->no_arms ? NULL : candidate ? "new" : "base";
	gint64 host = add_leg(store, sweep, "host read 4k direct", arm, 0, 0);
	g_autoptr(GRand) rand = g_rand_new_with_seed(100 + candidate);

	for (guint r = 0; r < s->blocks; r++)
		add_run(store, host, r, 2e8 * exp(normal(rand, 0.004)) * (candidate ? 1 - s->host_loss : 1), NULL);
	for (guint i = 0; i < s->cells; i++)
		if (i + 1 < s->cells || (candidate ? !s->no_new : !s->no_base))
			add_guest(store, s, sweep, i, candidate, host);
}

static gint64 make_scenario(Store *store, const Scenario *s)
{
	g_autofree char *label = g_strdup_printf("synthetic: %s", s->name);
	g_autoptr(Record) row = sweep_row(label, s->status);
	GError *error = NULL;
	gint64 sweep;

	g_assert_true(store_bulk_begin(store, &error));
	record_set_text(row, "profile_text", s->profile);
	sweep = must(store_add_sweep(store, row, &error), &error);
	add_arm(store, s, sweep, FALSE);
	if (!s->no_arms)
		add_arm(store, s, sweep, TRUE);
	g_assert_true(store_bulk_end(store, TRUE, &error));
	return sweep;
}

/*
 * Sweeps of two commits, one value each per cell: "steady" varies by 5 % and does not change, "slower" loses 8 % of very
 * equal values, "faster" gains 12 %, "broken" has one run that failed. OTHER: the candidate's machine is another one. HOST: the rate of
 * the candidate's host against the baseline's; 0 = its runs failed, -1 = no host was run.
 */
static void make_history(Store *store, guint baselines, gboolean slower, gboolean other, double host_change)
{
	static const double steady[] = {200, 214, 188, 206, 195, 210, 191, 189, 207, 196};
	static const double equal[] = {200, 202, 199, 201, 200, 198, 201, 200, 199, 201};
	static const char *const names[] = {"guest steady", "guest equal", "guest faster", "guest broken"};

	for (guint i = 0; i < baselines + 3; i++) {
		gboolean candidate = i >= baselines;
		guint k = candidate ? 7 + i - baselines : i % 7;
		g_autofree char *label = g_strdup_printf("synthetic: %s", candidate ? "candidate" : "baseline");
		g_autofree char *uuid = g_strdup_printf("0f8fad5b-d9cb-469f-a165-%012u", i + 1);
		g_autoptr(Record) row = sweep_row(label, NULL);
		GError *error = NULL;
		gint64 sweep;

		record_set_text(row, "uuid", uuid);
		record_set_text(row, "commit_id", candidate ? "bbbbbbbbbbbb2222" : "aaaaaaaaaaaa1111");
		record_set_text(row, "branch", candidate ? "topic" : "main");
		record_set_text(row, "cpu_model", other && candidate ? "model-y 4c" : "model-x 8c");
		record_set_text(row, "fingerprint", other && candidate ? "f2" : "f1");
		sweep = must(store_add_sweep(store, row, &error), &error);
		for (guint c = 0; c < G_N_ELEMENTS(names); c++) {
			double change = !candidate ? 1 : c == 1 && slower ? 0.92 : c == 2 ? 1.12 : 1;
			double rate = (c == 0 ? steady : equal)[k] * 1e6 * change;

			g_autofree char *host = g_strconcat("host of ", names[c], NULL);
			gint64 host_leg = add_leg(store, sweep, host, NULL, c, 0);
			gint64 leg = add_leg(store, sweep, names[c], NULL, c, host_leg);

			if (host_change >= 0)
				add_run(store, host_leg, 0, equal[(k + c) % 10] * 2e6 * (candidate ? host_change : 1), NULL);
			add_run(store, leg, 0, c == 3 && i == 1 ? 0 : rate, NULL);
		}
	}
}

/* A guest's leg of a build, labelled as the plan does it; HASH is its kernel's. */
static gint64 add_build_leg(Store *store, gint64 sweep, const char *kernel, const char *hash, const char *emulator, const char *end)
{
	g_autofree char *label = g_strdup_printf("guest virtio none/native%s%s emulator=%s read 4k direct%s", kernel ? " kernel=" : "",
		kernel ? kernel : "", emulator, end);
	g_autoptr(Record) leg = record_new();
	GError *error = NULL;

	record_set_text(leg, "label", label);
	record_set_text(leg, "side", "guest");
	record_set_text(leg, "target", "file");
	record_set_text(leg, "rw", "read");
	record_set_text(leg, "kernel", kernel);
	record_set_text(leg, "kernel_sha256", hash);
	record_set_text(leg, "emulator", emulator);
	return must(store_add_leg(store, sweep, leg, &error), &error);
}

/*
 * Seven sweeps of a commit and three of the next, every build in a path of its own. Two cells, of which the first got 8 % slower; BESIDE: they
 * differ in their kernel, which stays where it is; else the candidate's kernel has moved.
 */
static void make_builds(Store *store, gboolean beside)
{
	static const double equal[] = {200, 202, 199, 201, 200, 198, 201, 200, 199, 201};

	for (guint i = 0; i < G_N_ELEMENTS(equal); i++) {
		gboolean candidate = i >= 7;
		g_autofree char *emulator = g_strdup_printf("/opt/%u/qemu", i + 1);
		g_autofree char *uuid = g_strdup_printf("0f8fad5b-d9cb-469f-a165-%012u", i + 1);
		g_autoptr(Record) row = sweep_row("synthetic: builds", NULL);
		const char *first = candidate && !beside ? "/boot/c/vmlinuz" : "/boot/a b/vmlinuz";
		const char *second = beside ? "/boot/b/vmlinuz" : candidate ? NULL : first;
		GError *error = NULL;
		gint64 sweep;

		record_set_text(row, "uuid", uuid);
		record_set_text(row, "fingerprint", "f1");
		sweep = must(store_add_sweep(store, row, &error), &error);
		add_run(store, add_build_leg(store, sweep, first, candidate && !beside ?
			"5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03" : NULL, emulator, ""),
			0, equal[i] * 1e6 * (candidate ? 0.92 : 1), NULL);
		add_run(store, add_build_leg(store, sweep, second, NULL, emulator, beside ? "" : " depth=2"), 0, equal[(i + 3) % 10] * 1e6,
			NULL);
	}
}

/* FALSE when nothing has that name. */
static gboolean make_named(Store *store, const char *name)
{
	if (g_str_equal(name, "history-builds") || g_str_equal(name, "history-beside")) {
		make_builds(store, g_str_equal(name, "history-beside"));
		return TRUE;
	}
	if (g_str_has_prefix(name, "history")) {
		make_history(store, g_str_equal(name, "history-short") ? 3 : 7, !g_str_has_prefix(name, "history-pass"),
			g_str_equal(name, "history-other"),
			g_str_equal(name, "history-pass") ? 1 : g_str_equal(name, "history-moved") ? 0.92 : g_str_equal(name, "history-pass-dead-host") ? 0 : -1);
		return TRUE;
	}
	for (guint i = 0; i < G_N_ELEMENTS(scenarios); i++)
		if (g_str_equal(scenarios[i].name, name))
			return make_scenario(store, &scenarios[i]) > 0;
	return FALSE;
}

#endif
