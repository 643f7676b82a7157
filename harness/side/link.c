/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/side/link.h"

#include <signal.h>
#include <string.h>

#include "guest-agent/common/wire.h"
#include "harness/base/error.h"

/* How long a cancelled run may take to come back before the side is given up. */
#define CANCEL_GRACE_MS 5000
/* How long an agent that was silent beyond its deadline may take to answer when it is asked once more. */
#define ASK_AGAIN_MS 5000
#define CHUNK 65536

struct AgentLink {
	char *name;
	GInputStream *in;
	GOutputStream *out;
	GCancellable *closing; /* ends the read under way when the link is freed */
	GString *partial;      /* a line that has not ended yet */
	GQueue lines;	       /* of json_t *, complete lines not yet looked at */
	json_t *hello;
	char *lost; /* why, or NULL */
	LinkDiagnose diagnose, explain;
	void *diagnose_data, *explain_data;
	gint64 last_id;
	gint64 heard_us; /* when the latest line came */
	char *heard;	 /* what it was, for messages; NULL = none came */
};

/* The read under way keeps this alive: the link may be freed before it is told that it was cancelled. */
typedef struct {
	AgentLink *link; /* NULL once the link is gone */
	GCancellable *closing;
} Read;

static void read_more(AgentLink *link);

void link_lose(AgentLink *link, const char *reason)
{
	if (!link->lost)
		link->lost = g_strdup(reason);
	g_main_context_wakeup(NULL);
}

const char *link_lost(const AgentLink *link)
{
	return link->lost;
}

static void lose(AgentLink *link, const char *format, ...) G_GNUC_PRINTF(2, 3);

static void lose(AgentLink *link, const char *format, ...)
{
	g_autofree char *reason = NULL;
	va_list args;

	va_start(args, format);
	reason = g_strdup_vprintf(format, args);
	va_end(args);
	link_lose(link, reason);
}

void link_set_diagnose(AgentLink *link, LinkDiagnose diagnose, void *data)
{
	link->diagnose = diagnose;
	link->diagnose_data = data;
}

void link_set_explain(AgentLink *link, LinkDiagnose explain, void *data)
{
	link->explain = explain;
	link->explain_data = data;
}

/* The connection ended by itself: the owner may know why. */
static void lose_connection(AgentLink *link, const char *reason)
{
	LinkDiagnose diagnose = link->diagnose;
	g_autofree char *better = NULL;

	/* Once: it may run the main context, and so come here again. */
	link->diagnose = NULL;
	if (diagnose)
		better = diagnose(reason, link->diagnose_data);
	link_lose(link, better ? better : reason);
}

/* A shortened, printable copy of what was received, for messages. */
static char *excerpt(const char *text, gsize length)
{
	g_autofree char *cut = g_strndup(text, MIN(length, 60));

	return g_strescape(cut, NULL);
}

/* Remembers what LINE was and when it came: the last sign of life of an agent that falls silent. */
static void note_heard(AgentLink *link, const json_t *line)
{
	const char *type = json_string_value(json_object_get(line, "type"));
	const char *phase = json_string_value(json_object_get(line, "phase"));

	link->heard_us = g_get_monotonic_time();
	g_free(link->heard);
	link->heard = g_strdup_printf("%s%s%s", type ? type : "of no type", phase ? " " : "", phase ? phase : "");
}

static void take_line(AgentLink *link, const char *text, gsize length)
{
	json_error_t problem;
	json_t *line = json_loadb(text, length, JSON_REJECT_DUPLICATES, &problem);

	if (!json_is_object(line)) {
		g_autofree char *what = excerpt(text, length);

		json_decref(line);
		lose(link, "the %s's agent sent something that is not its protocol: \"%s\"", link->name, what);
		return;
	}
	note_heard(link, line);
	g_queue_push_tail(&link->lines, line);
}

/* Cuts what was received into lines. */
static void take_bytes(AgentLink *link, const char *bytes, gsize length)
{
	while (length > 0 && !link->lost) {
		const char *newline = memchr(bytes, '\n', length);
		gsize part = newline ? (gsize)(newline - bytes) : length;

		if (link->partial->len + part >= WIRE_MAX_ANSWER) {
			lose(link, "the %s's agent sent a line longer than %u bytes", link->name,
				(guint)WIRE_MAX_ANSWER);
			return;
		}
		g_string_append_len(link->partial, bytes, part);
		if (!newline)
			return;
		take_line(link, link->partial->str, link->partial->len);
		g_string_truncate(link->partial, 0);
		bytes += part + 1;
		length -= part + 1;
	}
}

