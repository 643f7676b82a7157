/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fio's terse output, versions 2 to 5: one line a job, fields apart by ";".
 *
 * Field counts differ by version, by release, by the disks at the end, and by unified_rw_reporting, so a line is read by its own
 * landmarks: a block of statistics holds twenty percentiles ("99.000000%=131"), and seven percentages of queue depths follow
 * five fields behind the last block. A line where they do not is an error.
 */
#include <math.h>

#include "harness/import/fio.h"
#include "harness/import/formats.h"

#define NS_PER_MS G_GINT64_CONSTANT(1000000)
#define NS_PER_US 1000
#define MOST_FIELDS 2000
#define PERCENTILES 20
#define BLOCK_FIELDS 41    /* of one direction in versions 2 to 4 */
#define BLOCK_FIELDS_V5 47 /* with counts of samples and an iops block */
#define LATENCY_FIELDS 22  /* shares of latencies, in us and ms */
#define DISK_FIELDS 9

typedef struct {
	const char *text;
	gsize length;
} Field;

typedef struct {
	const ImportInput *input;
	guint number; /* of the line */
	GArray *fields; /* of Field */
	guint version, head, block, blocks;
	guint cpu; /* the first of the five CPU fields */
	GError **error;
} Line;

static const Field *field(const Line *line, guint i)
{
	static const Field none = {"", 0};

	return i < line->fields->len ? &g_array_index(line->fields, Field, i) : &none;
}

static gboolean ends_in_percent(const Field *f)
{
	return f->length > 1 && f->text[f->length - 1] == '%';
}

/* A number, with a "%" behind it or not; NaN for anything else. */
static double real_of(const Line *line, guint i)
{
	const Field *f = field(line, i);
	double value = NAN;

	import_number_real(f->text, (gssize)f->length - ends_in_percent(f), '.', &value);
	return value;
}

static gint64 int_of(const Line *line, guint i)
{
	const Field *f = field(line, i);
	gint64 value = -1;

	import_number_int(f->text, (gssize)f->length, &value);
	return value < 0 ? -1 : value;
}

static char *text_of(const Line *line, guint i)
{
	const Field *f = field(line, i);
	g_autofree char *text = g_strndup(f->text, f->length);

	return g_utf8_make_valid(text, -1);
}

static void split(Line *line, const char *text, gsize length)
{
	const char *end = text + length;

	while (line->fields->len < MOST_FIELDS) {
		const char *stop = memchr(text, ';', (gsize)(end - text));
		Field f = {text, (gsize)((stop ? stop : end) - text)};

		g_array_append_val(line->fields, f);
		if (!stop)
			return;
		text = stop + 1;
	}
}

/* ---- the layout ---------------------------------------------------------------------------------- */

static gboolean is_depths(const Line *line, guint at)
{
	double sum = 0;

	for (guint i = 0; i < FIO_LEVELS; i++) {
		if (!ends_in_percent(field(line, at + i)) || memchr(field(line, at + i)->text, '=', field(line, at + i)->length))
			return FALSE;
		sum += real_of(line, at + i);
	}
	return sum >= 0 && sum < 110; /* a NaN fails; each is rounded */
}

/* Percentiles are "99.000000%=131"; in a block they are twenty in a row. */
static gboolean is_block(const Line *line, guint at)
{
	for (guint i = 0; i < PERCENTILES; i++) {
		const Field *f = field(line, at + 12 + i);

		if (!memchr(f->text, '=', f->length))
			return FALSE;
	}
	return TRUE;
}

static gboolean find_layout(Line *line)
{
	guint first = line->head, at;

	line->block = line->version == 5 ? BLOCK_FIELDS_V5 : BLOCK_FIELDS;
	for (at = first; is_block(line, at); at += line->block)
		line->blocks++;
	line->cpu = at;
	if (line->blocks >= 1 && line->blocks <= 4 && is_depths(line, at + 5) &&
		line->fields->len >= at + 5 + FIO_LEVELS + LATENCY_FIELDS)
		return TRUE;
	return import_fail(line->error, line->input, line->number,
		"%u fields are no line of fio's terse version %u: %u blocks of %u fields, then CPU and queue depths, were "
		"expected; is it cut or wrapped?", line->fields->len, line->version, MAX(line->blocks, 1), line->block);
}

