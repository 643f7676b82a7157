/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/run/host-load.h"

#include <math.h>

#include "guest-agent/common/units.h"
#include "harness/base/error.h"

#define LOOK_MS 1000

double host_load_share(const MachineSnapshot *begin, const MachineSnapshot *end)
{
	gint64 used = end->user_ns - begin->user_ns + end->system_ns - begin->system_ns + end->irq_ns - begin->irq_ns + end->steal_ns -
		begin->steal_ns;
	/* These two can go back a little (proc(5)). */
	gint64 unused = MAX(0, end->idle_ns - begin->idle_ns) + MAX(0, end->iowait_ns - begin->iowait_ns);

	if (!begin->machine_valid || !end->machine_valid || used < 0 || used + unused <= 0)
		return NAN;
	return (double)used / (double)(used + unused);
}

static gboolean on_time(gpointer data)
{
	*(gboolean *)data = TRUE;
	return G_SOURCE_REMOVE;
}

/* The load of one second; FALSE when interrupted. */
static gboolean look(GCancellable *cancel, double *ret_share, GError **error)
{
	MachineSnapshot begin, end;
	gboolean over = FALSE;
	guint timer = g_timeout_add(LOOK_MS, on_time, &over);

	machine_snapshot(0, &begin);
	while (!over && !g_cancellable_is_cancelled(cancel))
		g_main_context_iteration(NULL, TRUE);
	if (!over) {
		g_source_remove(timer);
		g_set_error_literal(error, IOGAP_ERROR, IOGAP_ERROR_INTERRUPTED, "interrupted");
		return FALSE;
	}
	machine_snapshot(0, &end);
	*ret_share = host_load_share(&begin, &end);
	return TRUE;
}

static void tell_end(Progress *progress, const char *name, double share, double most, guint64 waited_ns)
{
	char time[32];

	units_format_duration(waited_ns / 1000000000 * 1000000000, time, sizeof(time));
	if (share > most)
		progress_note(progress, "%s: others still use %.1f %% of the host's processors after %s (max_load_wait): it is measured all the "
			"same, marked THROTTLED", name, 100 * share, time);
	else
		progress_note(progress, "%s: the host is calm after %s", name, time);
}

gboolean host_load_wait(double most, guint64 wait_ns, const char *name, Progress *progress, GCancellable *cancel, char **ret_evidence,
	GError **error)
{
	gint64 begun = g_get_monotonic_time();
	gboolean told = FALSE;
	guint64 waited_ns;
	double share;

	*ret_evidence = NULL;
	for (;;) {
		if (!look(cancel, &share, error))
			return FALSE;
		waited_ns = (guint64)(g_get_monotonic_time() - begun) * 1000;
		/* A comparison with NaN is false. */
		if (!(share > most) || waited_ns >= wait_ns)
			break;
		if (!told)
			progress_note(progress, "%s: waiting for the host: others use %.1f %% of its processors, max_load is %g %%", name, 100 * share,
				100 * most);
		told = TRUE;
	}
	if (told || share > most)
		tell_end(progress, name, share, most, waited_ns);
	if (share > most)
		*ret_evidence = g_strdup_printf("other load before %s: %.1f %% of the time of the host's processors, over max_load %g %%, and it did "
						"not go down in time", name, 100 * share, 100 * most);
	return TRUE;
}
