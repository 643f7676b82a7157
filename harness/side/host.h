/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The host side: the agent as a child process, spoken to over its standard streams. */
#ifndef IOGAP_SIDE_HOST_H
#define IOGAP_SIDE_HOST_H

#include "harness/side/side.h"

/* AGENT: path of the agent program. The child dies with the harness (PR_SET_PDEATHSIG and end of its stdin). */
Side *host_side_new(const char *agent);

#endif
