/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A fuzz target is one file fuzz-NAME.c with this function: it must come back from any input, in time and memory that are
 * linear in it, with a result or an error. `make fuzz` drives it with libFuzzer under sanitizers; `make test` builds it with
 * the ordinary compiler and replay.c and feeds it the inputs of corpus.sh.
 */
#ifndef IOGAP_FUZZ_FUZZ_H
#define IOGAP_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
