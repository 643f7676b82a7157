/* SPDX-License-Identifier: GPL-2.0-or-later */
/* CSV of bonnie++: 27 fields in 1.03, 48 in 1.96 and 1.97, 50 in 1.98. */
#include <math.h>

#include "harness/import/bonnie.h"

#define FIELDS_OLD 27
#define FIELDS_197 48
#define FIELDS_198 50
#define MOST_TEXT 4000

BonnieRecord *bonnie_record_new(guint line)
{
	BonnieRecord *record = g_new0(BonnieRecord, 1);

	record->line = line;
	record->size = record->chunk = record->concurrency = record->unix_ns = -1;
	for (guint i = 0; i < BONNIE_VALUES; i++)
		record->values[i].rate = record->values[i].cpu_percent = record->values[i].latency_ns = NAN;
	return record;
}

void bonnie_record_free(BonnieRecord *record)
{
	if (!record)
		return;
	g_free(record->machine);
	g_free(record->version);
	g_free(record);
}

/* "246", "246k", "1.2g": without a suffix in units of UNIT, with one in bytes; UNIT 0 = a count. */
static gboolean rate_of(const char *text, double unit, double *ret)
{
	static const char suffixes[] = "kmgt";
	gsize length = strlen(text);
	const char *at = length > 1 ? strchr(suffixes, g_ascii_tolower(text[length - 1])) : NULL;

	if (!import_number_real(text, (gssize)(at ? length - 1 : length), '.', ret) || *ret < 0)
		return FALSE;
	if (at)
		*ret *= pow(unit > 0 ? 1024 : 1000, (double)(at - suffixes + 1));
	else if (unit > 0)
		*ret *= unit;
	return TRUE;
}

static gboolean is_plus(const char *text)
{
	return *text == '+' && strspn(text, "+") == strlen(text);
}

gboolean bonnie_value(BonnieValue *ret, const char *rate, const char *cpu, double unit)
{
	if (*cpu && !is_plus(cpu) && !import_number_real(cpu, -1, '.', &ret->cpu_percent))
		return FALSE;
	if (*rate == '\0')
		return TRUE;
	if (is_plus(rate)) {
		ret->state = BONNIE_TOO_FAST;
		return TRUE;
	}
	ret->state = BONNIE_MEASURED;
	return rate_of(rate, unit, &ret->rate);
}

gboolean bonnie_latency(BonnieValue *ret, const char *text)
{
	static const struct {
		const char *name;
		double ns;
	} units[] = {{"us", 1e3}, {"ms", 1e6}, {"ns", 1}, {"s", 1e9}};
	double value;

	if (*text == '\0')
		return TRUE;
	for (guint i = 0; i < G_N_ELEMENTS(units); i++) {
		if (!g_str_has_suffix(text, units[i].name))
			continue;
		if (!import_number_real(text, (gssize)(strlen(text) - strlen(units[i].name)), '.', &value))
			return FALSE;
		ret->latency_ns = value * units[i].ns;
		return TRUE;
	}
	return FALSE;
}

guint bonnie_csv_fields(const char *text)
{
	guint fields = 1;

	for (; *text; text++)
		fields += *text == ',';
	return fields;
}

/* Both 1.97 and 1.98 begin with the version of the format and that of the program. */
static gboolean is_versioned(const char *text)
{
	return text[0] >= '1' && text[0] <= '2' && text[1] == '.' && g_ascii_isdigit(text[2]) && g_ascii_isdigit(text[3]) &&
	       (text[4] == ',' || (g_ascii_isalpha(text[4]) && text[5] == ','));
}

guint bonnie_csv_expected(const char *text)
{
	if (!is_versioned(text))
		return FIELDS_OLD;
	return text[2] == '9' && text[3] < '8' ? FIELDS_197 : FIELDS_198;
}

gboolean bonnie_is_csv(const char *line)
{
	g_auto(GStrv) fields = NULL;
	gsize digits;
	gint64 size;

	if (strlen(line) > MOST_TEXT || bonnie_csv_fields(line) < 5)
		return FALSE;
	if (is_versioned(line))
		return TRUE;
	/* "machine,4G,9216,27,...": a size always has its suffix, which tells it from the rest of a folded record. */
	fields = g_strsplit(line, ",", 4);
	digits = strspn(fields[1], "0123456789.");
	return *fields[0] && !strpbrk(fields[0], " \t\"") && digits > 0 && g_ascii_isalpha(fields[1][digits]) &&
	       import_number_size(fields[1], (gssize)strcspn(fields[1], ":"), &size) &&
	       strspn(fields[2], "+0123456789.") == strlen(fields[2]);
}

