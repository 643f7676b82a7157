/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <signal.h>
#include <unistd.h>

#include "guest-agent/agent.h"
#include "guest-agent/answer.h"
#include "guest-agent/common/cleanup.h"
#include "guest-agent/init.h"
#include "guest-agent/manual.h"
#include "guest-agent/probe.h"
#include "guest-agent/run.h"

static Wire stdio_wire; /* 64 KiB: not on the stack */

static int fail(const Fault *fault)
{
	char code[16];

	fprintf(stderr, "iogap-agent: %s (%s: %s)\n", fault->message, fault_code_name(fault->code, code, sizeof(code)), fault->what);
	return 1;
}

static int serve_stdio(void)
{
	wire_init(&stdio_wire, STDIN_FILENO, STDOUT_FILENO);
	agent_serve(&stdio_wire);
	/* At once: a request that hangs in the kernel must not keep a process whose harness is gone. */
	_exit(0);
}

static int print_json(const json_t *json)
{
	if (json_dumpf(json, stdout, JSON_INDENT(1) | JSON_SORT_KEYS) < 0 || putchar('\n') == EOF || fflush(stdout) == EOF) {
		fprintf(stderr, "iogap-agent: standard output: %s\n", strerror(errno));
		return 1;
	}
	return 0;
}

static int run_one(const char *text)
{
	CLEANUP_JSON json_t *object = NULL, *result = NULL;
	RunContext context = {0};
	json_error_t error;
	Fault fault;
	Job job;

	object = strcmp(text, "-") ? json_loads(text, JSON_REJECT_DUPLICATES, &error) : json_loadf(stdin, JSON_REJECT_DUPLICATES, &error);
	if (!object) {
		fault_set(&fault, EPROTO, "job", "not JSON: %s (line %d, column %d)", error.text, error.line, error.column);
		return fail(&fault);
	}
	if (!json_is_object(object)) {
		fault_set(&fault, EPROTO, "job", "a job must be an object");
		return fail(&fault);
	}
	if (job_parse(object, &job, &fault) < 0)
		return fail(&fault);
	result = run_job(&job, &context, &fault);
	/* A failed run of fio: its words are for the harness, the error says enough to people. */
	return result && !json_object_get(result, "failed") ? print_json(result) : fail(&fault);
}

static int print_probe(void)
{
	CLEANUP_JSON json_t *facts = probe_facts();

	return print_json(facts);
}

static int serve_port(const char *name, bool power_off)
{
	int r = init_serve_port(name, power_off);

	if (power_off)
		init_power_off(r == 0);
	_exit(r < 0 ? 1 : 0);
}

static int usage(const char *word)
{
	if (word)
		fprintf(stderr, "iogap-agent: unknown or incomplete option \"%s\"\n", word);
	else
		fprintf(stderr, "iogap-agent: an option is needed\n");
	fprintf(stderr, "Try: iogap-agent --help\n");
	return 2;
}

static bool is(const char *word, const char *option)
{
	return word && !strcmp(word, option);
}

int main(int argc, char **argv)
{
	const char *option, *second;

	/* The kernel hands words of its command line that it does not know to process 1, so /init takes none. */
	if (getpid() == 1 && (argc < 2 || is(argv[0], "/init")))
		init_main();
	signal(SIGPIPE, SIG_IGN);
	option = argc > 1 ? argv[1] : NULL;
	second = argc > 2 ? argv[2] : NULL;
	if (is(option, "--stdio") && argc == 2)
		return serve_stdio();
	if (is(option, "--probe") && argc == 2)
		return print_probe();
	if (is(option, "--run") && argc == 3)
		return run_one(second);
	if (is(option, "--port") && (argc == 3 || (argc == 4 && is(argv[3], "--poweroff"))))
		return serve_port(second, argc == 4);
	if (is(option, "--version") && argc == 2)
		return puts("iogap-agent " IOGAP_VERSION) < 0;
	if (is(option, "--help") && argc == 2) {
		manual_print(stdout);
		return fflush(stdout) == EOF;
	}
	return usage(option);
}
