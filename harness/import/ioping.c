/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ioping: the statistics of its text, raw lines of 8 or 10 numbers, JSON. The times of single requests are left to the
 * statistics, which leave out the warm-up request.
 *
 * A raw line does not tell its unit, and two releases of one name differ in it: requests / rate / total time is either about
 * a microsecond or about a nanosecond.
 */
#include <jansson.h>
#include <math.h>

#include "harness/import/formats.h"

#define RAW_MOST_FIELDS 10
#define NS_PER_US 1000.0

static void row_free(gpointer row)
{
	import_row_free(row);
}

static ImportRow *row_new(guint line, const char *rw)
{
	ImportRow *row = import_row_new(NULL, line);

	record_set_text(row->leg, "rw", rw);
	record_set_text(row->leg, "engine", "ioping");
	record_set_int(row->leg, "queue_depth", 1);
	record_set_int(row->leg, "jobs", 1);
	return row;
}

static ImportStats *stats_of(ImportRow *row)
{
	const char *rw = record_get_text(row->leg, "rw");

	return &row->stats[*rw == 'w' ? IMPORT_WRITE : g_str_has_prefix(rw, "read") ? IMPORT_READ : IMPORT_MIXED];
}

/* Moves what is known so far to the side that the row turns out to be of. */
static ImportStats *set_direction(ImportRow *row, const char *rw)
{
	ImportStats *from = stats_of(row), *to, old = *from;

	record_set_text(row->leg, "rw", rw);
	to = stats_of(row);
	if (to != from) {
		*from = *to;
		*to = old;
	}
	return to;
}

/* ---- text: numbers with units ----------------------------------------------------------------- */

typedef struct {
	const char *at, *end;
} Cursor;

static void skip_space(Cursor *cursor)
{
	while (cursor->at < cursor->end && (*cursor->at == ' ' || *cursor->at == '\t'))
		cursor->at++;
}

static gboolean take_number(Cursor *cursor, double *ret)
{
	const char *begin;

	skip_space(cursor);
	begin = cursor->at;
	while (cursor->at < cursor->end && (g_ascii_isdigit(*cursor->at) || *cursor->at == '.'))
		cursor->at++;
	return import_number_real(begin, cursor->at - begin, '.', ret);
}

/* The letters at the cursor; "" when there are none. */
static const char *take_word(Cursor *cursor, char *word, gsize size)
{
	gsize used = 0;

	skip_space(cursor);
	while (cursor->at < cursor->end && (g_ascii_isalpha(*cursor->at) || *cursor->at == '/' || (guchar)*cursor->at >= 0x80)) {
		if (*cursor->at == '/' && used == 0)
			break;
		if (used + 1 < size)
			word[used++] = *cursor->at;
		cursor->at++;
	}
	word[used] = '\0';
	return word;
}

static gboolean take_text(Cursor *cursor, const char *text)
{
	gsize length = strlen(text);

	skip_space(cursor);
	if ((gsize)(cursor->end - cursor->at) < length || memcmp(cursor->at, text, length) != 0)
		return FALSE;
	cursor->at += length;
	return TRUE;
}

/* ns of one of UNIT, or NaN. */
static double time_unit(const char *unit)
{
	static const struct {
		const char *name;
		double ns;
	} units[] = {{"ns", 1}, {"us", 1e3}, {"\xc2\xb5s", 1e3}, {"\xce\xbcs", 1e3}, {"ms", 1e6}, {"s", 1e9}, {"sec", 1e9},
		{"min", 60e9}, {"m", 60e9}, {"hour", 3600e9}, {"h", 3600e9}, {"day", 86400e9}};

	for (guint i = 0; i < G_N_ELEMENTS(units); i++)
		if (g_str_equal(units[i].name, unit))
			return units[i].ns;
	return NAN;
}

/* What a prefix letter multiplies by; 1 for none; NaN for another text. */
static double prefix_of(char letter, double base)
{
	static const char prefixes[] = "kmgtpe";
	const char *at = letter ? strchr(prefixes, g_ascii_tolower(letter)) : NULL;

	return at ? pow(base, (double)(at - prefixes + 1)) : NAN;
}

