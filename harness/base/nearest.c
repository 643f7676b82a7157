/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/base/nearest.h"

#include <glib.h>
#include <string.h>

/* Optimal string alignment distance (Levenshtein plus swaps of neighbours), three rows at a time. */
static guint distance(const char *a, const char *b)
{
	gsize m = strlen(a), n = strlen(b);
	g_autofree guint *rows = g_new(guint, 3 * (n + 1));
	guint *before = rows, *last = rows + (n + 1), *row = rows + 2 * (n + 1);

	for (gsize j = 0; j <= n; j++)
		last[j] = j;
	for (gsize i = 1; i <= m; i++) {
		guint *spare = before;

		row[0] = i;
		for (gsize j = 1; j <= n; j++) {
			guint best = last[j - 1] + (a[i - 1] != b[j - 1]);

			best = MIN(best, last[j] + 1);
			best = MIN(best, row[j - 1] + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				best = MIN(best, before[j - 2] + 1);
			row[j] = best;
		}
		before = last;
		last = row;
		row = spare;
	}
	return last[n];
}

const char *nearest(const char *text, const char *const *words)
{
	const char *best = NULL;
	guint best_distance = G_MAXUINT;

	/* A long stray text is no near miss of anything, and would cost time. */
	if (strlen(text) > 64)
		return NULL;
	for (; *words; words++) {
		guint d = distance(text, *words);

		if (d < best_distance && d <= CLAMP(strlen(*words) / 3, 1, 3)) {
			best = *words;
			best_distance = d;
		}
	}
	return best;
}
