/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/run/machine.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static gint64 ticks_to_ns(unsigned long long ticks)
{
	return (gint64)(ticks * (1000000000ull / (unsigned long long)sysconf(_SC_CLK_TCK)));
}

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
	snapshot->user_ns = ticks_to_ns(user + nice);
	snapshot->system_ns = ticks_to_ns(sys);
	snapshot->irq_ns = ticks_to_ns(irq + softirq);
	snapshot->steal_ns = ticks_to_ns(steal);
	snapshot->iowait_ns = ticks_to_ns(iowait);
	snapshot->idle_ns = ticks_to_ns(idle);
	snapshot->switches = number_after(text, "\nctxt ");
	snapshot->interrupts = number_after(text, "\nintr ");
	return snapshot->switches >= 0 && snapshot->interrupts >= 0;
}

static gboolean read_process(pid_t pid, MachineSnapshot *snapshot)
{
	g_autofree char *path = g_strdup_printf("/proc/%d/stat", (int)pid);
	g_autofree char *text = NULL;
	unsigned long long user, sys, start;
	const char *rest;

	if (pid <= 0 || !g_file_get_contents(path, &text, NULL, NULL))
		return FALSE;
	/* The name in parentheses may hold anything, its last ')' ends it. Then come fields 3 ... */
	rest = strrchr(text, ')');
	if (!rest || sscanf(rest + 1,
			     " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu %*d %*d %*d %*d %*d %*d %llu",
			     &user, &sys, &start) != 3)
		return FALSE;
	snapshot->process_user_ns = ticks_to_ns(user);
	snapshot->process_system_ns = ticks_to_ns(sys);
	snapshot->process_start = start;
	return TRUE;
}

void machine_snapshot(pid_t pid, MachineSnapshot *ret)
{
	*ret = (MachineSnapshot){0};
	ret->machine_valid = read_machine(ret);
	ret->process_valid = read_process(pid, ret);
}

static void set(Record *run, const char *column, gboolean valid, gint64 difference)
{
	if (valid)
		record_set_int(run, column, difference);
	else
		record_set_null(run, column);
}

void machine_difference(const MachineSnapshot *begin, const MachineSnapshot *end, Record *run)
{
	gboolean machine = begin->machine_valid && end->machine_valid;
	gboolean process =
		begin->process_valid && end->process_valid && begin->process_start == end->process_start;

	set(run, "host_user_ns", machine, end->user_ns - begin->user_ns);
	set(run, "host_system_ns", machine, end->system_ns - begin->system_ns);
	set(run, "host_irq_ns", machine, end->irq_ns - begin->irq_ns);
	set(run, "host_steal_ns", machine, end->steal_ns - begin->steal_ns);
	/* These two can go back a little (proc(5)); that is no negative time. */
	set(run, "host_iowait_ns", machine, MAX(0, end->iowait_ns - begin->iowait_ns));
	set(run, "host_idle_ns", machine, MAX(0, end->idle_ns - begin->idle_ns));
	set(run, "host_switches", machine, end->switches - begin->switches);
	set(run, "host_interrupts", machine, end->interrupts - begin->interrupts);
	set(run, "qemu_user_ns", process, end->process_user_ns - begin->process_user_ns);
	set(run, "qemu_system_ns", process, end->process_system_ns - begin->process_system_ns);
}