/* ---- the values ------------------------------------------------------------------------------------- */

static void read_latency(const Line *line, guint at, ImportLatency *latency)
{
	/* min, max, mean, deviation: nothing but zeros when nothing was timed. */
	if (!(real_of(line, at + 1) > 0) && !(real_of(line, at + 2) > 0))
		return;
	latency->min_ns = real_of(line, at) * NS_PER_US;
	latency->max_ns = real_of(line, at + 1) * NS_PER_US;
	latency->mean_ns = real_of(line, at + 2) * NS_PER_US;
	latency->stddev_ns = real_of(line, at + 3) * NS_PER_US;
}

static void read_percentile(const Field *f, ImportLatency *latency)
{
	const char *equal = memchr(f->text, '=', f->length);
	gssize before = equal ? equal - f->text : 0;
	double percent, value;

	if (before < 2 || equal[-1] != '%' || !import_number_real(f->text, before - 1, '.', &percent) ||
		!import_number_real(equal + 1, (gssize)f->length - before - 1, '.', &value) || percent <= 0 || percent > 100)
		return;
	import_latency_percentile(latency, percent, value * NS_PER_US);
}

static void check_headline(const Line *line, guint at, const char *what, ImportRow *row)
{
	if (import_number_is_nonfinite(field(line, at)->text, (gssize)field(line, at)->length))
		import_row_fail(row, "%s is not a number (nan or inf)", what);
}

/* KiB, KiB/s, iops, ms, then latencies in us. */
static void read_stats(const Line *line, guint at, ImportRow *row, ImportStats *stats)
{
	gint64 kib = int_of(line, at), ms = int_of(line, at + 3);

	check_headline(line, at + 1, "the bandwidth", row);
	check_headline(line, at + 2, "iops", row);
	check_headline(line, at + 34, "the mean latency", row);
	if (!(kib > 0) && !(real_of(line, at + 1) > 0) && !(real_of(line, at + 2) > 0))
		return;
	stats->measured = TRUE;
	if (kib >= 0 && kib < G_MAXINT64 / 1024)
		stats->bytes = kib * 1024;
	stats->bytes_per_s = real_of(line, at + 1) * 1024;
	stats->iops = real_of(line, at + 2);
	if (ms >= 0 && ms < G_MAXINT64 / NS_PER_MS)
		stats->ns = ms * NS_PER_MS;
	read_latency(line, at + 4, &stats->submit);
	read_latency(line, at + 8, &stats->complete);
	for (guint i = 0; isfinite(stats->complete.mean_ns) && i < PERCENTILES; i++)
		read_percentile(field(line, at + 12 + i), &stats->complete);
	read_latency(line, at + 32, &stats->total);
}

/* A block that holds the others together: what unified_rw_reporting=both prints where version 4 has the trims. */
static gboolean is_sum(const ImportStats *stats, const ImportStats *read, const ImportStats *write)
{
	gint64 parts = MAX(read->bytes, 0) + MAX(write->bytes, 0);

	return stats->measured && read->measured && write->measured && stats->bytes > 0 &&
	       ABS(stats->bytes - parts) <= 2048;
}

static void move(ImportStats *into, ImportStats *from)
{
	const ImportStats empty = *into;

	*into = *from;
	*from = empty;
}

static void read_blocks(const Line *line, ImportRow *row)
{
	static const ImportDirection order[] = {IMPORT_READ, IMPORT_WRITE, IMPORT_TRIM, IMPORT_MIXED};
	ImportStats *stats = row->stats;

	for (guint i = 0; i < line->blocks; i++)
		read_stats(line, line->head + i * line->block, row, &stats[order[i]]);
	if (line->blocks == 1)
		move(&stats[IMPORT_MIXED], &stats[IMPORT_READ]);
	else if (line->blocks == 3 && is_sum(&stats[IMPORT_TRIM], &stats[IMPORT_READ], &stats[IMPORT_WRITE]))
		move(&stats[IMPORT_MIXED], &stats[IMPORT_TRIM]);
}

