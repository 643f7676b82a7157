/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/gate/families.h"

GateFamily *gate_family_new(GateMetricId metric, GateFamilyMode mode)
{
	GateFamily *family = g_new0(GateFamily, 1);

	family->metric = metric;
	family->mode = mode;
	return family;
}

void gate_family_free(GateFamily *family)
{
	if (!family)
		return;
	g_clear_pointer(&family->data, gate_data_free);
	g_clear_pointer(&family->result, gate_result_free);
	g_free(family);
}

/* The order of precedence; larger comes first. */
static guint rank(int code, gboolean drift)
{
	switch (code) {
	case 5: return 5;
	case 4: return 4;
	case 3: return drift ? 3 : 1;
	case 1: return 2;
	default: return 0;
	}
}

static int code_of(const GateFamily *family, char **ret_why)
{
	const char *what = gate_metric(family->metric)->what;
	g_autofree char *why = NULL;
	int code = 3;

	if (family->result)
		code = gate_exit_code(family->result, &why);
	else
		why = g_strdup("no run has it, although it gates");
	*ret_why = family->metric == GATE_THROUGHPUT ? g_steal_pointer(&why) : g_strdup_printf("%s: %s", what, why);
	return code;
}

int gate_families_exit_code(const GPtrArray *families, char **ret_why)
{
	g_autofree char *worst_why = NULL;
	guint worst_rank = 0;
	int worst = 0;

	for (guint i = 0; i < families->len; i++) {
		const GateFamily *family = families->pdata[i];
		g_autofree char *why = NULL;
		guint r;
		int code;

		if (family->mode != GATE_FAMILY_GATING)
			continue;
		code = code_of(family, &why);
		r = rank(code, family->result && family->result->drift);
		if (worst_why && r <= worst_rank)
			continue;
		worst = code;
		worst_rank = r;
		g_free(worst_why);
		worst_why = g_steal_pointer(&why);
	}
	if (ret_why)
		*ret_why = g_steal_pointer(&worst_why);
	return worst;
}