static void on_read(GObject *source, GAsyncResult *result, gpointer data)
{
	Read *reading = data;
	AgentLink *link = reading->link;
	g_autoptr(GError) error = NULL;
	g_autoptr(GBytes) bytes = g_input_stream_read_bytes_finish(G_INPUT_STREAM(source), result, &error);

	if (link && !g_cancellable_is_cancelled(reading->closing)) {
		g_autofree char *broken = NULL;

		if (!bytes)
			broken = g_strdup_printf(
				"the connection to the %s's agent broke: %s", link->name, error->message);
		else if (g_bytes_get_size(bytes) == 0)
			broken = g_strdup_printf("the %s's agent hung up", link->name);
		if (broken)
			lose_connection(link, broken);
		else
			take_bytes(link, g_bytes_get_data(bytes, NULL), g_bytes_get_size(bytes));
		if (!link->lost)
			read_more(link);
	}
	g_object_unref(reading->closing);
	g_free(reading);
}

static void read_more(AgentLink *link)
{
	Read *reading = g_new0(Read, 1);

	reading->link = link;
	reading->closing = g_object_ref(link->closing);
	g_input_stream_read_bytes_async(
		link->in, CHUNK, G_PRIORITY_DEFAULT, link->closing, on_read, reading);
}

AgentLink *link_new(const char *name, GInputStream *in, GOutputStream *out)
{
	AgentLink *link = g_new0(AgentLink, 1);

	/* An agent that died is an error to report, not a reason to die. */
	signal(SIGPIPE, SIG_IGN);
	link->name = g_strdup(name);
	link->in = g_object_ref(in);
	link->out = g_object_ref(out);
	link->closing = g_cancellable_new();
	link->partial = g_string_new(NULL);
	g_queue_init(&link->lines);
	read_more(link);
	return link;
}

static void free_line(gpointer line)
{
	json_decref(line);
}

void link_free(AgentLink *link)
{
	if (!link)
		return;
	/* on_read sees the cancelled object and leaves the freed link alone. */
	g_cancellable_cancel(link->closing);
	g_object_unref(link->closing);
	g_output_stream_close(link->out, NULL, NULL);
	g_object_unref(link->in);
	g_object_unref(link->out);
	g_string_free(link->partial, TRUE);
	g_queue_clear_full(&link->lines, free_line);
	json_decref(link->hello);
	g_free(link->lost);
	g_free(link->heard);
	g_free(link->name);
	g_free(link);
}

static gboolean fail_lost(AgentLink *link, GError **error)
{
	g_set_error_literal(error, IOGAP_ERROR, IOGAP_ERROR_LOST, link->lost);
	return FALSE;
}

static gboolean on_deadline(gpointer data)
{
	gboolean *passed = data;

	*passed = TRUE;
	return G_SOURCE_REMOVE;
}

static GSource *deadline_source(guint timeout_ms, gboolean *passed)
{
	GSource *source = g_timeout_source_new(timeout_ms);

	g_source_set_callback(source, on_deadline, passed, NULL);
	g_source_attach(source, NULL);
	return source;
}

static void on_cancelled(GCancellable *cancel, gpointer data)
{
	g_main_context_wakeup(NULL);
}

/* Runs the main context until a line is there (returned, owned by the caller), or NULL: lost, deadline or cancelled. */
static json_t *await_line(AgentLink *link, gboolean *passed, GCancellable *cancel)
{
	json_t *line;

	for (;;) {
		line = g_queue_pop_head(&link->lines);
		if (line || link->lost || *passed || (cancel && g_cancellable_is_cancelled(cancel)))
			return line;
		g_main_context_iteration(NULL, TRUE);
	}
}

static gulong watch(GCancellable *cancel)
{
	return cancel ? g_cancellable_connect(cancel, G_CALLBACK(on_cancelled), NULL, NULL) : 0;
}

static void unwatch(GCancellable *cancel, gulong handler)
{
	if (handler)
		g_cancellable_disconnect(cancel, handler);
}

static gboolean fail_interrupted(GError **error)
{
	g_set_error_literal(error, IOGAP_ERROR, IOGAP_ERROR_INTERRUPTED, "interrupted");
	return FALSE;
}

static gboolean check_hello(AgentLink *link, GError **error)
{
	const char *type = json_string_value(json_object_get(link->hello, "type"));
	json_t *protocol = json_object_get(link->hello, "protocol");
	const char *agent = json_string_value(json_object_get(link->hello, "agent"));

	if (g_strcmp0(type, "hello") != 0)
		lose(link, "the %s's agent did not begin with hello", link->name);
	else if (!json_is_integer(protocol) || json_integer_value(protocol) != WIRE_PROTOCOL)
		lose(link,
			"the %s's agent (version %s) speaks protocol %lld, this iogap speaks %d; "
			"use the agent that came with it",
			link->name, agent ? agent : "unknown", (long long)json_integer_value(protocol), WIRE_PROTOCOL);
	return link->lost ? fail_lost(link, error) : TRUE;
}

