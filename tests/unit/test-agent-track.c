/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The agent's counters at a moment between two samples, and where an outside program's I/O is placed. */
#include <glib.h>
#include <string.h>
#include <unistd.h>

#include "guest-agent/engine/engine.h"
#include "guest-agent/fio-place.h"
#include "guest-agent/track.h"

#define MS 1000000ull

/* As a sample of this machine, with counters that are known. */
static void add(Track *track, uint64_t mono_ns, uint64_t device, uint64_t idle)
{
	Sample *sample = &track->kept[track->n++ % TRACK_KEPT];

	memset(sample, 0, sizeof(*sample));
	sample->moment = (ClockMoment){mono_ns, mono_ns + 7, mono_ns + 9};
	sample->have_machine = sample->have_device = true;
	sample->device[DEVICE_READS] = device;
	sample->cpu[CPU_IDLE] = idle;
	sample->switches = 10 * device;
}

static void test_between(void)
{
	g_autofree Track *track = g_new0(Track, 1);
	Sample at = {.switches = 77};

	g_assert_false(track_at(track, 5, &at));
	g_assert_cmpuint(at.switches, ==, 77);
	add(track, 100 * MS, 1000, 50);
	add(track, 120 * MS, 1200, 40); /* idle time can go back a little */
	add(track, 200 * MS, 1200, 40);
	g_assert_true(track_at(track, 110 * MS, &at));
	g_assert_cmpuint(at.device[DEVICE_READS], ==, 1100);
	g_assert_cmpuint(at.switches, ==, 11000);
	g_assert_cmpuint(at.cpu[CPU_IDLE], ==, 45);
	g_assert_cmpuint(at.moment.mono_ns, ==, 110 * MS);
	g_assert_cmpuint(at.moment.boot_ns, ==, 110 * MS + 7);
	g_assert_true(track_at(track, 160 * MS, &at));
	g_assert_cmpuint(at.device[DEVICE_READS], ==, 1200);
	/* Outside it is the nearest one's counters, with the moment that was asked for. */
	g_assert_true(track_at(track, 1, &at));
	g_assert_cmpuint(at.device[DEVICE_READS], ==, 1000);
	g_assert_cmpuint(at.moment.mono_ns, ==, 1);
	g_assert_true(track_at(track, 999 * MS, &at));
	g_assert_cmpuint(at.device[DEVICE_READS], ==, 1200);
}

/* What one neighbour lacks is lacking, and the ring forgets its oldest. */
static void test_lacking(void)
{
	g_autofree Track *track = g_new0(Track, 1);
	Sample at;

	add(track, 100 * MS, 1, 1);
	add(track, 200 * MS, 2, 2);
	track->kept[1].have_device = false;
	g_assert_true(track_at(track, 150 * MS, &at));
	g_assert_false(at.have_device);
	g_assert_true(at.have_machine);
	for (unsigned i = 0; i < TRACK_KEPT; i++)
		add(track, 300 * MS + i, 50, 3);
	g_assert_true(track_at(track, 150 * MS, &at));
	g_assert_cmpuint(at.device[DEVICE_READS], ==, 50);
}

static void test_last_move(void)
{
	g_autofree Track *track = g_new0(Track, 1);
	uint64_t from = 3, to = 4;

	add(track, 100 * MS, 1, 1);
	g_assert_false(track_last_move(track, 2, &from, &to));
	for (unsigned i = 1; i < 8; i++) {
		add(track, (100 + 20 * i) * MS, 1, 1);
		track->kept[i].have_process = true;
		track->kept[i].process[0] = 4096 * MIN(i, 4); /* reads end at 180 ms */
		track->kept[i].process[1] = 4096 * MIN(i, 6); /* writes at 220 ms */
	}
	g_assert_true(track_last_move(track, 0, &from, &to));
	g_assert_cmpuint(from, ==, 160 * MS);
	g_assert_cmpuint(to, ==, 180 * MS);
	g_assert_true(track_last_move(track, 2, &from, &to));
	g_assert_cmpuint(to, ==, 220 * MS);
	from = 3;
	for (unsigned i = 0; i < 8; i++)
		track->kept[i].process[0] = 9;
	g_assert_false(track_last_move(track, 0, &from, &to));
	g_assert_cmpuint(from, ==, 3);
}

