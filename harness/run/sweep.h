/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The sweep: from a profile to a finished row of the store. Sets up keeper, store, hypervisor, host side and
 * targets, measures every block in the plan's order, keeps each finished run at once, tears everything down.
 */
#ifndef IOGAP_RUN_SWEEP_H
#define IOGAP_RUN_SWEEP_H

#include <gio/gio.h>

#include "harness/base/progress.h"
#include "harness/plan/plan.h"
#include "harness/profile/profile.h"
#include "results/store.h"

/*
 * Asked once, before block FROM of the plan is measured (in a resumed sweep too): which legs that block and all later ones
 * measure. WANTED has one entry per leg of the plan, all FALSE; leaving them so ends the sweep there. STORE holds every run up to
 * then as those of SWEEP. *ret_note is shown as a remark, a new text or NULL. FALSE with the error set ends the sweep as failed.
 */
typedef struct {
	guint from;
	gboolean (*choose)(Store *store, gint64 sweep, const Plan *plan, gboolean *wanted, char **ret_note, gpointer data,
		GError **error);
	gpointer data;
} SweepSelection;

typedef struct {
	const char *store;	     /* path */
	const char *uri;	     /* libvirt; NULL = the embedded driver */
	const char *folder;	     /* where target files are made; NULL = beside the store */
	const char *const *consent;  /* block devices that may be overwritten; NULL-terminated or NULL */
	const char *label, *commit, *branch; /* may be NULL */
	gboolean strict, resume, probe_again;
	gboolean host_only; /* the host's legs alone: nothing is booted, and libvirt is not asked */
	gboolean identify; /* keep serials, the host's and the user's names, addresses */
	gboolean has_seed;
	guint64 seed;
	ProgressMode progress;
	const SweepSelection *selection; /* NULL: every block measures every leg */
} SweepOptions;

typedef struct {
	gint64 sweep;	   /* id in the store, -1 if none was begun */
	guint ok, failed;  /* runs of this call */
	guint already;	   /* runs that a resumed sweep had before */
	double measured_s; /* settle and run of all finished runs of this call */
	double wall_s;	   /* first boot or fill to the last run */
	gboolean resumable; /* the store has it as interrupted */
	gboolean busy;	    /* not begun, since another sweep has the machine or the store */
} SweepOutcome;

/*
 * Returns FALSE with the error set when the sweep could not begin or was interrupted (IOGAP_ERROR_INTERRUPTED; what was
 * finished is kept, *ret is filled). Failed runs do not make it FALSE: look at ret->failed. Whatever the outcome, no
 * guest, process, socket or image of this call is left.
 */
gboolean sweep_run(const Profile *profile, const SweepOptions *options, GCancellable *cancel, SweepOutcome *ret,
	GError **error);

#endif
