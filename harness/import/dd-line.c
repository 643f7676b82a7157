/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One line of dd's output. */
#include "harness/import/dd.h"

#include <math.h>

/* A number in a line: where it stands, and what follows it. */
typedef struct {
	gsize begin, end;
} Span;

/* ---- numbers ---------------------------------------------------------------------------------- */

/* The length of an opening or closing parenthesis at TEXT (full-width ones of Chinese and Japanese, too), or 0. */
static gsize parenthesis(const char *text, gsize left, char ascii, const char *wide)
{
	if (left >= 1 && *text == ascii)
		return 1;
	return left >= 3 && memcmp(text, wide, 3) == 0 ? 3 : 0;
}

/* Moves *at to the next digit outside parentheses; FALSE if there is none. */
static gboolean find_digit(const char *text, gsize length, gsize *at)
{
	gsize i = *at, step;
	guint depth = 0;

	while (i < length) {
		if ((step = parenthesis(text + i, length - i, '(', "\xef\xbc\x88")))
			depth++;
		else if ((step = parenthesis(text + i, length - i, ')', "\xef\xbc\x89")))
			depth -= depth > 0;
		else if (depth == 0 && g_ascii_isdigit(text[i]))
			break;
		else
			step = 1;
		i += step;
	}
	*at = i;
	return i < length;
}

/* The number that begins at AT: digits with marks between digits, and an exponent. */
static Span number_at(const char *text, gsize length, gsize at)
{
	Span span = {at, at};
	gsize i = at;

	while (i < length && (g_ascii_isdigit(text[i]) || ((text[i] == '.' || text[i] == ',') && i + 1 < length &&
							   g_ascii_isdigit(text[i + 1]))))
		i++;
	if (i + 2 < length && (text[i] == 'e' || text[i] == 'E') && (text[i + 1] == '-' || text[i + 1] == '+') &&
		g_ascii_isdigit(text[i + 2])) {
		i += 2;
		while (i < length && g_ascii_isdigit(text[i]))
			i++;
	}
	span.end = i;
	return span;
}

static gboolean next_number(const char *text, gsize length, gsize *at, Span *ret)
{
	if (!find_digit(text, length, at))
		return FALSE;
	*ret = number_at(text, length, *at);
	*at = ret->end;
	return TRUE;
}

/* A real with either mark; *ret_step is the value of its last digit. dd groups no digits, so one mark is a decimal mark. */
static gboolean real_of(const char *text, Span span, double *ret, double *ret_step)
{
	const char *digits = text + span.begin;
	gsize length = span.end - span.begin;
	const char *comma = memchr(digits, ',', length), *point = memchr(digits, '.', length);
	const char *mark = comma ? comma : point;
	const char *last = digits + length;
	double power = 0;

	if (!import_number_real(digits, (gssize)length, comma ? ',' : '.', ret))
		return FALSE;
	for (const char *p = digits; p < digits + length; p++) {
		double value;

		if (*p != 'e' && *p != 'E')
			continue;
		last = p;
		if (import_number_real(p[1] == '+' ? p + 2 : p + 1, digits + length - (p[1] == '+' ? p + 2 : p + 1), '.', &value))
			power = value;
	}
	*ret_step = pow(10, power - (mark ? (double)(last - mark - 1) : 0));
	return TRUE;
}

/* A byte count is whole, so marks between groups of three digits only group. */
static gboolean bytes_of(const char *text, Span span, gint64 *ret)
{
	char digits[24];
	gsize used = 0, group = 0;
	gboolean marked = FALSE;

	for (gsize i = span.begin; i < span.end; i++) {
		if (!g_ascii_isdigit(text[i])) {
			if ((marked && group != 3) || group == 0 || group > 3)
				return FALSE;
			marked = TRUE;
			group = 0;
			continue;
		}
		if (used >= sizeof(digits))
			return FALSE;
		digits[used++] = text[i];
		group++;
	}
	return (!marked || group == 3) && import_number_int(digits, (gssize)used, ret);
}

/* ---- units ------------------------------------------------------------------------------------ */

static gsize skip_space(const char *text, gsize length, gsize at)
{
	for (;;) {
		if (at < length && (text[at] == ' ' || text[at] == '\t'))
			at++;
		else if (at + 1 < length && memcmp(text + at, "\xc2\xa0", 2) == 0)
			at += 2; /* no-break spaces, wide and narrow */
		else if (at + 2 < length && memcmp(text + at, "\xe2\x80\xaf", 3) == 0)
			at += 3;
		else
			return at;
	}
}

