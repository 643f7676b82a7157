/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/run/sweep-targets.h"

#include <string.h>

#include "harness/run/extents.h"
#include "harness/run/facts.h"
#include "harness/run/guest-config.h"

/* Slowest disk that a fill is waited for, in bytes per second, and what opening and syncing may add. */
#define FILL_FLOOR (8 << 20)
#define FILL_GRACE_MS 60000

char *sweep_target_folder(const SweepOptions *options)
{
	return options->folder ? g_canonicalize_filename(options->folder, NULL) : g_path_get_dirname(options->store);
}

/* A target of which every combination was refused or excluded is not made: often it could not be. */
static gboolean is_used(const Plan *plan, guint target)
{
	for (guint i = 0; i < plan->legs->len; i++)
		if (((const PlanLeg *)g_ptr_array_index(plan->legs, i))->target == target)
			return TRUE;
	return FALSE;
}

gboolean sweep_targets_open(Sweep *sweep, GError **error)
{
	g_autofree char *folder = sweep_target_folder(sweep->options);

	sweep->targets = g_ptr_array_new();
	g_ptr_array_set_size(sweep->targets, (gint)sweep->profile->targets->len);
	for (guint i = 0; i < sweep->targets->len; i++) {
		TargetSpec spec;
		Target *target;

		if (!is_used(sweep->plan, i))
			continue;
		facts_target_spec(g_ptr_array_index(sweep->profile->targets, i), folder, sweep->options->consent, &spec);
		spec.cancel = sweep->cancel;
		spec.beside = images_beside(sweep->plan, i);
		target = target_open(&spec, sweep->keeper, error);
		if (!target)
			return FALSE;
		g_ptr_array_index(sweep->targets, i) = target;
	}
	return TRUE;
}

/* Space is reserved beforehand where the file system can; a thin one finds out here that it has less than it said. */
static gboolean cannot_fill(const ProfileTarget *target, const GError *cause, GError **error)
{
	gboolean full = strstr(cause->message, "ENOSPC") != NULL;

	g_set_error(error, cause->domain, cause->code, "target %s cannot be filled: %s%s", target->name, cause->message, full ?
		"; what lies below it has less room than it said, or others took it meanwhile: free some, or use a smaller size or another folder" : "");
	return FALSE;
}

/* Every byte of every target is written before anything is read: no hole, no unwritten extent is ever measured. */
static gboolean fill_targets(Sweep *sweep, GError **error)
{
	for (guint i = 0; i < sweep->targets->len; i++) {
		Target *target = g_ptr_array_index(sweep->targets, i);
		const ProfileTarget *wanted = g_ptr_array_index(sweep->profile->targets, i);
		g_autoptr(GError) cause = NULL;
		json_t *arguments, *answer;
		guint timeout_ms;
		guint64 size;

		if (!target || !target_keeps(target))
			continue;
		size = target_size(target);
		timeout_ms = (guint)MIN(size / FILL_FLOOR * 1000 + FILL_GRACE_MS, (guint64)G_MAXINT);
		arguments = json_pack("{s:s, s:i, s:I, s:I}", "path", target_path(target), "offset", 0, "size", (json_int_t)size, "seed",
			(json_int_t)(sweep->plan->seed & 0xffffffff));
		progress_note(sweep->progress, "filling target %s (%" G_GUINT64_FORMAT " MiB)", wanted->name, size >> 20);
		answer = side_call(sweep->host, "fill", arguments, timeout_ms, NULL, NULL, sweep->cancel, &cause);
		json_decref(arguments);
		/* A dead server is the better reason. */
		if (!answer)
			return target_alive(target, error) && cannot_fill(wanted, cause, error);
		json_decref(answer);
		if (!extents_check(target_path(target), size, error))
			return FALSE;
	}
	return TRUE;
}

/* The qcow2 twins are made of the filled file before any guest has it open, which would lock it. */
static gboolean make_twins(Sweep *sweep, GError **error)
{
	for (guint i = 0; i < sweep->plan->disks->len; i++) {
		const PlanDisk *disk = &g_array_index(sweep->plan->disks, PlanDisk, i);
		TargetQcow2 form;

		if (!g_str_equal(disk->format, "qcow2"))
			continue;
		progress_note(sweep->progress, "making qcow2 image %u", i + 1);
		form = qcow2_form_of(disk);
		if (!target_qcow2(g_ptr_array_index(sweep->targets, disk->target), i, &form, error))
			return FALSE;
	}
	return TRUE;
}

gboolean sweep_targets_fill(Sweep *sweep, GError **error)
{
	return fill_targets(sweep, error) && make_twins(sweep, error);
}

void sweep_targets_end(Sweep *sweep)
{
	g_autoptr(GPtrArray) remarks = g_ptr_array_new_with_free_func(g_free);

	for (guint i = sweep->targets ? sweep->targets->len : 0; i-- > 0;)
		target_end(g_ptr_array_index(sweep->targets, i), remarks);
	for (guint i = 0; i < remarks->len; i++)
		progress_note(sweep->progress, "%s", (const char *)g_ptr_array_index(remarks, i));
	g_clear_pointer(&sweep->targets, g_ptr_array_unref);
}
