/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/run/window.h"

#include <string.h>

#include "guest-agent/common/clock.h"
#include "harness/run/machine.h"
#include "harness/run/trail.h"

#define SAMPLE_MS 20
#define KEPT 512 /* samples: ten seconds */

enum {
	DEVICE_READS, DEVICE_READ_BYTES, DEVICE_READ_MERGES, DEVICE_WRITES, DEVICE_WRITE_BYTES, DEVICE_WRITE_MERGES, DEVICE_IO,
	DEVICE_QUEUE, PROCESS_READ, HOST_USER, HOST_SYSTEM, HOST_IRQ, HOST_STEAL, HOST_IOWAIT, HOST_IDLE, HOST_SWITCHES,
	HOST_INTERRUPTS, QEMU_USER, QEMU_SYSTEM, N_COLUMNS
};

/* How a column is called in the store. */
static const char *const names[N_COLUMNS] = {
	[DEVICE_READS] = "host_device_reads",
	[DEVICE_READ_BYTES] = "host_device_read_bytes",
	[DEVICE_READ_MERGES] = "host_device_read_merges",
	[DEVICE_WRITES] = "host_device_writes",
	[DEVICE_WRITE_BYTES] = "host_device_write_bytes",
	[DEVICE_WRITE_MERGES] = "host_device_write_merges",
	[DEVICE_IO] = "host_device_io_ns",
	[DEVICE_QUEUE] = "host_device_queue_ns",
	[PROCESS_READ] = "process_read_bytes",
	[HOST_USER] = "host_user_ns",
	[HOST_SYSTEM] = "host_system_ns",
	[HOST_IRQ] = "host_irq_ns",
	[HOST_STEAL] = "host_steal_ns",
	[HOST_IOWAIT] = "host_iowait_ns",
	[HOST_IDLE] = "host_idle_ns",
	[HOST_SWITCHES] = "host_switches",
	[HOST_INTERRUPTS] = "host_interrupts",
	[QEMU_USER] = "qemu_user_ns",
	[QEMU_SYSTEM] = "qemu_system_ns",
};

struct Window {
	const Device *device;
	pid_t io_process, qemu;
	guint64 qemu_start; /* clock ticks since boot: another one is another process */
	guint timer;
	Trail *trail;
};

static gint64 read_process(pid_t pid)
{
	g_autofree char *path = g_strdup_printf("/proc/%d/io", (int)pid);
	g_autofree char *text = NULL;
	const char *line;

	if (pid <= 0 || !g_file_get_contents(path, &text, NULL, NULL))
		return TRAIL_NONE;
	line = strstr(text, "\nread_bytes:");
	return line ? g_ascii_strtoll(line + strlen("\nread_bytes:"), NULL, 10) : TRAIL_NONE;
}

static void sample_device(const Window *window, gint64 *values)
{
	DeviceCounters device;

	if (!window->device || !device_read(window->device, &device))
		return;
	values[DEVICE_READS] = device.reads;
	values[DEVICE_READ_BYTES] = device.read_bytes;
	values[DEVICE_READ_MERGES] = device.read_merges;
	values[DEVICE_WRITES] = device.writes;
	values[DEVICE_WRITE_BYTES] = device.write_bytes;
	values[DEVICE_WRITE_MERGES] = device.write_merges;
	values[DEVICE_IO] = device.io_ns;
	values[DEVICE_QUEUE] = device.queue_ns;
}

static void sample_machine(Window *window, gint64 *values)
{
	MachineSnapshot now;

	if (window->qemu <= 0)
		return;
	machine_snapshot(window->qemu, &now);
	if (now.machine_valid) {
		values[HOST_USER] = now.user_ns;
		values[HOST_SYSTEM] = now.system_ns;
		values[HOST_IRQ] = now.irq_ns;
		values[HOST_STEAL] = now.steal_ns;
		values[HOST_IOWAIT] = now.iowait_ns;
		values[HOST_IDLE] = now.idle_ns;
		values[HOST_SWITCHES] = now.switches;
		values[HOST_INTERRUPTS] = now.interrupts;
	}
	if (!window->qemu_start)
		window->qemu_start = now.process_start;
	if (now.process_valid && now.process_start == window->qemu_start) {
		values[QEMU_USER] = now.process_user_ns;
		values[QEMU_SYSTEM] = now.process_system_ns;
	}
}

static gboolean sample(gpointer data)
{
	Window *window = data;
	gint64 at_ns = (gint64)clock_read(CLOCK_BOOTTIME), values[N_COLUMNS];

	for (guint i = 0; i < N_COLUMNS; i++)
		values[i] = TRAIL_NONE;
	sample_device(window, values);
	values[PROCESS_READ] = read_process(window->io_process);
	sample_machine(window, values);
	trail_add(window->trail, at_ns, values);
	return G_SOURCE_CONTINUE;
}

Window *window_open(const Device *device, pid_t io_process, pid_t qemu)
{
	Window *window = g_new0(Window, 1);

	window->device = device;
	window->io_process = io_process;
	window->qemu = qemu;
	window->trail = trail_new(N_COLUMNS, KEPT);
	sample(window);
	window->timer = g_timeout_add(SAMPLE_MS, sample, window);
	return window;
}

void window_begin(Window *window, gint64 host_ns)
{
	if (window->timer)
		sample(window);
	trail_begin(window->trail, host_ns);
}

void window_stop(Window *window)
{
	sample(window);
	g_clear_handle_id(&window->timer, g_source_remove);
}

void window_end(Window *window, gint64 host_ns, Record *run)
{
	guint n = window->qemu > 0 ? N_COLUMNS : HOST_USER;

	for (guint i = 0; i < n; i++) {
		gint64 moved = trail_moved(window->trail, i, host_ns);

		/* The times idle and waiting can go back a little (proc(5)); that is no negative time. */
		if (moved != TRAIL_NONE)
			record_set_int(run, names[i], i == HOST_IOWAIT || i == HOST_IDLE ? MAX(0, moved) : moved);
		else
			record_set_null(run, names[i]);
	}
}

void window_free(Window *window)
{
	if (!window)
		return;
	g_clear_handle_id(&window->timer, g_source_remove);
	trail_free(window->trail);
	g_free(window);
}
