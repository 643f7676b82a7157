/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "guest-agent/tool-run.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>

#include "guest-agent/common/bonnie.h"
#include "guest-agent/common/clock.h"
#include "guest-agent/engine/child.h"
#include "guest-agent/engine/tools.h"
#include "guest-agent/open-file.h"
#include "guest-agent/outside.h"
#include "guest-agent/result.h"
#include "guest-agent/tool-args.h"
#include "guest-agent/tool-place.h"

#define LOOK_NS 5000000 /* between two looks whether the tool has opened the file */
/* Beyond the run: its start, its last request, or the rest of a pass that must be finished. */
#define GRACE_NS UINT64_C(170000000000)

typedef struct {
	const Job *job;
	const Storage *storage;
	RunContext *context;
	const Program *program;
	ToolPlace place; /* of those that need a folder */
	char *args[TOOL_MAX_ARGS];
	Child child;
	uint64_t begin_ns; /* it had the file open, or it was started */
	bool stopped;
	int flags; /* of its descriptor, -1 = not seen */
	struct rusage usage[2];
	Sample begin, end;
} ToolRun;

static int start(ToolRun *run, Fault *fault)
{
	char *argv[TOOL_MAX_ARGS + 1] = {(char *)run->program->path};

	memcpy(argv + 1, run->args, sizeof(run->args));
	getrusage(RUSAGE_CHILDREN, &run->usage[0]);
	sample_take(run->storage->sysfs, &run->begin);
	run->begin_ns = run->begin.moment.mono_ns;
	return child_start(&run->child, argv, NULL, fault);
}

/* Its time begins when it has the file open; a short run may be over before that is seen. */
static void look(ToolRun *run)
{
	int flags = run->place.path[0] ? open_file_flags_below(run->child.pid, run->place.path) :
		open_file_flags(run->child.pid, run->storage, run->job->direct ? O_DIRECT : 0);

	if (flags < 0)
		return;
	run->flags = flags;
	sample_take(run->storage->sysfs, &run->begin);
	run->begin_ns = run->begin.moment.mono_ns;
	run_say_phase(run->context, "measure", run->begin_ns);
}

/* Of OutsideOps. */
static uint64_t proceed(void *data)
{
	ToolRun *run = data;
	uint64_t now = clock_now(), end = run->begin_ns + run->job->run_ns;
	bool stops = tool_args_is_stopped(run->job);

	if (run->flags < 0)
		look(run);
	if (!run->stopped && stops && run->flags >= 0 && now >= end) {
		kill(run->child.pid, SIGINT);
		run->stopped = true;
	}
	if (run->stopped || !stops || run->flags < 0)
		end += run->place.path[0] ? BONNIE_S * UINT64_C(1000000000) : GRACE_NS;
	if (now >= end)
		return 0;
	return run->flags < 0 ? LOOK_NS : end - now;
}

static const char *text_of(const ChildStream *stream)
{
	return stream->text ? stream->text : "";
}

/* dd prints its figures on standard error, the others on standard output. */
static const char *output_of(const ToolRun *run)
{
	const char *out = text_of(&run->child.out);

	return *out ? out : text_of(&run->child.err);
}

static int check_end(const ToolRun *run, int status, Fault *fault)
{
	const char *name = run->program->name, *said = text_of(&run->child.err);
	size_t size = strlen(output_of(run)), rest = strlen(said);

	if (run->stopped && status == 128 + SIGINT)
		status = size > 0 ? 0 : -1;
	if (status < 0) /* it opens the file before it can be asked for figures */
		return fault_set(fault, EAGAIN, "tool", "%s was stopped before it had anything to tell; measure longer", name);
	if (status > 128)
		return fault_set(fault, EIO, "tool", "%s was killed by signal %d", name, status - 128);
	if (status)
		return fault_set(fault, EIO, "tool", "%s failed with status %d: %.*s", name, status, (int)strcspn(said, "\n"), said);
	if (size > TOOL_MAX_OUTPUT || rest > TOOL_MAX_OUTPUT)
		return fault_set(fault, EFBIG, "tool", "%s printed more than %u bytes", name, TOOL_MAX_OUTPUT);
	return 0;
}

static json_int_t microseconds(const struct timeval *from, const struct timeval *to)
{
	return (json_int_t)(to->tv_sec - from->tv_sec) * 1000000 + (to->tv_usec - from->tv_usec);
}

