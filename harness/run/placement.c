/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/run/placement.h"

#include <errno.h>
#include <sched.h>
#include <string.h>

#include "harness/base/cpu-list.h"
#include "harness/base/error.h"
#include "harness/run/threads.h"

struct LoadPin {
	pid_t pid;
	char *before; /* NULL = cannot be read */
	char *now;    /* NULL = as before */
};

static char *read_proc(const char *root, pid_t pid, const char *file)
{
	g_autofree char *path = g_strdup_printf("%s/proc/%d/%s", root, (int)pid, file);
	char *text = NULL;

	return g_file_get_contents(path, &text, NULL, NULL) ? text : NULL;
}

/* What stands behind KEY in a text of "KEY:\tVALUE" lines; NULL when there is none. New. */
static char *value_of(const char *text, const char *key)
{
	g_autofree char *mark = g_strdup_printf("\n%s:\t", key);
	const char *line = text ? strstr(text, mark) : NULL;

	if (!line)
		return NULL;
	line += strlen(mark);
	return g_strndup(line, strcspn(line, "\n"));
}

/* Ids of the threads of PID, ascending: that is the order in which they were made, as long as ids do not begin anew. */
static GArray *threads_of(const char *root, pid_t pid)
{
	g_autofree char *path = g_strdup_printf("%s/proc/%d/task", root, (int)pid);
	g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
	GArray *tids = g_array_new(FALSE, FALSE, sizeof(guint));
	const char *name;

	while (dir && (name = g_dir_read_name(dir))) {
		guint tid = (guint)g_ascii_strtoull(name, NULL, 10);

		g_array_append_val(tids, tid);
	}
	return tids;
}

/* ---- the host's load ---------------------------------------------------------------------------- */

LoadPin *load_pin_new(pid_t pid)
{
	LoadPin *pin = g_new0(LoadPin, 1);
	g_autofree char *status = read_proc("", pid, "status");

	pin->pid = pid;
	pin->before = value_of(status, "Cpus_allowed_list");
	return pin;
}

void load_pin_free(LoadPin *pin)
{
	if (!pin)
		return;
	g_free(pin->before);
	g_free(pin->now);
	g_free(pin);
}

static gboolean move(pid_t pid, const char *cpus)
{
	g_autoptr(GArray) list = cpu_list_parse(cpus);
	g_autoptr(GArray) tids = threads_of("", pid);
	size_t size = CPU_ALLOC_SIZE(CPU_LIST_MOST + 1);
	cpu_set_t *set = CPU_ALLOC(CPU_LIST_MOST + 1);
	gboolean ok = tids->len > 0;
	int code = ESRCH;

	CPU_ZERO_S(size, set);
	for (guint i = 0; i < list->len; i++)
		CPU_SET_S(g_array_index(list, guint, i), size, set);
	for (guint i = 0; ok && i < tids->len; i++) {
		/* A thread that has just ended needs no place. */
		ok = sched_setaffinity((pid_t)g_array_index(tids, guint, i), size, set) == 0 || errno == ESRCH;
		code = errno;
	}
	CPU_FREE(set);
	errno = code;
	return ok;
}

gboolean load_pin_use(LoadPin *pin, const char *cpus, GError **error)
{
	const char *wanted = cpus ? cpus : pin->before;

	if (g_strcmp0(pin->now, cpus) == 0 || !wanted)
		return TRUE;
	if (!move(pin->pid, wanted)) {
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_UNSUPPORTED, "the host's load cannot be moved to the processors %s: %s", wanted,
			g_strerror(errno));
		return FALSE;
	}
	g_free(pin->now);
	pin->now = g_strdup(cpus);
	return TRUE;
}

/* ---- threads -------------------------------------------------------------------------------------- */

typedef struct {
	GString *all[THREAD_KINDS]; /* the lists of the threads of each kind, with commas between: together they are one list */
	GPtrArray *vcpus;	    /* of char *, the list of each vCPU by its number; NULL = not seen */
} Seen;

static void seen_add(Seen *seen, const char *name, gboolean main_thread, const char *list)
{
	ThreadKind kind = threads_kind(name, main_thread);
	guint64 number;

	g_string_append_printf(seen->all[kind], "%s%s", seen->all[kind]->len ? "," : "", list);
	if (kind != THREAD_VCPU)
		return;
	number = g_ascii_strtoull(name + strlen("CPU "), NULL, 10);
	if (number > CPU_LIST_MOST)
		return;
	if (number >= seen->vcpus->len)
		g_ptr_array_set_size(seen->vcpus, (gint)number + 1);
	g_free(g_ptr_array_index(seen->vcpus, number));
	g_ptr_array_index(seen->vcpus, number) = g_strdup(list);
}

