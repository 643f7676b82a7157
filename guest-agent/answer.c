/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <unistd.h>

#include "guest-agent/answer.h"
#include "guest-agent/common/cleanup.h"

static json_t *envelope(const json_t *id, const char *type)
{
	json_t *line = json_object();

	json_object_set_new(line, "id", id ? json_copy((json_t *)id) : json_null());
	json_object_set_new(line, "type", json_string(type));
	return line;
}

void answer_hello(Wire *wire)
{
	CLEANUP_JSON json_t *hello = json_pack("{s:s,s:i,s:s,s:i,s:i,s:i}", "type", "hello", "protocol", WIRE_PROTOCOL, "agent",
		IOGAP_VERSION, "pid", (int)getpid(), "max_request", (int)WIRE_MAX_REQUEST, "max_answer", (int)WIRE_MAX_ANSWER);

	wire_send(wire, hello);
}

void answer_result(Wire *wire, const json_t *id, json_t *result)
{
	CLEANUP_JSON json_t *line = envelope(id, "result");
	Fault fault;

	json_object_set(line, "result", result);
	if (wire_send(wire, line) != -EMSGSIZE)
		return;
	fault_set(&fault, EMSGSIZE, "result", "the result is longer than %u bytes", WIRE_MAX_ANSWER);
	answer_error(wire, id, &fault);
}

/* A fault can quote what the harness sent, and a cut may fall inside a character: json_string refuses broken UTF-8. */
static json_t *clean_text(const char *text)
{
	json_t *json = json_string(text);
	char copy[sizeof(((Fault *)0)->message)];

	if (json)
		return json;
	snprintf(copy, sizeof(copy), "%s", text);
	for (char *c = copy; *c; c++)
		if (*c & 0x80)
			*c = '?';
	return json_string(copy);
}

json_t *answer_fault_json(const Fault *fault)
{
	char code[16];

	return json_pack("{s:s,s:o,s:o}", "code", fault_code_name(fault->code, code, sizeof(code)), "what", clean_text(fault->what),
		"message", clean_text(fault->message));
}

void answer_error(Wire *wire, const json_t *id, const Fault *fault)
{
	CLEANUP_JSON json_t *line = envelope(id, "error");

	json_object_set_new(line, "error", answer_fault_json(fault));
	wire_send(wire, line);
}

void answer_phase(Wire *wire, const json_t *id, const char *phase, uint64_t boot_ns, uint64_t real_ns)
{
	CLEANUP_JSON json_t *line = envelope(id, "phase");

	json_object_set_new(line, "phase", json_string(phase));
	json_object_set_new(line, "boot_ns", json_integer((json_int_t)boot_ns));
	json_object_set_new(line, "real_ns", json_integer((json_int_t)real_ns));
	wire_send(wire, line);
}
