/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/cli/gate-settings.h"

#include <string.h>

#include "harness/profile/profile.h"

/* Groups against cells, as gate_settings_init has them for throughput. */
#define GROUP_SHARE 0.4
/* A row goes on from a screened loss a little under the one that is REGRESSED. */
#define PROMOTE_SHARE 0.8

void gate_rules_clear(GateRules *rules)
{
	g_clear_pointer(&rules->waivers.names, g_ptr_array_unref);
	g_clear_pointer(&rules->waivers.words, g_ptr_array_unref);
}

/* The day on which the sweep began decides, so that the same store always gives the same verdict. */
static char *day_of(const Record *sweep)
{
	g_autoptr(GDateTime) began = g_date_time_new_from_unix_utc(record_get_int(sweep, "started_unix_ns", 0) / 1000000000);

	return g_date_time_format(began, "%Y-%m-%d");
}

static void take_waivers(const ProfileGate *gate, const char *day, Waivers *waivers)
{
	for (guint i = 0; i < gate->waivers->len; i++) {
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

static GateFamilyMode mode_of(const char *word)
{
	if (g_str_equal(word, "gating"))
		return GATE_FAMILY_GATING;
	return g_str_equal(word, "advisory") ? GATE_FAMILY_ADVISORY : GATE_FAMILY_OFF;
}

static void set_throughput(GateSettings *settings, const ProfileGate *gate)
{
	settings->alpha = gate->alpha;
	settings->detect = gate->detect;
	settings->group_detect = gate->group_detect;
	settings->least = gate->least;
	settings->group_least = gate->group_least;
	settings->screen_blocks = gate->screen_blocks;
	/* Nothing may be REGRESSED by a rule that the screen would not let it come to. */
	settings->promote = MIN(settings->promote, PROMOTE_SHARE * gate->least);
	settings->group_promote = MIN(settings->group_promote, gate->group_least);
	settings->confirm_blocks = gate->confirm_blocks;
	settings->min_blocks = gate->min_blocks;
}

static void set_family(GateSettings *settings, const ProfileFamily *family)
{
	settings->detect = family->detect;
	settings->least = family->least;
	settings->group_detect = GROUP_SHARE * family->detect;
	settings->group_least = settings->group_promote = GROUP_SHARE * family->least;
	settings->promote = PROMOTE_SHARE * family->least;
}

static void set_rules(GateRules *rules, const ProfileGate *gate)
{
	GateSettings *first = &rules->settings[GATE_THROUGHPUT];

	set_throughput(first, gate);
	rules->alpha = gate->alpha;
	rules->modes[GATE_THROUGHPUT] = GATE_FAMILY_GATING;
	rules->gating = 1;
	for (guint i = 0; i < PROFILE_FAMILIES; i++) {
		GateMetricId metric = GATE_LATENCY + i;

		rules->settings[metric] = *first;
		set_family(&rules->settings[metric], &gate->families[i]);
		rules->modes[metric] = mode_of(gate->families[i].mode);
		rules->gating += rules->modes[metric] == GATE_FAMILY_GATING;
	}
	for (guint m = 0; m < GATE_METRICS; m++)
		if (rules->modes[m] == GATE_FAMILY_GATING)
			rules->settings[m].alpha = gate->alpha / rules->gating;
}

/* The defaults are those of the key table, in one place. */
#define NO_PROFILE "name: none\ntargets: [{name: none, size: 1M}]\n"

gboolean gate_rules_of(const Record *sweep, GateRules *rules, GError **error)
{
	const char *text = record_get_text(sweep, "profile_text");
	g_autoptr(Profile) profile = profile_parse("the stored profile", text ? text : NO_PROFILE, -1, error);
	g_autofree char *day = day_of(sweep);

	*rules = (GateRules){.waivers = {g_ptr_array_new_with_free_func(g_free), g_ptr_array_new_with_free_func(g_free)}};
	if (!profile)
		return FALSE;
	gate_settings_init(&rules->settings[GATE_THROUGHPUT]);
	rules->settings[GATE_THROUGHPUT].seed = (guint64)record_get_int(sweep, "seed", 0);
	take_waivers(&profile->gate, day, &rules->waivers);
	set_rules(rules, &profile->gate);
	return TRUE;
}

void gate_rules_waive(GateData *data, const GateRules *rules)
{
	for (guint i = 0; i + 1 < rules->waivers.names->len; i++)
		gate_data_waive(data, rules->waivers.names->pdata[i]);
}

void gate_rules_note(GateData *data, const GateRules *rules)
{
	for (guint i = 0; i + 1 < rules->waivers.names->len; i++) {
		const char *name = rules->waivers.names->pdata[i];

		if (!gate_data_waive(data, name))
			g_ptr_array_add(data->notes, g_strdup_printf("the waiver of \"%s\" fits no row", name));
	}
}
