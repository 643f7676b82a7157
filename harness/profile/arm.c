/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Arms: variants of a profile, given on the command line. */
#include "harness/profile/parser.h"

#include <string.h>

#include "harness/base/error.h"
#include "harness/base/nearest.h"

static gboolean fail(GError **error, const char *text, const char *format, ...) G_GNUC_PRINTF(3, 4);
static gboolean fail(GError **error, const char *text, const char *format, ...)
{
	g_autofree char *why = NULL;
	va_list args;

	va_start(args, format);
	why = g_strdup_vprintf(format, args);
	va_end(args);
	g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_USAGE, "--arm %s: %s", text, why);
	return FALSE;
}

static ProfileArm *find_or_add(Profile *profile, const char *name)
{
	ProfileArm *arm;

	for (guint i = 0; i < profile->arms->len; i++) {
		arm = g_ptr_array_index(profile->arms, i);
		if (g_str_equal(arm->name, name))
			return arm;
	}
	arm = g_new0(ProfileArm, 1);
	arm->name = g_strdup(name);
	arm->axes = g_ptr_array_new_with_free_func((GDestroyNotify)parse_axis_free);
	g_ptr_array_add(profile->arms, arm);
	return arm;
}

static const ProfileKey *key_of(Profile *profile, const char *text, const char *name, GError **error)
{
	g_autoptr(GError) local = NULL;
	Parser quiet = {profile, &local};
	const ProfileKey *row = parse_rule_key(&quiet, name, (ProfilePlace){0, 0});
	const char *hint = NULL;

	if (row && !g_str_equal(row->section, "rule"))
		return row;
	for (guint i = 0; !hint && i < G_N_ELEMENTS(parse_axis_sections); i++)
		hint = parse_near_key(parse_axis_sections[i], name);
	if (local)
		fail(error, text, "%s is a key of two sections; write guest.%s or host.%s", name, name, name);
	else if (hint)
		fail(error, text, "unknown key \"%s\"; did you mean \"%s\"?", name, hint);
	else
		fail(error, text, "unknown key \"%s\"; an arm takes the keys of workload, guest and host", name);
	return NULL;
}

/* With several values, cells that differ in this key alone would become one. */
static gboolean check_single(const Profile *profile, const char *text, const ProfileKey *row, GError **error)
{
	for (guint s = 0; s < G_N_ELEMENTS(parse_axis_sections); s++)
		if (g_str_equal(row->section, parse_axis_sections[s]) && profile_axis(profile, s, row->key)->values->len > 1)
			return fail(error, text, "the profile has several values of %s; an arm sets keys that have one", row->key);
	return TRUE;
}

static gboolean add_setting(Profile *profile, ProfileArm *arm, const char *text, const char *setting, GError **error)
{
	const char *equals = strchr(setting, '=');
	g_autofree char *name = equals ? g_strndup(setting, equals - setting) : NULL;
	g_autofree char *why = NULL;
	ProfilePlace nowhere = {0, 0};
	const ProfileKey *row;
	ProfileAxis *axis;
	char *value;

	if (!equals)
		return fail(error, text, "\"%s\" is no KEY=VALUE", setting);
	row = key_of(profile, text, name, error);
	if (!row || !check_single(profile, text, row, error))
		return FALSE;
	for (guint i = 0; i < arm->axes->len; i++)
		if (((ProfileAxis *)g_ptr_array_index(arm->axes, i))->row == row)
			return fail(error, text, "the arm sets %s twice", row->key);
	value = profile_value(row, equals + 1, &why);
	if (!value)
		return fail(error, text, "%s cannot be \"%s\": %s", row->key, equals + 1, why);
	axis = parse_axis_new(row);
	g_ptr_array_add(axis->values, value);
	g_array_append_val(axis->places, nowhere);
	g_ptr_array_add(arm->axes, axis);
	return TRUE;
}

gboolean profile_add_arm(Profile *profile, const char *text, GError **error)
{
	const char *colon = strchr(text, ':');
	g_autofree char *name = colon ? g_strndup(text, colon - text) : NULL;
	g_autofree char *checked = NULL, *why = NULL, *before = NULL;
	g_auto(GStrv) settings = NULL;
	ProfileArm *arm;

	if (!colon)
		return fail(error, text, "an arm is NAME:KEY=VALUE, such as new:emulator=/usr/local/bin/qemu-system-x86_64");
	checked = profile_value(profile_key("targets", "name"), name, &why);
	if (!checked)
		return fail(error, text, "\"%s\" is no name of an arm: %s", name, why);
	arm = find_or_add(profile, checked);
	settings = g_strsplit(colon + 1, ",", -1);
	for (guint i = 0; colon[1] && settings[i]; i++)
		if (!add_setting(profile, arm, text, settings[i], error))
			return FALSE;
	before = profile->text;
	profile->text = g_strdup_printf("%s%s# --arm %s\n", before, g_str_has_suffix(before, "\n") || !*before ? "" : "\n", text);
	return TRUE;
}

gboolean profile_add_arms(Profile *profile, char **texts, GError **error)
{
	for (guint i = 0; texts && texts[i]; i++)
		if (!profile_add_arm(profile, texts[i], error))
			return FALSE;
	if (profile->arms->len == 1)
		return fail(error, texts[0], "one arm alone is nothing to compare; give another one, such as --arm base:");
	if (profile->arms->len && profile->precision > 0)
		return fail(error, texts[0], "the profile has a precision, which would end the arms' blocks early; the gate needs a number of "
			"blocks that is known beforehand: take precision out of the profile");
	return TRUE;
}
