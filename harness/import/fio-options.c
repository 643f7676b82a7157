/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The options of a fio job as a workload. Not every option is printed: what stands nowhere has fio's own default once
 * there are options at all; without any (releases before 2.14) nothing is known.
 */
#include "harness/import/fio.h"

typedef struct {
	const JsonText *doc;
	guint global, job;
	gint64 kb_base; /* 1024, or 1000: what "k" means */
} Options;

/* All values of NAME or its other name, as fio joins several: with ":". NULL when it is not set. */
static char *values_in(const Options *o, guint object, const char *name, const char *other)
{
	GString *all = NULL;

	for (guint i = json_text_child(o->doc, object); i; i = json_text_next(o->doc, i)) {
		g_autofree char *value = NULL;

		if (!json_text_key_is(o->doc, i, name) && !(other && json_text_key_is(o->doc, i, other)))
			continue;
		value = json_text_string(o->doc, i);
		if (!value)
			continue;
		if (!all)
			all = g_string_new(NULL);
		else
			g_string_append_c(all, ':');
		g_string_append(all, value);
	}
	return all ? g_string_free(all, FALSE) : NULL;
}

static char *option(const Options *o, const char *name, const char *other)
{
	char *value = values_in(o, o->job, name, other);

	return value ? value : values_in(o, o->global, name, other);
}

/* A repeated option that holds one value: fio takes the last. */
static char *option_last(const Options *o, const char *name, const char *other)
{
	g_autofree char *value = option(o, name, other);
	const char *colon = value ? strrchr(value, ':') : NULL;

	return g_strdup(colon ? colon + 1 : value);
}

/* Options without a value ("time_based" : "") mean 1. */
static gboolean option_int(const Options *o, const char *name, const char *other, gint64 *ret)
{
	g_autofree char *value = option_last(o, name, other);

	if (!value)
		return FALSE;
	if (!*value) {
		*ret = 1;
		return TRUE;
	}
	return import_number_int(value, -1, ret);
}

/*
 * fio's own meaning of suffixes: "k" is kb_base; "ki" and "kib" are the other one of 1000 and 1024, kept so since its old
 * releases; a plain "b" means nothing.
 */
static gboolean size_of(const Options *o, const char *text, gsize length, gint64 *ret)
{
	static const char letters[] = "kmgtp";
	gint64 unit = o->kb_base, value;
	const char *letter;
	guint power = 0;

	while (length > 0 && (text[length - 1] | 0x20) == 'b')
		length--;
	if (length > 1 && (text[length - 1] | 0x20) == 'i') {
		unit = unit == 1024 ? 1000 : 1024;
		length--;
	}
	letter = length > 0 ? strchr(letters, text[length - 1] | 0x20) : NULL;
	if (letter && *letter) {
		power = (guint)(letter - letters) + 1;
		length--;
	}
	if (length == 0 || !import_number_int(text, (gssize)length, &value) || value <= 0)
		return FALSE;
	for (; power > 0; power--)
		if (__builtin_mul_overflow(value, unit, &value))
			return FALSE;
	*ret = value;
	return TRUE;
}

static void set_block_size(const Options *o, ImportRow *row)
{
	g_autofree char *split = option(o, "bssplit", NULL);
	g_autofree char *range = option(o, "bsrange", "blocksize_range");
	g_autofree char *size = option_last(o, "bs", "blocksize");
	g_auto(GStrv) parts = NULL;
	gint64 first, other;

	if (split || range) {
		record_set_text(row->leg, "block_sizes", split ? split : range);
		return;
	}
	if (!size) {
		record_set_int(row->leg, "block_size", 4096);
		return;
	}
	parts = g_strsplit(size, ",", 4);
	if (!parts[0] || !size_of(o, parts[0], strlen(parts[0]), &first)) {
		record_set_text(row->leg, "block_sizes", size);
		return;
	}
	for (guint i = 1; parts[i]; i++)
		if (!size_of(o, parts[i], strlen(parts[i]), &other) || other != first) {
			record_set_text(row->leg, "block_sizes", size);
			return;
		}
	record_set_int(row->leg, "block_size", first);
}

