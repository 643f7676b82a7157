/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The harness's end of the agent's protocol (docs/protocol.md), over any pair of GIO streams: the
 * pipes of an agent on the host, or the socket of a guest's channel.
 *
 * A call runs the default main context until its answer, its deadline, a cancellation or a
 * failure reported by the side's owner (guest died, guest paused), whichever comes first.
 */
#ifndef IOGAP_SIDE_LINK_H
#define IOGAP_SIDE_LINK_H

#include <gio/gio.h>
#include <jansson.h>

typedef struct AgentLink AgentLink;

/* NAME is for messages ("host", "guest"). Takes its own references to the streams. */
AgentLink *link_new(const char *name, GInputStream *in, GOutputStream *out);
/* Closes both streams. NULL is allowed. */
void link_free(AgentLink *link);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(AgentLink, link_free)

/* Waits for the hello line and checks its protocol version; the answer is borrowed from the link. */
const json_t *link_hello(AgentLink *link, guint timeout_ms, GCancellable *cancel, GError **error);

/* Called for each phase line of a request. */
typedef void (*LinkPhase)(const char *phase, gint64 boot_ns, void *data);

/*
 * Sends {"id":N,"cmd":CMD} plus the keys of ARGUMENTS (may be NULL; borrowed) and returns the "result"
 * object (owned by the caller). Errors: IOGAP_ERROR_AGENT (the agent's own message; the side stays
 * usable), IOGAP_ERROR_LOST (deadline, hang-up, garbage, too long a line, or link_lose was called; after a
 * deadline the message tells what was heard last, and what the agent says when it is asked again),
 * IOGAP_ERROR_INTERRUPTED (CANCEL was triggered; a run is then cancelled on the agent too).
 */
json_t *link_call(AgentLink *link, const char *cmd, const json_t *arguments, guint timeout_ms,
	LinkPhase phase, void *data, GCancellable *cancel, GError **error);

/*
 * The two halves of link_call, for loads that begin on several sides at once: link_begin sends and returns the request's id (-1 and
 * the error otherwise), link_finish waits for its answer. One request at a time is open on a link, and what was begun must be finished.
 */
gint64 link_begin(AgentLink *link, const char *cmd, const json_t *arguments, GCancellable *cancel, GError **error);
json_t *link_finish(AgentLink *link, gint64 id, const char *cmd, guint timeout_ms, LinkPhase phase, void *data,
	GCancellable *cancel, GError **error);

/* The owner of the side learned that it is lost: the call under way and all later ones fail with REASON. */
void link_lose(AgentLink *link, const char *reason);
/* Asked when the connection ended by itself, with what is known so far; returns a better reason (new text), or NULL. May
 * run the main context, and may call link_lose. */
typedef char *(*LinkDiagnose)(const char *reason, void *data);
void link_set_diagnose(AgentLink *link, LinkDiagnose diagnose, void *data);
/* Asked when the agent was silent beyond a deadline; returns what its owner can see of the side, to
 * be added to the reason (new text), or NULL. May run the main context, and may call link_lose. */
void link_set_explain(AgentLink *link, LinkDiagnose explain, void *data);
/* The reason, or NULL while the link is usable. */
const char *link_lost(const AgentLink *link);

#endif