/* Bytes of one of UNIT, which ends with SUFFIX ("B", "B/s"): ioping's are powers of 1024, written "KiB" or, long ago, "KB". */
static double size_unit(const char *unit, const char *suffix)
{
	gsize length = strlen(unit), tail = strlen(suffix);

	if (length < tail || g_ascii_strcasecmp(unit + length - tail, suffix) != 0)
		return NAN;
	return length == tail ? 1 : prefix_of(*unit, 1024);
}

static gboolean take_time(Cursor *cursor, double *ret_ns)
{
	char word[16];
	double value, unit;

	if (!take_number(cursor, &value))
		return FALSE;
	unit = time_unit(take_word(cursor, word, sizeof(word)));
	*ret_ns = value * unit;
	return !isnan(unit);
}

/* "8.4 k WORD", "129 WORD": a count; *ret_exact when all its digits are there. */
static gboolean take_count(Cursor *cursor, const char *wanted, double *ret, gboolean *ret_exact)
{
	Cursor saved = *cursor;
	char word[16];
	double value, scale = 1;

	if (!take_number(cursor, &value))
		return FALSE;
	take_word(cursor, word, sizeof(word));
	if (strlen(word) == 1) {
		scale = prefix_of(*word, 1000);
		take_word(cursor, word, sizeof(word));
	}
	if (isnan(scale) || !g_str_has_prefix(word, wanted)) {
		*cursor = saved;
		return FALSE;
	}
	*ret = value * scale;
	*ret_exact = scale == 1;
	return TRUE;
}

/* ---- text: lines ------------------------------------------------------------------------------ */

typedef struct {
	const ImportInput *input;
	ImportResult *result;
	ImportRow *row;	       /* whose statistics are being read */
	double request_bytes;  /* of the request lines before it; NaN = none, or they differ */
	const char *request_rw;
} Text;

static gboolean end_row(Text *text, GError **error)
{
	ImportRow *row = g_steal_pointer(&text->row);
	const ImportStats *stats;

	if (!row)
		return TRUE;
	stats = stats_of(row);
	if (!stats->measured)
		import_row_fail(row, "the statistics are cut off: no line \"requests completed in\"");
	text->request_bytes = NAN;
	text->request_rw = NULL;
	text->result->documents++;
	return import_result_add(text->result, text->input, row, error);
}

static gint64 whole(double value)
{
	return value >= 0 && value < 9e18 ? llrint(value) : -1;
}

/* The size of one request: printed with each of them, or what all of them moved where no digit is missing. */
static void set_block_size(Text *text, ImportRow *row, double count, gboolean exact, double bytes)
{
	double size = text->request_bytes;

	if (isnan(size) && exact && count > 0 && fmod(bytes, count * 512) == 0)
		size = bytes / count;
	if (!isnan(size) && size >= 1)
		record_set_int(row->leg, "block_size", whole(size));
}

/* "2 requests completed in 15.5 ms, 8 KiB read, 129 iops, 516.8 KiB/s" */
static gboolean take_completed(Text *text, ImportRow *row, Cursor cursor)
{
	double count, ns, value, bytes = NAN;
	gboolean exact, unused;
	ImportStats *stats = stats_of(row);
	char word[16];

	if (!take_count(&cursor, "request", &count, &exact) || !take_text(&cursor, "completed in") || !take_time(&cursor, &ns))
		return FALSE;
	while (take_text(&cursor, ",")) {
		double rate;

		if (take_count(&cursor, "iops", &rate, &unused)) {
			stats->iops = rate;
			continue;
		}
		if (!take_number(&cursor, &value))
			break;
		take_word(&cursor, word, sizeof(word));
		if (!isnan(size_unit(word, "B/s"))) {
			stats->bytes_per_s = value * size_unit(word, "B/s");
		} else if (!isnan(size_unit(word, "B"))) {
			bytes = value * size_unit(word, "B");
			take_word(&cursor, word, sizeof(word));
			stats = set_direction(row, g_str_has_prefix(word, "writ") ? "write?" : "read?");
		}
	}
	stats->measured = TRUE;
	stats->ops = stats->total.n = whole(count);
	stats->ns = whole(ns);
	set_block_size(text, row, count, exact, bytes);
	if (!isnan(text->request_bytes) && exact)
		bytes = count * text->request_bytes;
	stats->bytes = isnan(bytes) ? -1 : whole(bytes);
	if (count == 0)
		import_row_fail(row, "no request was completed");
	return TRUE;
}

