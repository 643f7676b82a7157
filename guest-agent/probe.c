/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <sys/utsname.h>
#include <unistd.h>

#include "guest-agent/common/clock.h"
#include "guest-agent/disk.h"
#include "guest-agent/load.h"
#include "guest-agent/machine.h"
#include "guest-agent/probe.h"

#define CLOCKSOURCE "/sys/devices/system/clocksource/clocksource0/current_clocksource"

static json_t *text_of(const char *path)
{
	char text[4096];
	json_t *json = disk_read_text(path, text, sizeof(text)) >= 0 ? json_string(text) : NULL;

	return json ? json : json_null();
}

static json_t *probe_engines(void)
{
	json_t *result = json_object();
	char reason[256];

	for (unsigned i = 0; engines[i]; i++)
		json_object_set_new(result, engines[i]->name,
			engines[i]->probe(reason, sizeof(reason)) < 0 ? json_string(reason) : json_null());
	return result;
}

/* Names only, in the kernel's order. Null where the kernel has no modules. */
static json_t *probe_modules(void)
{
	FILE *file = fopen("/proc/modules", "re");
	char line[512], name[64];
	json_t *result;

	if (!file)
		return json_null();
	result = json_array();
	while (fgets(line, sizeof(line), file))
		if (sscanf(line, "%63s", name) == 1)
			json_array_append_new(result, json_string(name));
	fclose(file);
	return result;
}

json_t *probe_facts(void)
{
	json_t *facts = json_object();
	double null_cost = load_null_cost();
	struct utsname uts;
	long page = sysconf(_SC_PAGESIZE);

	uname(&uts);
	json_object_set_new(facts, "kernel", json_string(uts.release));
	json_object_set_new(facts, "cmdline", text_of("/proc/cmdline"));
	json_object_set_new(facts, "clocksource", text_of(CLOCKSOURCE));
	json_object_set_new(facts, "cpus", json_integer(sysconf(_SC_NPROCESSORS_ONLN)));
	json_object_set_new(facts, "memory", json_integer((json_int_t)sysconf(_SC_PHYS_PAGES) * page));
	json_object_set_new(facts, "page_size", json_integer(page));
	json_object_set_new(facts, "engines", probe_engines());
	json_object_set_new(facts, "clock_read_ns", json_real(clock_cost()));
	json_object_set_new(facts, "null_io_ns", null_cost < 0 ? json_null() : json_real(null_cost));
	json_object_set_new(facts, "modules", probe_modules());
	machine_add_facts(facts);
	return facts;
}
