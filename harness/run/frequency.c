/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/run/frequency.h"

#include "guest-agent/common/clock.h"
#include "harness/run/trail.h"

#define CPU "%s/sys/devices/system/cpu/cpu%u/"
#define SAMPLE_MS 250
#define COST 100 /* a reading is followed by so many times its duration without one */
#define KEPT 64

enum { KHZ, BASE_KHZ, EVENTS, N_COLUMNS };

struct FrequencyWatch {
	const char *root;
	guint cpus, timer;
	Trail *trail;
};

static gint64 number_of(const char *root, guint cpu, const char *file)
{
	g_autofree char *folder = g_strdup_printf(CPU, root, cpu);
	g_autofree char *path = g_build_filename(folder, file, NULL);
	g_autofree char *text = NULL;

	return g_file_get_contents(path, &text, NULL, NULL) ? g_ascii_strtoll(text, NULL, 10) : -1;
}

/* -1 as soon as one processor does not tell. */
static gint64 total(const char *root, guint cpus, const char *file)
{
	gint64 sum = 0;

	for (guint i = 0; i < cpus; i++) {
		gint64 value = number_of(root, i, file);

		if (value < 0)
			return -1;
		sum += value;
	}
	return sum;
}

void frequency_read(const char *root, guint cpus, Frequency *ret)
{
	guint fastest = 0;

	*ret = (Frequency){-1, -1, total(root, cpus, "thermal_throttle/core_throttle_count")};
	for (guint i = 0; i < cpus; i++) {
		/* A processor that is switched off tells nothing. */
		gint64 khz = number_of(root, i, "cpufreq/scaling_cur_freq");

		if (khz <= ret->khz)
			continue;
		ret->khz = khz;
		fastest = i;
	}
	if (ret->khz >= 0)
		ret->base_khz = number_of(root, fastest, "cpufreq/base_frequency");
}

static gint64 known(gint64 value)
{
	return value < 0 ? TRAIL_NONE : value;
}

static gboolean sample(gpointer data);

static void read_and_wait(FrequencyWatch *watch, gboolean again)
{
	gint64 at_ns = (gint64)clock_read(CLOCK_BOOTTIME), took_ms, values[N_COLUMNS];
	Frequency now;

	frequency_read(watch->root, watch->cpus, &now);
	values[KHZ] = known(now.khz);
	values[BASE_KHZ] = known(now.base_khz);
	values[EVENTS] = known(now.events);
	trail_add(watch->trail, at_ns, values);
	took_ms = ((gint64)clock_read(CLOCK_BOOTTIME) - at_ns) / 1000000;
	watch->timer = again ? g_timeout_add((guint)MAX(SAMPLE_MS, COST * took_ms), sample, watch) : 0;
}

static gboolean sample(gpointer data)
{
	read_and_wait(data, TRUE);
	return G_SOURCE_REMOVE;
}

FrequencyWatch *frequency_watch(const char *root, guint cpus)
{
	FrequencyWatch *watch = g_new0(FrequencyWatch, 1);

	watch->root = root;
	watch->cpus = cpus;
	watch->trail = trail_new(N_COLUMNS, KEPT);
	read_and_wait(watch, TRUE);
	return watch;
}

void frequency_begin(FrequencyWatch *watch, gint64 host_ns)
{
	if (!watch)
		return;
	if (watch->timer) {
		g_clear_handle_id(&watch->timer, g_source_remove);
		read_and_wait(watch, TRUE);
	}
	trail_begin(watch->trail, host_ns);
}

void frequency_stop(FrequencyWatch *watch)
{
	if (!watch)
		return;
	g_clear_handle_id(&watch->timer, g_source_remove);
	read_and_wait(watch, FALSE);
}

static void set(Record *run, const char *column, gint64 value, Record *reasons, const char *reason)
{
	if (value != TRAIL_NONE) {
		record_set_int(run, column, value);
		return;
	}
	record_set_null(run, column);
	record_set_text(reasons, column, reason);
}

void frequency_end(const FrequencyWatch *watch, gint64 host_ns, Record *run, Record *reasons)
{
	const Trail *trail = watch ? watch->trail : NULL;

	set(run, "host_khz", trail ? trail_mean(trail, KHZ, host_ns) : TRAIL_NONE, reasons,
		"the host does not tell how fast its processors run, or no reading fell into the measured time");
	set(run, "host_base_khz", trail ? trail_mean(trail, BASE_KHZ, host_ns) : TRAIL_NONE, reasons,
		"the host does not tell what frequency its processors keep up under any load");
	set(run, "host_throttle_events", trail ? trail_moved(trail, EVENTS, host_ns) : TRAIL_NONE, reasons,
		"the host does not count slow-downs for heat");
}

void frequency_unwatch(FrequencyWatch *watch)
{
	if (!watch)
		return;
	g_clear_handle_id(&watch->timer, g_source_remove);
	trail_free(watch->trail);
	g_free(watch);
}
