/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What parse.c and rules.c share. Who may include it: harness/profile only. */
#ifndef IOGAP_PROFILE_PARSER_H
#define IOGAP_PROFILE_PARSER_H

#include "harness/profile/tree.h"

typedef struct {
	Profile *profile;
	GError **error;
} Parser;

/* The sections that are axes, by ProfileSection. */
#define PARSE_AXIS_SECTIONS 3
#define PERCENT_UNIT 100000.0 /* thousandths of a percent in one */
extern const char *const parse_axis_sections[PARSE_AXIS_SECTIONS];

/* Sets the parser's error at PLACE and returns FALSE. */
gboolean parse_fail(Parser *parser, ProfilePlace place, const char *format, ...) G_GNUC_PRINTF(3, 4);
/* NODE is of KIND, else an error that calls it WHAT. */
gboolean parse_want_kind(Parser *parser, const TreeNode *node, TreeKind kind, const char *what);
/* The key of SECTION that TEXT nearly is, or NULL. */
const char *parse_near_key(const char *section, const char *text);

ProfileAxis *parse_axis_new(const ProfileKey *row);
void parse_axis_free(ProfileAxis *axis);
/* The row of a key of workload, guest, host or rule as entries write it ("guest.scheduler"); NULL when there is none, or, with
 * the parser's error set, when two sections have it. */
const ProfileKey *parse_rule_key(Parser *parser, const char *text, ProfilePlace place);
/* Reads one value or a list of values into AXIS. */
gboolean parse_axis(Parser *parser, ProfileAxis *axis, const TreeNode *node);

/* Reads `{fio: FILE}`, a value of engine; a relative FILE lies beside the profile. The name of the job file, new text, or NULL with the
 * error set. */
char *parse_fio_file(Parser *parser, const TreeNode *map);

/* Reads the mapping `gate`; an empty one sets the defaults. */
gboolean parse_gate(Parser *parser, const TreeNode *map);
void parse_waiver_free(ProfileWaiver *waiver);

/*
 * Reads a mapping of single values: key -> canonical value in VALUES (defaults included), key -> TreeNode in NODES. Keys of type
 * LIST are in NODES only.
 */
gboolean parse_values(Parser *parser, const char *section, const TreeNode *map, GHashTable *values, GHashTable *nodes);
/* The table for them. */
GHashTable *parse_values_new(void);
guint64 parse_number_in(GHashTable *values, const char *section, const char *key, guint64 fallback);

/* Reads the list WHAT (include, exclude) into RULES, of ProfileRule. The targets and axes are known by then. */
gboolean parse_rules(Parser *parser, const char *what, const TreeNode *list, GPtrArray *rules);

#endif
