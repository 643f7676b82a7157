/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/plan/refuse.h"

#include "guest-agent/common/units.h"

const char *refuse_in_memory(const Case *c)
{
	const GPtrArray *names = c->facts->in_memory;

	if (IS(c->target->type, "tmpfs"))
		return "tmpfs";
	return names ? g_ptr_array_index(names, c->cell.target) : NULL;
}

char *refuse_size_text(guint64 bytes)
{
	char buf[32];

	return g_strdup(units_format_size(bytes, buf, sizeof(buf)));
}

char *refuse_alignment(guint64 block_size, guint sector, const char *whose)
{
	g_autofree char *text = refuse_size_text(sector);

	if (sector == 0 || block_size % sector == 0)
		return NULL;
	if (block_size < sector)
		return g_strdup_printf("direct I/O cannot be smaller than %s of %s", whose, text);
	return g_strdup_printf("direct I/O must be a multiple of %s of %s", whose, text);
}

static char *refuse_by(const RefuseRow *rows, const Case *c, MatrixDim ret_dims[REFUSE_DIMS])
{
	for (; rows->reason; rows++) {
		char *reason = rows->reason(c);

		if (!reason)
			continue;
		for (guint d = 0; d < REFUSE_DIMS; d++)
			ret_dims[d] = rows->dims[d];
		return reason;
	}
	return NULL;
}

char *refuse(const Profile *profile, const PlanFacts *facts, const Combination *combination,
	MatrixDim ret_dims[REFUSE_DIMS])
{
	static const RefuseRow *const subjects[] = {refuse_disk, refuse_image, refuse_load, refuse_target, refuse_machine, refuse_isolation};
	Case c = {.profile = profile, .facts = facts, .combination = combination,
		.cell = cell_of(profile, combination)};
	char *reason = NULL;

	c.target = g_ptr_array_index(profile->targets, c.cell.target);
	for (guint i = 0; i < G_N_ELEMENTS(subjects) && !reason; i++)
		reason = refuse_by(subjects[i], &c, ret_dims);
	return reason;
}
