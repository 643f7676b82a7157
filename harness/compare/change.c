/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/compare/change.h"

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>
#include <string.h>

#include "harness/compare/welch.h"

/* So many random orders that a p of the level rests on several of them, but never more than what takes seconds. */
#define ORDERS_PER_LEVEL 20
#define FEWEST_ORDERS 1999
#define MOST_ORDERS 199999
/* Two sums of the same values in another order differ by rounding alone. */
#define ROUNDING 1e-9

void change_settings_init(ChangeSettings *settings)
{
	*settings = (ChangeSettings){.level = 0.05, .least = 0.03, .length = 3, .seed = 1};
}

typedef struct {
	const ChangeSettings *settings;
	const double *y;
	guint n;
	double *work;
	gsl_rng *rng;
	GArray *found; /* of ChangePoint */
} Search;

/* The largest weighed difference of means of N values, and the first value after that split. */
static double largest(const double *y, guint n, guint length, guint *ret_at)
{
	double all = 0, left = 0, best = -1;

	for (guint i = 0; i < n; i++)
		all += y[i];
	for (guint k = 1; k + length <= n; k++) {
		double difference, weighed;

		left += y[k - 1];
		if (k < length)
			continue;
		difference = left / k - (all - left) / (n - k);
		weighed = difference * difference * k * (n - k) / n;
		if (weighed > best) {
			best = weighed;
			if (ret_at)
				*ret_at = k;
		}
	}
	return best;
}

/* Less noise in the last digits: sums around 0 instead of around ln(rate) = 18. */
static void centre(double *y, guint n)
{
	double mean = 0;

	for (guint i = 0; i < n; i++)
		mean += y[i] / n;
	for (guint i = 0; i < n; i++)
		y[i] -= mean;
}

/* Looks for one change in the values from FROM to before TO. FALSE when there is none at the level. */
static gboolean search_one(Search *search, guint from, guint to, ChangePoint *ret)
{
	const ChangeSettings *s = search->settings;
	guint n = to - from, length = MAX(s->length, 1), at = 0, reached = 1;
	guint orders = (guint)CLAMP(ORDERS_PER_LEVEL / s->level, FEWEST_ORDERS, MOST_ORDERS);
	double most = s->level * (orders + 1), own;

	if (n < 2 * length)
		return FALSE;
	memcpy(search->work, search->y + from, n * sizeof(double));
	centre(search->work, n);
	own = largest(search->work, n, length, &at);
	if (!(own > 0))
		return FALSE;
	/* The outcome is certain as soon as too many orders reach it. */
	for (guint i = 0; i < orders && reached <= most; i++) {
		gsl_ran_shuffle(search->rng, search->work, n, sizeof(double));
		reached += largest(search->work, n, length, NULL) >= own * (1 - ROUNDING);
	}
	if (reached > most)
		return FALSE;
	*ret = (ChangePoint){.at = from + at, .p = (double)reached / (orders + 1), .low = NAN, .high = NAN};
	return TRUE;
}

static void split(Search *search, guint from, guint to)
{
	ChangePoint point;

	if (!search_one(search, from, to, &point))
		return;
	split(search, from, point.at);
	g_array_append_val(search->found, point);
	split(search, point.at, to);
}

static ChangePoint *point_of(const Search *search, guint i)
{
	return &g_array_index(search->found, ChangePoint, i);
}

static guint before(const Search *search, guint i)
{
	return i ? point_of(search, i - 1)->at : 0;
}

static guint after(const Search *search, guint i)
{
	return i + 1 < search->found->len ? point_of(search, i + 1)->at : search->n;
}

/* A split made while others were still unknown may lie wrong, or be theirs. */
static void place_again(Search *search)
{
	for (guint i = 0; i < search->found->len;) {
		ChangePoint point;

		if (search_one(search, before(search, i), after(search, i), &point))
			*point_of(search, i++) = point;
		else
			g_array_remove_index(search->found, i);
	}
}

static void measure(Search *search, guint i)
{
	ChangePoint *point = point_of(search, i);
	guint from = before(search, i), to = after(search, i);
	double mean = 0;
	CompareChange change;

	/* Rates around 1, so that exp cannot overflow whatever the unit is. */
	for (guint k = from; k < to; k++)
		mean += search->y[k] / (to - from);
	for (guint k = from; k < to; k++)
		search->work[k - from] = exp(search->y[k] - mean);
	change = compare_change(search->work, point->at - from, search->work + (point->at - from), to - point->at);
	point->step = change.change - 1;
	point->has_interval = change.has_interval;
	point->low = change.has_interval ? change.low - 1 : NAN;
	point->high = change.has_interval ? change.high - 1 : NAN;
}

/* The smallest step first, since merging changes its neighbours. */
static void merge_small(Search *search)
{
	for (;;) {
		guint smallest = 0;

		for (guint i = 0; i < search->found->len; i++) {
			measure(search, i);
			if (fabs(point_of(search, i)->step) < fabs(point_of(search, smallest)->step))
				smallest = i;
		}
		if (search->found->len == 0 || fabs(point_of(search, smallest)->step) >= search->settings->least)
			return;
		g_array_remove_index(search->found, smallest);
	}
}

GArray *change_find(const ChangeSettings *settings, const double *y, guint n)
{
	g_autofree double *work = g_new(double, n + 1);
	Search search = {.settings = settings, .y = y, .n = n, .work = work};

	search.rng = gsl_rng_alloc(gsl_rng_mt19937);
	gsl_rng_set(search.rng, settings->seed);
	search.found = g_array_new(FALSE, TRUE, sizeof(ChangePoint));
	split(&search, 0, n);
	place_again(&search);
	merge_small(&search);
	gsl_rng_free(search.rng);
	return search.found;
}

double change_smallest_p(const ChangeSettings *settings, guint n)
{
	guint half = n / 2;

	if (n < 2 * MAX(settings->length, 1))
		return 1;
	return fmin(1, 2 * exp(lgamma(half + 1.0) + lgamma(n - half + 1.0) - lgamma(n + 1.0)));
}
