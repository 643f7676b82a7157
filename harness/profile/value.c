/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One value of one key: text to canonical text, canonical text to number. */
#include "harness/profile/profile.h"

#include <errno.h>
#include <string.h>

#include "guest-agent/common/units.h"
#include "harness/base/cpu-list.h"
#include "harness/base/nearest.h"

#define NAME_MAX_LENGTH 40
#define TEXT_MAX_LENGTH 400

/* "2.5%": up to three digits behind the point, without zeros at the end; the same in every locale. */
static char *percent_text(guint64 thousandths)
{
	g_autoptr(GString) text = g_string_new(NULL);

	g_string_printf(text, "%" G_GUINT64_FORMAT ".%03u", thousandths / 1000, (guint)(thousandths % 1000));
	while (text->str[text->len - 1] == '0')
		g_string_truncate(text, text->len - 1);
	if (text->str[text->len - 1] == '.')
		g_string_truncate(text, text->len - 1);
	g_string_append_c(text, '%');
	return g_string_free(g_steal_pointer(&text), FALSE);
}

static int parse_percent(const char *text, uint64_t *ret)
{
	guint64 value = 0, unit = 0;

	if (!g_ascii_isdigit(*text))
		return -EINVAL;
	for (; g_ascii_isdigit(*text) || (*text == '.' && unit == 0 && g_ascii_isdigit(text[1])); text++) {
		if (*text == '.') {
			unit = 1000;
			continue;
		}
		if (unit == 1 || value > 1000000)
			return -ERANGE;
		value = 10 * value + (guint64)(*text - '0');
		unit /= unit ? 10 : 1;
	}
	if (!g_str_equal(text, "%"))
		return -EINVAL;
	*ret = value * (unit ? unit : 1000);
	return 0;
}

/* Formats a number of KEY's type in its one canonical spelling. */
static char *canonical_number(const ProfileKey *key, guint64 number)
{
	char buf[32];

	if (key->type == PROFILE_TYPE_SIZE)
		return g_strdup(units_format_size(number, buf, sizeof(buf)));
	if (key->type == PROFILE_TYPE_DURATION)
		return g_strdup(units_format_duration(number, buf, sizeof(buf)));
	if (key->type == PROFILE_TYPE_PERCENT)
		return percent_text(number);
	return g_strdup_printf("%" G_GUINT64_FORMAT, number);
}

static int parse_number(const ProfileKey *key, const char *text, guint64 *ret)
{
	uint64_t number = 0;
	int r;

	if (key->type == PROFILE_TYPE_SIZE)
		r = units_parse_size(text, &number);
	else if (key->type == PROFILE_TYPE_DURATION)
		r = units_parse_duration(text, &number);
	else if (key->type == PROFILE_TYPE_PERCENT)
		r = parse_percent(text, &number);
	else
		r = units_parse_uint(text, &number);
	if (r >= 0)
		*ret = number;
	return r;
}

static gboolean is_word(const ProfileKey *key, const char *text)
{
	return key->words && g_strv_contains(key->words, text);
}

static char *wants(const ProfileKey *key)
{
	g_autofree char *values = profile_key_values(key);

	return g_strdup_printf("it takes %s", values);
}

static char *bad_word(const ProfileKey *key, const char *text)
{
	const char *hint = nearest(text, key->words);
	g_autofree char *what = wants(key);

	return hint ? g_strdup_printf("%s; did you mean \"%s\"?", what, hint) : g_steal_pointer(&what);
}

static char *number(const ProfileKey *key, const char *text, char **ret_why)
{
	guint64 value;
	g_autofree char *canonical = NULL;
	int r = parse_number(key, text, &value);

	if (r < 0 && key->words)
		*ret_why = bad_word(key, text);
	else if (r < 0)
		*ret_why = wants(key);
	if (r < 0)
		return NULL;
	canonical = canonical_number(key, value);
	if (key->only_words ? !is_word(key, canonical) : value < key->min || value > key->max) {
		*ret_why = wants(key);
		return NULL;
	}
	return g_steal_pointer(&canonical);
}

