/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/side/side.h"

#include "harness/base/error.h"

gboolean side_start(Side *side, GCancellable *cancel, GError **error)
{
	return side->ops->start(side, cancel, error);
}

char *side_disk(Side *side, const SideDisk *disk, GCancellable *cancel, GError **error)
{
	return side->ops->disk(side, disk, cancel, error);
}

json_t *side_call(Side *side, const char *cmd, const json_t *arguments, guint timeout_ms,
	LinkPhase phase, void *data, GCancellable *cancel, GError **error)
{
	if (!side->link) {
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_LOST, "the %s side is not running", side->ops->name);
		return NULL;
	}
	return link_call(side->link, cmd, arguments, timeout_ms, phase, data, cancel, error);
}

void side_facts(Side *side, Record *record)
{
	if (side->ops->facts)
		side->ops->facts(side, record);
}

void side_begin(Side *side, const SideDisk *disk)
{
	if (side->ops->begin)
		side->ops->begin(side, disk);
}

void side_end(Side *side, const SideDisk *disk, Record *run, Record *reasons)
{
	if (side->ops->end)
		side->ops->end(side, disk, run, reasons);
}

void side_stop(Side *side)
{
	side->ops->stop(side);
	g_clear_pointer(&side->link, link_free);
}

void side_free(Side *side)
{
	if (!side)
		return;
	side_stop(side);
	if (side->ops->free)
		side->ops->free(side);
	g_free(side);
}
