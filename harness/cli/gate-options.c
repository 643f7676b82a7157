/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/cli/gate-options.h"

#include "harness/base/error.h"
#include "harness/base/nearest.h"

gboolean gate_flags_known(const char *const *flags, GError **error)
{
	for (guint i = 0; flags && flags[i]; i++) {
		const char *hint = nearest(flags[i], gate_excluding_flags);
		g_autofree char *list = NULL;

		if (gate_flag_excludes(flags[i]))
			continue;
		list = g_strjoinv(", ", (char **)gate_excluding_flags);
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_USAGE, "--accept-flag %s: no such flag takes a run out of the gate; those that do "
			"are %s%s%s%s", flags[i], list, hint ? "; did you mean " : "", hint ? hint : "", hint ? "?" : "");
		return FALSE;
	}
	return TRUE;
}

/* CELLS: NULL-terminated names. */
static gboolean known(const char *const *names, const GPtrArray *cells, GError **error)
{
	for (guint i = 0; names && names[i]; i++) {
		const char *const *list = (const char *const *)cells->pdata;
		const char *hint;

		if (g_strv_contains(list, names[i]))
			continue;
		if (g_str_has_prefix(names[i], "geomean:")) {
			g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_USAGE, "--require \"%s\": a group cannot be required, since it has no noise of its "
				"own; require its cells", names[i]);
			return FALSE;
		}
		hint = nearest(names[i], list);
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_USAGE, "--require \"%s\": there is no such cell; %s%s%s", names[i],
			hint ? "did you mean \"" : "one is called \"", hint ? hint : list[0] ? list[0] : "none", hint ? "\"?" : "\"");
		return FALSE;
	}
	return TRUE;
}

gboolean gate_names_known(const char *const *names, const GateData *data, GError **error)
{
	g_autoptr(GPtrArray) cells = g_ptr_array_new();

	for (guint i = 0; i < data->input.n_cells; i++)
		g_ptr_array_add(cells, (char *)data->input.cells[i].name);
	g_ptr_array_add(cells, NULL);
	return known(names, cells, error);
}

gboolean gate_names_planned(const char *const *names, const Plan *plan, GError **error)
{
	g_autoptr(GPtrArray) cells = g_ptr_array_new_with_free_func(g_free);

	for (guint i = 0; i < plan->legs->len; i++) {
		const PlanLeg *leg = g_ptr_array_index(plan->legs, i);

		if (leg->side == PLAN_GUEST && leg->arm)
			g_ptr_array_add(cells, gate_cell_name(leg->label, leg->arm));
	}
	g_ptr_array_add(cells, NULL);
	return known(names, cells, error);
}
