/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/import/table.h"

#include <math.h>

#define MIXED(row) (&(row)->stats[IMPORT_MIXED])

typedef enum {
	TO_NAME,
	TO_LEG_TEXT,
	TO_LEG_SIZE,
	TO_LEG_COUNT,
	TO_LEG_BOOL,
	TO_RUN_REAL,
	TO_MORE_TEXT,
	TO_MORE_REAL,
	TO_RATE,
	TO_IOPS,
	TO_SUBMIT,
	TO_COMPLETE,
} Kind;

static const struct {
	const char *column;
	Kind kind;
	const char *to; /* where the kind needs one */
	double scale;
} columns[] = {
	{"label", TO_NAME},
	{"machine", TO_NAME},
	{"name", TO_NAME},
	{"side", TO_LEG_TEXT, "side"},
	{"backend", TO_LEG_TEXT, "target"},
	{"target", TO_LEG_TEXT, "target"},
	{"hypervisor", TO_LEG_TEXT, "arm"},
	{"rw", TO_LEG_TEXT, "rw"},
	{"bus", TO_LEG_TEXT, "bus"},
	{"cache", TO_LEG_TEXT, "cache"},
	{"host_cache", TO_LEG_TEXT, "cache"},
	{"io", TO_LEG_TEXT, "io"},
	{"sync", TO_LEG_TEXT, "sync"},
	{"engine", TO_LEG_TEXT, "engine"},
	{"block_size", TO_LEG_SIZE, "block_size"},
	{"dataset", TO_LEG_SIZE, "target_size"},
	{"size", TO_LEG_SIZE, "target_size"},
	{"queue_depth", TO_LEG_COUNT, "queue_depth"},
	{"jobs", TO_LEG_COUNT, "jobs"},
	{"direct", TO_LEG_BOOL, "direct"},
	{"cpu_percent", TO_RUN_REAL, "cpu_percent"},
	{"device", TO_MORE_TEXT, "device"},
	{"note", TO_MORE_TEXT, "note"},
	{"context_switches_per_s", TO_MORE_REAL, "context_switches_per_s"},
	{"bandwidth_MBps", TO_RATE, NULL, 1e6},
	{"MBps", TO_RATE, NULL, 1e6},
	{"MiBps", TO_RATE, NULL, 1048576},
	{"bw", TO_RATE, NULL, 1},
	{"bytes_per_s", TO_RATE, NULL, 1},
	{"iops", TO_IOPS},
	{"submit_latency_usec_mean", TO_SUBMIT, NULL, 1e3},
	{"completion_latency_msec_mean", TO_COMPLETE, NULL, 1e6},
};

static const struct {
	const char *column, *rw, *blocks;
	gboolean rate; /* KiB/s; else operations/s */
} bonnie[] = {
	{"output_chr_KBps", "write", "per char", TRUE},
	{"output_block_KBps", "write", "block", TRUE},
	{"rewrite_KBps", "rewrite", "block", TRUE},
	{"input_chr_KBps", "read", "per char", TRUE},
	{"input_block_KBps", "read", "block", TRUE},
	{"seeks_per_s", "randread", "seeks", FALSE},
};

static int find(const char *column)
{
	for (guint i = 0; i < G_N_ELEMENTS(columns); i++)
		if (g_str_equal(columns[i].column, column))
			return (int)i;
	return -1;
}

gboolean table_knows(const char *column, const char **ret_words)
{
	int at = find(column);

	if (ret_words)
		*ret_words = at < 0 ? NULL
			     : columns[at].kind == TO_LEG_SIZE ? "a size like 64k"
			     : columns[at].kind == TO_LEG_BOOL ? "0 or 1"
			     : columns[at].kind == TO_LEG_COUNT ? "a whole number"
								: "a number";
	return at >= 0;
}

/* Where a value goes, in words. */
static char *place_of(guint at)
{
	char scale[G_ASCII_DTOSTR_BUF_SIZE];

	g_ascii_formatd(scale, sizeof(scale), "%.0f", columns[at].scale);
	switch (columns[at].kind) {
	case TO_NAME:
		return g_strdup("name of the row");
	case TO_LEG_TEXT:
	case TO_LEG_SIZE:
	case TO_LEG_COUNT:
	case TO_LEG_BOOL:
		return g_strdup_printf("leg.%s", columns[at].to);
	case TO_RUN_REAL:
		return g_strdup_printf("run.%s", columns[at].to);
	case TO_MORE_TEXT:
	case TO_MORE_REAL:
		return g_strdup("kept with the run by its own name");
	case TO_RATE:
		return g_strdup_printf("run.bytes_per_s, in units of %s bytes/s", scale);
	case TO_IOPS:
		return g_strdup("run.iops");
	case TO_SUBMIT:
		return g_strdup_printf("run.submit_mean_ns, in units of %s ns", scale);
	default:
		return g_strdup_printf("run.complete_mean_ns, in units of %s ns", scale);
	}
}

static gboolean is_text(guint at)
{
	return columns[at].kind == TO_NAME || columns[at].kind == TO_LEG_TEXT || columns[at].kind == TO_MORE_TEXT;
}

char *table_row_of_manual(guint at)
{
	g_autofree char *place = NULL;
	const char *words;

	if (at < G_N_ELEMENTS(columns)) {
		place = place_of(at);
		table_knows(columns[at].column, &words);
		return g_strdup_printf("| `%s` | %s | %s |", columns[at].column, is_text(at) ? "a text" : words, place);
	}
	at -= G_N_ELEMENTS(columns);
	if (at < G_N_ELEMENTS(bonnie))
		return g_strdup_printf("| `%s` | a number | a row of its own: leg.rw %s, leg.block_sizes %s; %s |", bonnie[at].column,
			bonnie[at].rw, bonnie[at].blocks,
			bonnie[at].rate ? "run.bytes_per_s, in units of 1024 bytes/s" : "run.iops");
	return NULL;
}

