/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The host but for its processor: kernel, memory, clock, page cache, KVM, firmware, load. */
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "harness/run/environment.h"

static void set_names(Record *environment)
{
	struct utsname name;

	record_set_text(environment, "host.name", g_get_host_name());
	record_set_text(environment, "host.user", g_get_user_name());
	if (uname(&name) < 0)
		return;
	record_set_text(environment, "host.arch", name.machine);
	record_set_text(environment, "host.kernel", name.release);
	record_set_text(environment, "host.kernel.build", name.version);
}

static void set_os(const char *root, Record *environment)
{
	g_autofree char *text = environment_read(root, "/etc/os-release");
	g_auto(GStrv) lines = text ? g_strsplit(text, "\n", -1) : NULL;

	for (guint i = 0; lines && lines[i]; i++)
		if (g_str_has_prefix(lines[i], "PRETTY_NAME=")) {
			g_autofree char *name = g_shell_unquote(lines[i] + strlen("PRETTY_NAME="), NULL);

			record_set_text(environment, "host.os", name);
		}
}

/* A and B with a blank between them, whichever are there. */
static void set_pair(Record *environment, const char *name, const char *root, const char *a, const char *b)
{
	g_autofree char *first = environment_read(root, "%s", a);
	g_autofree char *second = environment_read(root, "%s", b);
	g_autofree char *both = g_strjoin(" ", first ? first : second, first ? second : NULL, NULL);

	if (first || second)
		record_set_text(environment, name, both);
}

/* KEY of /proc/meminfo in bytes. */
static void set_memory(const char *root, const char *text, const char *key, const char *name, Record *environment)
{
	const char *line = strstr(text, key);
	guint64 kib;

	if (line && sscanf(line + strlen(key), " %" G_GUINT64_FORMAT " kB", &kib) == 1)
		record_set_int(environment, name, (gint64)(kib << 10));
}

static void set_memories(const char *root, Record *environment)
{
	g_autofree char *text = environment_read(root, "/proc/meminfo");

	if (!text)
		return;
	set_memory(root, text, "MemTotal:", "host.memory", environment);
	set_memory(root, text, "MemAvailable:", "host.memory.available", environment);
	set_memory(root, text, "SwapTotal:", "host.memory.swap", environment);
}

/* Calls SET for every name in FOLDER, sorted. */
static void each(const char *root, const char *folder, Record *environment,
	void (*set)(const char *root, const char *folder, const char *name, Record *environment))
{
	g_autofree char *path = g_strconcat(root, folder, NULL);
	g_autoptr(GPtrArray) names = environment_list(path);

	for (guint i = 0; i < names->len; i++)
		set(root, folder, names->pdata[i], environment);
}

static void set_hugepages(const char *root, const char *folder, const char *name, Record *environment)
{
	g_autofree char *key = g_strconcat("host.hugepages.", name, NULL);

	if (g_str_has_prefix(name, "hugepages-"))
		environment_set_file(environment, key, root, "%s/%s/nr_hugepages", folder, name);
}

static void set_node(const char *root, const char *folder, const char *name, Record *environment)
{
	g_autofree char *key = g_strconcat("host.numa.node.", name + strlen("node"), NULL);

	if (!g_str_has_prefix(name, "node") || !g_ascii_isdigit(name[strlen("node")]))
		return;
	environment_set_file(environment, key, root, "%s/%s/cpulist", folder, name);
	record_set_int(environment, "host.numa.nodes", record_get_int(environment, "host.numa.nodes", 0) + 1);
}

static void set_parameter(const char *root, const char *folder, const char *name, Record *environment)
{
	g_auto(GStrv) parts = g_strsplit(folder, "/", -1); /* "", sys, module, MODULE, parameters */
	g_autofree char *key = g_strdup_printf("host.kvm.%s.%s", parts[3], name);

	environment_set_file(environment, key, root, "%s/%s", folder, name);
}

/* The choice in brackets of "always [madvise] never". */
static void set_choice(const char *root, const char *file, const char *name, Record *environment)
{
	g_autofree char *text = environment_read(root, "%s", file);
	char *begin = text ? strchr(text, '[') : NULL;
	char *end = begin ? strchr(begin, ']') : NULL;

	if (!end)
		return;
	*end = '\0';
	record_set_text(environment, name, begin + 1);
}

static void set_page_cache(const char *root, Record *environment)
{
	static const char *const names[] = {"dirty_ratio", "dirty_bytes", "dirty_background_ratio", "dirty_background_bytes",
		"dirty_expire_centisecs", "dirty_writeback_centisecs", "swappiness", "vfs_cache_pressure"};

	for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
		g_autofree char *key = g_strconcat("host.vm.", names[i], NULL);

		environment_set_file(environment, key, root, "/proc/sys/vm/%s", names[i]);
	}
}

/* "some avg10=0.12 ...": the kernel's own measure of waiting. */
static void set_pressure(const char *root, const char *what, Record *environment)
{
	g_autofree char *key = g_strconcat("host.pressure.", what, NULL);
	g_autofree char *text = environment_read(root, "/proc/pressure/%s", what);
	const char *at = text ? strstr(text, "avg10=") : NULL;

	if (at)
		record_set_real(environment, key, g_ascii_strtod(at + strlen("avg10="), NULL));
}

static void set_load(const char *root, Record *environment)
{
	static const char *const keys[] = {"host.load.1", "host.load.5", "host.load.15"};
	g_autofree char *text = environment_read(root, "/proc/loadavg");
	g_autofree char *uptime = environment_read(root, "/proc/uptime");
	char *at = text;

	for (guint i = 0; at && i < G_N_ELEMENTS(keys); i++)
		record_set_real(environment, keys[i], g_ascii_strtod(at, &at));
	if (uptime)
		record_set_int(environment, "host.uptime_s", (gint64)g_ascii_strtod(uptime, NULL));
	set_pressure(root, "cpu", environment);
	set_pressure(root, "io", environment);
	set_pressure(root, "memory", environment);
}

void environment_host(const char *root, Record *environment)
{
	static const char clock[] = "/sys/devices/system/clocksource/clocksource0";

	set_names(environment);
	set_os(root, environment);
	set_pair(environment, "host.machine", root, "/sys/class/dmi/id/sys_vendor", "/sys/class/dmi/id/product_name");
	set_pair(environment, "host.bios", root, "/sys/class/dmi/id/bios_version", "/sys/class/dmi/id/bios_date");
	environment_set_file(environment, "host.cmdline", root, "/proc/cmdline");
	set_memories(root, environment);
	set_choice(root, "/sys/kernel/mm/transparent_hugepage/enabled", "host.hugepages.transparent", environment);
	each(root, "/sys/kernel/mm/hugepages", environment, set_hugepages);
	each(root, "/sys/devices/system/node", environment, set_node);
	environment_set_file(environment, "host.clocksource", root, "%s/current_clocksource", clock);
	environment_set_file(environment, "host.clocksource.available", root, "%s/available_clocksource", clock);
	set_page_cache(root, environment);
	each(root, "/sys/module/kvm/parameters", environment, set_parameter);
	each(root, "/sys/module/kvm_intel/parameters", environment, set_parameter);
	each(root, "/sys/module/kvm_amd/parameters", environment, set_parameter);
	set_load(root, environment);
}
