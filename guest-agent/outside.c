/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "guest-agent/outside.h"

#include <errno.h>
#include <string.h>

/* One look at the child and the harness. 1: go on, 0: the child's streams have ended, -errno with FAULT set. */
static int step(const OutsideOps *ops, Child *child, RunContext *context, void *data, Fault *fault)
{
	uint64_t wait = ops->proceed(data);
	int more = 1;

	if (!wait)
		return fault_set(fault, ETIMEDOUT, ops->what, "%s did not end in time and was killed%s", ops->name, ops->late);
	if (run_listen(context, child->wake_fd, wait))
		more = child_collect(child);
	if (run_is_over(context, fault))
		return -ECANCELED;
	if (more < 0)
		return fault_set(fault, -more, ops->what, "what %s prints cannot be taken: %s", ops->name, strerror(-more));
	return more;
}

int outside_watch(const OutsideOps *ops, Child *child, RunContext *context, void *data, Fault *fault)
{
	int r;

	do
		r = step(ops, child, context, data, fault);
	while (r > 0);
	if (r == 0)
		return child_reap(child);
	child_kill(child);
	return r;
}