/* "min/avg/max/mdev = 280.0 us / 7.74 ms / 15.2 ms / 7.46 ms", once "0.2/0.4/0.6/0.1 ms": the last unit is that of all. */
static gboolean take_latency(ImportRow *row, Cursor cursor)
{
	ImportLatency *latency = &stats_of(row)->total;
	double values[4], units[4], last = NAN;
	char word[16];

	if (!take_text(&cursor, "min/avg/max/mdev") || !take_text(&cursor, "="))
		return FALSE;
	for (guint i = 0; i < 4; i++) {
		if ((i > 0 && !take_text(&cursor, "/")) || !take_number(&cursor, &values[i])) {
			import_row_warn(row, "its line min/avg/max/mdev cannot be read");
			return TRUE;
		}
		units[i] = time_unit(take_word(&cursor, word, sizeof(word)));
		last = units[i];
	}
	for (guint i = 0; i < 4; i++)
		values[i] *= isnan(units[i]) ? last : units[i];
	latency->min_ns = values[0];
	latency->mean_ns = values[1];
	latency->max_ns = values[2];
	latency->stddev_ns = values[3];
	return TRUE;
}

/* "4 KiB <<< /bench (ext4 /dev/vdb 8 GiB): request=2 time=280.0 us" */
static void take_request(Text *text, const ImportLine *line, Cursor cursor)
{
	double value, bytes;
	gboolean first = text->request_rw == NULL;
	char word[16];

	if (!take_number(&cursor, &value))
		return;
	bytes = value * size_unit(take_word(&cursor, word, sizeof(word)), "B");
	if (isnan(bytes) || !g_strstr_len(line->text, (gssize)line->length, "time="))
		return;
	text->request_rw = take_text(&cursor, ">>>") ? "write?" : "read?";
	text->request_bytes = first || bytes == text->request_bytes ? bytes : NAN;
}

/* "--- /bench (ext4 /dev/vdb 8 GiB) ioping statistics ---" */
static gboolean take_heading(Text *text, const ImportLine *line, GError **error)
{
	static const char tail[] = " ioping statistics ---";
	const char *end = g_strstr_len(line->text, (gssize)line->length, tail);
	const char *rw = text->request_rw;
	double bytes = text->request_bytes;
	g_autofree char *target = NULL;

	if (!end || end < line->text + 4 || memcmp(line->text, "--- ", 4) != 0)
		return TRUE;
	if (!end_row(text, error))
		return FALSE;
	text->request_rw = rw;
	text->request_bytes = bytes;
	text->row = row_new(line->number, rw ? rw : "read?");
	target = g_strndup(line->text + 4, MIN((gsize)(end - line->text - 4), 300));
	record_set_text(text->row->more, "target", target);
	return TRUE;
}

static gboolean take_line(Text *text, const ImportLine *line, GError **error)
{
	const Cursor cursor = {line->text, line->text + MIN(line->length, 1000)};

	if (line->length > 4 && line->text[0] == '-')
		return take_heading(text, line, error);
	if (!text->row) {
		take_request(text, line, cursor);
		return TRUE;
	}
	if (take_completed(text, text->row, cursor))
		return TRUE;
	if (take_latency(text->row, cursor))
		return end_row(text, error);
	if (g_strstr_len(line->text, (gssize)line->length, "too fast") || g_strstr_len(line->text, (gssize)line->length, "too slow"))
		import_row_warn(text->row, "%.*s", (int)(cursor.end - cursor.at), line->text);
	return TRUE;
}

static gboolean parse_text(const ImportInput *input, ImportResult *result, GError **error)
{
	Text text = {.input = input, .result = result, .request_bytes = NAN};
	ImportLine line = {0};
	gboolean fine = TRUE;

	while (fine && import_line_next(input, &line))
		fine = take_line(&text, &line, error);
	fine = fine && end_row(&text, error);
	import_row_free(text.row);
	if (fine && result->rows->len == 0)
		return import_fail(error, input, 0, "no statistics block (\"--- TARGET ioping statistics ---\")");
	return fine;
}

/* ---- sums of periods -------------------------------------------------------------------------- */