/* Behind the latencies: disks of nine fields each, two of errors with continue_on_error, a description with anything in it. */
static void read_tail(const Line *line, ImportRow *row)
{
	guint at = line->cpu + 5 + FIO_LEVELS + LATENCY_FIELDS;
	g_autofree char *name = NULL;

	if (at + DISK_FIELDS > line->fields->len || !ends_in_percent(field(line, at + DISK_FIELDS - 1)))
		return;
	name = text_of(line, at);
	record_set_text(row->more, "disk", name);
	record_set_real(row->more, "disk_util_percent", real_of(line, at + DISK_FIELDS - 1));
}

static ImportRow *read_line(const Line *line)
{
	guint name_at = line->version == 2 ? 1 : 2;
	g_autofree char *name = text_of(line, name_at);
	ImportRow *row = import_row_new(name, line->number);
	double depths[FIO_LEVELS];

	record_set_int(row->more, "terse_version", line->version);
	record_set_int(row->more, "fields", line->fields->len);
	if (int_of(line, name_at + 1) >= 0)
		record_set_int(row->more, "groupid", int_of(line, name_at + 1));
	read_blocks(line, row);
	fio_guess_rw(row);
	record_set_real(row->more, "usr_cpu", real_of(line, line->cpu));
	record_set_real(row->more, "sys_cpu", real_of(line, line->cpu + 1));
	for (guint i = 0; i < FIO_LEVELS; i++)
		depths[i] = real_of(line, line->cpu + 5 + i);
	fio_depth(row, depths);
	read_tail(line, row);
	fio_judge(row, MAX(int_of(line, name_at + 2), 0));
	return row;
}

/* ---- status-interval --------------------------------------------------------------------------------- */

/* The lines of one job: several of one time are its processes (numjobs), later ones stand for all before (--status-interval). */
typedef struct {
	guint first, last; /* rows of the latest time: the first, and the one behind the last */
	gboolean repeated; /* a later time was seen */
} Round;

typedef struct {
	ImportResult *result;
	GHashTable *rounds; /* "group name" -> Round * */
	guint dropped;
} Rounds;

/*
 * Processes of one job run about equally long. The second line of a periodic status has twice the time of the first; once it is
 * known to be one, the last may follow its predecessor closely.
 */
static gboolean is_later(const ImportRow *before, const ImportRow *row, gboolean repeated)
{
	double grown;

	ImportStats a, b;

	/* One output has one number of fields: else somebody put lines of several runs together. */
	if (record_get_int(before->more, "fields", 0) != record_get_int(row->more, "fields", 0))
		return FALSE;
	import_row_total(before, &a);
	import_row_total(row, &b);
	if (a.bytes == b.bytes && a.ns == b.ns && a.iops == b.iops && a.total.mean_ns == b.total.mean_ns)
		return TRUE; /* the end is printed twice */
	grown = (double)b.ns - (double)a.ns;
	if (b.bytes <= a.bytes)
		return FALSE;
	return repeated ? grown > 20 * NS_PER_MS : grown > 200 * NS_PER_MS && grown > 0.3 * (double)a.ns;
}

static void drop(Rounds *rounds, const Round *round, const ImportRow *of)
{
	for (guint i = round->first; i < round->last; i++) {
		ImportRow *row = rounds->result->rows->pdata[i];

		if (!row || g_strcmp0(row->name, of->name) != 0 ||
			record_get_int(row->more, "groupid", -1) != record_get_int(of->more, "groupid", -1))
			continue;
		g_clear_pointer(&rounds->result->rows->pdata[i], import_row_free);
		rounds->dropped++;
	}
}

