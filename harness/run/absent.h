/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Why columns of runs are NULL: each reason once per sweep, as the store's absent_json. Who may include it: run. */
#ifndef IOGAP_RUN_ABSENT_H
#define IOGAP_RUN_ABSENT_H

#include <glib.h>

typedef struct Absent Absent;

/* JSON: what an earlier part of this sweep noted, or NULL. */
Absent *absent_new(const char *json);
void absent_free(Absent *absent);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Absent, absent_free)

void absent_note(Absent *absent, const char *column, const char *reason);
/* {"column":["reason",...]}, sorted; NULL when nothing was noted since the last call. New text. */
char *absent_json(Absent *absent);

#endif
