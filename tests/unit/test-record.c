/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>

#include "harness/base/nearest.h"
#include "harness/base/record.h"

static void test_values(void)
{
	g_autoptr(Record) record = record_new();

	record_set_int(record, "ops", 7);
	record_set_real(record, "rate", 1.5);
	record_set_text(record, "bus", "virtio");
	record_set_null(record, "p99");
	g_assert_cmpint(record_get_int(record, "ops", -1), ==, 7);
	g_assert_cmpfloat(record_get_real(record, "rate", 0), ==, 1.5);
	g_assert_cmpfloat(record_get_real(record, "ops", 0), ==, 7);
	g_assert_cmpstr(record_get_text(record, "bus"), ==, "virtio");
	g_assert_false(record_has(record, "p99"));
	g_assert_false(record_has(record, "never"));
	g_assert_cmpint(record_get_int(record, "p99", -1), ==, -1);
	g_assert_null(record_get_text(record, "ops"));
	g_assert_cmpuint(record_size(record), ==, 4);
	g_assert_cmpstr(record_name(record, 3), ==, "p99");
}

static void test_null_is_not_zero(void)
{
	g_autoptr(Record) record = record_new();

	record_set_real(record, "a", NAN);
	record_set_real(record, "b", INFINITY);
	record_set_text(record, "c", NULL);
	g_assert_cmpint(record_type(record, "a"), ==, RECORD_NULL);
	g_assert_cmpint(record_type(record, "b"), ==, RECORD_NULL);
	g_assert_cmpint(record_type(record, "c"), ==, RECORD_NULL);
	g_assert_cmpuint(record_size(record), ==, 3);
}

static void test_replace_and_merge(void)
{
	g_autoptr(Record) a = record_new();
	g_autoptr(Record) b = record_new();
	g_autoptr(Record) copy = NULL;

	record_set_text(a, "x", "text");
	record_set_text(a, "x", record_get_text(a, "x"));
	g_assert_cmpstr(record_get_text(a, "x"), ==, "text");
	record_set_int(a, "x", 1);
	record_set_int(b, "y", 2);
	record_set_int(b, "x", 3);
	copy = record_copy(a);
	g_assert_true(record_equal(a, copy));
	record_merge(a, b);
	g_assert_cmpint(record_get_int(a, "x", 0), ==, 3);
	g_assert_true(record_equal(a, b));
	g_assert_false(record_equal(a, copy));
	record_unset(a, "x");
	g_assert_cmpuint(record_size(a), ==, 1);
	g_assert_false(record_equal(a, b));
}

/* Records that share their names stay apart in all else. */
static void test_shared_names(void)
{
	g_autoptr(Record) a = record_new();
	g_autoptr(Record) like = NULL;
	g_autoptr(Record) copy = NULL;

	record_set_int(a, "x", 1);
	record_set_text(a, "y", "text");
	like = record_new_like(a);
	copy = record_copy(a);
	g_assert_cmpuint(record_size(like), ==, 2);
	g_assert_false(record_has(like, "x"));
	record_set_int(like, "x", 5);
	record_set_int(like, "z", 6);
	g_assert_cmpint(record_get_int(a, "x", 0), ==, 1);
	g_assert_cmpuint(record_size(a), ==, 2);
	g_assert_cmpuint(record_size(like), ==, 3);
	record_unset(a, record_name(a, 0));
	g_assert_cmpuint(record_size(a), ==, 1);
	g_assert_cmpstr(record_name(a, 0), ==, "y");
	g_assert_cmpstr(record_get_text(a, "y"), ==, "text");
	g_assert_cmpint(record_get_int(copy, "x", 0), ==, 1);
	g_clear_pointer(&a, record_free);
	g_assert_cmpstr(record_name(copy, 1), ==, "y");
	g_assert_cmpstr(record_get_text(copy, "y"), ==, "text");
	record_unset(copy, "nothing");
	g_assert_cmpuint(record_size(copy), ==, 2);
}

static void test_nearest(void)
{
	static const char *const words[] = {"sweep", "report", "plan", "doctor", NULL};

	g_assert_cmpstr(nearest("swep", words), ==, "sweep");
	g_assert_cmpstr(nearest("reprot", words), ==, "report");
	g_assert_cmpstr(nearest("plna", words), ==, "plan");
	g_assert_null(nearest("zebra", words));
	g_assert_null(nearest("", words));
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/record/values", test_values);
	g_test_add_func("/record/null-is-not-zero", test_null_is_not_zero);
	g_test_add_func("/record/replace-and-merge", test_replace_and_merge);
	g_test_add_func("/record/shared-names", test_shared_names);
	g_test_add_func("/nearest", test_nearest);
	return g_test_run();
}