/* "4G", "32768M", "4G:8k"; without a suffix MiB. */
static gboolean size_of(BonnieRecord *record, const char *text)
{
	gsize length = strcspn(text, ":");

	if (!import_number_size(text, (gssize)length, &record->size))
		return FALSE;
	if (length > 0 && g_ascii_isdigit(text[length - 1]) && __builtin_mul_overflow(record->size, 1 << 20, &record->size))
		return FALSE;
	return text[length] == '\0' || import_number_size(text + length + 1, -1, &record->chunk);
}

static gboolean values_of(BonnieRecord *record, char **fields, BonnieTest from, guint count, guint *ret_bad)
{
	for (guint i = 0; i < count; i++) {
		BonnieTest test = from + i;
		double unit = test < BONNIE_SEEKS ? 1024 : 0;

		*ret_bad = 2 * i;
		if (!bonnie_value(&record->values[test], fields[2 * i], fields[2 * i + 1], unit))
			return FALSE;
	}
	return TRUE;
}

static gboolean versioned(BonnieRecord *record, char **fields, guint *ret_bad)
{
	guint base = g_strv_length(fields) == FIELDS_198 ? 9 : 7;
	gint64 seconds;

	record->version = g_strdup(fields[1]);
	record->machine = g_strdup(fields[2]);
	*ret_bad = 3;
	if (*fields[3] && !import_number_int(fields[3], -1, &record->concurrency))
		return FALSE;
	*ret_bad = 4;
	if (*fields[4] && (!import_number_int(fields[4], -1, &seconds) ||
				  __builtin_mul_overflow(seconds, G_GINT64_CONSTANT(1000000000), &record->unix_ns)))
		return FALSE;
	*ret_bad = 5;
	if (!size_of(record, fields[5]))
		return FALSE;
	*ret_bad = 6;
	if (*fields[6] && !import_number_size(fields[6], -1, &record->chunk))
		return FALSE;
	if (!values_of(record, fields + base, BONNIE_PUTC, BONNIE_TESTS, ret_bad)) {
		*ret_bad += base;
		return FALSE;
	}
	if (!values_of(record, fields + base + 17, BONNIE_SEQ_CREATE, 6, ret_bad)) {
		*ret_bad += base + 17;
		return FALSE;
	}
	for (guint i = 0; i < BONNIE_VALUES; i++) {
		*ret_bad = base + 29 + i;
		if (!bonnie_latency(&record->values[i], fields[base + 29 + i]))
			return FALSE;
	}
	return TRUE;
}

static gboolean unversioned(BonnieRecord *record, char **fields, guint *ret_bad)
{
	record->version = g_strdup("1.03");
	record->machine = g_strdup(fields[0]);
	*ret_bad = 1;
	if (!size_of(record, fields[1]))
		return FALSE;
	if (!values_of(record, fields + 2, BONNIE_PUTC, BONNIE_TESTS, ret_bad)) {
		*ret_bad += 2;
		return FALSE;
	}
	if (!values_of(record, fields + 15, BONNIE_SEQ_CREATE, 6, ret_bad)) {
		*ret_bad += 15;
		return FALSE;
	}
	return TRUE;
}

gboolean bonnie_csv(const ImportInput *input, guint line, const char *text, BonnieRecord **ret, GError **error)
{
	g_autoptr(BonnieRecord) record = bonnie_record_new(line);
	g_auto(GStrv) fields = g_strsplit(text, ",", -1);
	guint count = g_strv_length(fields), bad = 0;
	gboolean fine;

	if (count != (is_versioned(text) ? bonnie_csv_expected(text) : FIELDS_OLD))
		return import_fail(error, input, line,
			"bonnie++ CSV record has %u fields, expected %d, %d or %d (line wrapped by a mail program?)", count,
			FIELDS_OLD, FIELDS_197, FIELDS_198);
	for (guint i = 0; i < count; i++)
		g_strstrip(fields[i]);
	fine = is_versioned(text) ? versioned(record, fields, &bad) : unversioned(record, fields, &bad);
	if (!fine) {
		g_autofree char *cut = g_strndup(fields[bad], 40);
		g_autofree char *valid = g_utf8_make_valid(cut, -1);

		return import_fail(error, input, line, "field %u of the bonnie++ CSV record cannot be \"%s\"", bad + 1, valid);
	}
	*ret = g_steal_pointer(&record);
	return TRUE;
}