static TableAnswer set_whole(ImportRow *row, guint at, const char *value)
{
	gint64 number;
	gboolean fine = columns[at].kind == TO_LEG_SIZE ? import_number_size(value, -1, &number)
							: import_number_int(value, -1, &number);

	if (!fine || number < 0 || (columns[at].kind == TO_LEG_BOOL ? number > 1 : number == 0))
		return TABLE_BAD;
	record_set_int(row->leg, columns[at].to, number);
	return TABLE_SET;
}

static TableAnswer set_number(ImportRow *row, guint at, const char *value)
{
	ImportStats *stats = MIXED(row);
	double number;

	/* What printf prints of a figure that is none: the row is no result, the file is fine. */
	if (import_number_is_nonfinite(value, -1)) {
		import_row_fail(row, "%s is not a number: %s", columns[at].column, value);
		return TABLE_SET;
	}
	if (!import_number_real(value, -1, '.', &number) || number < 0)
		return TABLE_BAD;
	switch (columns[at].kind) {
	case TO_RUN_REAL:
		record_set_real(row->run, columns[at].to, number);
		return TABLE_SET;
	case TO_MORE_REAL:
		record_set_real(row->more, columns[at].to, number);
		return TABLE_SET;
	case TO_RATE:
		stats->bytes_per_s = number * columns[at].scale;
		break;
	case TO_IOPS:
		stats->iops = number;
		break;
	case TO_SUBMIT:
		stats->submit.mean_ns = number * columns[at].scale;
		break;
	default:
		stats->complete.mean_ns = number * columns[at].scale;
		break;
	}
	stats->measured = TRUE;
	return TABLE_SET;
}

TableAnswer table_set(ImportRow *row, const char *column, const char *value)
{
	int at = find(column);

	if (at < 0)
		return TABLE_UNKNOWN;
	if (!*value)
		return TABLE_SET;
	switch (columns[at].kind) {
	case TO_NAME:
		g_free(row->name);
		row->name = g_strdup(value);
		return TABLE_SET;
	case TO_LEG_TEXT:
		record_set_text(row->leg, columns[at].to, value);
		return TABLE_SET;
	case TO_MORE_TEXT:
		record_set_text(row->more, columns[at].to, value);
		return TABLE_SET;
	case TO_LEG_SIZE:
	case TO_LEG_COUNT:
	case TO_LEG_BOOL:
		return set_whole(row, (guint)at, value);
	default:
		return set_number(row, (guint)at, value);
	}
}

/*
 * The threads of 2008 say "off" and "on" of the host's cache, and O_DSYNC of the flag that the host opened the image with: together
 * they are what is a cache mode now, and nothing that the guest's load did.
 */
static void finish_cache(ImportRow *row)
{
	const char *cache = record_get_text(row->leg, "cache"), *sync = record_get_text(row->leg, "sync");
	gboolean on = g_strcmp0(cache, "on") == 0, flag = g_strcmp0(sync, "O_DSYNC") == 0;

	if (!on && g_strcmp0(cache, "off") != 0)
		return;
	record_unset(row->leg, "sync");
	if (on)
		record_set_text(row->leg, "cache", flag ? "writethrough" : "writeback");
	else
		record_set_text(row->leg, "cache", flag ? "directsync" : "none");
}

void table_finish(ImportRow *row)
{
	const char *rw = record_get_text(row->leg, "rw");
	ImportDirection to = IMPORT_MIXED;

	finish_cache(row);
	if (!MIXED(row)->measured) {
		import_row_fail(row, "the line has no figure");
		return;
	}
	if (rw && (g_str_equal(rw, "read") || g_str_equal(rw, "randread")))
		to = IMPORT_READ;
	else if (rw && (g_str_equal(rw, "write") || g_str_equal(rw, "randwrite")))
		to = IMPORT_WRITE;
	if (to != IMPORT_MIXED) {
		const ImportStats unset = row->stats[to];

		row->stats[to] = *MIXED(row);
		*MIXED(row) = unset;
	}
}

gboolean table_is_bonnie(const char *column)
{
	for (guint i = 0; i < G_N_ELEMENTS(bonnie); i++)
		if (g_str_equal(bonnie[i].column, column))
			return TRUE;
	return FALSE;
}

ImportRow *table_bonnie_row(const ImportRow *line_row, const char *column, double value, double cpu_percent)
{
	for (guint i = 0; i < G_N_ELEMENTS(bonnie); i++) {
		ImportRow *row;

		if (!g_str_equal(bonnie[i].column, column))
			continue;
		row = import_row_new(line_row->name, line_row->line);
		record_merge(row->leg, line_row->leg);
		record_merge(row->more, line_row->more);
		record_set_text(row->leg, "rw", bonnie[i].rw);
		record_set_text(row->leg, "block_sizes", bonnie[i].blocks);
		record_set_text(row->leg, "engine", "bonnie++");
		record_set_real(row->run, "cpu_percent", cpu_percent);
		MIXED(row)->measured = TRUE;
		if (bonnie[i].rate)
			MIXED(row)->bytes_per_s = value * 1024;
		else
			MIXED(row)->iops = value;
		table_finish(row);
		return row;
	}
	return NULL;
}
