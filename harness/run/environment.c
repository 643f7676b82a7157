/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Small files read as keys; programs and their hashes; what agents say. */
#include "harness/run/environment.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "harness/base/paths.h"

static char *read_text(const char *root, const char *format, va_list args)
{
	g_autofree char *name = g_strdup_vprintf(format, args);
	g_autofree char *path = g_strconcat(root, name, NULL);
	char *text = NULL;

	if (!g_file_get_contents(path, &text, NULL, NULL))
		return NULL;
	g_strstrip(text);
	if (!*text)
		g_clear_pointer(&text, g_free);
	return text;
}

char *environment_read(const char *root, const char *format, ...)
{
	va_list args;
	char *text;

	va_start(args, format);
	text = read_text(root, format, args);
	va_end(args);
	return text;
}

gboolean environment_set_file(Record *environment, const char *name, const char *root, const char *format, ...)
{
	g_autofree char *text = NULL;
	gint64 number;
	va_list args;

	va_start(args, format);
	text = read_text(root, format, args);
	va_end(args);
	if (!text)
		return FALSE;
	/* A number is kept as one, a serial or a revision with zeros in front is none. */
	if ((*text != '0' || !text[1]) && g_ascii_string_to_signed(text, 10, G_MININT64, G_MAXINT64, &number, NULL))
		record_set_int(environment, name, number);
	else
		record_set_text(environment, name, text);
	return TRUE;
}

static gint by_name(gconstpointer a, gconstpointer b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

GPtrArray *environment_list(const char *folder)
{
	GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
	GDir *dir = g_dir_open(folder, 0, NULL);
	const char *name;

	while (dir && (name = g_dir_read_name(dir)))
		g_ptr_array_add(names, g_strdup(name));
	if (dir)
		g_dir_close(dir);
	g_ptr_array_sort(names, by_name);
	return names;
}

char *environment_hash(const char *path)
{
	int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	g_autoptr(GChecksum) sum = g_checksum_new(G_CHECKSUM_SHA256);
	g_autofree guchar *buffer = g_malloc(1 << 18);
	ssize_t n = -1;

	if (fd < 0)
		return NULL;
	while ((n = read(fd, buffer, 1 << 18)) > 0)
		g_checksum_update(sum, buffer, n);
	close(fd);
	return n == 0 ? g_strdup(g_checksum_get_string(sum)) : NULL;
}

static void set_hash(Record *environment, const char *name, const char *path)
{
	g_autofree char *hash = environment_hash(path);

	if (hash)
		record_set_text(environment, name, hash);
}

void environment_programs(const char *agent, const char *emulator, Record *environment)
{
	g_autofree char *self = paths_self();

	record_set_text(environment, "iogap.version", IOGAP_VERSION);
	set_hash(environment, "iogap.sha256", self);
	set_hash(environment, "agent.sha256", agent);
	set_hash(environment, "qemu.sha256", emulator);
}

static void set_json(Record *environment, const char *name, const json_t *value)
{
	if (json_is_string(value))
		record_set_text(environment, name, json_string_value(value));
	else if (json_is_integer(value))
		record_set_int(environment, name, json_integer_value(value));
	else if (json_is_real(value))
		record_set_real(environment, name, json_real_value(value));
}

/* Members of an object that have a text, as PREFIX and their name. */
static void set_members(Record *environment, const char *prefix, json_t *object)
{
	const char *name;
	json_t *value;

	json_object_foreach(object, name, value)
	{
		g_autofree char *key = g_strconcat(prefix, name, NULL);

		set_json(environment, key, value);
	}
}

static void set_list(Record *environment, const char *name, const json_t *array)
{
	g_autoptr(GString) list = g_string_new(NULL);

	for (gsize i = 0; i < json_array_size(array); i++)
		g_string_append_printf(list, "%s%s", i ? " " : "", json_string_value(json_array_get(array, i)));
	if (list->len)
		record_set_text(environment, name, list->str);
}

void environment_guest(const json_t *probe, Record *environment)
{
	static const char *const keys[][2] = {
		{"kernel", "guest.kernel"},
		{"kernel_build", "guest.kernel.build"},
		{"cmdline", "guest.cmdline"},
		{"cpus", "guest.cpu.count"},
		{"cpu_model", "guest.cpu.model"},
		{"cpu_vendor", "guest.cpu.vendor"},
		{"cpu_microcode", "guest.cpu.microcode"},
		{"cpu_flags", "guest.cpu.flags"},
		{"hypervisor", "guest.hypervisor"},
		{"memory", "guest.memory"},
		{"clocksource", "guest.clocksource"},
		{"clocksources", "guest.clocksource.available"},
	};

	for (guint i = 0; i < G_N_ELEMENTS(keys); i++)
		set_json(environment, keys[i][1], json_object_get(probe, keys[i][0]));
	set_list(environment, "guest.modules", json_object_get(probe, "modules"));
	set_members(environment, "guest.mitigations.", json_object_get(probe, "mitigations"));
	set_members(environment, "guest.engine.", json_object_get(probe, "engines"));
}
