/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/run/facts.h"

#include <string.h>

#include "harness/base/error.h"
#include "harness/run/facts-machine.h"
#include "harness/run/scheduler.h"
#include "harness/side/guest/guest.h"

#define PROBE_MS 20000

void facts_target_spec(const ProfileTarget *target, const char *folder, const char *const *consent, TargetSpec *ret)
{
	*ret = (TargetSpec){
		.name = target->name,
		.type = target->type,
		.path = target->path,
		.size = target->size,
		.filesystem = target->filesystem,
		.delay_ns = target->delay_ns,
		.memory_backed = target->memory_backed,
		.nbd_plugin = target->nbd_plugin,
		.nbd_delay_ns = target->nbd_delay_ns,
		.nbd_rate = target->nbd_rate,
		.nbd_error_rate = target->nbd_error_rate,
		.folder = folder,
		.consent = target->consent && target->path && consent && g_strv_contains(consent, target->path),
	};
}

/* A disk that the kernel makes of nothing will have what its other disks have. */
static void facts_scheduler(PlanFacts *facts, guint target, const char *type, const char *place)
{
	g_autofree char *have = NULL, *why_not = NULL;

	if (place)
		have = schedulers_below(place, &why_not);
	else if (g_str_equal(type, "null_blk"))
		have = schedulers_of_kernel("");
	plan_facts_scheduler(facts, target, have, why_not);
}

/* A refusal names its target itself. */
static const char *without_name(const char *message, const char *name)
{
	g_autofree char *prefix = g_strdup_printf("target %s: ", name);

	return g_str_has_prefix(message, prefix) ? message + strlen(prefix) : message;
}

gboolean facts_target(PlanFacts *facts, const Profile *profile, guint target, const char *folder,
	const char *const *consent, GError **error)
{
	const ProfileTarget *wanted = g_ptr_array_index(profile->targets, target);
	g_autoptr(Record) found = record_new();
	g_autofree char *path = NULL, *place = NULL, *memory = NULL;
	g_autoptr(GError) local = NULL;
	TargetSpec spec;

	facts_target_spec(wanted, folder, consent, &spec);
	/* Said before the device is looked at: the line that gives consent is the one to mend. */
	if (g_str_equal(wanted->type, "block") && consent && !wanted->consent) {
		profile_error(error, profile->file, wanted->place,
			"target %s is a block device and its content will be lost: say `consent: true` here, beside %s=%s on the "
			"command line",
			wanted->name, TARGET_CONSENT_OPTION, wanted->path);
		return FALSE;
	}
	if (!target_check(&spec, found, &local)) {
		if (!g_error_matches(local, IOGAP_ERROR, IOGAP_ERROR_UNSUPPORTED)) {
			g_propagate_error(error, g_steal_pointer(&local));
			return FALSE;
		}
		plan_facts_lacking(facts, target, without_name(local->message, wanted->name));
		return TRUE;
	}
	place = target_place(&spec);
	/* A device's name may lie in a tmpfs, as in a container's /dev; its data do not. */
	memory = place && !g_str_equal(spec.type, "block") ? target_in_memory(place) : NULL;
	plan_facts_in_memory(facts, target, memory);
	facts_scheduler(facts, target, spec.type, place);
	plan_facts_target(facts, target, (guint)record_get_int(found, "sector_size", 0),
		(guint64)record_get_int(found, "size", 0),
		record_get_int(found, "direct", 1) ? NULL : record_get_text(found, "direct_reason"));
	/* What we name ourselves, below FOLDER and elsewhere, has nothing odd in its name. */
	path = spec.path ? g_strdup(spec.path) :
		folder && g_str_equal(spec.type, "file") ? g_canonicalize_filename(folder, NULL) : NULL;
	plan_facts_path(facts, target, path);
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

/* A device that is no target of this profile is a slip of the hand, and the next one may cost a disk. */
static gboolean check_consent(const Profile *profile, const char *const *consent, GError **error)
{
	for (guint i = 0; consent && consent[i]; i++) {
		gboolean known = FALSE;

		for (guint t = 0; t < profile->targets->len; t++) {
			const ProfileTarget *target = g_ptr_array_index(profile->targets, t);

			known |= g_str_equal(target->type, "block") && g_strcmp0(target->path, consent[i]) == 0;
		}
		if (known)
			continue;
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_USAGE,
			"%s=%s: no block target of %s has this path", TARGET_CONSENT_OPTION, consent[i], profile->file);
		return FALSE;
	}
	return TRUE;
}

static void facts_hypervisor(PlanFacts *facts)
{
	g_autofree char *iothread_map = hypervisor_lacks("iothread_map");
	g_autofree char *nvme = hypervisor_lacks("nvme");

	plan_facts_hypervisor(facts, iothread_map, nvme);
}

gboolean facts_collect(PlanFacts *facts, const Profile *profile, Side *host, const char *folder,
	const char *const *consent, GCancellable *cancel, GError **error)
{
	if (!check_consent(profile, consent, error))
		return FALSE;
	facts_machine("", facts);
	facts_hypervisor(facts);
	for (guint i = 0; i < profile->targets->len; i++)
		if (!facts_target(facts, profile, i, folder, consent, error))
			return FALSE;
	return facts_engines(facts, host, cancel, error);
}
