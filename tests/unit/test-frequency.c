/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Frequencies from a sysfs that is planted: those of this machine do what they like, or are not told at all. */
#include <glib/gstdio.h>

#include "guest-agent/common/clock.h"
#include "harness/check/check.h"
#include "harness/run/frequency.h"

static char *root;

static void put(guint cpu, const char *file, gint64 value)
{
	g_autofree char *path = g_strdup_printf("%s/sys/devices/system/cpu/cpu%u/%s", root, cpu, file);
	g_autofree char *dir = g_path_get_dirname(path);
	g_autofree char *text = g_strdup_printf("%" G_GINT64_FORMAT "\n", value);

	g_assert_cmpint(g_mkdir_with_parents(dir, 0700), ==, 0);
	g_assert_true(g_file_set_contents(path, text, -1, NULL));
}

static void plant(guint cpu, gint64 khz, gint64 base)
{
	put(cpu, "cpufreq/scaling_cur_freq", khz);
	put(cpu, "cpufreq/base_frequency", base);
	put(cpu, "thermal_throttle/core_throttle_count", 100 * cpu);
}

static void uproot(const char *path)
{
	g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
	const char *name;

	while (dir && (name = g_dir_read_name(dir))) {
		g_autofree char *below = g_build_filename(path, name, NULL);

		uproot(below);
	}
	g_assert_cmpint(g_remove(path), ==, 0);
}

static gint64 now_ns(void)
{
	return (gint64)clock_read(CLOCK_BOOTTIME);
}

static void on_flag(const char *flag, const char *evidence, void *data)
{
	g_string_append_printf(data, "%s: %s\n", flag, evidence);
}

static void on_absent(const char *column, const char *reason, void *data)
{
	(void)column, (void)reason, (void)data;
}

/* What check_throttled says of RUN; new text. */
static char *verdict(const Record *run)
{
	GString *said = g_string_new(NULL);
	const CheckSink sink = {on_flag, on_absent, said};
	g_autoptr(Record) leg = record_new();

	record_set_text(leg, "side", "host");
	check_throttled(leg, run, 16, &sink);
	return g_string_free(said, FALSE);
}

/* A run in which BUSY is what processor 3 has; 15 others idle at 0.8 GHz. What is read after its end does not count. */
static Record *run_at(gint64 busy, Record *reasons)
{
	Record *run = record_new();
	FrequencyWatch *watch;
	gint64 end;

	for (guint i = 0; i < 16; i++)
		plant(i, i == 3 ? busy : 800000, i == 3 ? 2500000 : 2000000);
	watch = frequency_watch(root, 16);
	frequency_begin(watch, now_ns() - 1000);
	end = now_ns();
	plant(3, 800000, 2500000);
	g_usleep(1000);
	frequency_stop(watch);
	frequency_end(watch, end, run, reasons);
	frequency_unwatch(watch);
	return run;
}

static void test_idle_beside_busy(void)
{
	g_autoptr(Record) reasons = record_new();
	g_autoptr(Record) run = run_at(3800000, reasons);
	g_autofree char *said = verdict(run);

	g_assert_cmpint(record_get_int(run, "host_khz", -1), ==, 3800000);
	g_assert_cmpint(record_get_int(run, "host_base_khz", -1), ==, 2500000);
	g_assert_cmpint(record_get_int(run, "host_throttle_events", -1), ==, 0);
	g_assert_cmpuint(record_size(reasons), ==, 0);
	g_assert_cmpstr(said, ==, "");
}

static void test_slowed_down(void)
{
	g_autoptr(Record) reasons = record_new();
	g_autoptr(Record) run = run_at(1200000, reasons);
	g_autofree char *said = verdict(run);

	g_assert_cmpint(record_get_int(run, "host_khz", -1), ==, 1200000);
	g_assert_cmpstr(said, ==,
		"THROTTLED: even the fastest of the host's processors ran at 1200 MHz, under 90 % of its base of 2500 MHz\n");
}

static void test_events(void)
{
	g_autoptr(Record) reasons = record_new(), run = record_new();
	FrequencyWatch *watch;
	g_autofree char *said = NULL;

	plant(0, 2000000, 2000000);
	put(0, "thermal_throttle/core_throttle_count", 7);
	watch = frequency_watch(root, 1);
	frequency_begin(watch, now_ns());
	put(0, "thermal_throttle/core_throttle_count", 9);
	frequency_stop(watch);
	frequency_end(watch, G_MAXINT64, run, reasons);
	frequency_unwatch(watch);
	g_assert_cmpint(record_get_int(run, "host_throttle_events", -1), ==, 2);
	said = verdict(run);
	g_assert_cmpstr(said, ==, "THROTTLED: the host's processors were slowed down for heat 2 times\n");
}

/* A machine that tells nothing, and a run without a begin: NULL with the reason, and no flag. */
static void test_untold(void)
{
	g_autoptr(Record) reasons = record_new(), run = record_new();
	FrequencyWatch *watch = frequency_watch("/nonexistent", 2);
	g_autofree char *said = NULL;

	frequency_begin(watch, now_ns());
	frequency_stop(watch);
	frequency_end(watch, now_ns(), run, reasons);
	frequency_unwatch(watch);
	said = verdict(run);
	g_assert_cmpint(record_type(run, "host_khz"), ==, RECORD_NULL);
	g_assert_nonnull(record_get_text(reasons, "host_khz"));
	g_assert_nonnull(record_get_text(reasons, "host_base_khz"));
	g_assert_nonnull(record_get_text(reasons, "host_throttle_events"));
	g_assert_cmpstr(said, ==, "");
	frequency_end(NULL, 0, run, reasons);
	g_assert_cmpint(record_type(run, "host_khz"), ==, RECORD_NULL);
	plant(0, 2000000, 2000000);
	watch = frequency_watch(root, 1);
	frequency_stop(watch);
	frequency_end(watch, now_ns(), run, reasons);
	frequency_unwatch(watch);
	g_assert_cmpint(record_type(run, "host_khz"), ==, RECORD_NULL);
}

int main(int argc, char **argv)
{
	g_autoptr(GError) error = NULL;
	int status;

	g_test_init(&argc, &argv, NULL);
	root = g_dir_make_tmp("iogap-frequency-XXXXXX", &error);
	g_assert_no_error(error);
	g_test_add_func("/frequency/idle-beside-busy", test_idle_beside_busy);
	g_test_add_func("/frequency/slowed-down", test_slowed_down);
	g_test_add_func("/frequency/events", test_events);
	g_test_add_func("/frequency/untold", test_untold);
	status = g_test_run();
	uproot(root);
	return status;
}
