/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <glib.h>
#include <math.h>

#include "guest-agent/pattern.h"

static const guint64 counts[] = {1, 2, 3, 4, 5, 7, 8, 9, 31, 33, 100, 127, 128, 129, 1000, 4095, 4097, 16384, 65537, 99991};

/* Each value once per pass, for several passes. */
static void test_each_once(void)
{
	for (size_t i = 0; i < G_N_ELEMENTS(counts); i++) {
		g_autofree guint8 *seen = g_malloc0(counts[i]);
		Shuffle shuffle;

		shuffle_init(&shuffle, counts[i], 42 + i);
		for (guint8 pass = 1; pass <= 3; pass++) {
			for (guint64 n = 0; n < counts[i]; n++) {
				guint64 value = shuffle_next(&shuffle);

				g_assert_cmpuint(value, <, counts[i]);
				g_assert_cmpuint(seen[value]++, ==, pass - 1);
			}
		}
	}
}

static void test_reproducible(void)
{
	Shuffle a, b, c;
	int equal = 0;

	shuffle_init(&a, 1000003, 7);
	shuffle_init(&b, 1000003, 7);
	shuffle_init(&c, 1000003, 8);
	for (int i = 0; i < 10000; i++) {
		guint64 value = shuffle_next(&a);

		g_assert_cmpuint(value, ==, shuffle_next(&b));
		equal += value == shuffle_next(&c);
	}
	g_assert_cmpint(equal, <, 5);
}

static void test_passes_differ(void)
{
	g_autofree guint64 *first = g_new(guint64, 10007);
	Shuffle shuffle;
	int equal = 0;

	shuffle_init(&shuffle, 10007, 1);
	for (int i = 0; i < 10007; i++)
		first[i] = shuffle_next(&shuffle);
	for (int i = 0; i < 10007; i++)
		equal += first[i] == shuffle_next(&shuffle);
	g_assert_cmpint(equal, <, 15); /* expected: 1 */
}

/* Random for a disk: steps are as long as for independent places (a third of the range), and no place leads to its neighbour. */
static void test_looks_random(void)
{
	for (size_t i = 10; i < G_N_ELEMENTS(counts); i++) {
		guint64 n = counts[i], previous, neighbours = 0;
		double sum = 0;
		Shuffle shuffle;

		shuffle_init(&shuffle, n, 3);
		previous = shuffle_next(&shuffle);
		for (guint64 k = 1; k < n; k++) {
			guint64 value = shuffle_next(&shuffle);

			sum += fabs((double)value - (double)previous);
			neighbours += value == previous + 1;
			previous = value;
		}
		g_assert_cmpfloat(fabs(sum / (double)n / (double)n - 1.0 / 3), <, 0.8 / sqrt((double)n));
		g_assert_cmpuint(neighbours, <, 12);
	}
}

static void test_huge_range(void)
{
	Shuffle shuffle;
	guint64 high = 0;

	shuffle_init(&shuffle, G_MAXUINT64 / 3, 5);
	for (int i = 0; i < 1000; i++) {
		guint64 value = shuffle_next(&shuffle);

		g_assert_cmpuint(value, <, G_MAXUINT64 / 3);
		high += value > G_MAXUINT64 / 6;
	}
	g_assert_cmpuint(high, >, 400);
	g_assert_cmpuint(high, <, 600);
}

static void test_slices(void)
{
	static const guint64 blocks[] = {1, 5, 7, 64, 1000, 1001};

	for (size_t i = 0; i < G_N_ELEMENTS(blocks); i++)
		for (unsigned jobs = 1; jobs <= 7 && jobs <= blocks[i]; jobs++) {
			guint64 next = 0;

			for (unsigned j = 0; j < jobs; j++) {
				guint64 first, count;

				pattern_slice(blocks[i], j, jobs, &first, &count);
				g_assert_cmpuint(first, ==, next); /* touches its neighbour, does not overlap */
				g_assert_cmpuint(count, >=, blocks[i] / jobs);
				next = first + count;
			}
			g_assert_cmpuint(next, ==, blocks[i]);
		}
}

static void test_mix_is_exact(void)
{
	for (unsigned percent = 0; percent <= 100; percent++) {
		guint64 order[2] = {0};
		Mix a, b;

		mix_init(&a, percent, 9);
		mix_init(&b, percent, 9);
		for (int hundred = 0; hundred < 20; hundred++) {
			unsigned reads = 0;

			for (int i = 0; i < 100; i++) {
				gboolean read = mix_next_is_read(&a);

				g_assert_cmpint(read, ==, mix_next_is_read(&b));
				reads += read;
				if (hundred < 2 && i < 64)
					order[hundred] |= (guint64)read << i;
			}
			g_assert_cmpuint(reads, ==, percent);
		}
		if (percent > 5 && percent < 95)
			g_assert_cmpuint(order[0], !=, order[1]);
	}
}

/* Shannon entropy of the bytes, and no pair of 4 KiB alike, also after the buffer was used again. */
static void test_data(void)
{
	enum { SIZE = 64 << 10 };
	g_autofree guint8 *data = g_malloc(SIZE), *same = g_malloc(SIZE);
	g_autoptr(GHashTable) seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	double entropy = 0;
	int histogram[256] = {0};

	pattern_fill(data, SIZE, 5);
	pattern_fill(same, SIZE, 5);
	g_assert_cmpmem(data, SIZE, same, SIZE);
	for (guint64 counter = 0; counter < 50; counter++) {
		pattern_stamp(data, SIZE, 5, counter);
		for (int at = 0; at < SIZE; at += 4096) {
			char *sum = g_compute_checksum_for_data(G_CHECKSUM_SHA256, data + at, 4096);

			g_assert_true(g_hash_table_add(seen, sum));
		}
	}
	for (int i = 0; i < SIZE; i++)
		histogram[data[i]]++;
	for (int i = 0; i < 256; i++)
		entropy -= histogram[i] / (double)SIZE * log2(histogram[i] / (double)SIZE);
	g_assert_cmpfloat(entropy, >, 7.99);
}

static void test_data_of_odd_size(void)
{
	guint8 data[64];

	memset(data, 0xaa, sizeof(data));
	pattern_fill(data, 13, 1);
	pattern_stamp(data, 13, 1, 1); /* too small for a stamp */
	for (size_t i = 13; i < sizeof(data); i++)
		g_assert_cmpuint(data[i], ==, 0xaa);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/pattern/each-once", test_each_once);
	g_test_add_func("/pattern/reproducible", test_reproducible);
	g_test_add_func("/pattern/passes-differ", test_passes_differ);
	g_test_add_func("/pattern/looks-random", test_looks_random);
	g_test_add_func("/pattern/huge-range", test_huge_range);
	g_test_add_func("/pattern/slices", test_slices);
	g_test_add_func("/pattern/mix-is-exact", test_mix_is_exact);
	g_test_add_func("/pattern/data", test_data);
	g_test_add_func("/pattern/data-of-odd-size", test_data_of_odd_size);
	return g_test_run();
}