static void collect(const char *root, pid_t pid, Seen *seen)
{
	g_autofree char *path = g_strdup_printf("%s/proc/%d/task", root, (int)pid);
	g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
	const char *tid;

	while (dir && (tid = g_dir_read_name(dir))) {
		g_autofree char *file = g_strdup_printf("task/%s/status", tid);
		g_autofree char *status = read_proc(root, pid, file);
		g_autofree char *line = status ? g_strconcat("\n", status, NULL) : NULL;
		g_autofree char *name = value_of(line, "Name");
		g_autofree char *list = value_of(line, "Cpus_allowed_list");

		if (name && list)
			seen_add(seen, name, g_ascii_strtoll(tid, NULL, 10) == pid, list);
	}
}

static void set_list(Record *run, const char *column, const char *lists)
{
	g_autofree char *list = cpu_list_canonical(lists);

	if (list)
		record_set_text(run, column, list);
}

/* One list when all are the same; nothing when one was not seen. */
static void set_vcpus(Record *run, const GPtrArray *vcpus)
{
	g_autoptr(GString) text = g_string_new(NULL);
	gboolean same = TRUE;

	for (guint i = 0; i < vcpus->len; i++) {
		const char *list = g_ptr_array_index(vcpus, i);

		if (!list)
			return;
		same = same && g_str_equal(list, g_ptr_array_index(vcpus, 0));
		g_string_append_printf(text, "%s%s", i ? "/" : "", list);
	}
	if (vcpus->len)
		record_set_text(run, "seen_pin_vcpu", same ? g_ptr_array_index(vcpus, 0) : text->str);
}

void placement_threads(const char *root, pid_t pid, gboolean of_qemu, Record *run)
{
	Seen seen = {.vcpus = g_ptr_array_new_with_free_func(g_free)};
	g_autoptr(GString) load = g_string_new(NULL);

	for (guint i = 0; i < THREAD_KINDS; i++)
		seen.all[i] = g_string_new(NULL);
	collect(root, pid, &seen);
	if (of_qemu) {
		set_vcpus(run, seen.vcpus);
		set_list(run, "seen_pin_iothread", seen.all[THREAD_IOTHREAD]->str);
		set_list(run, "seen_pin_emulator", seen.all[THREAD_MAIN]->str);
		set_list(run, "seen_pin_worker", seen.all[THREAD_WORKER]->str);
	}
	for (guint i = 0; i < THREAD_KINDS; i++) {
		g_string_append_printf(load, "%s%s", load->len && seen.all[i]->len ? "," : "", seen.all[i]->str);
		g_string_free(seen.all[i], TRUE);
	}
	if (!of_qemu)
		set_list(run, "seen_pin_load", load->str);
	g_ptr_array_unref(seen.vcpus);
}

/* ---- memory --------------------------------------------------------------------------------------- */

/* "7f12a000 bind:0 anon=4096 dirty=4096 N0=4000 N1=96 kernelpagesize_kB=4": bytes on all nodes. */
static guint64 mapping_size(char **words, guint64 *ret_page)
{
	guint64 pages = 0;

	*ret_page = 0;
	for (guint i = 2; words[i]; i++) {
		const char *value = strchr(words[i], '=');

		if (value && words[i][0] == 'N' && g_ascii_isdigit(words[i][1]))
			pages += g_ascii_strtoull(value + 1, NULL, 10);
		else if (g_str_has_prefix(words[i], "kernelpagesize_kB="))
			*ret_page = g_ascii_strtoull(value + 1, NULL, 10) << 10;
	}
	return pages * *ret_page;
}

void placement_memory(const char *root, pid_t pid, Record *run)
{
	g_autofree char *text = read_proc(root, pid, "numa_maps");
	g_auto(GStrv) lines = g_strsplit(text ? text : "", "\n", -1);
	guint64 largest = 0;

	for (guint i = 0; lines[i]; i++) {
		g_auto(GStrv) words = g_strsplit(lines[i], " ", -1);
		guint64 page, size = g_strv_length(words) > 2 ? mapping_size(words, &page) : 0;
		const char *nodes;

		if (size <= largest)
			continue;
		largest = size;
		nodes = g_str_has_prefix(words[1], "bind:") ? words[1] + strlen("bind:") : words[1];
		record_set_text(run, "seen_numa", nodes);
		record_set_int(run, "seen_hugepages", (gint64)page);
	}
}
