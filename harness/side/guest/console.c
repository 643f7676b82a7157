/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The guest's serial console, as QEMU wrote it to a file: what it says when a guest ends. */
#include <string.h>

#include "harness/side/guest/guest-private.h"

/* No more than this of the end is looked at, and no more of a line is quoted. */
#define LOOK_BYTES 65536
#define QUOTE_CHARS 200

/* The last lines, without control characters; empty ones are left out. NULL-terminated array. */
static GPtrArray *last_lines(const char *path)
{
	GPtrArray *lines = g_ptr_array_new_with_free_func(g_free);
	g_autofree char *text = NULL;
	g_auto(GStrv) parts = NULL;
	gsize length = 0;

	if (!g_file_get_contents(path, &text, &length, NULL))
		return lines;
	for (gsize i = 0; i < length; i++)
		if ((guchar)text[i] < ' ' && text[i] != '\n')
			text[i] = ' ';
	parts = g_strsplit(length > LOOK_BYTES ? text + length - LOOK_BYTES : text, "\n", 0);
	for (guint i = 0; parts[i]; i++) {
		g_strstrip(parts[i]);
		if (*parts[i])
			g_ptr_array_add(lines, g_utf8_make_valid(parts[i],
						       (gssize)MIN(strlen(parts[i]), QUOTE_CHARS)));
	}
	return lines;
}

static gboolean tells_why(const char *line)
{
	static const char *const signs[] = {
		"Kernel panic", "Unable to mount", "Out of memory", NULL};

	if (g_str_has_prefix(line, "iogap-agent:"))
		return TRUE;
	for (guint i = 0; signs[i]; i++)
		if (strstr(line, signs[i]))
			return TRUE;
	return FALSE;
}

char *console_verdict(const char *path)
{
	g_autoptr(GPtrArray) lines = last_lines(path);

	for (guint i = lines->len; i-- > 0;)
		if (tells_why(lines->pdata[i]))
			return g_strdup(lines->pdata[i]);
	return NULL;
}

char *console_tail(const char *path, guint count)
{
	g_autoptr(GPtrArray) lines = last_lines(path);
	GString *text = g_string_new(NULL);

	for (guint i = lines->len > count ? lines->len - count : 0; i < lines->len; i++)
		g_string_append_printf(
			text, "%s%s", text->len ? " | " : "", (const char *)lines->pdata[i]);
	if (text->len == 0)
		g_string_append(text, "nothing was printed");
	return g_string_free(text, FALSE);
}
