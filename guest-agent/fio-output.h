/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What fio prints with --output-format=json+: the figures of its one job, and everything else it said.
 *
 * Latencies come in bins of 64 per octave (fio's FIO_IO_U_PLAT_BITS is 6): from 0 to 127 ns one value each, above that a bin
 * covers 1/64 of the octave's low end and its key is its middle. A count goes to the slot of our histogram that
 * holds that middle, so that a value is known within 1/128 of the octave's low end to either side; n, sum, min and max are fio's own, of
 * the values themselves. Pure but for memory. Who may include it: guest-agent. Depends on common.
 */
#ifndef IOGAP_AGENT_FIO_OUTPUT_H
#define IOGAP_AGENT_FIO_OUTPUT_H

#include <jansson.h>

#include "guest-agent/common/fault.h"
#include "guest-agent/common/hist.h"

/* Index 0 = read, 1 = write. */
typedef struct {
	Hist submit[2], complete[2]; /* fio's slat and lat; submit is empty for engines that wait inside the call */
	Hist sync;
	uint64_t bytes[2]; /* as fio counts them */
	uint64_t ns;	   /* fio's runtime, to the millisecond; the longer one of a mixed load */
	uint64_t user_ns, system_ns; /* of fio's I/O threads, in that time */
} FioFigures;

/*
 * Splits what fio wrote on its two streams (either may be NULL) into its JSON and its messages: every line outside of the
 * JSON, an array of texts, in order, those of the error stream first, a repeated line once. *ret_json is NULL when there is none.
 * Both are new references.
 */
void fio_output_split(const char *out, const char *err, json_t **ret_json, json_t **ret_messages);

/*
 * Strict: a missing key, a wrong type, a bin that is none of fio's, counts that do not add up, short or dropped I/O are
 * EPROTO or EIO with the place named. *ret is undefined then.
 */
int fio_output_parse(const json_t *json, FioFigures *ret, Fault *fault);

/* Bounds of the bin with this key: values LOW to HIGH, both included. False: fio has no such key. */
bool fio_output_bin(uint64_t key, uint64_t *ret_low, uint64_t *ret_high);

#endif
