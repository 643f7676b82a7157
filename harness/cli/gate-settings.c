/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/cli/gate-settings.h"

#include <string.h>

#include "harness/profile/profile.h"

void waivers_clear(Waivers *waivers)
{
	g_clear_pointer(&waivers->names, g_ptr_array_unref);
	g_clear_pointer(&waivers->words, g_ptr_array_unref);
}

/* The day on which the sweep began decides, so that the same store always gives the same verdict. */
static char *day_of(const Record *sweep)
{
	g_autoptr(GDateTime) began = g_date_time_new_from_unix_utc(record_get_int(sweep, "started_unix_ns", 0) / 1000000000);

	return g_date_time_format(began, "%Y-%m-%d");
}

static void take_waivers(const ProfileGate *gate, const char *day, Waivers *waivers)
{
	for (guint i = 0; gate && i < gate->waivers->len; i++) {
		const ProfileWaiver *waiver = g_ptr_array_index(gate->waivers, i);
		gboolean holds = strcmp(day, waiver->until) <= 0;

		if (holds)
			g_ptr_array_add(waivers->names, g_strdup(waiver->cell));
		g_ptr_array_add(waivers->words, g_strdup_printf("%s: %s (until %s%s)", waiver->cell, waiver->reason, waiver->until,
			holds ? "" : ", which has passed: it does not count"));
	}
	g_ptr_array_add(waivers->names, NULL);
	g_ptr_array_add(waivers->words, NULL);
}

gboolean gate_settings_of(const Record *sweep, GateSettings *settings, Waivers *waivers, GError **error)
{
	const char *text = record_get_text(sweep, "profile_text");
	g_autoptr(Profile) profile = text ? profile_parse("the stored profile", text, -1, error) : NULL;
	g_autofree char *day = day_of(sweep);

	gate_settings_init(settings);
	settings->seed = (guint64)record_get_int(sweep, "seed", 0);
	waivers->names = g_ptr_array_new_with_free_func(g_free);
	waivers->words = g_ptr_array_new_with_free_func(g_free);
	if (text && !profile)
		return FALSE;
	take_waivers(profile ? &profile->gate : NULL, day, waivers);
	if (!profile)
		return TRUE;
	settings->alpha = profile->gate.alpha;
	settings->detect = profile->gate.detect;
	settings->group_detect = profile->gate.group_detect;
	settings->least = profile->gate.least;
	settings->group_least = profile->gate.group_least;
	settings->screen_blocks = profile->gate.screen_blocks;
	settings->confirm_blocks = profile->gate.confirm_blocks;
	settings->min_blocks = profile->gate.min_blocks;
	return TRUE;
}

void gate_settings_waive(GateData *data, const Waivers *waivers)
{
	for (guint i = 0; i + 1 < waivers->names->len; i++) {
		const char *name = g_ptr_array_index(waivers->names, i);

		if (!gate_data_waive(data, name))
			g_ptr_array_add(data->notes, g_strdup_printf("the waiver of \"%s\" fits no row", name));
	}
}
