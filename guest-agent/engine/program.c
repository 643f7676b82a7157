/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "guest-agent/engine/program.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

#include "guest-agent/engine/child.h"

#define VERSION_MS 60000 /* an emulated guest needs seconds for fio's many libraries */

/* Its end, or SIGKILL when it takes too long. */
static int await(Child *child)
{
	struct pollfd wake = {.fd = child->wake_fd, .events = POLLIN};
	int more = 1;

	while (more > 0 && poll(&wake, 1, VERSION_MS) > 0)
		more = child_collect(child);
	if (more == 0)
		return child_reap(child);
	child_kill(child);
	return 128 + SIGKILL;
}

/* What the loader or the program itself says when it does not start. */
static int fail_to_start(Program *program, const Child *child, int status)
{
	const char *said = child->err.text && *child->err.text ? child->err.text : child->out.text ? child->out.text : "";

	if (status)
		snprintf(program->reason, sizeof(program->reason), "%.100s --version ends with status %d: %.*s", program->path,
			status, (int)strcspn(said, "\n"), said);
	else
		snprintf(program->reason, sizeof(program->reason), "%.100s is another program of that name: %.*s", program->path,
			(int)strcspn(said, "\n"), said);
	return ENOEXEC;
}

static const char *first_line(const char *text, int *ret_length)
{
	*ret_length = (int)strcspn(text, "\n");
	return text;
}

/* Sets the version from what it printed; false when this is not the program that is meant. */
static bool take_version(Program *program, const Child *child, int status)
{
	const char *out = child->out.text ? child->out.text : "", *err = child->err.text ? child->err.text : "", *at;
	int length;

	if (program->tells) {
		at = strstr(out, program->tells);
		at = at ? at : strstr(err, program->tells);
		if (!at)
			return false;
		at = first_line(at + strlen(program->tells), &length);
		snprintf(program->version, sizeof(program->version), "%.20s %.*s", program->name, length, at);
		return true;
	}
	if (status || strncmp(out, program->begins, strlen(program->begins)) != 0)
		return false;
	at = first_line(out, &length);
	snprintf(program->version, sizeof(program->version), "%.*s", length, at);
	return true;
}

static int ask(Program *program)
{
	char version[] = "--version", *const argv[] = {program->path, version, NULL};
	Child child;
	Fault fault;
	int status, code = 0;

	if (!child_find(program->name, program->path, sizeof(program->path))) {
		snprintf(program->reason, sizeof(program->reason), "there is no %s in PATH; install the package %s", program->name,
			program->package ? program->package : program->name);
		return ENOENT;
	}
	if (child_start(&child, argv, NULL, &fault) < 0) {
		snprintf(program->reason, sizeof(program->reason), "%.255s", fault.message);
		return fault.code;
	}
	status = await(&child);
	if (!take_version(program, &child, status))
		code = fail_to_start(program, &child, status);
	child_release(&child);
	return code;
}

int program_probe(Program *program, char *reason, size_t size)
{
	if (!program->asked)
		program->code = ask(program);
	program->asked = true;
	if (program->code)
		snprintf(reason, size, "%s", program->reason);
	return -program->code;
}
