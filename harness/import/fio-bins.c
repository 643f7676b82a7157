/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The bins of json+: "duration" : count. */
#include <math.h>

#include "harness/import/fio.h"

/* 11 days: no I/O takes longer, and sums stay far from overflow. */
#define MOST_NS 1e15

typedef struct {
	double ns;
	guint64 count;
} Bin;

static gint by_duration(gconstpointer a, gconstpointer b)
{
	const Bin *x = a, *y = b;

	return x->ns < y->ns ? -1 : x->ns > y->ns;
}

/* FALSE for anything that is not a whole duration with a count: then the bins are of no kind that is known. */
static gboolean read_bin(const JsonText *doc, guint node, double scale, Bin *ret)
{
	const JsonTextNode *n = json_text_node(doc, node);
	gint64 duration, count;

	if (!import_number_int(doc->input->data + n->key, n->key_length, &duration) || duration < 0 ||
		!json_text_int(doc, node, &count) || count < 0 || (double)duration * scale > MOST_NS)
		return FALSE;
	*ret = (Bin){(double)duration * scale, (guint64)count};
	return TRUE;
}

/* NULL with *ret_why when they are not durations. */
static GArray *read_all(const JsonText *doc, guint bins, double scale, const char **ret_why)
{
	g_autoptr(GArray) all = g_array_new(FALSE, FALSE, sizeof(Bin));
	guint64 total = 0;

	for (guint i = json_text_child(doc, bins); i; i = json_text_next(doc, i)) {
		Bin bin;

		if (json_text_key_is(doc, i, "FIO_IO_U_PLAT_BITS")) {
			*ret_why = "they are array indices, as fio before 2.20 prints, not durations";
			return NULL;
		}
		if (json_text_key_is(doc, i, "FIO_IO_U_PLAT_VAL") || json_text_key_is(doc, i, "FIO_IO_U_PLAT_NR"))
			continue;
		if (!read_bin(doc, i, scale, &bin) || __builtin_add_overflow(total, bin.count, &total) ||
			total > G_MAXINT64) {
			*ret_why = "a bin is not a duration with a count";
			return NULL;
		}
		if (bin.count > 0)
			g_array_append_val(all, bin);
	}
	if (all->len == 0) {
		*ret_why = "they are all empty";
		return NULL;
	}
	g_array_sort(all, by_duration);
	return g_steal_pointer(&all);
}

/* Nearest rank. */
static double quantile(const GArray *bins, guint64 n, double percent)
{
	double rank = ceil(percent / 100 * (double)n - 1e-9);
	guint64 sum = 0;

	for (guint i = 0; i < bins->len; i++) {
		sum += g_array_index(bins, Bin, i).count;
		if ((double)sum >= rank)
			return g_array_index(bins, Bin, i).ns;
	}
	return g_array_index(bins, Bin, bins->len - 1).ns;
}

static guint64 total_of(const GArray *bins)
{
	guint64 n = 0;

	for (guint i = 0; i < bins->len; i++)
		n += g_array_index(bins, Bin, i).count;
	return n;
}

/*
 * Bins are about 1.6 % wide (fio has 64 to an octave), so true durations agree with the percentiles and the bounds that
 * fio printed beside them; indices do not, whatever the version says.
 */
static const char *disagrees(const GArray *bins, guint64 n, const ImportLatency *latency)
{
	const double slack = 0.04, least = g_array_index(bins, Bin, 0).ns, most = g_array_index(bins, Bin, bins->len - 1).ns;

	if (latency->n >= 0 && (guint64)latency->n != n)
		return "their counts do not add up to the number of samples";
	if (latency->max_ns > 0 && most > latency->max_ns * (1 + slack) + 1000)
		return "they lie above the longest latency";
	if (latency->max_ns > 0 && most < latency->max_ns * (1 - slack) - 1000)
		return "they end below the longest latency";
	if (least < latency->min_ns * (1 - slack) - 1000)
		return "they lie below the shortest latency";
	for (guint i = 0; latency->percentiles && i < latency->percentiles->len; i++) {
		const ImportPercentile *told = &g_array_index(latency->percentiles, ImportPercentile, i);
		double own = quantile(bins, n, told->percent);

		if (fabs(own - told->ns) > slack * told->ns + 1000)
			return "the percentiles beside them differ";
	}
	return NULL;
}

static void add_percentiles(const GArray *bins, guint64 n, ImportLatency *latency)
{
	static const double percents[] = {50, 90, 95, 99, 99.9, 99.99};

	for (guint i = 0; i < G_N_ELEMENTS(percents); i++)
		if (isnan(import_latency_at(latency, percents[i])))
			import_latency_percentile(latency, percents[i], quantile(bins, n, percents[i]));
}

static Hist *make_hist(const GArray *bins, const ImportLatency *latency, guint64 n)
{
	double sum = 0;
	Hist *hist;

	for (guint i = 0; i < bins->len; i++)
		sum += g_array_index(bins, Bin, i).ns * (double)g_array_index(bins, Bin, i).count;
	if (sum > 9e18)
		return NULL;
	hist = g_new(Hist, 1);
	hist_clear(hist);
	for (guint i = 0; i < bins->len; i++) {
		const Bin *bin = &g_array_index(bins, Bin, i);

		hist_add_many(hist, (guint64)bin->ns, bin->count);
	}
	/* What fio measured is better than what its bins give. */
	if (isfinite(latency->min_ns) && isfinite(latency->max_ns) && latency->min_ns >= 0 &&
		latency->min_ns <= latency->max_ns && latency->max_ns < 9e18) {
		hist->min_ns = (guint64)latency->min_ns;
		hist->max_ns = (guint64)latency->max_ns;
	}
	if (latency->mean_ns >= 0 && latency->mean_ns * (double)n < 9e18)
		hist->sum_ns = (guint64)(latency->mean_ns * (double)n);
	return hist;
}

void fio_bins_read(const JsonText *doc, guint bins, double scale, ImportRow *row, ImportLatency *latency)
{
	const char *why = NULL;
	g_autoptr(GArray) all = read_all(doc, bins, scale, &why);
	guint64 n;

	if (!all) {
		/* Idle directions have empty bins in some releases: nothing is lost. */
		if (json_text_child(doc, bins))
			import_row_warn(row, "latency bins ignored: %s", why);
		return;
	}
	n = total_of(all);
	why = disagrees(all, n, latency);
	if (why) {
		import_row_warn(row, "latency bins ignored: %s", why);
		return;
	}
	add_percentiles(all, n, latency);
	latency->hist = make_hist(all, latency, n);
}
