/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "guest-agent/agent.h"
#include "guest-agent/job.h"
#include "guest-agent/manual.h"

const AgentOption agent_options[] = {
	{"--stdio", NULL, "speak the protocol on standard input and output, until the input ends"},
	{"--port", "NAME", "speak it on the virtio-serial port of this name (the appliance's is " WIRE_PORT ")"},
	{"--poweroff", NULL, "with --port: power the machine off at the end"},
	{"--run", "JOB", "run one job, a JSON object, and print its result; - reads it from standard input"},
	{"--probe", NULL, "print the facts of this side"},
	{"--version", NULL, "print the version"},
	{"--help", NULL, "print this text"},
	{NULL},
};

static void print_row(FILE *out, const char *left, const char *right)
{
	fprintf(out, "  %-22s %s\n", left, right);
}

static void print_keys(FILE *out, const Key *keys, const char *indent)
{
	char text[300];

	for (; keys->name; keys++)
		fprintf(out, "%s%-*s %s%s(%s)\n", indent, (int)(24 - strlen(indent)), keys->name, keys->help ? keys->help : "",
			keys->help ? " " : "", keys_describe(keys, text, sizeof(text)));
}

void manual_print(FILE *out)
{
	char left[64];

	fprintf(out, "Usage: iogap-agent OPTION\n"
		     "The load generator of iogap, for the host and for guests. As process 1 it is the guest's whole user space.\n\n"
		     "Options:\n");
	for (const AgentOption *o = agent_options; o->name; o++) {
		snprintf(left, sizeof(left), "%s%s%s", o->name, o->argument ? " " : "", o->argument ? o->argument : "");
		print_row(out, left, o->summary);
	}
	fprintf(out, "\nCommands of the protocol:\n");
	for (const AgentCommand *c = agent_commands; c->name; c++) {
		print_row(out, c->name, c->summary);
		print_keys(out, c->keys, "      ");
	}
	fprintf(out, "\nKeys of a job:\n");
	print_keys(out, job_keys, "  ");
	fprintf(out, "\nEngines:\n");
	for (unsigned i = 0; engines[i]; i++)
		print_row(out, engines[i]->name, engines[i]->summary);
	fprintf(out, "\nExit status: 0, or 1 after an error (one line on standard error), or 2 for a wrong command line.\n");
}
