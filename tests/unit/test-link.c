/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The link against an agent that this test plays itself, over pipes: answers, garbage, floods, silence. */
#include <gio/gunixinputstream.h>
#include <gio/gunixoutputstream.h>
#include <glib-unix.h>
#include <string.h>
#include <unistd.h>

#include "guest-agent/common/wire.h"
#include "harness/base/error.h"
#include "harness/side/link.h"

typedef struct {
	AgentLink *link;
	int say;  /* the agent's stdout */
	int hear; /* the agent's stdin */
} Fixture;

static void setup(Fixture *f, gconstpointer data)
{
	int answers[2], requests[2];
	g_autoptr(GInputStream) in = NULL;
	g_autoptr(GOutputStream) out = NULL;

	g_assert_cmpint(pipe(answers), ==, 0);
	g_assert_cmpint(pipe(requests), ==, 0);
	in = g_unix_input_stream_new(answers[0], TRUE);
	out = g_unix_output_stream_new(requests[1], TRUE);
	f->link = link_new("test", in, out);
	f->say = answers[1];
	f->hear = requests[0];
}

static void teardown(Fixture *f, gconstpointer data)
{
	link_free(f->link);
	if (f->say >= 0)
		close(f->say);
	close(f->hear);
	/* Lets the cancelled read finish, which a leak checker would see otherwise. */
	while (g_main_context_iteration(NULL, FALSE))
		;
}

static void say(Fixture *f, const char *text)
{
	g_assert_cmpint(write(f->say, text, strlen(text)), ==, (gssize)strlen(text));
}

static void hello(Fixture *f)
{
	g_autoptr(GError) error = NULL;

	say(f, "{\"type\":\"hello\",\"protocol\":1,\"agent\":\"1\"}\n");
	link_hello(f->link, 1000, NULL, &error);
	g_assert_no_error(error);
}

static void assert_error(GError **error, int code, const char *part)
{
	g_assert_error(*error, IOGAP_ERROR, code);
	g_assert_nonnull(strstr((*error)->message, part));
	g_clear_error(error);
}

static void on_phase(const char *phase, gint64 boot_ns, void *data)
{
	g_string_append_printf(data, "%s@%" G_GINT64_FORMAT " ", phase, boot_ns);
}

static void test_call(Fixture *f, gconstpointer data)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(GString) phases = g_string_new(NULL);
	char request[256] = "";
	json_t *result;

	hello(f);
	say(f, "{\"id\":1,\"type\":\"phase\",\"phase\":\"settle\",\"boot_ns\":5}\n"
	       "{\"id\":1,\"type\":\"result\",\"result\":{\"x\":3}}\n");
	result = link_call(f->link, "ping", NULL, 1000, on_phase, phases, NULL, &error);
	g_assert_no_error(error);
	g_assert_cmpint(json_integer_value(json_object_get(result, "x")), ==, 3);
	g_assert_cmpstr(phases->str, ==, "settle@5 ");
	json_decref(result);
	g_assert_cmpint(read(f->hear, request, sizeof(request) - 1), >, 0);
	g_assert_nonnull(strstr(request, "\"cmd\":\"ping\""));
	g_assert_true(g_str_has_suffix(request, "}\n"));
}

/* An error of the agent is that request's end, not the side's. */
static void test_agent_error(Fixture *f, gconstpointer data)
{
	g_autoptr(GError) error = NULL;
	json_t *result;

	hello(f);
	say(f, "{\"id\":1,\"type\":\"error\",\"error\":{\"code\":\"EINVAL\",\"what\":\"direct\",\"message\":\"refused\"}}\n"
	       "{\"id\":2,\"type\":\"result\",\"result\":{}}\n");
	g_assert_null(link_call(f->link, "run", NULL, 1000, NULL, NULL, NULL, &error));
	assert_error(&error, IOGAP_ERROR_AGENT, "refused (EINVAL)");
	result = link_call(f->link, "ping", NULL, 1000, NULL, NULL, NULL, &error);
	g_assert_no_error(error);
	json_decref(result);
}

static void test_wrong_protocol(Fixture *f, gconstpointer data)
{
	g_autoptr(GError) error = NULL;

	say(f, "{\"type\":\"hello\",\"protocol\":99,\"agent\":\"9.9\"}\n");
	g_assert_null(link_hello(f->link, 1000, NULL, &error));
	assert_error(&error, IOGAP_ERROR_LOST, "protocol 99");
}

static void test_garbage(Fixture *f, gconstpointer data)
{
	g_autoptr(GError) error = NULL;

	hello(f);
	say(f, "\001\002 no json at all\n");
	g_assert_null(link_call(f->link, "ping", NULL, 1000, NULL, NULL, NULL, &error));
	assert_error(&error, IOGAP_ERROR_LOST, "not its protocol");
	/* And stays lost, with the first reason. */
	g_assert_null(link_call(f->link, "ping", NULL, 1000, NULL, NULL, NULL, &error));
	assert_error(&error, IOGAP_ERROR_LOST, "not its protocol");
}

