/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "guest-agent/common/cleanup.h"
#include "guest-agent/disk.h"
#include "guest-agent/machine.h"

#define VULNERABILITIES "/sys/devices/system/cpu/vulnerabilities"
#define CLOCKSOURCES "/sys/devices/system/clocksource/clocksource0/available_clocksource"
#define LINE_SIZE 16384 /* the line of flags is some 2 KiB */

static json_t *text_of(const char *path)
{
	char text[4096];
	json_t *json = disk_read_text(path, text, sizeof(text)) > 0 ? json_string(text) : NULL;

	return json ? json : json_null();
}

/* "NAME\t: VALUE\n": VALUE, cut in place, if the line has this name. */
static char *value_of(char *line, const char *name)
{
	size_t length = strlen(name);
	char *colon = strchr(line, ':');

	if (!colon || strncmp(line, name, length) || (line[length] != '\t' && line[length] != ':' && line[length] != ' '))
		return NULL;
	colon += strspn(colon, ": ");
	colon[strcspn(colon, "\n")] = '\0';
	return colon;
}

/* The first processor's lines; an empty line ends them. */
static void add_cpu(json_t *facts)
{
	static const char *const fields[][2] = {
		{"vendor_id", "cpu_vendor"}, {"model name", "cpu_model"}, {"microcode", "cpu_microcode"}, {"flags", "cpu_flags"}};
	FILE *file = fopen("/proc/cpuinfo", "re");
	CLEANUP_FREE char *line = malloc(LINE_SIZE);

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		json_object_set_new(facts, fields[i][1], json_null());
	while (file && line && fgets(line, LINE_SIZE, file) && *line != '\n')
		for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
			char *value = value_of(line, fields[i][0]);
			json_t *json = value ? json_string(value) : NULL;

			if (json)
				json_object_set_new(facts, fields[i][1], json);
		}
	if (file)
		fclose(file);
}

static json_t *mitigations(void)
{
	DIR *dir = opendir(VULNERABILITIES);
	json_t *result;
	struct dirent *entry;

	if (!dir)
		return json_null();
	result = json_object();
	while ((entry = readdir(dir))) {
		char path[PATH_MAX];

		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), VULNERABILITIES "/%s", entry->d_name);
		json_object_set_new(result, entry->d_name, text_of(path));
	}
	closedir(dir);
	return result;
}

void machine_add_facts(json_t *facts)
{
	struct utsname uts;
	json_t *build = uname(&uts) == 0 ? json_string(uts.version) : NULL;

	json_object_set_new(facts, "kernel_build", build ? build : json_null());
	add_cpu(facts);
	json_object_set_new(facts, "hypervisor", text_of("/sys/hypervisor/type"));
	json_object_set_new(facts, "clocksources", text_of(CLOCKSOURCES));
	json_object_set_new(facts, "mitigations", mitigations());
}