static unsigned engine_of(const char *name)
{
	for (unsigned i = 0; engines[i]; i++)
		if (!strcmp(engines[i]->name, name))
			return i;
	g_assert_not_reached();
}

/* This very process plays fio: what it does with the file closed is set-up, and small reads are not its I/O. */
static void test_place(void)
{
	Job job = {.engine = (int)engine_of("fio:psync"), .block_size = 65536, .queue_depth = 1, .jobs = 1};
	g_autofree Storage *storage = g_new0(Storage, 1);
	g_autofree char *buffer = g_malloc(65536);
	FILE *zero = fopen("/dev/zero", "r");
	FioPlace place;
	uint64_t before, after;

	g_assert_nonnull(zero);
	fio_place_init(&place, &job, storage, getpid());
	g_assert_true(place.calls);
	g_assert_false(fio_place_look(&place, false));
	g_assert_cmpint(read(fileno(zero), buffer, 65536), ==, 65536);
	g_assert_false(fio_place_look(&place, false));
	g_assert_false(fio_place_look(&place, true));
	g_assert_cmpint(read(fileno(zero), buffer, 4096), ==, 4096);
	g_assert_false(fio_place_look(&place, true));
	before = clock_now();
	g_assert_cmpint(read(fileno(zero), buffer, 65536), ==, 65536);
	g_assert_true(fio_place_look(&place, true));
	after = clock_now();
	g_assert_cmpuint(place.start_ns + place.slack_ns, <=, after);
	g_assert_cmpuint(place.start_ns + place.slack_ns + MS, >=, before);
	g_assert_true(fio_place_look(&place, false)); /* once seen it stays */
	fclose(zero);
	fio_place_init(&place, &job, storage, 0);
	g_assert_false(fio_place_look(&place, true));
	g_assert_cmpuint(place.start_ns, ==, 0);
}

/* What the kernel counted against what fio tells: right, somewhat off, and another time altogether. */
static void test_fits(void)
{
	Job job = {.engine = (int)engine_of("fio:psync"), .block_size = 4096, .queue_depth = 1, .jobs = 1, .direct = true};
	g_autofree Storage *storage = g_new0(Storage, 1);
	Sample begin = {.have_process = true, .moment = {.mono_ns = 0}};
	Sample end = {.have_process = true, .moment = {.mono_ns = 1000 * MS}, .process = {4096000, 0}};
	FioPlace place;
	char reason[256] = "";

	g_strlcpy(storage->sysfs, "/sys/block/x", sizeof(storage->sysfs));
	fio_place_init(&place, &job, storage, 1);
	g_assert_false(place.calls);
	g_assert_true(fio_place_fits(&place, &begin, &end, (uint64_t[]){4096000, 0}, reason, sizeof(reason)));
	g_assert_cmpuint(place.slack_ns, ==, 0);
	end.process[0] = 3891200; /* 5 % less */
	g_assert_true(fio_place_fits(&place, &begin, &end, (uint64_t[]){4096000, 0}, reason, sizeof(reason)));
	g_assert_cmpuint(place.slack_ns, ==, 50 * MS);
	place.slack_ns = 0;
	end.process[0] = 0;
	g_assert_false(fio_place_fits(&place, &begin, &end, (uint64_t[]){4096000, 0}, reason, sizeof(reason)));
	g_assert_nonnull(strstr(reason, "4096000 bytes read, the kernel counts 0"));
	end.process[0] = 8192000;
	g_assert_false(fio_place_fits(&place, &begin, &end, (uint64_t[]){4096000, 0}, reason, sizeof(reason)));
	/* Cached writes are counted when pages become dirty, asynchronous ones not at all: no word against them. */
	job.direct = false;
	job.engine = (int)engine_of("fio:io_uring");
	fio_place_init(&place, &job, storage, 1);
	g_assert_true(fio_place_fits(&place, &begin, &end, (uint64_t[]){4096000, 0}, reason, sizeof(reason)));
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/agent-track/between", test_between);
	g_test_add_func("/agent-track/lacking", test_lacking);
	g_test_add_func("/agent-track/last-move", test_last_move);
	g_test_add_func("/agent-track/place", test_place);
	g_test_add_func("/agent-track/fits", test_fits);
	return g_test_run();
}
