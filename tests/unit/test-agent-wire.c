/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <glib.h>
#include <unistd.h>

#include "guest-agent/common/wire.h"

#define WAIT_NS 200000000

typedef struct {
	int to[2], from[2]; /* pipes: test -> wire, wire -> test */
	Wire *wire;
	char *line;
	size_t length;
} Ends;

static void set_up(Ends *ends, gconstpointer data)
{
	g_assert_cmpint(pipe(ends->to), ==, 0);
	g_assert_cmpint(pipe(ends->from), ==, 0);
	ends->wire = g_new(Wire, 1);
	wire_init(ends->wire, ends->to[0], ends->from[1]);
}

static void tear_down(Ends *ends, gconstpointer data)
{
	for (int i = 0; i < 2; i++) {
		close(ends->to[i]);
		close(ends->from[i]);
	}
	g_free(ends->wire);
}

static void put(Ends *ends, const char *text, size_t length)
{
	g_assert_cmpint(write(ends->to[1], text, length), ==, (gssize)length);
}

static int get(Ends *ends)
{
	return wire_read(ends->wire, -1, 0, &ends->line, &ends->length);
}

static void expect(Ends *ends, const char *text)
{
	g_assert_cmpint(get(ends), ==, WIRE_LINE);
	g_assert_cmpmem(ends->line, ends->length, text, strlen(text));
	g_assert_cmpint(ends->line[ends->length], ==, 0);
}

static void test_split_and_joined(Ends *ends, gconstpointer data)
{
	put(ends, "{\"a\"", 4);
	g_assert_cmpint(get(ends), ==, WIRE_TIMEOUT);
	put(ends, ":1}", 3);
	g_assert_cmpint(get(ends), ==, WIRE_TIMEOUT);
	put(ends, "\none\ntwo\n\nthr", 13);
	expect(ends, "{\"a\":1}");
	expect(ends, "one");
	expect(ends, "two");
	expect(ends, "");
	g_assert_cmpint(get(ends), ==, WIRE_TIMEOUT);
	put(ends, "ee\n", 3);
	expect(ends, "three");
}

static void test_nul_bytes(Ends *ends, gconstpointer data)
{
	put(ends, "a\0b\n", 4);
	g_assert_cmpint(get(ends), ==, WIRE_LINE);
	g_assert_cmpmem(ends->line, ends->length, "a\0b", 3);
}

/* A pipe holds 64 KiB, so long input is put in parts with a reading in between. */
static int put_long(Ends *ends, size_t length)
{
	g_autofree char *part = g_strnfill(4096, 'x');
	int r = WIRE_TIMEOUT;

	for (size_t done = 0; done < length; done += MIN(length - done, 4096)) {
		put(ends, part, MIN(length - done, 4096));
		if (r == WIRE_TIMEOUT)
			r = get(ends);
		else
			g_assert_cmpint(get(ends), ==, WIRE_TIMEOUT); /* told once, then skipped */
	}
	return r;
}

static void test_longest_line(Ends *ends, gconstpointer data)
{
	g_assert_cmpint(put_long(ends, WIRE_MAX_REQUEST - 1), ==, WIRE_TIMEOUT);
	put(ends, "\n", 1);
	g_assert_cmpint(get(ends), ==, WIRE_LINE);
	g_assert_cmpuint(ends->length, ==, WIRE_MAX_REQUEST - 1);
	put(ends, "next\n", 5);
	expect(ends, "next");
}

static void test_too_long(Ends *ends, gconstpointer data)
{
	g_assert_cmpint(put_long(ends, WIRE_MAX_REQUEST), ==, -EMSGSIZE);
	put(ends, "rest of it\nnext\n", 16);
	expect(ends, "next");
	g_assert_cmpint(put_long(ends, 300000), ==, -EMSGSIZE);
	put(ends, "\n", 1);
	g_assert_cmpint(get(ends), ==, WIRE_TIMEOUT);
	put(ends, "again\n", 6);
	expect(ends, "again");
}

static void test_end(Ends *ends, gconstpointer data)
{
	put(ends, "last\nhalf", 9);
	close(ends->to[1]);
	ends->to[1] = -1;
	expect(ends, "last");
	g_assert_cmpint(get(ends), ==, -EPIPE);
	g_assert_cmpint(get(ends), ==, -EPIPE);
}

static void test_timeout_and_wake(Ends *ends, gconstpointer data)
{
	gint64 begin = g_get_monotonic_time();
	int wake[2];

	g_assert_cmpint(wire_read(ends->wire, -1, WAIT_NS, &ends->line, &ends->length), ==, WIRE_TIMEOUT);
	g_assert_cmpint(g_get_monotonic_time() - begin, >=, WAIT_NS / 1000);
	g_assert_cmpint(pipe(wake), ==, 0);
	g_assert_cmpint(write(wake[1], "x", 1), ==, 1);
	g_assert_cmpint(wire_read(ends->wire, wake[0], WIRE_FOREVER, &ends->line, &ends->length), ==, WIRE_WAKE);
	put(ends, "both\n", 5); /* a line comes before a wake */
	g_assert_cmpint(wire_read(ends->wire, wake[0], WIRE_FOREVER, &ends->line, &ends->length), ==, WIRE_LINE);
	close(wake[0]);
	close(wake[1]);
}

static void test_send(Ends *ends, gconstpointer data)
{
	json_t *json = json_pack("{s:i}", "a", 1), *huge = json_object();
	g_autofree char *text = g_strnfill(WIRE_MAX_ANSWER, 'y');
	char got[64];

	g_assert_cmpint(wire_send(ends->wire, json), ==, 0);
	g_assert_cmpint(read(ends->from[0], got, sizeof(got)), ==, 8);
	g_assert_cmpmem(got, 8, "{\"a\":1}\n", 8);
	json_object_set_new(huge, "a", json_string(text));
	g_assert_cmpint(wire_send(ends->wire, huge), ==, -EMSGSIZE);
	close(ends->from[0]);
	ends->from[0] = -1;
	g_assert_cmpint(wire_send(ends->wire, json), ==, -EPIPE);
	json_decref(json);
	json_decref(huge);
}

static void add(const char *path, void (*test)(Ends *ends, gconstpointer data))
{
	g_test_add(path, Ends, NULL, set_up, test, tear_down);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	add("/wire/split-and-joined", test_split_and_joined);
	add("/wire/nul-bytes", test_nul_bytes);
	add("/wire/longest-line", test_longest_line);
	add("/wire/too-long", test_too_long);
	add("/wire/end", test_end);
	add("/wire/timeout-and-wake", test_timeout_and_wake);
	add("/wire/send", test_send);
	return g_test_run();
}
