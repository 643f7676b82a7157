/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/side/guest/guest-observe.h"

/* Fewer operations tell nothing: QEMU's own reads and writes (channel, console, monitor) are among what is counted. */
#define AIO_FLOOR 8

static char *read_proc(pid_t pid, const char *name)
{
	g_autofree char *path = g_strdup_printf("/proc/%d/%s", (int)pid, name);
	char *text = NULL;

	return pid > 0 && g_file_get_contents(path, &text, NULL, NULL) ? text : NULL;
}

static gint64 number_after(const char *text, const char *key)
{
	const char *at = text ? strstr(text, key) : NULL;

	return at ? g_ascii_strtoll(at + strlen(key), NULL, 10) : -1;
}

/* Calls EACH with every descriptor of PID and what it leads to. */
static void each_descriptor(pid_t pid, void (*each)(pid_t pid, int fd, const char *link, gpointer data), gpointer data)
{
	g_autofree char *folder = g_strdup_printf("/proc/%d/fd", (int)pid);
	GDir *dir = pid > 0 ? g_dir_open(folder, 0, NULL) : NULL;
	const char *name;

	if (!dir)
		return;
	while ((name = g_dir_read_name(dir))) {
		g_autofree char *path = g_build_filename(folder, name, NULL);
		g_autofree char *link = g_file_read_link(path, NULL);

		if (link)
			each(pid, (int)g_ascii_strtoll(name, NULL, 10), link, data);
	}
	g_dir_close(dir);
}

static void add_ring(pid_t pid, int fd, const char *link, gpointer data)
{
	gint64 *tail = data, here;
	g_autofree char *name = g_strdup_printf("fdinfo/%d", fd);
	g_autofree char *text = NULL;

	if (!g_str_equal(link, "anon_inode:[io_uring]"))
		return;
	text = read_proc(pid, name);
	here = number_after(text, "SqTail:");
	if (here >= 0)
		*tail += here;
}

void observe_process(pid_t pid, ProcessIo *ret)
{
	g_autofree char *io = read_proc(pid, "io");
	gint64 read_chars = number_after(io, "rchar:"), write_chars = number_after(io, "wchar:");

	*ret = (ProcessIo){-1, -1};
	if (read_chars < 0 || write_chars < 0)
		return;
	ret->characters = read_chars + write_chars;
	ret->ring_tail = 0;
	each_descriptor(pid, add_ring, &ret->ring_tail);
}

const char *observe_aio(const ProcessIo *before, const ProcessIo *after, gint64 bytes, gint64 operations)
{
	if (operations < AIO_FLOOR || before->characters < 0 || after->characters < 0)
		return NULL;
	if (after->characters - before->characters >= bytes / 2)
		return "threads";
	return after->ring_tail - before->ring_tail >= operations / 2 ? "io_uring" : "native";
}

void observe_add_exits(const char *field, guint64 value, gint64 *exits)
{
	const char *rest = field;

	if (!g_str_has_prefix(field, "vcpu."))
		return;
	rest += strlen("vcpu.");
	if (!g_ascii_isdigit(*rest) || value > G_MAXINT64)
		return;
	rest += strspn(rest, "0123456789");
	if (g_str_equal(rest, ".exits.sum"))
		*exits = MAX(*exits, 0) + (gint64)value;
}

/* -1 where there is no number: an empty file is no guest without exits. */
static gint64 read_count(const char *path)
{
	g_autofree char *text = NULL;
	guint64 value;

	if (!g_file_get_contents(path, &text, NULL, NULL) ||
		!g_ascii_string_to_unsigned(g_strchomp(text), 10, 0, G_MAXINT64, &value, NULL))
		return -1;
	return (gint64)value;
}

gint64 observe_debugfs_exits(const char *folder, pid_t pid)
{
	g_autofree char *prefix = g_strdup_printf("%d-", (int)pid);
	GDir *dir = g_dir_open(folder, 0, NULL);
	gint64 exits = -1;
	const char *name;

	if (!dir)
		return -1;
	while ((name = g_dir_read_name(dir))) {
		g_autofree char *path = g_build_filename(folder, name, "exits", NULL);
		gint64 count = g_str_has_prefix(name, prefix) ? read_count(path) : -1;

		if (count >= 0)
			exits = MAX(exits, 0) + count;
	}
	g_dir_close(dir);
	return exits;
}

char *observe_why_no_exits(gboolean kvm, const char *folder)
{
	DIR *dir;

	if (!kvm)
		return g_strdup("guests under TCG do not run in KVM and have no exits");
	dir = opendir(folder);
	if (dir) {
		closedir(dir);
		return g_strdup_printf("QEMU does not count the guest's exits (query-stats, from 7.1 on), and %s did not tell them at both "
				       "ends of the run",
			folder);
	}
	return g_strdup_printf("QEMU does not count the guest's exits (query-stats, from 7.1 on), and the kernel's counts cannot be read: %s: %s",
		folder, g_strerror(errno));
}

typedef struct {
	char *image;
	GArray *found;
} Search;

static void add_match(pid_t pid, int fd, const char *link, gpointer data)
{
	Search *search = data;

	if (g_strcmp0(link, search->image) == 0)
		g_array_append_val(search->found, fd);
}

GArray *observe_descriptors(pid_t pid, const char *image)
{
	Search search = {realpath(image, NULL), g_array_new(FALSE, FALSE, sizeof(int))};

	if (search.image)
		each_descriptor(pid, add_match, &search);
	free(search.image);
	return search.found;
}

static gboolean holds(const GArray *array, int fd)
{
	for (guint i = 0; i < array->len; i++)
		if (g_array_index(array, int, i) == fd)
			return TRUE;
	return FALSE;
}

int observe_direct(pid_t pid, const char *image, const GArray *only)
{
	g_autoptr(GArray) open = observe_descriptors(pid, image);
	int seen = -1;

	for (guint i = 0; i < open->len; i++) {
		int fd = g_array_index(open, int, i), direct;
		g_autofree char *name = g_strdup_printf("fdinfo/%d", fd);
		g_autofree char *text = read_proc(pid, name);
		const char *flags = text ? strstr(text, "flags:") : NULL;

		if (!flags || (only && !holds(only, fd)))
			continue;
		/* Octal, without a leading zero that would say so. */
		direct = (strtol(flags + strlen("flags:"), NULL, 8) & O_DIRECT) != 0;
		if (seen >= 0 && seen != direct)
			return -2;
		seen = direct;
	}
	return seen;
}

const char *observe_cache(gboolean writeback, gboolean direct, gboolean no_flush)
{
	if (no_flush)
		return direct ? "direct, flushes ignored" : "unsafe";
	if (writeback)
		return direct ? "none" : "writeback";
	return direct ? "directsync" : "writethrough";
}
