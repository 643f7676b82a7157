/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>

#include "guest-agent/agent.h"
#include "guest-agent/answer.h"
#include "guest-agent/common/cleanup.h"
#include "guest-agent/common/clock.h"
#include "guest-agent/disk.h"
#include "guest-agent/fill.h"
#include "guest-agent/probe.h"
#include "guest-agent/run.h"

#define LOOK_AGAIN_NS 2000000 /* between two looks for a disk */

/* Arguments of all commands but run: each command's keys name those that it takes. */
typedef struct {
	const char *path, *serial, *scheduler;
	uint64_t offset, size, seed, timeout_ns;
	json_t *job;
} Arguments;

#define AT(field) offsetof(Arguments, field)
#define PATH_KEY {"path", KEY_TEXT, AT(path), .required = true, .help = "file or block device"}

static const Key no_keys[] = {{NULL}};
static const Key path_keys[] = {PATH_KEY, {NULL}};
static const Key find_keys[] = {
	{"serial", KEY_TEXT, AT(serial), .required = true, .help = "as the disk tells it"},
	{"size", KEY_UINT, AT(size), .required = true, .max = INT64_MAX, .help = "bytes"},
	{"timeout_ns", KEY_UINT, AT(timeout_ns), .max = UINT64_C(600000000000), .help = "how long to wait for it"},
	{NULL},
};
static const Key fill_keys[] = {
	PATH_KEY,
	{"offset", KEY_UINT, AT(offset), .max = INT64_MAX / 2, .help = "first byte"},
	{"size", KEY_UINT, AT(size), .required = true, .min = 1, .max = INT64_MAX / 2, .help = "bytes"},
	{"seed", KEY_UINT, AT(seed), .preset = 1, .max = INT64_MAX, .help = "of the data"},
	{NULL},
};
static const Key schedule_keys[] = {
	PATH_KEY,
	{"scheduler", KEY_TEXT, AT(scheduler), .required = true, .help = "none, mq-deadline ..."},
	{NULL},
};
static const Key run_keys[] = {{"job", KEY_OBJECT, AT(job), .required = true, .help = "below"}, {NULL}};

static bool take(const json_t *request, const Key *keys, Arguments *ret, Fault *fault)
{
	return keys_parse(request, keys, true, ret, fault) == 0;
}

static json_t *do_ping(Agent *agent, const json_t *request, const Key *keys, Fault *fault)
{
	ClockMoment now = clock_moment();
	Arguments args;

	if (!take(request, keys, &args, fault))
		return NULL;
	return json_pack("{s:I,s:I}", "boot_ns", (json_int_t)now.boot_ns, "real_ns", (json_int_t)now.real_ns);
}

static json_t *do_probe(Agent *agent, const json_t *request, const Key *keys, Fault *fault)
{
	Arguments args;

	return take(request, keys, &args, fault) ? probe_facts() : NULL;
}

static json_t *do_find_disk(Agent *agent, const json_t *request, const Key *keys, Fault *fault)
{
	uint64_t begin = clock_now();
	Arguments args;

	if (!take(request, keys, &args, fault))
		return NULL;
	for (;;) {
		json_t *disk = disk_find(args.serial, args.size, fault);

		if (disk || fault->code != ENOENT || clock_now() - begin >= args.timeout_ns)
			return disk;
		clock_sleep_until(clock_now() + LOOK_AGAIN_NS);
	}
}

static json_t *do_inspect(Agent *agent, const json_t *request, const Key *keys, Fault *fault)
{
	Arguments args;

	return take(request, keys, &args, fault) ? disk_inspect(args.path, fault) : NULL;
}

static json_t *do_fill(Agent *agent, const json_t *request, const Key *keys, Fault *fault)
{
	Arguments args;

	return take(request, keys, &args, fault) ? fill_range(args.path, args.offset, args.size, args.seed, fault) : NULL;
}

static json_t *do_drop(Agent *agent, const json_t *request, const Key *keys, Fault *fault)
{
	Arguments args;

	return take(request, keys, &args, fault) ? fill_drop(args.path, fault) : NULL;
}

