/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/run/frequency.h"

#define CPU "/sys/devices/system/cpu/cpu%u/"

static gint64 number_of(guint cpu, const char *file)
{
	g_autofree char *folder = g_strdup_printf(CPU, cpu);
	g_autofree char *path = g_build_filename(folder, file, NULL);
	g_autofree char *text = NULL;

	return g_file_get_contents(path, &text, NULL, NULL) ? g_ascii_strtoll(text, NULL, 10) : -1;
}

/* -1 as soon as one processor does not tell. */
static gint64 total(guint cpus, const char *file)
{
	gint64 sum = 0;

	for (guint i = 0; i < cpus; i++) {
		gint64 value = number_of(i, file);

		if (value < 0)
			return -1;
		sum += value;
	}
	return sum;
}

void frequency_read(Frequency *ret)
{
	guint cpus = g_get_num_processors();
	gint64 khz = total(cpus, "cpufreq/scaling_cur_freq");

	*ret = (Frequency){
		.khz = khz < 0 ? -1 : khz / cpus,
		.base_khz = number_of(0, "cpufreq/base_frequency"),
		.events = total(cpus, "thermal_throttle/core_throttle_count"),
	};
}

static void set(Record *run, const char *column, gint64 value)
{
	if (value >= 0)
		record_set_int(run, column, value);
	else
		record_set_null(run, column);
}

void frequency_difference(const Frequency *begin, const Frequency *end, Record *run)
{
	set(run, "host_khz", end->khz);
	set(run, "host_base_khz", end->base_khz);
	set(run, "host_throttle_events", begin->events < 0 || end->events < 0 ? -1 : end->events - begin->events);
}
