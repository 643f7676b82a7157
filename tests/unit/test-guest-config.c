/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What of a profile reaches the guest's configuration as a limit of time. */
#include "harness/plan/plan.h"
#include "harness/run/guest-config.h"

static guint limit_of(const char *measure)
{
	g_autofree char *text = g_strdup_printf("name: x\ntargets: [{name: t, size: 1G}]\nmeasure: {%s}\n", measure);
	g_autoptr(GError) error = NULL;
	g_autoptr(Profile) profile = profile_parse("p.yaml", text, -1, &error);
	g_auto(PlanFacts) facts = {NULL};
	g_autoptr(Plan) plan = NULL;

	g_assert_no_error(error);
	plan_facts_init(&facts, profile, "tcg");
	plan = plan_build(profile, &facts, FALSE, 1, &error);
	g_assert_no_error(error);
	return guest_config_of(plan, 0, "tcg", "/agent").hello_timeout_s;
}

static void test_boot_limit(void)
{
	g_assert_cmpuint(limit_of("blocks: 1"), ==, 0); /* as the guest side has it */
	g_assert_cmpuint(limit_of("boot_limit: 1s"), ==, 1);
	g_assert_cmpuint(limit_of("boot_limit: 1500ms"), ==, 2); /* never shorter than asked */
	g_assert_cmpuint(limit_of("boot_limit: 1h"), ==, 3600);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/guest-config/boot-limit", test_boot_limit);
	return g_test_run();
}
