/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Do the agent and an outside engine agree? From their runs of one workload on one side, paired by block. Pure.
 *
 * Rates and mean whole latencies (from the start of the submitting call to the completion) are compared by the ratio own/outside
 * with its interval (compare.h). The 99th percentile is too coarse in single runs for a ratio; the intervals of both engines
 * on it must overlap. Under ENGINES_MIN_PAIRS pairs nothing is called agreement, and nothing at all is judged unless both had the
 * same ceiling and time enough (engines_unmet).
 *
 * Who may include it: export, cli. Must not depend on the store.
 */
#ifndef IOGAP_COMPARE_ENGINES_H
#define IOGAP_COMPARE_ENGINES_H

#include <glib.h>

#include "harness/compare/compare.h"

#define ENGINES_MIN_PAIRS 6
#define ENGINES_IOPS_LIMIT 0.01 /* largest difference that still is agreement */
#define ENGINES_MEAN_LIMIT 0.03
#define ENGINES_SETTLE_NS 1000000000ll /* shortest times that are judged */
#define ENGINES_RUN_NS 4000000000ll

/* One run; NAN = not measured. */
typedef struct {
	double iops, mean_ns, p99_ns;
} EnginesRun;

typedef enum {
	ENGINES_AGREE,	 /* the whole interval of the ratio lies within the limit; intervals overlap */
	ENGINES_DIFFER,	 /* the whole interval of the ratio lies beyond the limit; intervals do not overlap */
	ENGINES_UNCLEAR, /* neither, too few pairs, or not judged */
} EnginesVerdict;

typedef struct {
	CompareCell pairs; /* host = outside, guest = own: ratio is own/outside */
	double limit;
	EnginesVerdict verdict;
} EnginesRatio;

/* Mean of the logarithms with its two-sided interval of COMPARE_LEVEL, as a value; NAN where unknown. */
typedef struct {
	guint n;
	double middle, low, high;
} EnginesInterval;

typedef struct {
	EnginesRatio iops, mean;
	EnginesInterval own_p99, outside_p99;
	EnginesVerdict p99;
	EnginesVerdict verdict; /* DIFFER if any does, else UNCLEAR if any is, else AGREE */
} EnginesAgreement;

/* OWN[b] and OUTSIDE[b] are the runs of block b. */
EnginesAgreement engines_compare(const EnginesRun *own, const EnginesRun *outside, guint blocks);

/* Why a leg cannot be judged, for people, or NULL: it is not LIMITED in operations per second, or its runs are too short (0 = not
 * known). */
const char *engines_unmet(gboolean limited, gint64 settle_ns, gint64 run_ns);
/* Every verdict becomes ENGINES_UNCLEAR; the figures stay. */
void engines_withdraw(EnginesAgreement *agreement);

/* What two verdicts are together: see EnginesAgreement.verdict. */
EnginesVerdict engines_worse(EnginesVerdict a, EnginesVerdict b);

/* "agree", "differ", "unclear". */
const char *engines_verdict_name(EnginesVerdict verdict);

#endif
