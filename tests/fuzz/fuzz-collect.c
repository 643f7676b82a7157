/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An agent's result: rows of the store, or an error and an untouched run. */
#include "harness/run/collect.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const PlanWorkload workload = {
		.rw = "read",
		.sync = "none",
		.engine = "psync",
		.mix_read = -1,
		.block_size = 8192,
		.direct = TRUE,
		.queue_depth = 1,
		.jobs = 1,
		.rate_iops = -1,
	};
	json_t *result = json_loadb((const char *)data, size, JSON_REJECT_DUPLICATES, NULL);
	g_autoptr(StoreRun) run = store_run_new();
	g_autoptr(GError) error = NULL;
	gboolean fine;

	if (!result)
		return 0;
	fine = collect_result(result, &workload, run, &error);
	g_assert_true(fine == (error == NULL));
	if (!fine) {
		g_assert_cmpuint(record_size(run->run), ==, 0);
		g_assert_cmpuint(run->hists->len + run->flags->len, ==, 0);
	}
	json_decref(result);
	return 0;
}