/* With a period, ioping prints the statistics of each and then those of all: the sum would count everything twice. */
static gboolean add_rows(const ImportInput *input, ImportResult *result, GPtrArray *rows, GError **error)
{
	guint from = 0;
	double sum = 0;
	gboolean fine = TRUE;

	for (guint i = 0; i + 1 < rows->len; i++)
		sum += (double)stats_of(rows->pdata[i])->ops;
	if (rows->len > 2 && (double)stats_of(rows->pdata[rows->len - 1])->ops == sum) {
		from = rows->len - 1;
		import_row_warn(rows->pdata[from], "the %u periods before it are its parts and were left out", from);
	}
	result->documents += rows->len;
	for (guint i = from; i < rows->len && fine; i++) {
		ImportRow *row = rows->pdata[i];

		rows->pdata[i] = NULL;
		fine = import_result_add(result, input, row, error);
	}
	return fine;
}

/* ---- raw -------------------------------------------------------------------------------------- */

/* The numbers of a raw line; 0 when it is none. */
static guint raw_fields(const ImportLine *line, double *fields)
{
	const char *at = line->text, *end = line->text + line->length;
	guint count = 0;

	while (at < end) {
		const char *begin;

		while (at < end && (*at == ' ' || *at == '\t'))
			at++;
		begin = at;
		while (at < end && *at != ' ' && *at != '\t')
			at++;
		if (begin == at)
			break;
		if (count == RAW_MOST_FIELDS || !import_number_real(begin, at - begin, '.', &fields[count]))
			return 0;
		count++;
	}
	return count == 8 || count == RAW_MOST_FIELDS ? count : 0;
}

/* ns of the line's unit of time, or NaN when neither fits; the rate is a whole number, so it is known to its rounding. */
static double raw_unit(const double *fields)
{
	double seconds = fields[2] > 0 && fields[1] > 0 ? fields[0] / fields[2] / fields[1] : NAN;
	double slack = 1.05 + 1 / fields[2];

	if (seconds > 1e-6 / slack && seconds < 1e-6 * slack)
		return NS_PER_US;
	return seconds > 1e-9 / slack && seconds < 1e-9 * slack ? 1 : NAN;
}

static ImportRow *raw_row(guint line, const double *fields)
{
	ImportRow *row = row_new(line, "rw?");
	ImportStats *stats = stats_of(row);
	double unit = raw_unit(fields), seconds, size;

	if (isnan(unit)) {
		import_row_fail(row, "whether its times are micro- or nanoseconds cannot be told: requests, rate and time do not fit");
		return row;
	}
	seconds = fields[1] * unit / 1e9;
	stats->measured = TRUE;
	stats->ops = stats->total.n = whole(fields[0]);
	stats->ns = whole(fields[1] * unit);
	stats->iops = fields[2];
	stats->bytes_per_s = fields[3];
	stats->total.min_ns = fields[4] * unit;
	stats->total.mean_ns = fields[5] * unit;
	stats->total.max_ns = fields[6] * unit;
	stats->total.stddev_ns = fields[7] * unit;
	if (fabs(fields[0] * fields[5] - fields[1]) > 0.05 * fields[1] + fields[0])
		import_row_warn(row, "requests times mean latency is not the time of all requests");
	/* The rate is whole bytes a second: the size is known to its rounding. */
	size = fields[3] * seconds / fields[0];
	if (size >= 511.5 && size < 1e15 && fabs(size - round(size / 512) * 512) <= 1 + size * 1e-4) {
		record_set_int(row->leg, "block_size", llrint(size / 512) * 512);
		stats->bytes = whole(round(size / 512) * 512 * fields[0]);
	}
	return row;
}

static gboolean parse_raw(const ImportInput *input, ImportResult *result, GError **error)
{
	g_autoptr(GPtrArray) rows = g_ptr_array_new_with_free_func(row_free);
	double fields[RAW_MOST_FIELDS];
	ImportLine line = {0};

	while (import_line_next(input, &line)) {
		if (line.length == 0)
			continue;
		if (raw_fields(&line, fields) == 0)
			return import_fail(error, input, line.number, "a raw line of ioping has 8 or 10 numbers");
		if (rows->len > IMPORT_MOST_ROWS)
			return import_fail(error, input, line.number, "more than %d rows; split the file", IMPORT_MOST_ROWS);
		g_ptr_array_add(rows, raw_row(line.number, fields));
	}
	return add_rows(input, result, rows, error);
}

/* ---- JSON ------------------------------------------------------------------------------------- */

static double member(const json_t *object, const char *name)
{
	const json_t *value = json_object_get(object, name);

	return json_is_number(value) ? json_number_value(value) : NAN;
}

