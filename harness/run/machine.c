/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/run/machine.h"

#include <stdio.h>
#include <string.h>

#include "harness/base/process-stat.h"

/* The number behind the line that starts with KEY, or -1. */
static gint64 number_after(const char *text, const char *key)
{
	const char *line = strstr(text, key);

	return line ? g_ascii_strtoll(line + strlen(key), NULL, 10) : -1;
}

static gboolean read_machine(MachineSnapshot *snapshot)
{
	g_autofree char *text = NULL;
	unsigned long long user, nice, sys, idle, iowait, irq, softirq, steal;

	if (!g_file_get_contents("/proc/stat", &text, NULL, NULL) ||
		sscanf(text, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &user, &nice, &sys, &idle, &iowait, &irq,
			&softirq, &steal) != 8)
		return FALSE;
	/* The kernel counts guest time in user and nice already. */
	snapshot->user_ns = process_ticks_ns(user + nice);
	snapshot->system_ns = process_ticks_ns(sys);
	snapshot->irq_ns = process_ticks_ns(irq + softirq);
	snapshot->steal_ns = process_ticks_ns(steal);
	snapshot->iowait_ns = process_ticks_ns(iowait);
	snapshot->idle_ns = process_ticks_ns(idle);
	snapshot->switches = number_after(text, "\nctxt ");
	snapshot->interrupts = number_after(text, "\nintr ");
	return snapshot->switches >= 0 && snapshot->interrupts >= 0;
}

static gboolean read_process(pid_t pid, MachineSnapshot *snapshot)
{
	g_autofree char *path = g_strdup_printf("/proc/%d/stat", (int)pid);
	ProcessStat stat;

	if (pid <= 0 || !process_stat_read(path, &stat))
		return FALSE;
	snapshot->process_user_ns = stat.user_ns;
	snapshot->process_system_ns = stat.system_ns;
	snapshot->process_start = stat.start;
	return TRUE;
}

void machine_snapshot(pid_t pid, MachineSnapshot *ret)
{
	*ret = (MachineSnapshot){0};
	ret->machine_valid = read_machine(ret);
	ret->process_valid = read_process(pid, ret);
}

gint64 machine_process_spent(const MachineSnapshot *begin, const MachineSnapshot *end)
{
	if (!begin->process_valid || !end->process_valid || begin->process_start != end->process_start)
		return -1;
	return end->process_user_ns + end->process_system_ns - begin->process_user_ns - begin->process_system_ns;
}
