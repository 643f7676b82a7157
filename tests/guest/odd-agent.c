/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An agent that does what a harness must not believe, for tests/guest/planted.sh and silent.sh: the real one, linked with these changes.
 *
 * As process 1 of a guest it makes the guest's kernel run its clocks 5 % fast (adjtimex), a clock that is really disturbed, and
 * gives every disk another I/O scheduler when a load begins to be measured. And a load of 12 KiB blocks is answered
 * with one byte more than was moved: a result that contradicts itself. A load of 64 KiB blocks is never answered, for silent.sh.
 */
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <string.h>
#include <sys/timex.h>
#include <unistd.h>

#include "guest-agent/answer.h"
#include "guest-agent/common/cleanup.h"

#define ODD_BLOCK (12 * 1024)
#define SILENT_BLOCK (64 * 1024)
#define ODD_TICK 10500 /* microseconds that the clocks advance for each hundredth of a second */

void __real_answer_result(Wire *wire, const json_t *id, json_t *result);
void __wrap_answer_result(Wire *wire, const json_t *id, json_t *result);
void __real_answer_phase(Wire *wire, const json_t *id, const char *phase, uint64_t boot_ns, uint64_t real_ns);
void __wrap_answer_phase(Wire *wire, const json_t *id, const char *phase, uint64_t boot_ns, uint64_t real_ns);

__attribute__((constructor)) static void hurry(void)
{
	struct timex change = {.modes = ADJ_TICK, .tick = ODD_TICK};

	if (getpid() == 1 && adjtimex(&change) < 0)
		perror("odd-agent: adjtimex");
}

/* none becomes mq-deadline and everything else none. */
static void reschedule(const char *file)
{
	CLEANUP_CLOSE int fd = open(file, O_RDWR | O_CLOEXEC);
	char text[256] = "";
	const char *other;

	if (fd < 0 || read(fd, text, sizeof(text) - 1) <= 0)
		return;
	other = strstr(text, "[none]") ? "mq-deadline" : "none";
	if (write(fd, other, strlen(other)) < 0)
		perror(file);
}

void __wrap_answer_phase(Wire *wire, const json_t *id, const char *phase, uint64_t boot_ns, uint64_t real_ns)
{
	glob_t found = {0};

	__real_answer_phase(wire, id, phase, boot_ns, real_ns);
	if (getpid() != 1 || strcmp(phase, "measure") != 0 || glob("/sys/block/vd*/queue/scheduler", 0, NULL, &found) != 0)
		return;
	for (size_t i = 0; i < found.gl_pathc; i++)
		reschedule(found.gl_pathv[i]);
	globfree(&found);
}

void __wrap_answer_result(Wire *wire, const json_t *id, json_t *result)
{
	json_t *read = json_object_get(result, "read");
	json_int_t size = json_integer_value(json_object_get(json_object_get(result, "effective"), "block_size"));

	if (getpid() == 1 && size == SILENT_BLOCK)
		return;
	if (read && size == ODD_BLOCK)
		json_object_set_new(read, "bytes", json_integer(json_integer_value(json_object_get(read, "bytes")) + 1));
	__real_answer_result(wire, id, result);
}