static ImportRow *json_row(const json_t *stat, const json_t *target, const char *operation, double request)
{
	ImportRow *row = row_new(0, g_strcmp0(operation, "write") == 0 ? "write?" : "read?");
	ImportStats *stats = stats_of(row);

	stats->measured = member(stat, "count") >= 0;
	stats->ops = stats->total.n = whole(member(stat, "count"));
	stats->bytes = whole(member(stat, "size"));
	stats->ns = whole(member(stat, "time"));
	stats->iops = member(stat, "iops");
	stats->bytes_per_s = member(stat, "bps");
	stats->total.min_ns = member(stat, "min");
	stats->total.mean_ns = member(stat, "avg");
	stats->total.max_ns = member(stat, "max");
	stats->total.stddev_ns = member(stat, "mdev");
	if (isnan(request) && stats->ops > 0 && stats->bytes > 0 && stats->bytes % stats->ops == 0)
		request = (double)(stats->bytes / stats->ops);
	if (request >= 1)
		record_set_int(row->leg, "block_size", whole(request));
	record_set_text(row->more, "target", json_string_value(json_object_get(target, "path")));
	record_set_text(row->more, "device", json_string_value(json_object_get(target, "device")));
	record_set_text(row->leg, "filesystem", json_string_value(json_object_get(target, "fstype")));
	if (stats->ops <= 0)
		import_row_fail(row, "no request was completed");
	return row;
}

static gboolean parse_json(const ImportInput *input, ImportResult *result, GError **error)
{
	g_autoptr(GPtrArray) rows = g_ptr_array_new_with_free_func(row_free);
	const char *operation = NULL;
	double request = NAN;
	json_error_t problem;
	json_t *list = json_loadb(input->data, input->size, 0, &problem), *entry;
	gboolean fine;
	gsize i;

	if (!list) {
		g_autofree char *cause = g_utf8_make_valid(problem.text, -1);

		return import_fail(error, input, problem.line > 0 ? (guint)problem.line : 0, "%s (byte %d)", cause,
			problem.position);
	}
	json_array_foreach(list, i, entry) {
		const json_t *io = json_object_get(entry, "io"), *stat = json_object_get(entry, "stat");

		if (io) {
			operation = json_string_value(json_object_get(io, "operation"));
			request = member(io, "size");
		}
		if (json_is_object(stat) && rows->len <= IMPORT_MOST_ROWS)
			g_ptr_array_add(rows, json_row(stat, json_object_get(entry, "target"), operation, request));
	}
	if (rows->len == 0)
		fine = import_fail(error, input, 0, "no \"stat\" in it: ioping did not end");
	else
		fine = add_rows(input, result, rows, error);
	json_decref(list);
	return fine;
}

/* ---- format ----------------------------------------------------------------------------------- */

static gboolean is_json(const ImportInput *input)
{
	gsize at = 0;

	while (at < input->size && g_ascii_isspace(input->data[at]))
		at++;
	return at < input->size && input->data[at] == '[';
}

static gboolean is_raw(const ImportInput *input)
{
	double fields[RAW_MOST_FIELDS];
	ImportLine line = {0};

	while (import_line_next(input, &line))
		if (line.length > 0)
			return line.length < 400 && raw_fields(&line, fields) > 0;
	return FALSE;
}

static int recognise(const ImportInput *input)
{
	gssize size = (gssize)MIN(input->size, 65536);

	if (is_json(input))
		return g_strstr_len(input->data, size, "\"mdev\"") || (g_strstr_len(input->data, size, "\"operation\"") &&
								      g_strstr_len(input->data, size, "\"ignored\""))
			       ? 90
			       : 0;
	if (g_strstr_len(input->data, size, " ioping statistics ---"))
		return 95;
	if (g_strstr_len(input->data, size, ": request=") && g_strstr_len(input->data, size, " time="))
		return 80;
	return is_raw(input) ? 50 : 0;
}

static gboolean parse(const ImportInput *input, ImportResult *result, GError **error)
{
	if (is_json(input))
		return parse_json(input, result, error);
	return is_raw(input) ? parse_raw(input, result, error) : parse_text(input, result, error);
}

const ImportFormat import_ioping = {
	.name = "ioping",
	.summary = "ioping's text, its raw lines (-B, -p) and its JSON (-J)",
	.recognise = recognise,
	.parse = parse,
};
