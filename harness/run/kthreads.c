/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/run/kthreads.h"

#include "guest-agent/common/clock.h"
#include "harness/base/process-stat.h"
#include "harness/run/trail.h"

#define KTHREADD 2
#define SAMPLE_MS 200
#define COST 100 /* a look is followed by so many times its duration without one */
#define KEPT 64	 /* twelve seconds and more */

struct Kthreads {
	GHashTable *seen; /* process id -> ProcessStat */
};

static void look(Kthreads *kthreads, const char *proc, gint64 pid)
{
	g_autofree char *path = g_strdup_printf("%s/%" G_GINT64_FORMAT "/stat", proc, pid);
	ProcessStat stat;

	if (process_stat_read(path, &stat) && stat.parent == KTHREADD)
		g_hash_table_insert(kthreads->seen, GINT_TO_POINTER((int)pid), g_memdup2(&stat, sizeof(stat)));
}

Kthreads *kthreads_look(const char *proc)
{
	g_autofree char *path = g_strdup_printf("%s/%d/stat", proc, KTHREADD);
	g_autoptr(GDir) dir = g_dir_open(proc, 0, NULL);
	Kthreads *kthreads;
	const char *name;
	ProcessStat stat;

	if (!dir || !process_stat_read(path, &stat) || !g_str_equal(stat.name, "kthreadd"))
		return NULL;
	kthreads = g_new(Kthreads, 1);
	kthreads->seen = g_hash_table_new_full(NULL, NULL, NULL, g_free);
	while ((name = g_dir_read_name(dir))) {
		gint64 pid = g_ascii_strtoll(name, NULL, 10);

		if (pid > KTHREADD)
			look(kthreads, proc, pid);
	}
	return kthreads;
}

void kthreads_free(Kthreads *kthreads)
{
	if (!kthreads)
		return;
	g_hash_table_unref(kthreads->seen);
	g_free(kthreads);
}

gint64 kthreads_spent(const Kthreads *begin, const Kthreads *end)
{
	gpointer pid, value;
	GHashTableIter iter;
	gint64 spent = 0;

	if (!begin || !end)
		return -1;
	g_hash_table_iter_init(&iter, end->seen);
	while (g_hash_table_iter_next(&iter, &pid, &value)) {
		const ProcessStat *now = value, *then = g_hash_table_lookup(begin->seen, pid);

		spent += now->user_ns + now->system_ns;
		if (then && then->start == now->start)
			spent -= then->user_ns + then->system_ns;
	}
	return spent;
}

struct KthreadWatch {
	const char *proc;
	Kthreads *last;
	gint64 spent; /* since the first look */
	guint timer;
	Trail *trail;
};

static gboolean sample(gpointer data);

static void look_and_wait(KthreadWatch *watch, gboolean again)
{
	gint64 at_ns = (gint64)clock_read(CLOCK_BOOTTIME), took_ms;
	Kthreads *now = kthreads_look(watch->proc);
	gint64 spent = watch->last ? kthreads_spent(watch->last, now) : 0, value;

	watch->spent += MAX(0, spent);
	value = now && spent >= 0 ? watch->spent : TRAIL_NONE;
	trail_add(watch->trail, at_ns, &value);
	kthreads_free(watch->last);
	watch->last = now;
	took_ms = ((gint64)clock_read(CLOCK_BOOTTIME) - at_ns) / 1000000;
	watch->timer = again ? g_timeout_add((guint)MAX(SAMPLE_MS, COST * took_ms), sample, watch) : 0;
}

static gboolean sample(gpointer data)
{
	look_and_wait(data, TRUE);
	return G_SOURCE_REMOVE;
}

KthreadWatch *kthreads_watch(const char *proc)
{
	g_autoptr(Kthreads) first = kthreads_look(proc);
	KthreadWatch *watch;

	if (!first)
		return NULL;
	watch = g_new0(KthreadWatch, 1);
	watch->proc = proc;
	watch->trail = trail_new(1, KEPT);
	look_and_wait(watch, TRUE);
	return watch;
}

void kthreads_begin(KthreadWatch *watch, gint64 host_ns)
{
	if (!watch)
		return;
	if (watch->timer) {
		g_clear_handle_id(&watch->timer, g_source_remove);
		look_and_wait(watch, TRUE);
	}
	trail_begin(watch->trail, host_ns);
}

void kthreads_stop(KthreadWatch *watch)
{
	if (!watch)
		return;
	g_clear_handle_id(&watch->timer, g_source_remove);
	look_and_wait(watch, FALSE);
}

gint64 kthreads_end(const KthreadWatch *watch, gint64 host_ns)
{
	gint64 moved = watch ? trail_moved(watch->trail, 0, host_ns) : TRAIL_NONE;

	return moved == TRAIL_NONE ? -1 : moved;
}

void kthreads_unwatch(KthreadWatch *watch)
{
	if (!watch)
		return;
	g_clear_handle_id(&watch->timer, g_source_remove);
	kthreads_free(watch->last);
	trail_free(watch->trail);
	g_free(watch);
}