static char *boolean(const ProfileKey *key, const char *text, char **ret_why)
{
	static const char *const spellings[][2] = {
		{"true", "true"}, {"True", "true"}, {"TRUE", "true"},
		{"false", "false"}, {"False", "false"}, {"FALSE", "false"},
	};

	for (guint i = 0; i < G_N_ELEMENTS(spellings); i++)
		if (g_str_equal(text, spellings[i][0]))
			return g_strdup(spellings[i][1]);
	*ret_why = wants(key);
	return NULL;
}

static char *name(const char *text, char **ret_why)
{
	gsize length = strlen(text);
	gboolean good = length >= 1 && length <= NAME_MAX_LENGTH && *text != '-' && *text != '.';

	for (const char *p = text; good && *p; p++)
		good = g_ascii_isalnum(*p) || strchr("._-", *p);
	if (good)
		return g_strdup(text);
	*ret_why = g_strdup_printf("a name is 1 to %d of letters, digits, '.', '_' and '-', and begins with a letter, "
				   "a digit or '_'", NAME_MAX_LENGTH);
	return NULL;
}

static char *path(const ProfileKey *key, const char *text, char **ret_why)
{
	gboolean control = FALSE;

	for (const char *p = text; *p; p++)
		control = control || g_ascii_iscntrl(*p);
	if (*text == '/' && !control)
		return g_canonicalize_filename(text, "/");
	*ret_why = wants(key);
	return NULL;
}

static char *free_text(const char *text, char **ret_why)
{
	gsize length = strlen(text);
	gboolean good = length >= 1 && length <= TEXT_MAX_LENGTH && g_utf8_validate(text, -1, NULL);

	for (const char *p = text; good && *p; p = g_utf8_next_char(p))
		good = !g_unichar_iscntrl(g_utf8_get_char(p));
	if (good)
		return g_strdup(text);
	*ret_why = g_strdup_printf("it takes 1 to %d bytes of text without control characters", TEXT_MAX_LENGTH);
	return NULL;
}

static char *date(const ProfileKey *key, const char *text, char **ret_why)
{
	g_autofree char *moment = g_strdup_printf("%sT00:00:00Z", text);
	g_autoptr(GDateTime) parsed = strlen(text) == 10 ? g_date_time_new_from_iso8601(moment, NULL) : NULL;

	if (parsed && text[4] == '-' && text[7] == '-')
		return g_strdup(text);
	*ret_why = wants(key);
	return NULL;
}

static char *cpus(const ProfileKey *key, const char *text, char **ret_why)
{
	g_auto(GStrv) lists = g_strsplit(text, "/", -1);
	guint n = g_strv_length(lists);
	gboolean good = n >= 1 && n <= key->max;

	for (guint i = 0; good && i < n; i++) {
		char *list = cpu_list_canonical(lists[i]);

		good = list != NULL;
		g_free(lists[i]);
		lists[i] = list ? list : g_strdup("");
	}
	if (good)
		return g_strjoinv("/", lists);
	*ret_why = wants(key);
	return NULL;
}

char *profile_value(const ProfileKey *key, const char *text, char **ret_why)
{
	if (is_word(key, text))
		return g_strdup(text);
	switch (key->type) {
	case PROFILE_TYPE_WORD:
		*ret_why = bad_word(key, text);
		return NULL;
	case PROFILE_TYPE_BOOL:
		return boolean(key, text, ret_why);
	case PROFILE_TYPE_UINT:
	case PROFILE_TYPE_SIZE:
	case PROFILE_TYPE_DURATION:
	case PROFILE_TYPE_PERCENT:
		return number(key, text, ret_why);
	case PROFILE_TYPE_NAME:
		return name(text, ret_why);
	case PROFILE_TYPE_PATH:
		return path(key, text, ret_why);
	case PROFILE_TYPE_TEXT:
		return free_text(text, ret_why);
	case PROFILE_TYPE_CPUS:
		return cpus(key, text, ret_why);
	case PROFILE_TYPE_DATE:
		return date(key, text, ret_why);
	default:
		*ret_why = wants(key);
		return NULL;
	}
}

guint64 profile_number(const ProfileKey *key, const char *value, guint64 fallback)
{
	guint64 parsed;

	if (key->type == PROFILE_TYPE_BOOL)
		return g_str_equal(value, "true");
	return parse_number(key, value, &parsed) < 0 ? fallback : parsed;
}
