/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/run/kthreads.h"

#include "harness/base/process-stat.h"

#define KTHREADD 2

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