static void test_foreign_answer(Fixture *f, gconstpointer data)
{
	g_autoptr(GError) error = NULL;

	hello(f);
	say(f, "{\"id\":77,\"type\":\"result\",\"result\":{}}\n");
	g_assert_null(link_call(f->link, "ping", NULL, 1000, NULL, NULL, NULL, &error));
	assert_error(&error, IOGAP_ERROR_LOST, "does not belong");
}

static gpointer flood(gpointer data)
{
	Fixture *f = data;
	static char chunk[65536];

	memset(chunk, 'x', sizeof(chunk));
	for (guint i = 0; i < 2 * WIRE_MAX_ANSWER / sizeof(chunk); i++)
		if (write(f->say, chunk, sizeof(chunk)) < 0)
			break;
	return NULL;
}

static void test_flood(Fixture *f, gconstpointer data)
{
	g_autoptr(GError) error = NULL;
	GThread *thread;

	hello(f);
	thread = g_thread_new("flood", flood, f);
	g_assert_null(link_call(f->link, "ping", NULL, 10000, NULL, NULL, NULL, &error));
	assert_error(&error, IOGAP_ERROR_LOST, "longer than");
	/* Frees the writer that waits in the full pipe. */
	g_clear_pointer(&f->link, link_free);
	while (g_main_context_iteration(NULL, FALSE))
		;
	g_thread_join(thread);
}

static void test_silence(Fixture *f, gconstpointer data)
{
	g_autoptr(GError) error = NULL;

	g_assert_null(link_hello(f->link, 50, NULL, &error));
	assert_error(&error, IOGAP_ERROR_LOST, "did not say hello");
}

static void test_deadline(Fixture *f, gconstpointer data)
{
	g_autoptr(GError) error = NULL;

	hello(f);
	g_assert_null(link_call(f->link, "ping", NULL, 50, NULL, NULL, NULL, &error));
	g_assert_nonnull(strstr(error->message, "its last message (hello) came "));
	g_assert_nonnull(strstr(error->message, "asked again, it still says nothing"));
	assert_error(&error, IOGAP_ERROR_LOST, "did not answer ping");
}

typedef struct {
	Fixture *f;
	const char *answer;
	GString *asked;
} Late;

/* Says its answer once it was asked a second time. */
static gboolean when_asked(gint fd, GIOCondition condition, gpointer data)
{
	Late *late = data;
	char text[256] = "";

	g_assert_cmpint(read(fd, text, sizeof(text) - 1), >, 0);
	g_string_append(late->asked, text);
	if (strstr(late->asked->str, "\"id\":2"))
		say(late->f, late->answer);
	return G_SOURCE_CONTINUE;
}

static char *explain(const char *reason, void *data)
{
	g_string_append(data, reason);
	return g_strdup("its guest sleeps");
}

/* One that is asked again shows where it hangs: in the load, or on the way. */
static void test_asked_again(Fixture *f, gconstpointer data)
{
	static const struct {
		const char *answer, *told;
	} cases[] = {
		{"{\"id\":2,\"type\":\"error\",\"error\":{\"code\":\"EBUSY\"}}\n", "asked again, it answers: the agent and its channel work"},
		{"{\"id\":1,\"type\":\"result\",\"result\":{}}\n", "asked again, it sent what had been missing"},
	};

	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(GError) error = NULL;
		g_autoptr(GString) asked = g_string_new(NULL), explained = g_string_new(NULL);
		Fixture here;
		Late late = {&here, cases[i].answer, asked};
		guint source;

		setup(&here, NULL);
		hello(&here);
		link_set_explain(here.link, explain, explained);
		say(&here, "{\"id\":1,\"type\":\"phase\",\"phase\":\"measure\",\"boot_ns\":5}\n");
		source = g_unix_fd_add(here.hear, G_IO_IN, when_asked, &late);
		g_assert_null(link_call(here.link, "run", NULL, 300, NULL, NULL, NULL, &error));
		g_source_remove(source);
		g_assert_nonnull(strstr(asked->str, "\"cmd\":\"ping\""));
		g_assert_nonnull(strstr(explained->str, "did not answer run within 0 s; its last message (phase measure) came 0."));
		g_assert_nonnull(strstr(error->message, cases[i].told));
		g_assert_nonnull(strstr(error->message, "; its guest sleeps"));
		assert_error(&error, IOGAP_ERROR_LOST, "did not answer run");
		teardown(&here, NULL);
	}
}

static void test_hangup(Fixture *f, gconstpointer data)
{
	g_autoptr(GError) error = NULL;

	hello(f);
	close(f->say);
	f->say = -1;
	g_assert_null(link_call(f->link, "ping", NULL, 1000, NULL, NULL, NULL, &error));
	assert_error(&error, IOGAP_ERROR_LOST, "hung up");
}

