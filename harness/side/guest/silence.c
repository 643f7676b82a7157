/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/side/guest/silence.h"

#include <string.h>
#include <unistd.h>

/* Adds the thread whose stat line is TEXT: "TID (NAME) STATE ...", user and system time in ticks being fields 14 and 15. */
static void add_thread(const char *text, SilenceCpu *ret)
{
	const char *name = strchr(text, '('), *rest = strrchr(text, ')');
	g_auto(GStrv) fields = NULL;
	gint64 ns;

	if (!name || !rest || !rest[1])
		return;
	fields = g_strsplit(rest + 2, " ", 0);
	if (g_strv_length(fields) < 13)
		return;
	ns = (g_ascii_strtoll(fields[11], NULL, 10) + g_ascii_strtoll(fields[12], NULL, 10)) *
	     (G_GINT64_CONSTANT(1000000000) / sysconf(_SC_CLK_TCK));
	if (g_str_has_prefix(name, "(CPU "))
		ret->vcpu_ns = MAX(ret->vcpu_ns, 0) + ns;
	else
		ret->other_ns = MAX(ret->other_ns, 0) + ns;
	if (*fields[0] == 'D')
		ret->blocked++;
}

void silence_cpu(pid_t pid, SilenceCpu *ret)
{
	g_autofree char *folder = g_strdup_printf("/proc/%d/task", (int)pid);
	g_autofree char *own = g_strdup_printf("%d", (int)pid);
	GDir *dir = pid > 0 ? g_dir_open(folder, 0, NULL) : NULL;
	const char *name;

	*ret = (SilenceCpu){-1, -1, 0, 0};
	if (!dir)
		return;
	while ((name = g_dir_read_name(dir))) {
		g_autofree char *path = g_build_filename(folder, name, "stat", NULL);
		g_autofree char *text = NULL;
		const char *end;

		if (!g_file_get_contents(path, &text, NULL, NULL))
			continue;
		add_thread(text, ret);
		end = strrchr(text, ')');
		if (g_str_equal(name, own) && end && end[1])
			ret->state = end[2];
	}
	g_dir_close(dir);
}

static void add(GString *text, const char *format, ...) G_GNUC_PRINTF(2, 3);

static void add(GString *text, const char *format, ...)
{
	va_list args;

	if (text->len)
		g_string_append(text, "; ");
	va_start(args, format);
	g_string_append_vprintf(text, format, args);
	va_end(args);
}

static void add_cpu(GString *text, const SilenceCpu *first, const SilenceCpu *second, double seconds)
{
	if (second->state == 'T' || second->state == 't')
		add(text, "QEMU's process is stopped by a signal or a debugger");
	if (first->vcpu_ns < 0 || second->vcpu_ns < first->vcpu_ns) {
		add(text, "the processor time of QEMU's vCPUs cannot be read");
		return;
	}
	/* Workers that ended between the looks took their time with them. */
	add(text, "in %.1f s QEMU's vCPUs used %.2f s of processor time and its other threads %.2f s", seconds,
		(double)(second->vcpu_ns - first->vcpu_ns) / 1e9, (double)MAX(second->other_ns - first->other_ns, 0) / 1e9);
	if (second->blocked)
		add(text, "%u of QEMU's threads wait inside the host's kernel (state D), as for a device that does not answer",
			second->blocked);
}

static void add_disk(GString *text, const SilenceLook *first, const SilenceLook *second, const char *disk, gint64 done)
{
	gint64 meanwhile;

	if (first->reads < 0 || second->reads < 0)
		return;
	meanwhile = second->reads + second->writes - first->reads - first->writes;
	if (done >= 0)
		add(text, "QEMU finished %" G_GINT64_FORMAT " operations on %s since measuring began and %" G_GINT64_FORMAT " in this time", done, disk,
			meanwhile);
	else
		add(text, "QEMU finished %" G_GINT64_FORMAT " operations on %s in this time", meanwhile, disk);
}

/* The counts are 16 bits wide and wrap. */
static guint distance(gint from, gint to)
{
	return (guint)(to - from) & 0xffff;
}

static gboolean same(const SilenceQueue *a, const SilenceQueue *b)
{
	return a->offered == b->offered && a->taken == b->taken && a->returned == b->returned;
}

static void add_queue(GString *text, const SilenceQueue *first, const SilenceQueue *queue)
{
	guint waiting;

	if (queue->taken < 0 || queue->returned < 0)
		return;
	if (!same(first, queue)) {
		add(text, "its requests still move");
		return;
	}
	if (queue->inuse > 0)
		add(text, "QEMU holds %d requests that it took and did not return: the loss is in QEMU or below it, on the host", queue->inuse);
	waiting = queue->offered < 0 ? 0 : distance(queue->taken, queue->offered);
	if (waiting)
		add(text, "the guest offers %u requests that QEMU did not take: the notification of QEMU was lost", waiting);
	if (queue->wanted >= 0 && distance(queue->wanted, queue->returned))
		add(text, "QEMU returned requests up to %d and the guest consumed them up to %d: the interrupt was lost, or the guest does not run",
			queue->returned, queue->wanted);
	if (queue->inuse <= 0 && !waiting && (queue->wanted < 0 || !distance(queue->wanted, queue->returned)))
		add(text, "the disk's queue is empty: no request is missing between the guest and QEMU");
	g_string_append_printf(text, " (offered %d, taken %d, returned %d, interrupt wanted after %d)", queue->offered, queue->taken,
		queue->returned, queue->wanted);
}

char *silence_text(const SilenceLook *first, const SilenceLook *second, double seconds, const char *disk, gint64 done)
{
	GString *text = g_string_new(NULL);

	add_cpu(text, &first->cpu, &second->cpu, seconds);
	add_disk(text, first, second, disk, done);
	add_queue(text, &first->queue, &second->queue);
	return g_string_free(text, FALSE);
}
