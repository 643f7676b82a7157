/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "guest-agent/track.h"

Sample *track_take(Track *track, const char *sysfs)
{
	Sample *sample = &track->kept[track->n++ % TRACK_KEPT];

	sample_take(sysfs, sample);
	return sample;
}

static uint64_t between(uint64_t a, uint64_t b, double share)
{
	/* Idle and iowait can go back a little. */
	return a + (uint64_t)(int64_t)((double)(int64_t)(b - a) * share);
}

static void mix(const Sample *a, const Sample *b, uint64_t mono_ns, Sample *ret)
{
	uint64_t length = b->moment.mono_ns - a->moment.mono_ns;
	double share = length ? (double)(mono_ns - a->moment.mono_ns) / (double)length : 0;

	*ret = *a;
	ret->have_machine = a->have_machine && b->have_machine;
	ret->have_device = a->have_device && b->have_device;
	ret->have_interrupts = a->have_interrupts && b->have_interrupts;
	ret->have_process = a->have_process && b->have_process;
	for (unsigned i = 0; i < N_CPU; i++)
		ret->cpu[i] = between(a->cpu[i], b->cpu[i], share);
	for (unsigned i = 0; i < N_DEVICE; i++)
		ret->device[i] = between(a->device[i], b->device[i], share);
	for (unsigned i = 0; i < 2; i++)
		ret->process[i] = between(a->process[i], b->process[i], share);
	ret->switches = between(a->switches, b->switches, share);
	ret->interrupts = between(a->interrupts, b->interrupts, share);
	ret->interrupts_of_device = between(a->interrupts_of_device, b->interrupts_of_device, share);
	ret->moment = clock_moment_at(&a->moment, mono_ns);
}

static const Sample *get(const Track *track, unsigned i)
{
	return &track->kept[i % TRACK_KEPT];
}

bool track_at(const Track *track, uint64_t mono_ns, Sample *ret)
{
	unsigned oldest = track->n > TRACK_KEPT ? track->n - TRACK_KEPT : 0, i = track->n - 1;

	if (track->n == 0)
		return false;
	while (i > oldest && get(track, i)->moment.mono_ns > mono_ns)
		i--;
	if (mono_ns <= get(track, i)->moment.mono_ns || i + 1 == track->n) {
		*ret = *get(track, i);
		ret->moment = clock_moment_at(&ret->moment, mono_ns);
	} else {
		mix(get(track, i), get(track, i + 1), mono_ns, ret);
	}
	return true;
}

static uint64_t moved(const Sample *sample, unsigned direction)
{
	return direction < 2 ? sample->process[direction] : sample->process[0] + sample->process[1];
}

bool track_last_move(const Track *track, unsigned direction, uint64_t *ret_from_ns, uint64_t *ret_to_ns)
{
	unsigned oldest = track->n > TRACK_KEPT ? track->n - TRACK_KEPT : 0;

	for (unsigned i = track->n; i > oldest + 1; i--) {
		const Sample *a = get(track, i - 2), *b = get(track, i - 1);

		if (!a->have_process || !b->have_process || moved(a, direction) == moved(b, direction))
			continue;
		*ret_from_ns = a->moment.mono_ns;
		*ret_to_ns = b->moment.mono_ns;
		return true;
	}
	return false;
}
