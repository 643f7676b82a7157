/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The verdict over a whole matrix: was the candidate slower than the baseline, cell by cell and in groups of cells, with one stated
 * error rate for all of them together.
 *
 * Two steps. The screen looks at all cells in few blocks and never fails anything: what looks suspicious is promoted, the rest is OK.
 * The confirmation looks at the promoted rows in fresh blocks with the exact test of signflip.h. Because no block serves
 * both, having chosen costs nothing. Rows are cells and groups; they are one family.
 *
 * What is missing never helps: a cell without over half of the screen's blocks is confirmed, one without enough blocks of the confirmation
 * is INVALID or INCONCLUSIVE, and so is one whose candidate failed where the baseline did not. Waived cells are part of no group.
 *
 * Values are y = ln(rate) of one run, higher = better (negate what is better when lower). Slowdowns are
 * fractions, 0.05 = 5 % slower. Pure over arrays; the order of cells and groups changes nothing. Who may include it: export, cli.
 */
#ifndef IOGAP_GATE_GATE_H
#define IOGAP_GATE_GATE_H

#include <glib.h>

#include "harness/gate/signflip.h"

typedef struct {
	double alpha;	     /* chance of a false alarm per sweep, over all rows: 0.05 */
	double detect;	     /* slowdown that must not be called OK: 0.05 */
	double group_detect; /* the same of a group row: 0.02 */
	double least;	     /* slowdown below which nothing is REGRESSED: 0.025 */
	double group_least;  /* 0.01 */
	double promote;	     /* slowdown or gain in the screen from which a cell is confirmed: 0.02 */
	double group_promote; /* 0.01 */
	guint screen_blocks; /* blocks of the screen: 5 */
	guint confirm_blocks; /* blocks planned for the confirmation: 12 */
	guint min_blocks;    /* fewest blocks of a confirmed row: 6; more when alpha needs it (gate_min_blocks) */
	guint sentinels;     /* at most this many cells stand for a promoted group; 0 = all of them */
	guint64 seed;	     /* draws them */
} GateSettings;

void gate_settings_init(GateSettings *settings);
/* Fewest blocks in which a p of alpha can be reached at all, and at least settings->min_blocks. */
guint gate_min_blocks(const GateSettings *settings);

typedef enum {
	GATE_OK,
	GATE_REGRESSED,
	GATE_IMPROVED,
	GATE_INCONCLUSIVE,
	GATE_TOO_NOISY,	 /* inconclusive, and the spread had said that it would be: no reason for exit 3 by itself */
	GATE_INVALID,	 /* its runs are flagged */
	GATE_MISSING,	 /* the baseline has it, the candidate does not */
	GATE_NEW,	 /* the other way round */
	GATE_NO_CHANGE,	 /* both arms are the same */
	GATE_WITHHELD,	 /* the host moved as well */
	GATE_SENTINEL,	 /* measured for its group only */
} GateVerdict;
const char *gate_verdict_name(GateVerdict verdict);

/* One cell as it is given. Arrays have one value per block; a value that is not finite is none. */
typedef struct {
	const char *name;
	const double *baseline, *candidate;
	gboolean no_baseline, no_candidate; /* the leg itself is absent from that arm */
	guint flagged[2];  /* runs of the baseline and of the candidate that are left out because they are flagged */
	guint failed[2];   /* because they failed */
	guint lost;	   /* of the candidate's failed ones, those in a block that the baseline did measure */
	/* Flags of the runs that count, and of those that are left out; NULL-terminated, NULL = none. */
	const char *const *flags, *const *flags_out;
	gboolean required; /* named by the user: exit 3 even when it is too noisy */
	gboolean waived;   /* measured and shown, but never decides the exit code */
	/* GateInput.screened only */
	gboolean promoted;
	double v0;
} GateCell;

typedef struct {
	const char *name;
	const guint *cells; /* indexes into GateInput.cells */
	guint n_cells;
	gboolean waived;   /* as a cell's */
	gboolean promoted; /* GateInput.screened only */
	double v0;
} GateGroup;

typedef struct {
	guint blocks; /* screen_blocks first, then those of the confirmation */
	const GateCell *cells;
	guint n_cells;
	const GateGroup *groups;
	guint n_groups;
	const double *control; /* ln(candidate's host / baseline's host) by block; NULL = there is none */
	const GateCell *hosts; /* gate_against only: the control, the host's legs with their values by sweep */
	guint n_hosts;
	/* The screen was made elsewhere: all blocks are of the confirmation, promoted and v0 are given. */
	gboolean screened;
	gboolean same; /* both arms are known to be the same thing: nothing is REGRESSED, noise is no reason for exit 3; an A/A sample */
} GateInput;

