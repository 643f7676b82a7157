/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/run/environment.h"

#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

static void set_file(Record *sweep, const char *column, const char *path)
{
	g_autofree char *text = NULL;

	if (g_file_get_contents(path, &text, NULL, NULL))
		g_strchomp(text);
	record_set_text(sweep, column, text);
}

static void set_cpu_model(Record *sweep)
{
	g_autofree char *text = NULL;
	char *line, *end;

	record_set_null(sweep, "cpu_model");
	if (!g_file_get_contents("/proc/cpuinfo", &text, NULL, NULL))
		return;
	line = strstr(text, "model name");
	line = line ? strchr(line, ':') : NULL;
	if (!line)
		return;
	end = strchr(line, '\n');
	if (end)
		*end = '\0';
	record_set_text(sweep, "cpu_model", g_strstrip(line + 1));
}

static void set_hash(Record *sweep, const char *agent)
{
	g_autofree char *bytes = NULL;
	g_autofree char *hash = NULL;
	gsize length;

	if (g_file_get_contents(agent, &bytes, &length, NULL))
		hash = g_compute_checksum_for_data(G_CHECKSUM_SHA256, (const guchar *)bytes, length);
	record_set_text(sweep, "agent_sha256", hash);
}

void environment_collect(const char *agent, Record *sweep)
{
	struct utsname name;
	long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);

	record_set_text(sweep, "iogap_version", IOGAP_VERSION);
	set_hash(sweep, agent);
	record_set_text(sweep, "host_kernel", uname(&name) == 0 ? name.release : NULL);
	set_file(sweep, "host_cmdline", "/proc/cmdline");
	set_file(sweep, "host_clocksource", "/sys/devices/system/clocksource/clocksource0/current_clocksource");
	set_cpu_model(sweep);
	record_set_int(sweep, "cpus", sysconf(_SC_NPROCESSORS_ONLN));
	if (pages > 0 && page > 0)
		record_set_int(sweep, "memory", (gint64)pages * page);
	else
		record_set_null(sweep, "memory");
}