static gboolean is_mixed(const char *rw)
{
	return g_str_equal(rw, "rw") || g_str_equal(rw, "randrw");
}

static void set_rw(const Options *o, ImportRow *row)
{
	g_autofree char *rw = option(o, "rw", "readwrite");
	char *modifier = rw ? strchr(rw, ':') : NULL;
	gint64 read = 50, write;

	if (modifier) {
		record_set_text(row->more, "rw_modifier", modifier + 1);
		*modifier = '\0';
	}
	record_set_text(row->leg, "rw", !rw ? "read" : g_str_equal(rw, "readwrite") ? "rw" : rw);
	if (!rw || !is_mixed(record_get_text(row->leg, "rw")))
		return;
	if (!option_int(o, "rwmixread", NULL, &read) && option_int(o, "rwmixwrite", NULL, &write))
		read = 100 - write;
	if (read >= 0 && read <= 100)
		record_set_int(row->leg, "mix_read", read);
}

static void set_sync(const Options *o, ImportRow *row)
{
	g_autofree char *sync = option_last(o, "sync", NULL);
	gint64 every;

	if (option_int(o, "fsync", NULL, &every) && every > 0) {
		record_set_text(row->leg, "sync", "fsync");
		record_set_int(row->leg, "fsync_every", every);
	} else if (option_int(o, "fdatasync", NULL, &every) && every > 0) {
		record_set_text(row->leg, "sync", "fdatasync");
		record_set_int(row->leg, "fsync_every", every);
	} else if (!sync || g_str_equal(sync, "0") || g_str_equal(sync, "none"))
		record_set_text(row->leg, "sync", "none");
	else
		record_set_text(row->leg, "sync", g_str_equal(sync, "dsync") ? "dsync" : "sync");
}

static void set_direct(const Options *o, ImportRow *row)
{
	gint64 value = 0;

	if (!option_int(o, "direct", NULL, &value) && option_int(o, "buffered", NULL, &value))
		value = !value;
	record_set_int(row->leg, "direct", value != 0);
}

static void set_count(const Options *o, ImportRow *row, const char *name, const char *column, gint64 fallback)
{
	gint64 value = fallback;

	option_int(o, name, NULL, &value);
	if (value > 0)
		record_set_int(row->leg, column, value);
}

/* Kept in the source's words: they say what was measured, but are no axis of ours. */
static void keep(const Options *o, ImportRow *row)
{
	static const char *const names[] = {"filename", "directory", "size", "runtime", "time_based", "ramp_time", "rate",
		"gtod_reduce", "disable_lat", "end_fsync", "thread", "offset_increment", "norandommap", "invalidate",
		"percentile_list", "unified_rw_reporting", "group_reporting", "description", "randrepeat", "numa_cpu_nodes",
		"iodepth_batch_submit", "thinktime", "zonemode"};

	for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
		g_autofree char *value = option(o, names[i], NULL);

		if (value)
			record_set_text(row->more, names[i], *value ? value : "1");
	}
}

void fio_options_read(const JsonText *doc, guint global, guint job, ImportRow *row)
{
	Options o = {.doc = doc, .global = global, .job = job, .kb_base = 1024};
	g_autofree char *engine = NULL;
	gint64 grouped = 0;

	if (!json_text_child(doc, global) && !json_text_child(doc, job))
		return;
	option_int(&o, "kb_base", NULL, &o.kb_base);
	if (o.kb_base != 1000)
		o.kb_base = 1024;
	set_rw(&o, row);
	set_block_size(&o, row);
	set_direct(&o, row);
	set_sync(&o, row);
	set_count(&o, row, "iodepth", "queue_depth", 1);
	set_count(&o, row, "rate_iops", "rate_iops", -1);
	/* Grouped output is that of all processes together, and some releases do not say of how many. */
	option_int(&o, "group_reporting", NULL, &grouped);
	set_count(&o, row, "numjobs", "jobs", grouped ? -1 : 1);
	engine = option_last(&o, "ioengine", NULL);
	/* As sweeps call fio's engines, which cost more than the agent's of the same name. */
	if (engine) {
		g_autofree char *ours = g_strconcat("fio:", engine, NULL);

		record_set_text(row->leg, "engine", ours);
	}
	keep(&o, row);
}
