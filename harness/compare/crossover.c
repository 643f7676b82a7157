/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/compare/crossover.h"

#include <math.h>

#include "harness/compare/compare.h"

/* The difference of both series at one size. */
typedef struct {
	double x;    /* ln(size) */
	double mean; /* of a - b over the pairs */
	double half; /* half width of its interval; NaN under two pairs */
	double met;  /* ln(size) before this one where both are equal, or NaN */
} Step;

static gboolean step_of(const CrossoverPoint *point, guint blocks, Step *ret)
{
	double mean = 0, squares = 0;
	guint n = 0;

	for (guint r = 0; r < blocks; r++) {
		double d, delta;

		if (!compare_paired(point->a[r], point->b[r]))
			continue;
		n++;
		d = point->a[r] - point->b[r];
		delta = d - mean;
		mean += delta / n;
		squares += delta * (d - mean);
	}
	if (n == 0)
		return FALSE;
	*ret = (Step){.x = log(point->size), .mean = mean, .half = NAN, .met = NAN};
	if (n >= 2)
		ret->half = compare_half_width(sqrt(squares / (n - 1)), n, COMPARE_LEVEL);
	return TRUE;
}

/* Where the line through (x0, y0) and (x1, y1), of different signs, is zero. */
static double zero(double x0, double y0, double x1, double y1)
{
	return x0 + (x1 - x0) * (y0 / (y0 - y1));
}

/* Distance of the interval's end from zero, positive while zero is outside: SIGN is the side on which the step's mean lies. */
static double clear_of_zero(const Step *step, int sign)
{
	return sign * step->mean - step->half;
}

/*
 * From step FROM on in direction BY (-1, 1): where the interval of the difference leaves zero on side SIGN. FALSE: it does not.
 * INSIDE is the crossing itself, where the interval holds zero.
 */
static gboolean leaves_zero(const GArray *steps, int from, int by, int sign, double inside, double *ret)
{
	double x = inside, y = 0;
	gboolean first = TRUE;

	for (int i = from; i >= 0 && i < (int)steps->len; i += by) {
		const Step *step = &g_array_index(steps, Step, i);
		double away = clear_of_zero(step, sign);

		if (first) {
			/* At the crossing the mean is zero and half is interpolated between both neighbours. */
			const Step *other = &g_array_index(steps, Step, i - by);
			double part = (inside - step->x) / (other->x - step->x);

			y = -(step->half + part * (other->half - step->half));
			first = FALSE;
		}
		if (!isfinite(away))
			return FALSE;
		if (away > 0) {
			*ret = y < 0 ? zero(x, y, step->x, away) : x;
			return TRUE;
		}
		x = step->x;
		y = away;
	}
	return FALSE;
}

static Crossover crossing_between(const GArray *steps, guint i)
{
	const Step *left = &g_array_index(steps, Step, i), *right = &g_array_index(steps, Step, i + 1);
	double at = isfinite(right->met) ? right->met : zero(left->x, left->mean, right->x, right->mean), end;
	int sign = right->mean > 0 ? 1 : -1;
	Crossover crossing = {.size = exp(at), .a_overtakes = sign > 0, .low = NAN, .high = NAN};

	if (!isfinite(left->half) || !isfinite(right->half))
		return crossing;
	crossing.has_interval = TRUE;
	if (leaves_zero(steps, (int)i, -1, -sign, at, &end))
		crossing.low = exp(end);
	else
		crossing.open_low = TRUE;
	if (leaves_zero(steps, (int)i + 1, 1, sign, at, &end))
		crossing.high = exp(end);
	else
		crossing.open_high = TRUE;
	return crossing;
}

GArray *crossover_find(const CrossoverPoint *points, guint n, guint blocks, guint *ret_sizes, int *ret_leader)
{
	g_autoptr(GArray) steps = g_array_new(FALSE, FALSE, sizeof(Step));
	GArray *found = g_array_new(FALSE, FALSE, sizeof(Crossover));
	guint ahead = 0, behind = 0;
	double met = NAN;

	/* Equal rates tell nothing about who is ahead: they are where both meet, if the sides change there. */
	for (guint i = 0; i < n; i++) {
		Step step;

		if (!step_of(&points[i], blocks, &step))
			continue;
		ahead += step.mean > 0;
		behind += step.mean < 0;
		if (step.mean == 0) {
			met = step.x;
			continue;
		}
		step.met = met;
		met = NAN;
		g_array_append_val(steps, step);
	}
	for (guint i = 0; i + 1 < steps->len; i++) {
		const Step *left = &g_array_index(steps, Step, i), *right = left + 1;

		if ((left->mean > 0) != (right->mean > 0)) {
			Crossover crossing = crossing_between(steps, i);

			g_array_append_val(found, crossing);
		}
	}
	if (ret_sizes)
		*ret_sizes = steps->len;
	if (ret_leader)
		*ret_leader = behind == 0 && ahead ? 1 : ahead == 0 && behind ? -1 : 0;
	return found;
}