/* One row of the result. NaN = there is none. */
typedef struct {
	char *name;
	gboolean group, promoted, confirmed; /* confirmed: n and what follows are of the confirmation */
	gboolean required, waived, too_noisy;
	gboolean alarm; /* NO_CHANGE that would have been REGRESSED */
	gboolean sentinel; /* has to be measured in the confirmation for its group's sake */
	GateVerdict verdict;
	char *reason;	  /* in words; NULL = the verdict says it all */
	guint n;	  /* blocks that count for the verdict */
	guint n_screen, flagged, failed, members; /* flagged, failed: of both sides */
	guint lost;	  /* as GateCell's, where the candidate failed more often than the baseline */
	gboolean dead;	  /* one side has failed runs, and nothing else */
	double slowdown, low, high; /* estimate and its two one-sided 95 % bounds */
	double mean_d;	  /* of the blocks that count, not clipped */
	double screen_mean, screen_sd; /* screen_sd: moderated by the median over the cells */
	double v0, mde;	  /* mde: smallest slowdown that the confirmation sees with 95 % power */
	SignflipRow test; /* d points to NULL */
	double p_raw, p_slower, p_faster; /* alone; in the family, for REGRESSED and for IMPROVED */
	double *d;	  /* by block */
	guint blocks;
	GPtrArray *flags, *flags_out; /* of char *, each once and sorted: as GateCell's, of all cells of a group */
} GateRow;

typedef struct {
	GateSettings settings;
	gboolean stored; /* by gate_against */
	gboolean same;	 /* GateInput.same: noise decides nothing */
	GPtrArray *rows; /* of GateRow *: groups first, then cells, by name */
	guint blocks, confirm_blocks;
	guint family;	 /* K: rows tested together */
	guint promoted;
	guint cells;	 /* gated ones: those with both arms */
	guint noisy;	 /* of them, too noisy for settings.detect */
	gboolean control_open; /* the screen alone: the host moved so much that its control has to be confirmed as well */
	gboolean control_short; /* there is a control, but half of its blocks or more have no good run; or too few of the baseline's sweeps, or not the candidate */
	gboolean drift;	 /* CONTROL_DRIFT: verdicts are withheld */
	guint control_n; /* blocks, or sweeps of the baseline, that have it */
	double control_mean, control_p; /* p: two-sided */
	guint64 control_k; /* of signflip_flips(control_blocks); not for stored sweeps */
	guint control_blocks;
} GateResult;

/*
 * With no more than settings->screen_blocks blocks it is the screen alone: rows that are promoted or sentinel have to be measured
 * in the confirmation, and promoted ones are INCONCLUSIVE until then. IOGAP_ERROR_USAGE: no cell, two rows with one name, too
 * many blocks.
 */
GateResult *gate_judge(const GateSettings *settings, const GateInput *input, GError **error);
void gate_result_free(GateResult *result);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(GateResult, gate_result_free)

/*
 * The other way: the candidate's sweeps against stored ones of the baseline, each of which is one value per cell (the mean
 * of ln(rate) over its good runs). How much sweeps differ among themselves is learned from the baseline, so a prediction interval
 * decides: t = (mean baseline - mean candidate) / (s sqrt(1/m + 1/k)), s moderated by the median over the cells, p times
 * the number of rows (Bonferroni: cells of one sweep move together, and that only makes it safer). That takes sweeps to vary
 * normally. So with one candidate sweep a rank test has to agree, which takes them to be exchangeable only: each sweep in turn is held
 * against all others, and its largest t over all rows is kept; at most floor(alpha (m + 1)) of the m + 1 sweeps (but one, where that is
 * none) may reach the row's own t. Whatever the noise, false alarms are then at most alpha from 1/alpha - 1 baselines on, and
 * 1/(m + 1) with fewer. Sources: Westfall and Young 1993 (max-T); Vovk, Gammerman and Shafer 2005 (conformal prediction). With fewer than
 * GATE_MIN_BASELINES nothing is REGRESSED, IMPROVED or OK. The host's own rate is held against its stored ones by the same prediction
 * interval, two-sided: verdicts are withheld where it moved. Baseline and candidate of GateCell hold the values of m and k
 * sweeps here; blocks and screened are not used.
 */
#define GATE_MIN_BASELINES 5
GateResult *gate_against(const GateSettings *settings, const GateInput *input, guint baselines, guint candidates, GError **error);

/* The row of that name, or NULL. */
const GateRow *gate_row(const GateResult *result, const char *name);

/* 0 pass, 1 regression, 3 inconclusive, 4 nothing comparable, 5 a row without one good run because they failed; *ret_why (may be NULL) gets why in words, a new text. */
int gate_exit_code(const GateResult *result, char **ret_why);

/*
 * Smallest slowdown that CONFIRM fresh blocks see with 95 % power in a family of FAMILY rows, from a standard deviation SD of
 * differences that is known with DF degrees of freedom. NaN when that is under 1.
 */
double gate_mde(double sd, double df, guint confirm, guint family, double alpha, double least);

#endif
