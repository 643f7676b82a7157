/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/run/facts.h"

#define PROBE_MS 20000

void facts_target_spec(const ProfileTarget *target, const char *folder, const char *const *consent, TargetSpec *ret)
{
	*ret = (TargetSpec){
		.name = target->name,
		.type = target->type,
		.path = target->path,
		.size = target->size,
		.filesystem = target->filesystem,
		.folder = folder,
		.consent = target->path && consent && g_strv_contains(consent, target->path),
	};
}

gboolean facts_target(PlanFacts *facts, const Profile *profile, guint target, const char *folder,
	const char *const *consent, GError **error)
{
	g_autoptr(Record) found = record_new();
	TargetSpec spec;

	facts_target_spec(g_ptr_array_index(profile->targets, target), folder, consent, &spec);
	if (!target_check(&spec, found, error))
		return FALSE;
	plan_facts_target(facts, target, (guint)record_get_int(found, "sector_size", 0),
		(guint64)record_get_int(found, "size", 0),
		record_get_int(found, "direct", 1) ? NULL : record_get_text(found, "direct_reason"));
	return TRUE;
}

gboolean facts_engines(PlanFacts *facts, Side *host, GCancellable *cancel, GError **error)
{
	json_t *probe = side_call(host, "probe", NULL, PROBE_MS, NULL, NULL, cancel, error);
	json_t *engines, *reason;
	const char *name;

	if (!probe)
		return FALSE;
	engines = json_object_get(probe, "engines");
	json_object_foreach(engines, name, reason)
		plan_facts_engine(facts, name, json_string_value(reason));
	/* What keeps the agent from a ring keeps QEMU from it too. */
	plan_facts_io_uring(facts, json_string_value(json_object_get(engines, "io_uring")));
	json_decref(probe);
	return TRUE;
}

gboolean facts_collect(PlanFacts *facts, const Profile *profile, Side *host, const char *folder,
	const char *const *consent, GCancellable *cancel, GError **error)
{
	for (guint i = 0; i < profile->targets->len; i++)
		if (!facts_target(facts, profile, i, folder, consent, error))
			return FALSE;
	return facts_engines(facts, host, cancel, error);
}
