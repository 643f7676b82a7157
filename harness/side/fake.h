/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The fake side: the tests of run/ play the agent themselves. Measures nothing; no verb can reach it. */
#ifndef IOGAP_SIDE_FAKE_H
#define IOGAP_SIDE_FAKE_H

#include "harness/side/side.h"

/*
 * Called for each request, in a thread of the fake's own. Returns the whole answer lines (owned by the caller, with
 * "%ID%" where the request's id goes), or NULL to hang up.
 */
typedef char *(*FakeAnswer)(const char *cmd, const json_t *request, void *data);

Side *fake_side_new(FakeAnswer answer, void *data);

#endif