static json_t *do_schedule(Agent *agent, const json_t *request, const Key *keys, Fault *fault)
{
	Arguments args;

	return take(request, keys, &args, fault) ? disk_set_scheduler(args.path, args.scheduler, fault) : NULL;
}

static json_t *do_run(Agent *agent, const json_t *request, const Key *keys, Fault *fault)
{
	RunContext context = {.wire = agent->wire, .id = agent->id};
	Arguments args;
	json_t *result;
	Job job;

	if (!take(request, keys, &args, fault) || job_parse(args.job, &job, fault) < 0)
		return NULL;
	result = run_job(&job, &context, fault);
	agent->ending = context.lost;
	return result;
}

static json_t *do_cancel(Agent *agent, const json_t *request, const Key *keys, Fault *fault)
{
	fault_set(fault, ESRCH, "cmd", "no run is under way");
	return NULL;
}

static json_t *do_poweroff(Agent *agent, const json_t *request, const Key *keys, Fault *fault)
{
	Arguments args;

	if (!take(request, keys, &args, fault))
		return NULL;
	agent->ending = true;
	return json_object();
}

const AgentCommand agent_commands[] = {
	{"ping", "the clocks", no_keys, do_ping},
	{"probe", "facts of this side: kernel, engines, cost of the clock and of one operation", no_keys, do_probe},
	{"find_disk", "the disk with this serial and size", find_keys, do_find_disk},
	{"inspect", "facts of a file or device", path_keys, do_inspect},
	{"fill", "write incompressible data", fill_keys, do_fill},
	{"drop", "sync, and drop cached pages", path_keys, do_drop},
	{"schedule", "set a device's I/O scheduler", schedule_keys, do_schedule},
	{"run", "run a job", run_keys, do_run},
	{"cancel", "end the run under way", no_keys, do_cancel},
	{"poweroff", "answer, then end; as process 1, power off", no_keys, do_poweroff},
	{NULL},
};

static const AgentCommand *find_command(const json_t *request, Fault *fault)
{
	const json_t *cmd = json_object_get(request, "cmd");
	const char *name = json_string_value(cmd);

	if (!name) {
		fault_set(fault, EINVAL, "cmd", cmd ? "cmd must be a text" : "cmd is missing");
		return NULL;
	}
	for (const AgentCommand *c = agent_commands; c->name; c++)
		if (!strcmp(c->name, name))
			return c;
	fault_set(fault, ENOSYS, "cmd", "unknown command \"%.60s\"", name);
	return NULL;
}

static void serve_line(Agent *agent, const char *line, size_t length)
{
	json_error_t error;
	CLEANUP_JSON json_t *request = json_loadb(line, length, JSON_REJECT_DUPLICATES, &error);
	CLEANUP_JSON json_t *result = NULL;
	const AgentCommand *command = NULL;
	Fault fault = {0};

	agent->id = json_object_get(request, "id");
	if (!request)
		fault_set(&fault, EPROTO, "line", "not JSON: %s (column %d)", error.text, error.column);
	else if (!json_is_object(request))
		fault_set(&fault, EPROTO, "line", "a request must be an object");
	else if (agent->id && !json_is_integer(agent->id))
		fault_set(&fault, EINVAL, "id", "id must be a whole number");
	else
		command = find_command(request, &fault);
	if (command)
		result = command->run(agent, request, command->keys, &fault);
	if (result)
		answer_result(agent->wire, agent->id, result);
	else if (!agent->ending) /* else the harness is gone */
		answer_error(agent->wire, agent->id, &fault);
}

int agent_serve(Wire *wire)
{
	Agent agent = {.wire = wire};
	size_t length;
	char *line;

	answer_hello(wire);
	while (!agent.ending) {
		int r = wire_read(wire, -1, WIRE_FOREVER, &line, &length);

		if (r == WIRE_LINE) {
			serve_line(&agent, line, length);
		} else if (r == -EMSGSIZE) {
			Fault fault;

			fault_set(&fault, EMSGSIZE, "line", "a line is longer than %u bytes", WIRE_MAX_REQUEST);
			answer_error(wire, NULL, &fault);
		} else if (r < 0) {
			return r;
		}
	}
	return 0;
}