/* Of any alphabet. */
static gboolean is_letter(char c)
{
	return g_ascii_isalpha(c) || (guchar)c >= 0x80;
}

/* A rate's unit ("MB/s", "kB/s", "bytes/sec"): the number goes with it. *ret_end is behind it. */
static gboolean is_rate(const char *text, gsize length, gsize at, double *ret_decimal, double *ret_binary, gsize *ret_end)
{
	static const char prefixes[] = "kmgtpe";
	gsize i = skip_space(text, length, at), begin = i;
	const char *prefix;
	double power = 0;

	while (i < length && i < begin + 12 && text[i] != '/' && !g_ascii_isdigit(text[i]) && text[i] != ' ' && text[i] != ',')
		i++;
	if (i == begin || i + 1 >= length || text[i] != '/' || !is_letter(text[i + 1]))
		return FALSE;
	prefix = begin < i ? strchr(prefixes, g_ascii_tolower(text[begin])) : NULL;
	if (prefix && *prefix)
		power = (double)(prefix - prefixes + 1);
	*ret_decimal = pow(1000, power);
	*ret_binary = pow(1024, power);
	for (i++; i < length && !g_ascii_isdigit(text[i]) && text[i] != ' ' && text[i] != ',' && text[i] != ')';)
		i++;
	*ret_end = i;
	return TRUE;
}

/* Seconds where no rate follows that would tell: "s" alone, a word that begins as theirs do, or one of another alphabet. */
static gboolean is_seconds(const char *text, gsize length, gsize at)
{
	static const char *const words[] = {"sec", "sek", "seg", "\xe7\xa7\x92", "\xec\xb4\x88", "\xd1\x81", "\xd0\xa1",
		"\xce\xb4"};
	gsize i = skip_space(text, length, at);

	if (i < length && (text[i] == 's' || text[i] == 'S') && (i + 1 == length || !is_letter(text[i + 1])))
		return TRUE;
	for (guint k = 0; k < G_N_ELEMENTS(words); k++)
		if (length - i >= strlen(words[k]) && g_ascii_strncasecmp(text + i, words[k], strlen(words[k])) == 0)
			return TRUE;
	return FALSE;
}

/* The number begins where a word or another number does not go on ("12:20", "a1", "+0000"). */
static gboolean stands_alone(const char *text, gsize begin)
{
	return begin == 0 || !(g_ascii_isalnum(text[begin - 1]) || strchr(":.+-_/", text[begin - 1]));
}

/* ---- lines ------------------------------------------------------------------------------------ */

gboolean dd_records(const char *text, gsize length, DdRecords *ret)
{
	gsize at = 0, plus;
	Span first, second, other;

	if (length > 300 || !next_number(text, length, &at, &first))
		return FALSE;
	plus = first.end;
	if (plus + 1 >= length || text[plus] != '+' || !g_ascii_isdigit(text[plus + 1]))
		return FALSE;
	if (!stands_alone(text, first.begin))
		return FALSE;
	if (!next_number(text, length, &at, &second) || next_number(text, length, &at, &other))
		return FALSE;
	return import_number_int(text + first.begin, (gssize)(first.end - first.begin), &ret->full) &&
	       import_number_int(text + second.begin, (gssize)(second.end - second.begin), &ret->partial);
}

/* What stands before the statistics and ends with a colon. */
static void find_label(const char *text, gsize from, gsize bytes, DdStatistics *ret)
{
	gsize end = bytes;

	ret->label = NULL;
	ret->label_length = 0;
	while (end > from && text[end - 1] == ' ')
		end--;
	while (from < end && text[from] == ' ')
		from++;
	if (end <= from + 1 || text[end - 1] != ':')
		return;
	ret->label = text + from;
	ret->label_length = MIN(end - 1 - from, 100);
}

/* "bytes copied", in whatever language. */
static gboolean has_word(const char *text, gsize from, gsize to)
{
	while (from < to && !is_letter(text[from]))
		from++;
	return from < to;
}

