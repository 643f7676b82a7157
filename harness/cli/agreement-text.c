/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/cli/agreement-text.h"

#include "harness/cli/table.h"

#define TEXT(object, key) json_string_value(json_object_get(object, key))

/* VALUE / UNIT with DECIMALS, or NULL when it is null. */
static char *number(const json_t *value, double unit, int decimals)
{
	return json_is_number(value) ? g_strdup_printf("%.*f", decimals, json_number_value(value) / unit) : NULL;
}

static void add_number(Table *table, const json_t *value, double unit, int decimals)
{
	g_autofree char *text = number(value, unit, decimals);

	table_cell(table, text);
}

static void add_bounds(Table *table, const json_t *low, const json_t *high, double unit, int decimals)
{
	g_autofree char *a = number(low, unit, decimals);
	g_autofree char *b = number(high, unit, decimals);
	g_autofree char *text = a && b ? g_strdup_printf("[%s, %s]", a, b) : NULL;

	table_cell(table, text);
}

static void add_ratio(Table *table, const char *name, const json_t *ratio, double unit, int decimals)
{
	g_autofree char *limit = g_strdup_printf("%.0f %%", 100 * json_number_value(json_object_get(ratio, "limit")));

	table_cell(table, name);
	table_cell_int(table, json_integer_value(json_object_get(ratio, "pairs")));
	add_number(table, json_object_get(ratio, "own"), unit, decimals);
	add_number(table, json_object_get(ratio, "outside"), unit, decimals);
	add_number(table, json_object_get(ratio, "ratio"), 1, 4);
	add_bounds(table, json_object_get(ratio, "low"), json_object_get(ratio, "high"), 1, 4);
	table_cell(table, limit);
	table_cell(table, TEXT(ratio, "verdict"));
}

static void add_p99(GString *text, const json_t *p99)
{
	static const char *const names[] = {"own", "outside"};

	g_string_append(text, "  p99 us, with its interval:");
	for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
		const json_t *interval = json_object_get(p99, names[i]);
		g_autofree char *middle = number(json_array_get(interval, 0), 1e3, 1);
		g_autofree char *low = number(json_array_get(interval, 1), 1e3, 1);
		g_autofree char *high = number(json_array_get(interval, 2), 1e3, 1);

		g_string_append_printf(text, "%s %s %s [%s, %s]", i ? "," : "", i ? "fio" : "agent", middle ? middle : "-",
			low ? low : "-", high ? high : "-");
	}
	g_string_append_printf(text, "  %s\n", TEXT(p99, "verdict"));
}

static void add_flags(GString *text, const json_t *flags)
{
	static const char *const names[] = {"own", "outside"};

	for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
		const json_t *list = json_object_get(flags, names[i]), *flag;
		gsize n;

		if (json_array_size(list) > 0)
			g_string_append_printf(text, "  flags of %s:", i ? "fio" : "the agent");
		json_array_foreach(list, n, flag)
			g_string_append_printf(text, " %s", json_string_value(flag));
		if (json_array_size(list) > 0)
			g_string_append_c(text, '\n');
	}
}

static void add_leg(GString *text, const json_t *leg)
{
	static const char *const heads[] = {"<METRIC", ">PAIRS", ">AGENT", ">FIO", ">AGENT/FIO", "<INTERVAL", ">LIMIT", "<VERDICT", NULL};
	g_autoptr(Table) table = table_new(heads);
	g_autofree char *drawn = NULL;

	g_string_append_printf(text, "\n%s, against %s: %s\n", TEXT(leg, "label"), TEXT(leg, "outside"), TEXT(leg, "verdict"));
	if (TEXT(leg, "reason"))
		g_string_append_printf(text, "  not judged: %s\n", TEXT(leg, "reason"));
	add_ratio(table, "IOPS", json_object_get(leg, "iops"), 1, 1);
	add_ratio(table, "mean latency us", json_object_get(leg, "mean_ns"), 1e3, 2);
	drawn = table_text(table, "  ");
	g_string_append(text, drawn);
	add_p99(text, json_object_get(leg, "p99_ns"));
	add_flags(text, json_object_get(leg, "flags"));
}

char *agreement_text(const json_t *agreement)
{
	GString *text = g_string_new(NULL);
	const json_t *sweep = json_object_get(agreement, "sweep"), *leg;
	gsize i;

	g_string_append_printf(text, "Agent and fio in sweep %" JSON_INTEGER_FORMAT ", profile %s: %s\n",
		json_integer_value(json_object_get(sweep, "id")), TEXT(sweep, "profile"), TEXT(agreement, "verdict"));
	json_array_foreach(json_object_get(agreement, "legs"), i, leg)
		add_leg(text, leg);
	g_string_append(text, "\nPairs are formed inside a block; the ratio has its two-sided 95 % interval. They agree when the whole interval of\n"
			      "IOPS is within 1 %, that of mean latency (submission and completion) within 3 %, and the intervals of the p99\n"
			      "overlap; they differ when an interval lies wholly beyond. Judged are legs with a ceiling (rate or iops_limit) that\n"
			      "settled for 1 s and ran for 4 s at least, from 6 pairs on.\n");
	return g_string_free(text, FALSE);
}
