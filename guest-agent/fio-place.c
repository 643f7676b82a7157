/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "guest-agent/fio-place.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "guest-agent/disk.h"
#include "guest-agent/engine/engine.h"

/* Of the bytes: what a place that is right may be off by, on a machine so busy that who looks is late himself. */
#define FITS 0.10

/* Of the text of /proc/PID/io; false when a line is missing. */
static bool number_after(const char *text, const char *key, uint64_t *ret)
{
	const char *line = strstr(text, key);

	if (line)
		*ret = strtoull(line + strlen(key), NULL, 10);
	return line;
}

/* Bytes read and written so far. False: the process is gone. */
static bool read_moved(const FioPlace *place, uint64_t *ret)
{
	char path[64], text[512];

	snprintf(path, sizeof(path), "/proc/%d/io", (int)place->pid);
	if (place->pid <= 0 || disk_read_text(path, text, sizeof(text)) <= 0)
		return false;
	return number_after(text, place->calls ? "rchar:" : "\nread_bytes:", &ret[0]) &&
	       number_after(text, place->calls ? "\nwchar:" : "\nwrite_bytes:", &ret[1]);
}

void fio_place_sample(const FioPlace *place, Sample *sample)
{
	sample->have_process = read_moved(place, sample->process);
}

/*
 * The kernel counts for a process the bytes of its read and write calls, of asynchronous ones not, and those that it moved from
 * and to storage, of which cached reads and memory have none.
 */
void fio_place_init(FioPlace *place, const Job *job, const Storage *storage, pid_t pid)
{
	const char *engine = engines[job->engine]->outside;

	*place = (FioPlace){.job = job, .storage = storage, .pid = pid};
	place->calls = engine && !strcmp(engine, "psync") && !(job->direct && *storage->sysfs);
}

bool fio_place_look(FioPlace *place, bool is_open)
{
	uint64_t now = clock_now(), moved[2], sum;

	if (place->start_ns)
		return true;
	if (!read_moved(place, moved))
		return false;
	/* What a load that only writes has read is its program, which was no longer cached. */
	sum = (job_reads(place->job) ? moved[0] : 0) + (job_writes(place->job) ? moved[1] : 0);
	/* A look that is the first one to see it open cannot tell when what moved has moved. */
	if (place->waiting && is_open && sum - place->moved >= place->job->block_size) {
		place->slack_ns = (now - place->last_ns) / 2;
		place->start_ns = place->last_ns + place->slack_ns;
		return true;
	}
	place->waiting = true;
	place->last_ns = now;
	place->moved = sum;
	return false;
}

bool fio_place_fits(FioPlace *place, const Sample *begin, const Sample *end, const uint64_t *bytes, char *reason, size_t size)
{
	double ns = (double)(end->moment.mono_ns - begin->moment.mono_ns), slack = (double)place->slack_ns;
	double flight = (double)(place->job->queue_depth * place->job->jobs * place->job->block_size);

	if (!(place->calls || (place->job->direct && *place->storage->sysfs)) || !begin->have_process || !end->have_process || !(ns > 0))
		return true;
	for (int i = 0; i < 2; i++) {
		double told = (double)bytes[i], moved = (double)(end->process[i] - begin->process[i]), off = fabs(moved - told);

		if (!bytes[i] || off <= 2 * flight)
			continue;
		if (off > told * (FITS + 2 * slack / ns) + 2 * flight) {
			snprintf(reason, size, "fio's measured time could not be placed: it tells of %.0f bytes %s, the kernel counts %.0f in the time that should be it",
				told, i ? "written" : "read", moved);
			return false;
		}
		place->slack_ns = (uint64_t)fmax((double)place->slack_ns, off / told * ns);
	}
	return true;
}
