/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Elements of a domain that say where it runs and what its memory is made of. Who may include it: the domain*.c files. */
#ifndef IOGAP_SIDE_GUEST_DOMAIN_TUNE_H
#define IOGAP_SIDE_GUEST_DOMAIN_TUNE_H

#include "harness/side/guest/domain-writer.h"
#include "harness/side/side.h"

/* <memoryBacking>, <cputune> and <numatune>, as far as TUNING asks for any of it; I/O threads are numbered from 1. */
void domain_tune(Writer w, const SideTuning *tuning, guint vcpus, guint iothreads);

#endif
