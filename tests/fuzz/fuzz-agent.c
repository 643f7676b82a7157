/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines to the agent: whole ones come out as they are, and a job is read or refused with its reason. */
#include <assert.h>
#include <errno.h>
#include <jansson.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "guest-agent/common/wire.h"
#include "guest-agent/job.h"
#include "tests/fuzz/fuzz.h"

static void parse_job(const char *line, size_t length)
{
	json_t *object = json_loadb(line, length, JSON_REJECT_DUPLICATES, NULL);
	Fault fault = {0};
	Job job;

	if (!json_is_object(object)) {
		json_decref(object);
		return;
	}
	if (job_parse(object, &job, &fault) < 0) {
		assert(fault.code > 0 && fault.message[0]);
	} else {
		assert(job.block_size > 0 && job.jobs > 0 && job.queue_depth > 0);
		/* Whatever was accepted can be asked about. */
		(void)(job_reads(&job) + job_writes(&job) + job_is_random(&job) + job_needs_final_sync(&job));
	}
	json_decref(object);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static Wire wire;
	int fd = memfd_create("input", MFD_CLOEXEC), r;
	size_t length, most = 0;
	char *line;

	assert(fd >= 0 && write(fd, data, size) == (ssize_t)size && lseek(fd, 0, SEEK_SET) == 0);
	wire_init(&wire, fd, -1);
	do {
		r = wire_read(&wire, -1, WIRE_FOREVER, &line, &length);
		if (r == WIRE_LINE) {
			assert(line[length] == 0 && length < WIRE_MAX_REQUEST);
			parse_job(line, length);
		}
		assert(++most <= size + 2);
	} while (r == WIRE_LINE || r == -EMSGSIZE);
	assert(r == -EPIPE);
	close(fd);
	return 0;
}
