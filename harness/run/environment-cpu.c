/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The host's processor and how it is run. */
#include <string.h>
#include <unistd.h>

#include "harness/run/environment.h"

/* The value of "NAME\t: VALUE" in the first processor's part of /proc/cpuinfo. */
static char *field(const char *text, const char *name)
{
	g_auto(GStrv) lines = g_strsplit(text, "\n", -1);

	for (guint i = 0; lines[i] && *lines[i]; i++) {
		char *colon = strchr(lines[i], ':');

		if (!colon)
			continue;
		*colon = '\0';
		if (g_str_equal(g_strchomp(lines[i]), name))
			return g_strdup(g_strstrip(colon + 1));
	}
	return NULL;
}

static void set_field(Record *environment, const char *key, const char *text, const char *name)
{
	g_autofree char *value = field(text, name);

	if (value && *value)
		record_set_text(environment, key, value);
}

static void set_model(const char *root, Record *environment)
{
	g_autofree char *text = environment_read(root, "/proc/cpuinfo");
	g_autofree char *family = NULL, *model = NULL, *stepping = NULL, *flags = NULL;

	if (!text)
		return;
	set_field(environment, "host.cpu.model", text, "model name");
	set_field(environment, "host.cpu.vendor", text, "vendor_id");
	set_field(environment, "host.cpu.microcode", text, "microcode");
	family = field(text, "cpu family");
	model = field(text, "model");
	stepping = field(text, "stepping");
	if (family && model && stepping) {
		g_autofree char *all = g_strjoin("/", family, model, stepping, NULL);

		record_set_text(environment, "host.cpu.stepping", all);
	}
	flags = field(text, "flags");
	if (flags) {
		g_auto(GStrv) words = g_strsplit(flags, " ", -1);

		record_set_text(environment, "host.cpu.flags", flags);
		record_set_int(environment, "host.cpu.hypervisor", g_strv_contains((const char *const *)words, "hypervisor"));
	}
}

/* FILE of the frequency policy of every processor: one value, or each that occurs in the order of the processors. */
static void set_policy(const char *root, const char *file, const char *key, Record *environment)
{
	g_autoptr(GPtrArray) seen = g_ptr_array_new_with_free_func(g_free);
	g_autofree char *all = NULL;

	for (long cpu = 0; cpu < sysconf(_SC_NPROCESSORS_CONF); cpu++) {
		char *text = environment_read(root, "/sys/devices/system/cpu/cpu%ld/cpufreq/%s", cpu, file);

		if (text && !g_ptr_array_find_with_equal_func(seen, text, g_str_equal, NULL))
			g_ptr_array_add(seen, text);
		else
			g_free(text);
	}
	if (seen->len == 0)
		return;
	g_ptr_array_add(seen, NULL);
	all = g_strjoinv(" ", (char **)seen->pdata);
	record_set_text(environment, key, all);
}

/* Two drivers, two files, of opposite meaning. */
static void set_turbo(const char *root, Record *environment)
{
	g_autofree char *none = environment_read(root, "/sys/devices/system/cpu/intel_pstate/no_turbo");
	g_autofree char *boost = environment_read(root, "/sys/devices/system/cpu/cpufreq/boost");

	if (none)
		record_set_text(environment, "host.cpu.turbo", g_str_equal(none, "0") ? "on" : "off");
	else if (boost)
		record_set_text(environment, "host.cpu.turbo", g_str_equal(boost, "0") ? "off" : "on");
}

static void set_mitigations(const char *root, Record *environment)
{
	static const char folder[] = "/sys/devices/system/cpu/vulnerabilities";
	g_autofree char *path = g_strconcat(root, folder, NULL);
	g_autoptr(GPtrArray) names = environment_list(path);

	for (guint i = 0; i < names->len; i++) {
		g_autofree char *key = g_strconcat("host.mitigations.", (char *)names->pdata[i], NULL);

		environment_set_file(environment, key, root, "%s/%s", folder, (char *)names->pdata[i]);
	}
}

void environment_cpu(const char *root, Record *environment)
{
	set_model(root, environment);
	record_set_int(environment, "host.cpu.count", sysconf(_SC_NPROCESSORS_ONLN));
	set_policy(root, "scaling_governor", "host.cpu.governor", environment);
	set_policy(root, "scaling_driver", "host.cpu.frequency_driver", environment);
	set_policy(root, "scaling_max_freq", "host.cpu.frequency_max_khz", environment);
	set_turbo(root, environment);
	environment_set_file(environment, "host.cpu.idle_driver", root, "/sys/devices/system/cpu/cpuidle/current_driver");
	environment_set_file(environment, "host.cpu.smt", root, "/sys/devices/system/cpu/smt/control");
	set_mitigations(root, environment);
}
