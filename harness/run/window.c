/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/run/window.h"

#include <string.h>

#include "guest-agent/common/clock.h"

#define SAMPLE_MS 20
#define KEPT 256 /* samples: five seconds */

typedef struct {
	gint64 at_ns;
	gboolean have_device, have_process;
	DeviceCounters device;
	gint64 process_read_bytes;
} WindowSample;

struct Window {
	const Device *device;
	pid_t pid;
	guint timer;
	WindowSample kept[KEPT]; /* a ring: the latest is kept[(n - 1) % KEPT] */
	guint n;
	gboolean begun;
	WindowSample begin;
};

static gboolean read_process(pid_t pid, gint64 *ret)
{
	g_autofree char *path = g_strdup_printf("/proc/%d/io", (int)pid);
	g_autofree char *text = NULL;
	const char *line;

	if (pid <= 0 || !g_file_get_contents(path, &text, NULL, NULL))
		return FALSE;
	line = strstr(text, "\nread_bytes:");
	if (line)
		*ret = g_ascii_strtoll(line + strlen("\nread_bytes:"), NULL, 10);
	return line != NULL;
}

static gboolean sample(gpointer data)
{
	Window *window = data;
	WindowSample *s = &window->kept[window->n % KEPT];

	s->at_ns = (gint64)clock_read(CLOCK_BOOTTIME);
	s->have_device = window->device && device_read(window->device, &s->device);
	s->have_process = read_process(window->pid, &s->process_read_bytes);
	window->n++;
	return G_SOURCE_CONTINUE;
}

Window *window_open(const Device *device, pid_t pid)
{
	Window *window = g_new0(Window, 1);

	window->device = device;
	window->pid = pid;
	sample(window);
	window->timer = g_timeout_add(SAMPLE_MS, sample, window);
	return window;
}

static gint64 between(gint64 a, gint64 b, double share)
{
	return a + (gint64)((double)(b - a) * share);
}

static void mix(const WindowSample *a, const WindowSample *b, double share, WindowSample *ret)
{
	const DeviceCounters *x = &a->device, *y = &b->device;

	*ret = (WindowSample){
		.have_device = a->have_device && b->have_device,
		.have_process = a->have_process && b->have_process,
		.process_read_bytes = between(a->process_read_bytes, b->process_read_bytes, share),
		.device =
			{
				.reads = between(x->reads, y->reads, share),
				.read_merges = between(x->read_merges, y->read_merges, share),
				.read_bytes = between(x->read_bytes, y->read_bytes, share),
				.writes = between(x->writes, y->writes, share),
				.write_merges = between(x->write_merges, y->write_merges, share),
				.write_bytes = between(x->write_bytes, y->write_bytes, share),
				.io_ns = between(x->io_ns, y->io_ns, share),
				.queue_ns = between(x->queue_ns, y->queue_ns, share),
			},
	};
}

/* The counters at AT_NS; those of the oldest or latest sample kept for a moment outside. */
static void at(Window *window, gint64 at_ns, WindowSample *ret)
{
	guint oldest = window->n > KEPT ? window->n - KEPT : 0, i = window->n - 1;
	const WindowSample *a, *b;

	while (i > oldest && window->kept[i % KEPT].at_ns > at_ns)
		i--;
	a = &window->kept[i % KEPT];
	b = &window->kept[(i + 1 < window->n ? i + 1 : i) % KEPT];
	if (at_ns <= a->at_ns || b->at_ns <= a->at_ns)
		mix(a, a, 0, ret);
	else
		mix(a, b, (double)(at_ns - a->at_ns) / (double)(b->at_ns - a->at_ns), ret);
}

void window_begin(Window *window, gint64 host_ns)
{
	sample(window);
	at(window, host_ns, &window->begin);
	window->begun = TRUE;
}

static void set(Record *run, const char *column, gboolean valid, gint64 begin, gint64 end)
{
	if (valid)
		record_set_int(run, column, end - begin);
	else
		record_set_null(run, column);
}

void window_end(Window *window, gint64 host_ns, Record *run)
{
	const DeviceCounters *a = &window->begin.device, *b;
	WindowSample end;
	gboolean device, process;

	sample(window);
	at(window, host_ns, &end);
	b = &end.device;
	device = window->begun && window->begin.have_device && end.have_device;
	process = window->begun && window->begin.have_process && end.have_process;
	set(run, "host_device_reads", device, a->reads, b->reads);
	set(run, "host_device_read_bytes", device, a->read_bytes, b->read_bytes);
	set(run, "host_device_read_merges", device, a->read_merges, b->read_merges);
	set(run, "host_device_writes", device, a->writes, b->writes);
	set(run, "host_device_write_bytes", device, a->write_bytes, b->write_bytes);
	set(run, "host_device_write_merges", device, a->write_merges, b->write_merges);
	set(run, "host_device_io_ns", device, a->io_ns, b->io_ns);
	set(run, "host_device_queue_ns", device, a->queue_ns, b->queue_ns);
	set(run, "process_read_bytes", process, window->begin.process_read_bytes, end.process_read_bytes);
	window_free(window);
}

void window_free(Window *window)
{
	if (!window)
		return;
	g_source_remove(window->timer);
	g_free(window);
}
