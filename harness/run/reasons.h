/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Why columns of a run are NULL that nobody else knows the reason of: those that follow from the engine and from what was too little to
 * tell. Who looked in vain at the time notes its own reason. Who may include it: run.
 */
#ifndef IOGAP_RUN_REASONS_H
#define IOGAP_RUN_REASONS_H

#include "harness/base/record.h"
#include "harness/run/absent.h"

/*
 * RUN is a finished run of the leg with the columns LEG. Notes in ABSENT (NULL: nothing is done) the reason of each column of RUN that is
 * NULL and that applies to such a leg.
 */
void reasons_note(const Record *leg, const Record *run, Absent *absent);

#endif