const json_t *link_hello(AgentLink *link, guint timeout_ms, GCancellable *cancel, GError **error)
{
	gboolean passed = FALSE;
	g_autoptr(GSource) deadline = deadline_source(timeout_ms, &passed);
	gulong handler = watch(cancel);

	if (!link->hello)
		link->hello = await_line(link, &passed, cancel);
	g_source_destroy(deadline);
	unwatch(cancel, handler);
	if (link->hello)
		return check_hello(link, error) ? link->hello : NULL;
	if (!link->lost && cancel && g_cancellable_is_cancelled(cancel)) {
		fail_interrupted(error);
		return NULL;
	}
	if (!link->lost)
		lose(link, "the %s's agent did not say hello within %u s", link->name, timeout_ms / 1000);
	fail_lost(link, error);
	return NULL;
}

static gboolean send(AgentLink *link, json_t *request, GError **error)
{
	g_autoptr(GError) local = NULL;
	char *text = json_dumps(request, JSON_COMPACT);
	g_autofree char *line = g_strconcat(text, "\n", NULL);
	gsize length = strlen(line);

	free(text);
	if (length > WIRE_MAX_REQUEST) {
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_AGENT, "the request is longer than %u bytes",
			(guint)WIRE_MAX_REQUEST);
		return FALSE;
	}
	if (!g_output_stream_write_all(link->out, line, length, NULL, NULL, &local)) {
		g_autofree char *broken =
			g_strdup_printf("cannot write to the %s's agent: %s", link->name, local->message);

		lose_connection(link, broken);
		return fail_lost(link, error);
	}
	return TRUE;
}

static gboolean send_command(AgentLink *link, gint64 id, const char *cmd, const json_t *arguments, GError **error)
{
	json_t *request = json_object();
	gboolean ok;

	if (arguments)
		json_object_update(request, (json_t *)arguments);
	json_object_set_new(request, "id", json_integer(id));
	json_object_set_new(request, "cmd", json_string(cmd));
	ok = send(link, request, error);
	json_decref(request);
	return ok;
}

static void set_agent_error(AgentLink *link, const char *cmd, const json_t *answer, GError **error)
{
	const json_t *details = json_object_get(answer, "error");
	const char *code = json_string_value(json_object_get(details, "code"));
	const char *message = json_string_value(json_object_get(details, "message"));

	g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_AGENT, "%s: %s: %s (%s)", link->name, cmd,
		message ? message : "failed without a message", code ? code : "no code");
}

/*
 * Looks at one line while request ID is open. Returns TRUE when it ends the request: *ret_result is then the result, or
 * NULL with the error set.
 */
static gboolean take_answer(AgentLink *link, gint64 id, const char *cmd, const json_t *line, LinkPhase phase,
	void *data, json_t **ret_result, GError **error)
{
	const char *type = json_string_value(json_object_get(line, "type"));
	json_t *line_id = json_object_get(line, "id");
	json_t *result = json_object_get(line, "result");

	if (g_strcmp0(type, "phase") == 0 && json_integer_value(line_id) == id) {
		const char *name = json_string_value(json_object_get(line, "phase"));

		if (phase && name)
			phase(name, json_integer_value(json_object_get(line, "boot_ns")), data);
		return FALSE;
	}
	if (g_strcmp0(type, "error") == 0 && (json_is_null(line_id) || json_integer_value(line_id) == id)) {
		set_agent_error(link, cmd, line, error);
		return TRUE;
	}
	if (g_strcmp0(type, "result") == 0 && json_integer_value(line_id) == id && json_is_object(result)) {
		*ret_result = json_incref(result);
		return TRUE;
	}
	lose(link, "the %s's agent answered %s with a line that does not belong to it", link->name, cmd);
	fail_lost(link, error);
	return TRUE;
}

/* Tells the agent to end the run under way and swallows what it still says. */
static void cancel_call(AgentLink *link, gint64 id, const char *cmd)
{
	gboolean passed = FALSE;
	g_autoptr(GSource) deadline = deadline_source(CANCEL_GRACE_MS, &passed);
	gboolean ended = FALSE;

	if (send_command(link, id, "cancel", NULL, NULL)) {
		while (!ended) {
			json_t *line = await_line(link, &passed, NULL);
			json_t *result = NULL;

			if (!line)
				break;
			ended = take_answer(link, id, cmd, line, NULL, NULL, &result, NULL);
			json_decref(result);
			json_decref(line);
		}
		if (!ended && !link->lost)
			lose(link, "the %s's agent did not answer a cancellation within %d s", link->name,
				CANCEL_GRACE_MS / 1000);
	}
	g_source_destroy(deadline);
}

