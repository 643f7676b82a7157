/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/base/cpu-list.h"

static gint compare(gconstpointer a, gconstpointer b)
{
	guint x = *(const guint *)a, y = *(const guint *)b;

	return (x > y) - (x < y);
}

static gboolean number(const char **at, guint *ret)
{
	guint64 value = 0;

	if (!g_ascii_isdigit(**at))
		return FALSE;
	for (; g_ascii_isdigit(**at); ++*at) {
		value = 10 * value + (guint64)(**at - '0');
		if (value > CPU_LIST_MOST)
			return FALSE;
	}
	*ret = (guint)value;
	return TRUE;
}

/* "3" or "0-3" */
static gboolean range(const char **at, GArray *numbers)
{
	guint first, last;

	if (!number(at, &first))
		return FALSE;
	last = first;
	if (**at == '-') {
		++*at;
		if (!number(at, &last) || last < first)
			return FALSE;
	}
	for (guint i = first; i <= last; i++)
		g_array_append_val(numbers, i);
	return TRUE;
}

static void unite(GArray *numbers)
{
	g_array_sort(numbers, compare);
	for (guint i = numbers->len; i > 1; i--)
		if (g_array_index(numbers, guint, i - 1) == g_array_index(numbers, guint, i - 2))
			g_array_remove_index(numbers, i - 1);
}

GArray *cpu_list_parse(const char *text)
{
	g_autoptr(GArray) numbers = g_array_new(FALSE, FALSE, sizeof(guint));
	const char *at = text;

	do {
		if (at > text)
			at++;
		if (!range(&at, numbers))
			return NULL;
	} while (*at == ',');
	if (*at)
		return NULL;
	unite(numbers);
	return g_steal_pointer(&numbers);
}

char *cpu_list_format(const GArray *ascending)
{
	GString *text = g_string_new(NULL);

	for (guint i = 0; i < ascending->len;) {
		guint first = g_array_index(ascending, guint, i), last = first;

		for (i++; i < ascending->len && g_array_index(ascending, guint, i) == last + 1; i++)
			last++;
		g_string_append_printf(text, "%s%u", text->len ? "," : "", first);
		if (last > first)
			g_string_append_printf(text, "-%u", last);
	}
	return g_string_free(text, FALSE);
}

char *cpu_list_canonical(const char *text)
{
	g_autoptr(GArray) numbers = cpu_list_parse(text);

	return numbers ? cpu_list_format(numbers) : NULL;
}

char *cpu_list_lacks(const char *text, const char *there)
{
	g_autoptr(GArray) wanted = cpu_list_parse(text);
	g_autoptr(GArray) has = cpu_list_parse(there);
	g_autoptr(GArray) missing = g_array_new(FALSE, FALSE, sizeof(guint));

	for (guint i = 0; i < wanted->len; i++)
		if (!g_array_binary_search(has, &g_array_index(wanted, guint, i), compare, NULL))
			g_array_append_val(missing, g_array_index(wanted, guint, i));
	return missing->len ? cpu_list_format(missing) : NULL;
}
