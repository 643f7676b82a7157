/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Waits for the host to be calm, before a block: nothing of the sweep's own is at work then, so that all that is used of the processors is others'
 * doing. Load averages would still hold the block before. Only waits, with a ceiling, and never looks at a figure that was measured: what is
 * kept does not depend on how it came out.
 */
#ifndef IOGAP_RUN_HOST_LOAD_H
#define IOGAP_RUN_HOST_LOAD_H

#include <gio/gio.h>

#include "harness/base/progress.h"
#include "harness/run/machine.h"

/* Share of the time of all processors that was used or taken away (steal) between two snapshots; NaN = cannot be read. Idle and waiting for
 * a disk are not use. */
double host_load_share(const MachineSnapshot *begin, const MachineSnapshot *end);

/*
 * Looks at the host for a second, again and again until its load is at most MOST or WAIT_NS have passed; PROGRESS is told when it has to wait and how
 * that ended. *ret_evidence gets a text for a flag when it was not calm in the end, else NULL. FALSE with IOGAP_ERROR_INTERRUPTED only. NAME:
 * what waits, "block 3".
 */
gboolean host_load_wait(double most, guint64 wait_ns, const char *name, Progress *progress, GCancellable *cancel, char **ret_evidence,
	GError **error);

#endif