/* ---- an agent that is silent ---------------- */

/*
 * Asks an agent that owes the answer to request ID for its clock. A run under way refuses that with an error of its own, which is as good:
 * the agent and the way to it work, and the load is what hangs. Static text.
 */
static const char *ask_again(AgentLink *link, gint64 id, guint timeout_ms)
{
	gboolean passed = FALSE;
	g_autoptr(GSource) deadline = deadline_source(timeout_ms, &passed);
	const char *text = "asked again, it still says nothing";
	json_t *line = NULL;

	if (send_command(link, ++link->last_id, "ping", NULL, NULL))
		line = await_line(link, &passed, NULL);
	g_source_destroy(deadline);
	if (line && json_integer_value(json_object_get(line, "id")) == id)
		text = "asked again, it sent what had been missing, which was stuck on the way";
	else if (line)
		text = "asked again, it answers: the agent and its channel work, and the command is what hangs";
	json_decref(line);
	return text;
}

static char *explain_silence(AgentLink *link, const char *reason)
{
	return link->explain ? link->explain(reason, link->explain_data) : NULL;
}

/*
 * The deadline of request ID has passed. The side is given up, with everything that can be known of it now: what the owner
 * sees comes first, since asking again may change it.
 */
static void lose_silent(AgentLink *link, gint64 id, const char *cmd, guint timeout_ms)
{
	GString *reason = g_string_new(NULL);
	g_autofree char *known = NULL;

	g_string_append_printf(reason, "the %s's agent did not answer %s within %u s; ", link->name, cmd, timeout_ms / 1000);
	if (link->heard)
		g_string_append_printf(reason, "its last message (%s) came %.1f s ago", link->heard,
			(double)(g_get_monotonic_time() - link->heard_us) / G_USEC_PER_SEC);
	else
		g_string_append(reason, "it never said anything");
	known = explain_silence(link, reason->str);
	if (!link->lost)
		g_string_append_printf(reason, "; %s", ask_again(link, id, MIN(timeout_ms, ASK_AGAIN_MS)));
	if (known)
		g_string_append_printf(reason, "; %s", known);
	/* What broke while it was looked at came after the deadline, and may be of the looking's making. */
	if (link->lost)
		g_string_append_printf(reason, "; then %s", link->lost);
	g_free(link->lost);
	link->lost = g_string_free(reason, FALSE);
}

gint64 link_begin(AgentLink *link, const char *cmd, const json_t *arguments, GCancellable *cancel, GError **error)
{
	gint64 id = link->last_id + 1;

	if (link->lost) {
		fail_lost(link, error);
		return -1;
	}
	if (cancel && g_cancellable_is_cancelled(cancel)) {
		fail_interrupted(error);
		return -1;
	}
	link->last_id = id;
	return send_command(link, id, cmd, arguments, error) ? id : -1;
}

json_t *link_finish(AgentLink *link, gint64 id, const char *cmd, guint timeout_ms, LinkPhase phase, void *data,
	GCancellable *cancel, GError **error)
{
	gboolean passed = FALSE, ended = FALSE;
	g_autoptr(GSource) deadline = deadline_source(timeout_ms, &passed);
	gulong handler = watch(cancel);
	json_t *result = NULL;

	while (!ended) {
		json_t *line = await_line(link, &passed, cancel);

		if (!line)
			break;
		ended = take_answer(link, id, cmd, line, phase, data, &result, error);
		json_decref(line);
	}
	g_source_destroy(deadline);
	unwatch(cancel, handler);
	if (ended)
		return result;
	if (!link->lost && cancel && g_cancellable_is_cancelled(cancel)) {
		cancel_call(link, id, cmd);
		fail_interrupted(error);
		return NULL;
	}
	if (!link->lost)
		lose_silent(link, id, cmd, timeout_ms);
	fail_lost(link, error);
	return NULL;
}

json_t *link_call(AgentLink *link, const char *cmd, const json_t *arguments, guint timeout_ms,
	LinkPhase phase, void *data, GCancellable *cancel, GError **error)
{
	gint64 id = link_begin(link, cmd, arguments, cancel, error);

	return id < 0 ? NULL : link_finish(link, id, cmd, timeout_ms, phase, data, cancel, error);
}
