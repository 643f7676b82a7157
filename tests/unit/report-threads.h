/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The two small tables of the threads, as the import would store them. Part of report-fixture.h, which has what it is built of.
 */
#ifndef IOGAP_TEST_REPORT_THREADS_H
#define IOGAP_TEST_REPORT_THREADS_H

/* Lines of a shipped example without its header. */
static char **example_lines(const char *name)
{
	g_autofree char *relative = g_build_filename("examples/threads", name, NULL);
	g_autofree char *path = source_file(relative);
	g_autofree char *text = NULL;

	g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
	return g_strsplit(strchr(g_strchomp(text), '\n') + 1, "\n", 0);
}

/* 2010: rates, and the host's context switches a second where somebody watched them. */
static gint64 make_odirect(Store *store)
{
	g_auto(GStrv) lines = example_lines("odirect-small-blocks-2010.csv");
	gint64 sweep = add_sweep(store, "odirect 2010", NULL, "finished", 1), hosts[2] = {0};

	/* Host rows first, which the guests name. */
	for (guint guest = 0; guest < 2; guest++)
		for (guint i = 0; lines[i]; i++) {
			g_auto(GStrv) f = g_strsplit(lines[i], ",", 0);
			gint64 direct = g_ascii_strtoll(f[6], NULL, 10);
			g_autofree char *label = g_strdup_printf("%s %s %s direct %s", f[0], f[1], f[5], f[6]);
			g_autoptr(StoreRun) run = good_run(0, g_ascii_strtod(f[9], NULL) * 1e6);
			g_autofree char *detail = g_strdup_printf("{\"import\":{\"more\":{\"context_switches_per_s\":%s}}}", f[10]);
			LegSpec spec = {.label = label, .target = f[3], .rw = f[4], .direct = direct, .depth_unknown = TRUE};
			gint64 leg;

			if (g_str_equal(f[0], "guest") != guest)
				continue;
			spec.block_size = g_ascii_strtoll(f[5], NULL, 10) << 10;
			spec.host = guest ? hosts[direct] : 0;
			spec.bus = f[7];
			spec.cache = f[8][0] ? f[8] : NULL;
			if (f[10][0])
				record_set_text(run->run, "effective_json", detail);
			leg = add_leg(store, sweep, spec);
			if (!guest)
				hosts[direct] = leg;
			store_run(store, leg, run);
		}
	return sweep;
}

static void add_test(Store *store, gint64 sweep, char **f, guint column, const char *rw, const char *blocks)
{
	gboolean virtio = g_str_has_prefix(f[0], "virtio"), seeks = g_str_equal(blocks, "seeks");
	g_autofree char *label = g_strdup_printf("guest %s %s %s", f[0], rw, blocks);
	g_autofree char *detail = g_strdup_printf("{\"import\":{\"name\":\"%s\",\"more\":{}}}", f[0]);
	g_autoptr(StoreRun) run = store_run_new();
	g_autoptr(Record) leg = record_new();
	GError *error = NULL;

	record_set_text(leg, "label", label);
	record_set_text(leg, "side", "guest");
	record_set_int(leg, "target_size", G_GINT64_CONSTANT(2) << 30);
	record_set_text(leg, "rw", rw);
	record_set_text(leg, "block_sizes", blocks);
	record_set_text(leg, "engine", "bonnie++");
	record_set_text(leg, "bus", virtio ? "virtio" : "ide");
	record_set_int(run->run, "block", 0);
	record_set_text(run->run, "status", "ok");
	record_set_real(run->run, seeks ? "iops" : "bytes_per_s", g_ascii_strtod(f[column], NULL) * (seeks ? 1 : 1024));
	record_set_real(run->run, "cpu_percent", g_ascii_strtod(f[column + 1], NULL));
	record_set_text(run->run, "effective_json", detail);
	store_run(store, must(store_add_leg(store, sweep, leg, &error), &error), run);
}

/* 2008: six tests of two guests. */
static gint64 make_bonnie(Store *store)
{
	static const char *const tests[][2] = {{"write", "per char"}, {"write", "block"}, {"rewrite", "block"}, {"read", "per char"},
		{"read", "block"}, {"randread", "seeks"}};
	g_auto(GStrv) lines = example_lines("virtio-vs-ide-2008.csv");
	gint64 sweep = add_sweep(store, "virtio against IDE 2008", NULL, "finished", 1);

	for (guint i = 0; lines[i]; i++) {
		g_auto(GStrv) f = g_strsplit(lines[i], ",", 0);

		for (guint k = 0; k < G_N_ELEMENTS(tests); k++)
			add_test(store, sweep, f, 2 + 2 * k, tests[k][0], tests[k][1]);
	}
	return sweep;
}

#endif