/* Fills RET if these spans are bytes, seconds and perhaps a rate; *ret_end is behind them. */
static gboolean take(const char *text, gsize length, gsize from, const Span *spans, guint count, DdStatistics *ret, gsize *ret_end)
{
	gboolean rated = count == 3 && is_rate(text, length, spans[2].end, &ret->rate_decimal, &ret->rate_binary, ret_end);
	double unused, unused_too;
	gsize end;

	if (count < 2 || is_rate(text, length, spans[0].end, &unused, &unused_too, &end) ||
		is_rate(text, length, spans[1].end, &unused, &unused_too, &end))
		return FALSE;
	if (!rated && !is_seconds(text, length, spans[1].end))
		return FALSE;
	/* Glued updates: "...1.0 GB/s2097152000 bytes". */
	if (!stands_alone(text, spans[0].begin) && spans[0].begin != from)
		return FALSE;
	if (g_ascii_isalnum(text[spans[1].begin - 1]) || !has_word(text, spans[0].end, spans[1].begin))
		return FALSE;
	if (!bytes_of(text, spans[0], &ret->bytes) || !real_of(text, spans[1], &ret->seconds, &ret->seconds_step))
		return FALSE;
	ret->rate = ret->rate_step = NAN;
	if (!rated || !real_of(text, spans[2], &ret->rate, &ret->rate_step))
		*ret_end = rated ? *ret_end : length;
	return TRUE;
}

gboolean dd_statistics(const char *text, gsize length, gsize *at, DdStatistics *ret)
{
	gsize begin = *at, next = *at, end;
	Span spans[3];
	guint count = 0;

	/* A window of three numbers slides along the line. */
	for (;;) {
		while (count < 3 && next_number(text, length, &next, &spans[count]))
			count++;
		if (count < 2) {
			*at = length;
			return FALSE;
		}
		if (take(text, length, begin, spans, count, ret, &end))
			break;
		memmove(spans, spans + 1, sizeof(spans[0]) * --count);
	}
	find_label(text, begin, spans[0].begin, ret);
	*at = end;
	return TRUE;
}

gboolean dd_message(const char *text, gsize length, const char **ret_message, gsize *ret_length)
{
	for (gsize i = 0; i + 3 < length && i < 200; i++) {
		if (memcmp(text + i, "dd: ", 4) != 0)
			continue;
		if (i > 0 && text[i - 1] != '/' && text[i - 1] != ' ')
			continue;
		*ret_message = text + i + 4;
		*ret_length = MIN(length - i - 4, 300);
		return TRUE;
	}
	return FALSE;
}

static void take_operand(DdCommand *command, const char *key, const char *value)
{
	gint64 size;

	if (g_str_equal(key, "if")) {
		g_free(command->input);
		command->input = g_strdup(value);
	} else if (g_str_equal(key, "of")) {
		g_free(command->output);
		command->output = g_strdup(value);
	} else if (g_str_equal(key, "bs") && import_number_size(value, -1, &size)) {
		command->block_size = size;
	} else if (g_str_equal(key, "iflag") || g_str_equal(key, "oflag") || g_str_equal(key, "conv")) {
		char *joined = g_strconcat(command->flags ? command->flags : "", ",", value, ",", NULL);

		g_free(command->flags);
		command->flags = joined;
	}
}

gboolean dd_command(const char *text, gsize length, DdCommand *ret)
{
	g_autofree char *copy = length <= 2000 ? g_strndup(text, length) : NULL;
	g_auto(GStrv) words = copy ? g_strsplit_set(copy, " \t", -1) : NULL;
	gboolean started = FALSE;
	guint operands = 0;

	*ret = (DdCommand){.block_size = -1};
	for (guint i = 0; words && words[i]; i++) {
		char *mark = strchr(words[i], '=');

		if (!started) {
			started = g_str_equal(words[i], "dd") || g_str_has_suffix(words[i], "/dd");
			continue;
		}
		if (strpbrk(words[i], ";|&"))
			break;
		if (!mark)
			continue;
		*mark = '\0';
		take_operand(ret, words[i], mark + 1);
		operands++;
	}
	if (operands > 0)
		return TRUE;
	dd_command_clear(ret);
	return FALSE;
}

void dd_command_clear(DdCommand *command)
{
	g_clear_pointer(&command->input, g_free);
	g_clear_pointer(&command->output, g_free);
	g_clear_pointer(&command->flags, g_free);
}