/* ROW is the last of the result's rows. */
static void note_round(Rounds *rounds, const ImportRow *row)
{
	guint at = rounds->result->rows->len - 1;
	g_autofree char *key = g_strdup_printf("%" G_GINT64_FORMAT " %s", record_get_int(row->more, "groupid", -1), row->name);
	Round *round = g_hash_table_lookup(rounds->rounds, key);

	if (!round) {
		round = g_new0(Round, 1);
		round->first = at;
		g_hash_table_insert(rounds->rounds, g_steal_pointer(&key), round);
	} else if (is_later(rounds->result->rows->pdata[round->first], row, round->repeated)) {
		drop(rounds, round, row);
		round->first = at;
		round->repeated = TRUE;
	}
	round->last = at + 1;
}

static void close_rounds(Rounds *rounds)
{
	GPtrArray *rows = rounds->result->rows;
	guint kept = 0;

	for (guint i = 0; i < rows->len; i++) {
		gpointer row = g_steal_pointer(&rows->pdata[i]);

		if (row)
			rows->pdata[kept++] = row;
	}
	g_ptr_array_set_size(rows, (gint)kept);
	if (rounds->dropped > 0)
		import_result_warn(rounds->result, "%u lines are earlier states of jobs that later lines have in full: left out",
			rounds->dropped);
}

/* ---- the text ------------------------------------------------------------------------------------------ */

/* "3;fio-3.33;..." and, of version 2 alone, "2;name;0;0;". */
static guint version_of(const ImportLine *line)
{
	guint version, separators = 0;

	if (line->length < 2 || line->text[1] != ';' || line->text[0] < '2' || line->text[0] > '5')
		return 0;
	version = (guint)(line->text[0] - '0');
	if (version > 2 && (line->length < 6 || memcmp(line->text + 2, "fio-", 4) != 0))
		return 0;
	for (gsize i = 0; i < line->length; i++)
		separators += line->text[i] == ';';
	return separators >= 4 ? version : 0;
}

static gboolean parse_line(const ImportInput *input, const ImportLine *line, guint version, Rounds *rounds,
	GError **error)
{
	ImportResult *result = rounds->result;
	ImportRow *row;
	g_autoptr(GArray) fields = g_array_new(FALSE, FALSE, sizeof(Field));
	Line l = {.input = input, .number = line->number, .fields = fields, .version = version, .error = error};

	l.head = version == 2 ? 4 : 5;
	split(&l, line->text, line->length);
	if (!find_layout(&l))
		return FALSE;
	if (version > 2 && !result->producer)
		result->producer = text_of(&l, 1);
	result->documents++;
	row = read_line(&l);
	if (!import_result_add(result, input, row, error))
		return FALSE;
	note_round(rounds, row);
	return TRUE;
}

static gboolean parse(const ImportInput *input, ImportResult *result, GError **error)
{
	g_autoptr(GHashTable) table = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
	Rounds rounds = {.result = result, .rounds = table};
	ImportLine line = {0};
	guint left_out = 0;

	while (import_line_next(input, &line)) {
		guint version = version_of(&line);

		if (version) {
			if (!parse_line(input, &line, version, &rounds, error))
				return FALSE;
		} else if (line.length > 5 && memcmp(line.text, "fio: ", 5) == 0)
			import_result_warn(result, "line %u: %.*s", line.number, (int)MIN(line.length, 300), line.text);
		else if (line.length > 0)
			left_out++;
	}
	if (left_out > 0)
		import_result_warn(result, "%u other lines of text are left out", left_out);
	close_rounds(&rounds);
	fio_join(result->rows, 0);
	return TRUE;
}

static int recognise(const ImportInput *input)
{
	ImportLine line = {0};

	while (line.number < 2000 && import_line_next(input, &line)) {
		guint version = version_of(&line);

		if (version)
			return version > 2 ? 90 : 70;
	}
	return 0;
}

const ImportFormat import_fio_terse = {
	.name = "fio-terse",
	.summary = "fio --output-format=terse, versions 2 to 5",
	.recognise = recognise,
	.parse = parse,
};