static json_t *make_cpu(const ToolRun *run)
{
	const struct rusage *from = &run->usage[0], *to = &run->usage[1];
	json_t *cpu = json_pack("{s:I,s:I,s:I,s:I}", "load_user_ns", 1000 * microseconds(&from->ru_utime, &to->ru_utime),
		"load_system_ns", 1000 * microseconds(&from->ru_stime, &to->ru_stime), "load_voluntary_switches",
		(json_int_t)(to->ru_nvcsw - from->ru_nvcsw), "load_involuntary_switches", (json_int_t)(to->ru_nivcsw - from->ru_nivcsw));

	sample_add_machine(cpu, &run->begin, &run->end);
	return cpu;
}

static json_t *make_effective(const ToolRun *run)
{
	json_t *effective = result_effective(run->job, run->storage, run->flags & O_DIRECT, open_file_sync(run->flags));

	if (run->flags < 0) { /* it was over before it could be seen */
		json_object_set_new(effective, "direct", json_null());
		json_object_set_new(effective, "sync_flags", json_null());
	}
	return effective;
}

static json_t *make_tool(const ToolRun *run)
{
	json_t *args = json_array();

	json_array_append_new(args, json_string(run->program->name));
	for (unsigned i = 0; run->args[i]; i++)
		json_array_append_new(args, json_string(run->args[i]));
	return json_pack("{s:s,s:s,s:o,s:s,s:s}", "name", run->program->name, "version", run->program->version, "arguments", args, "output",
		output_of(run), "said", *text_of(&run->child.out) ? text_of(&run->child.err) : "");
}

static json_t *make_result(const ToolRun *run)
{
	json_t *tool = make_tool(run), *result;

	if (!tool) /* what it printed is no UTF-8 */
		return NULL;
	result = json_object();
	json_object_set_new(result, "final_sync_ns", json_null());
	json_object_set_new(result, "extended", json_false());
	json_object_set_new(result, "settle_ns", json_integer(0));
	json_object_set_new(result, "begin", result_moment(&run->begin, run->begin_ns));
	json_object_set_new(result, "end", result_moment(&run->end, run->end.moment.mono_ns));
	/* What was counted meanwhile is of all tests of bonnie++, and of none. */
	json_object_set_new(result, "cpu", run->place.path[0] ? json_null() : make_cpu(run));
	json_object_set_new(result, "device", run->place.path[0] ? json_null() : sample_device(&run->begin, &run->end));
	json_object_set_new(result, "depth_mean", json_null());
	json_object_set_new(result, "effective", make_effective(run));
	json_object_set_new(result, "series", json_null());
	json_object_set_new(result, "tool", tool);
	return result;
}

static json_t *run_child(ToolRun *run, Fault *fault)
{
	const OutsideOps ops = {run->program->name, "tool", "; make the target smaller", proceed};
	json_t *result = NULL;
	int status;

	if (start(run, fault) < 0)
		return NULL;
	status = outside_watch(&ops, &run->child, run->context, run, fault);
	sample_take(run->storage->sysfs, &run->end);
	getrusage(RUSAGE_CHILDREN, &run->usage[1]);
	if (status >= 0 && check_end(run, status, fault) == 0) {
		result = make_result(run);
		if (!result)
			fault_set(fault, EPROTO, "tool", "what %s printed is not UTF-8", run->program->name);
	}
	child_release(&run->child);
	return result;
}

/* In its folder, if it has one. */
static json_t *run_here(ToolRun *run, Fault *fault)
{
	json_t *result;

	if (tool_args_make(run->job, run->place.path[0] ? run->place.path : NULL, run->args) < 0) {
		fault_set(fault, ENOMEM, "tool", "no memory for its arguments");
		return NULL;
	}
	result = run_child(run, fault);
	tool_args_free(run->args);
	return result;
}

json_t *tool_run(const Job *job, const Storage *storage, RunContext *context, Fault *fault)
{
	ToolRun run = {.job = job, .storage = storage, .context = context, .flags = -1};
	json_t *result;

	run.program = tools_program(engines[job->engine]);
	if (tool_args_check(job, fault) < 0)
		return NULL;
	if (tool_args_need_folder(job) && tool_place_open(job, storage, context, &run.place, fault) < 0)
		return NULL;
	result = run_here(&run, fault);
	tool_place_close(&run.place);
	return result;
}