static gboolean lose_now(gpointer data)
{
	link_lose(data, "the guest died");
	return G_SOURCE_REMOVE;
}

static void test_owner_reports_loss(Fixture *f, gconstpointer data)
{
	g_autoptr(GError) error = NULL;

	hello(f);
	g_timeout_add(20, lose_now, f->link);
	g_assert_null(link_call(f->link, "run", NULL, 60000, NULL, NULL, NULL, &error));
	assert_error(&error, IOGAP_ERROR_LOST, "the guest died");
}

static gboolean cancel_now(gpointer data)
{
	g_cancellable_cancel(data);
	return G_SOURCE_REMOVE;
}

/* Plays an agent that answers a cancellation once it hears of it. */
static gpointer answer_cancel(gpointer data)
{
	Fixture *f = data;
	char requests[512] = "";

	do {
		gsize length = strlen(requests);

		g_assert_cmpint(read(f->hear, requests + length, sizeof(requests) - 1 - length), >, 0);
	} while (!strstr(requests, "\"cancel\""));
	say(f, "{\"id\":1,\"type\":\"error\",\"error\":{\"code\":\"ECANCELED\",\"message\":\"cancelled\"}}\n");
	return NULL;
}

/* A cancelled run is cancelled on the agent, and the side stays usable. */
static void test_cancel(Fixture *f, gconstpointer data)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(GCancellable) cancel = g_cancellable_new();
	GThread *thread;
	json_t *result;

	hello(f);
	g_timeout_add(20, cancel_now, cancel);
	say(f, "{\"id\":1,\"type\":\"phase\",\"phase\":\"settle\",\"boot_ns\":5}\n");
	thread = g_thread_new("agent", answer_cancel, f);
	g_assert_null(link_call(f->link, "run", NULL, 60000, NULL, NULL, cancel, &error));
	assert_error(&error, IOGAP_ERROR_INTERRUPTED, "interrupted");
	g_thread_join(thread);
	g_assert_null(link_lost(f->link));
	say(f, "{\"id\":2,\"type\":\"result\",\"result\":{}}\n");
	result = link_call(f->link, "ping", NULL, 1000, NULL, NULL, NULL, &error);
	g_assert_no_error(error);
	json_decref(result);
}

/* Two sides work at the same time: both requests are out before either answer is waited for, in any order. */
static void test_two_at_once(Fixture *f, gconstpointer data)
{
	g_autoptr(GError) error = NULL;
	Fixture other;
	char request[256] = "";
	gint64 first, second;
	json_t *result;

	setup(&other, NULL);
	hello(f);
	hello(&other);
	first = link_begin(f->link, "run", NULL, NULL, &error);
	g_assert_no_error(error);
	second = link_begin(other.link, "run", NULL, NULL, &error);
	g_assert_no_error(error);
	g_assert_cmpint(read(f->hear, request, sizeof(request) - 1), >, 0);
	g_assert_cmpint(read(other.hear, request, sizeof(request) - 1), >, 0);
	say(f, "{\"id\":1,\"type\":\"result\",\"result\":{\"n\":1}}\n");
	say(&other, "{\"id\":1,\"type\":\"result\",\"result\":{\"n\":2}}\n");
	result = link_finish(other.link, second, "run", 1000, NULL, NULL, NULL, &error);
	g_assert_no_error(error);
	g_assert_cmpint(json_integer_value(json_object_get(result, "n")), ==, 2);
	json_decref(result);
	result = link_finish(f->link, first, "run", 1000, NULL, NULL, NULL, &error);
	g_assert_no_error(error);
	g_assert_cmpint(json_integer_value(json_object_get(result, "n")), ==, 1);
	json_decref(result);
	link_lose(other.link, "the guest died");
	g_assert_cmpint(link_begin(other.link, "run", NULL, NULL, &error), ==, -1);
	assert_error(&error, IOGAP_ERROR_LOST, "the guest died");
	teardown(&other, NULL);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *path;
		void (*test)(Fixture *f, gconstpointer data);
	} tests[] = {
		{"/link/call", test_call},
		{"/link/two-at-once", test_two_at_once},
		{"/link/agent-error", test_agent_error},
		{"/link/wrong-protocol", test_wrong_protocol},
		{"/link/garbage", test_garbage},
		{"/link/foreign-answer", test_foreign_answer},
		{"/link/flood", test_flood},
		{"/link/silence", test_silence},
		{"/link/deadline", test_deadline},
		{"/link/asked-again", test_asked_again},
		{"/link/hangup", test_hangup},
		{"/link/owner-reports-loss", test_owner_reports_loss},
		{"/link/cancel", test_cancel},
	};

	g_test_init(&argc, &argv, NULL);
	for (guint i = 0; i < G_N_ELEMENTS(tests); i++)
		g_test_add(tests[i].path, Fixture, NULL, setup, tests[i].test, teardown);
	return g_test_run();
}
