/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/gate/signflip.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>

/* Differences beyond this many medians of |d| are clipped to it, but never below the least limit. */
#define CLIP_MEDIANS 2.5
#define CLIP_LEAST 0.01
/* A variance below this share of the mean square is rounding, and counts as none. */
#define NO_VARIANCE 1e-12
/* Below this share the difference of two sums has lost too many digits. */
#define CANCELLED 1e-6
/* Statistics closer than this are tied. */
#define TIE 1e-9
#define LEVEL 0.95

/* The clipped differences that are present, in the order of their blocks. */
typedef struct {
	guint n;
	guint bit[SIGNFLIP_MAX_BLOCKS];
	double c[SIGNFLIP_MAX_BLOCKS];
	double squares, v0;
} Clipped;

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double signflip_median(double *values, guint n)
{
	if (n == 0)
		return NAN;
	qsort(values, n, sizeof(*values), compare_doubles);
	return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

static double clip_limit(const double *d, guint blocks)
{
	double sizes[SIGNFLIP_MAX_BLOCKS];
	guint n = 0;

	for (guint r = 0; r < blocks; r++)
		if (isfinite(d[r]))
			sizes[n++] = fabs(d[r]);
	return fmax(CLIP_MEDIANS * signflip_median(sizes, n), CLIP_LEAST);
}

/* The limit is even in d: flipping signs before or after clipping is the same. */
static void clip(Clipped *clipped, const SignflipRow *row, guint blocks)
{
	double limit = clip_limit(row->d, blocks);

	*clipped = (Clipped){.v0 = row->v0};
	for (guint r = 0; r < blocks; r++) {
		double c = row->d[r];

		if (!isfinite(c))
			continue;
		c = c > limit ? limit : c < -limit ? -limit : c;
		clipped->bit[clipped->n] = r;
		clipped->c[clipped->n++] = c;
		clipped->squares += c * c;
	}
}

/* Sum of squares around the mean, of the flipped values whose sum is SUM. */
static double scatter(const Clipped *clipped, double sum, guint64 flip)
{
	double mean = sum / clipped->n, around = clipped->squares - sum * mean;

	if (around > CANCELLED * clipped->squares)
		return around;
	around = 0;
	for (guint i = 0; i < clipped->n; i++) {
		double c = flip >> clipped->bit[i] & 1 ? -clipped->c[i] : clipped->c[i];

		around += (c - mean) * (c - mean);
	}
	if (around / (clipped->n - 1) <= NO_VARIANCE * clipped->squares / clipped->n)
		return 0;
	return around;
}

static double moderated(const Clipped *clipped, double sum, guint64 flip)
{
	double around = clipped->n > 1 ? scatter(clipped, sum, flip) : 0;

	return (around + SIGNFLIP_PRIOR_DF * clipped->v0) / (clipped->n - 1 + SIGNFLIP_PRIOR_DF);
}

/* Positive = slower. */
static double statistic(const Clipped *clipped, double sum, guint64 flip)
{
	double variance = moderated(clipped, sum, flip);

	if (variance > 0)
		return -sum / sqrt(clipped->n * variance);
	return sum < 0 ? INFINITY : sum > 0 ? -INFINITY : 0;
}

static double sum_of(const Clipped *clipped)
{
	double sum = 0;

	for (guint i = 0; i < clipped->n; i++)
		sum += clipped->c[i];
	return sum;
}

void signflip_describe(SignflipRow *row, guint blocks)
{
	double limit, sum = 0;
	Clipped clipped;

	g_assert(blocks <= SIGNFLIP_MAX_BLOCKS);
	clip(&clipped, row, blocks);
	limit = clip_limit(row->d, blocks);
	row->n = clipped.n;
	row->clipped = 0;
	if (row->n == 0)
		return;
	for (guint r = 0; r < blocks; r++)
		if (isfinite(row->d[r])) {
			sum += row->d[r];
			row->clipped += fabs(row->d[r]) > limit;
		}
	row->mean_d = sum / row->n;
	row->mean_c = sum_of(&clipped) / row->n;
	row->square = clipped.squares / row->n;
	row->sd = sqrt(moderated(&clipped, sum_of(&clipped), 0));
	row->t = statistic(&clipped, sum_of(&clipped), 0);
}

guint64 signflip_flips(guint blocks)
{
	return G_GUINT64_CONSTANT(1) << blocks;
}

/*
 * Sums of the flipped values for all patterns of COUNT bits from FIRST: the sum of a whole flip is that of its
 * lower half of bits plus that of its upper half, so nothing accumulates over the flips.
 */
static void half_sums(const Clipped *clipped, guint first, guint count, double *sums)
{
	for (guint64 pattern = 0; pattern < signflip_flips(count); pattern++) {
		sums[pattern] = 0;
		for (guint i = 0; i < clipped->n; i++)
			if (clipped->bit[i] >= first && clipped->bit[i] < first + count)
				sums[pattern] += pattern >> (clipped->bit[i] - first) & 1 ? -clipped->c[i]
											  : clipped->c[i];
	}
}

/* True when the statistic VALUE of some flip counts as at least T. Infinities compare as they are. */
static double reach(double t)
{
	return isfinite(t) ? t - TIE * fmax(1, fabs(t)) : t;
}

typedef void (*VisitFlip)(guint64 flip, double t, void *data);

static void each_flip(const Clipped *clipped, guint blocks, VisitFlip visit, void *data)
{
	guint low = blocks / 2, high = blocks - low;
	double lows[1 << (SIGNFLIP_MAX_BLOCKS / 2)], highs[1 << ((SIGNFLIP_MAX_BLOCKS + 1) / 2)];

	half_sums(clipped, 0, low, lows);
	half_sums(clipped, low, high, highs);
	for (guint64 upper = 0; upper < signflip_flips(high); upper++)
		for (guint64 lower = 0; lower < signflip_flips(low); lower++) {
			guint64 flip = upper << low | lower;

			visit(flip, statistic(clipped, lows[lower] + highs[upper], flip), data);
		}
}

typedef struct {
	double *largest; /* by flip; may be NULL */
	double at_least;
	gboolean two_sided;
	guint64 count;
} Counting;

static inline void count_flip(guint64 flip, double t, void *data)
{
	Counting *counting = data;

	counting->count += (counting->two_sided ? fabs(t) : t) >= counting->at_least;
	if (counting->largest && t > counting->largest[flip])
		counting->largest[flip] = t;
}

static guint64 count_at_least(const double *sorted, guint64 n, double at_least)
{
	guint64 from = 0, to = n;

	while (from < to) {
		guint64 middle = from + (to - from) / 2;

		if (sorted[middle] >= at_least)
			to = middle;
		else
			from = middle + 1;
	}
	return n - from;
}

/*
 * The family of the other direction has the same distribution: exchanging the arms is the flip of all blocks, so
 * its maxima are those of the complementary flips.
 */
static void adjust(SignflipRow *rows, guint n_rows, const double *sorted, guint64 flips)
{
	for (guint i = 0; i < n_rows; i++) {
		if (!rows[i].in_family)
			continue;
		rows[i].k_slower = count_at_least(sorted, flips, reach(rows[i].t));
		rows[i].k_faster = count_at_least(sorted, flips, reach(-rows[i].t));
	}
}

void signflip_test(SignflipRow *rows, guint n_rows, guint blocks, guint min_blocks)
{
	guint64 flips = signflip_flips(blocks);
	g_autofree double *largest = NULL;

	g_assert(blocks <= SIGNFLIP_MAX_BLOCKS && min_blocks > 0);
	largest = g_new(double, flips);
	for (guint64 e = 0; e < flips; e++)
		largest[e] = -INFINITY;
	for (guint i = 0; i < n_rows; i++) {
		Counting counting = {.largest = largest};
		Clipped clipped;

		signflip_describe(&rows[i], blocks);
		rows[i].in_family = rows[i].n >= min_blocks;
		if (!rows[i].in_family)
			continue;
		clip(&clipped, &rows[i], blocks);
		counting.at_least = reach(rows[i].t);
		each_flip(&clipped, blocks, count_flip, &counting);
		rows[i].k_raw = counting.count;
	}
	qsort(largest, flips, sizeof(*largest), compare_doubles);
	adjust(rows, n_rows, largest, flips);
}

guint64 signflip_two_sided(const SignflipRow *row, guint blocks)
{
	Counting counting = {.at_least = reach(fabs(row->t)), .two_sided = TRUE};
	Clipped clipped;

	clip(&clipped, row, blocks);
	each_flip(&clipped, blocks, count_flip, &counting);
	return counting.count;
}

gboolean signflip_significant(guint64 k, guint blocks, double alpha)
{
	/* The product of a decimal fraction and a power of two may fall just short of a whole number. */
	return (double)k <= floor(alpha * (double)signflip_flips(blocks) + TIE);
}

double signflip_half_width(const SignflipRow *row)
{
	if (row->n == 0)
		return 0;
	return gsl_cdf_tdist_Pinv(LEVEL, row->n - 1 + SIGNFLIP_PRIOR_DF) * row->sd / sqrt(row->n);
}
