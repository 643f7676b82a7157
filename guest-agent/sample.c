/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <inttypes.h>
#include <limits.h>
#include <unistd.h>

#include "guest-agent/common/cleanup.h"
#include "guest-agent/disk.h"
#include "guest-agent/interrupts.h"
#include "guest-agent/sample.h"

#define STAT_SIZE (256u << 10) /* the interrupt line of a large machine is long */

/* The numbers that follow AT, at most MAX; returns how many. */
static unsigned read_numbers(const char *at, uint64_t *ret, unsigned max)
{
	unsigned n = 0;

	while (n < max) {
		char *end;
		uint64_t value = strtoull(at, &end, 10);

		if (end == at)
			break;
		ret[n++] = value;
		at = end;
	}
	return n;
}

static const char *line_of(const char *text, const char *name)
{
	const char *at = strstr(text, name);

	return at && (at == text || at[-1] == '\n') ? at + strlen(name) : NULL;
}

static bool take_machine(Sample *ret)
{
	CLEANUP_FREE char *text = malloc(STAT_SIZE);
	const char *cpu, *switches, *interrupts;

	if (!text || disk_read_text("/proc/stat", text, STAT_SIZE) <= 0)
		return false;
	cpu = line_of(text, "cpu ");
	switches = line_of(text, "ctxt ");
	interrupts = line_of(text, "intr ");
	return cpu && switches && interrupts && read_numbers(cpu, ret->cpu, N_CPU) == N_CPU &&
	       read_numbers(switches, &ret->switches, 1) == 1 && read_numbers(interrupts, &ret->interrupts, 1) == 1;
}

void sample_take(const char *sysfs, Sample *ret)
{
	char path[PATH_MAX], text[512];

	memset(ret, 0, sizeof(*ret));
	ret->moment = clock_moment();
	ret->have_machine = take_machine(ret);
	if (!*sysfs)
		return;
	snprintf(path, sizeof(path), "%s/stat", sysfs);
	if (disk_read_text(path, text, sizeof(text)) > 0)
		ret->n_device = read_numbers(text, ret->device, N_DEVICE);
	ret->have_device = ret->n_device > DEVICE_QUEUE_MS;
	ret->have_interrupts = interrupts_of_disk(sysfs, &ret->interrupts_of_device);
}

static json_t *difference(uint64_t begin, uint64_t end, uint64_t unit)
{
	/* Idle and iowait of /proc/stat can go back a little; that is no negative time. */
	return json_integer(end > begin ? (json_int_t)((end - begin) * unit) : 0);
}

void sample_add_machine(json_t *cpu, const Sample *begin, const Sample *end)
{
	static const struct {
		const char *name;
		int first, second; /* summed; second -1 = none */
	} times[] = {
		{"machine_user_ns", CPU_USER, CPU_NICE}, {"machine_system_ns", CPU_SYSTEM, -1}, {"machine_irq_ns", CPU_IRQ, CPU_SOFTIRQ},
		{"machine_steal_ns", CPU_STEAL, -1}, {"machine_iowait_ns", CPU_IOWAIT, -1}, {"machine_idle_ns", CPU_IDLE, -1},
	};
	uint64_t tick_ns = 1000000000u / (uint64_t)sysconf(_SC_CLK_TCK);
	bool have = begin->have_machine && end->have_machine;

	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
		int a = times[i].first, b = times[i].second;

		json_object_set_new(cpu, times[i].name,
			have ? difference(begin->cpu[a] + (b < 0 ? 0 : begin->cpu[b]),
				       end->cpu[a] + (b < 0 ? 0 : end->cpu[b]), tick_ns) :
			       json_null());
	}
	json_object_set_new(cpu, "machine_switches", have ? difference(begin->switches, end->switches, 1) : json_null());
	json_object_set_new(cpu, "machine_interrupts", have ? difference(begin->interrupts, end->interrupts, 1) : json_null());
}

json_t *sample_device(const Sample *begin, const Sample *end)
{
	static const struct {
		const char *name;
		unsigned field, unit;
	} fields[] = {
		{"reads", DEVICE_READS, 1}, {"read_bytes", DEVICE_READ_SECTORS, 512}, {"read_merges", DEVICE_READ_MERGES, 1},
		{"writes", DEVICE_WRITES, 1}, {"write_bytes", DEVICE_WRITE_SECTORS, 512}, {"write_merges", DEVICE_WRITE_MERGES, 1},
		{"flushes", DEVICE_FLUSHES, 1}, {"io_ns", DEVICE_IO_MS, 1000000},
	};
	json_t *device;

	if (!begin->have_device || !end->have_device)
		return json_null();
	device = json_object();
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		unsigned f = fields[i].field;

		json_object_set_new(device, fields[i].name,
			f < end->n_device ? difference(begin->device[f], end->device[f], fields[i].unit) : json_null());
	}
	json_object_set_new(device, "interrupts",
		begin->have_interrupts && end->have_interrupts
			? difference(begin->interrupts_of_device, end->interrupts_of_device, 1)
			: json_null());
	return device;
}
