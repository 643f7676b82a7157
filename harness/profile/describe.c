/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The key table as a profile to copy from, and what iogap-profile(5) says beside it. */
#include "harness/profile/profile.h"

#include <string.h>

#define COMMENT_COLUMNS 98

/* Appends TEXT as comment lines, broken at blanks. */
static void append_comment(GString *out, guint indent, const char *text)
{
	g_auto(GStrv) words = g_strsplit(text, " ", -1);
	guint column = 0;

	for (guint i = 0; words[i]; i++) {
		if (column && column + 1 + strlen(words[i]) > COMMENT_COLUMNS) {
			g_string_append_c(out, '\n');
			column = 0;
		}
		if (column == 0) {
			g_string_append_printf(out, "%*s#", (int)indent, "");
			column = indent + 1;
		}
		g_string_append_printf(out, " %s", words[i]);
		column += 1 + strlen(words[i]);
	}
	g_string_append_c(out, '\n');
}

static void append_help(GString *out, guint indent, const ProfileKey *key)
{
	g_autofree char *values = profile_key_values(key);
	g_autofree char *text = NULL;

	if (key->type == PROFILE_TYPE_SECTION || key->type == PROFILE_TYPE_LIST || key->type == PROFILE_TYPE_NAME)
		text = g_strdup_printf("%s.", key->help);
	else if (key->axis)
		text = g_strdup_printf("%s. One or a list of: %s.", key->help,
			g_str_has_prefix(values, "one of ") ? values + strlen("one of ") : values);
	else
		text = g_strdup_printf("%s. %c%s.", key->help, g_ascii_toupper(*values), values + 1);
	append_comment(out, indent, text);
}

/* What the skeleton writes for keys that have no default. */
static const char *example(const ProfileKey *key, gboolean *ret_active)
{
	static const struct {
		const char *section, *key, *value;
		gboolean active; /* else it is a comment: not every profile may have it */
	} examples[] = {
		{"", "name", "skeleton", TRUE},
		{"targets", "name", "scratch", TRUE},
		{"targets", "size", "1G", TRUE},
		{"targets", "path", "/var/tmp", FALSE},
		{"targets", "filesystem", "ext4", FALSE},
		{"targets", "delay", "5ms", FALSE},
		{"targets", "memory_backed", "true", FALSE},
		{"targets", "nbd_plugin", "memory", FALSE},
		{"targets", "nbd_delay", "5ms", FALSE},
		{"targets", "nbd_rate", "100M", FALSE},
		{"targets", "nbd_error_rate", "1%", FALSE},
		{"targets", "consent", "true", FALSE},
		{"measure", "seed", "1", FALSE},
		{"measure", "precision", "2%", FALSE},
		{"measure", "max_load", "10%", FALSE},
		{"measure", "max_load_wait", "1m", FALSE},
		{"measure", "boot_limit", "5m", FALSE},
		{"workload", "mix_read", "50", FALSE},
		{"workload", "fsync_every", "1", FALSE},
	};

	for (guint i = 0; i < G_N_ELEMENTS(examples); i++) {
		if (!g_str_equal(examples[i].section, key->section) || !g_str_equal(examples[i].key, key->key))
			continue;
		*ret_active = examples[i].active;
		return examples[i].value;
	}
	*ret_active = TRUE;
	return key->fallback;
}

static void append_section(GString *out, const char *section, guint indent)
{
	guint n, written = 0;
	const ProfileKey *keys = profile_keys(&n);
	gboolean list = g_str_equal(section, "targets");

	for (guint i = 0; i < n; i++) {
		gboolean active;
		const char *value;

		if (!g_str_equal(keys[i].section, section))
			continue;
		if (keys[i].type == PROFILE_TYPE_LIST) {
			append_help(out, indent, &keys[i]);
			g_string_append_printf(out, "%*s# %s:\n%*s#   - {cell: \"geomean:writes\", reason: \"known, issue 7\", until: "
				"2026-12-31}\n", (int)indent, "", keys[i].key, (int)indent, "");
			continue;
		}
		value = example(&keys[i], &active);
		append_help(out, indent, &keys[i]);
		g_string_append_printf(out, "%*s%s%s%s: %s\n", (int)(list ? indent - 2 : indent), "",
			list ? (written ? "  " : "- ") : "", active ? "" : "# ", keys[i].key, value);
		written++;
	}
}

char *profile_skeleton(void)
{
	g_autoptr(GString) out = g_string_new("# Every key of a profile at its default, made from the table that reads "
					      "profiles.\n# iogap-profile(5) is the manual.\n\n");
	guint n;
	const ProfileKey *keys = profile_keys(&n);

	for (guint i = 0; i < n && !*keys[i].section; i++) {
		gboolean active, rules = g_str_equal(keys[i].key, "include") || g_str_equal(keys[i].key, "exclude");

		append_help(out, 0, &keys[i]);
		if (rules) {
			g_string_append_printf(out, "# %s:\n#   - {bus: ide, block_size: [8k, 64k], target: scratch}\n\n",
				keys[i].key);
		} else if (keys[i].type == PROFILE_TYPE_SECTION || keys[i].type == PROFILE_TYPE_LIST) {
			g_string_append_printf(out, "%s:\n", keys[i].key);
			append_section(out, keys[i].key, keys[i].type == PROFILE_TYPE_LIST ? 4 : 2);
			g_string_append_c(out, '\n');
		} else {
			g_string_append_printf(out, "%s: %s\n\n", keys[i].key, example(&keys[i], &active));
		}
	}
	g_string_truncate(out, out->len - 1);
	return g_string_free(g_steal_pointer(&out), FALSE);
}

const ProfileManual *profile_manual(guint *n)
{
	static const ProfileManual parts[] = {
		{"THE FILE",
			"A profile is one YAML document in UTF-8, a mapping of the keys below. Unknown and duplicate keys, "
			"duplicate values, wrong types and values out of range are errors that name file, line and column; "
			"nothing is booted then. Anchors, aliases, merge keys and tags are not taken."},
		{"VALUES",
			"Sizes are binary: 8k is 8192 bytes; the suffixes are k, M, G and T, and KiB means the same as k. "
			"Durations have the suffixes ns, us, ms, s, m and h; without one they are seconds. A fraction is "
			"taken where it comes out even: 0.25s, 1.5k."},
		{"THE MATRIX",
			"Every key of workload, guest and host is an axis: one value or a list of values. The matrix is the "
			"product of all axes and all targets. Each combination is a cell: a guest leg and a host leg that "
			"does the same I/O to the same storage; what is stored and reported of it is their ratio. Cells that "
			"differ only in guest keys share one host leg. A key that does not apply to a combination, such as "
			"ioeventfd on IDE or mix_read of a pure read, is left out of it, and combinations that become equal "
			"so are measured once."},
		{"EXCLUDE",
			"Each entry takes out every combination that matches all of its keys; a key with a list matches each "
			"of its values. Entries of exclude are applied before those of include. An entry that matches nothing "
			"is an error."},
		{"INCLUDE",
			"The entries are applied in order. Keys of an entry that the profile gives itself select; keys that "
			"it does not give, and that therefore stand at their default, are set. Every combination of the "
			"product that matches all selecting keys is extended: it gets the values of the other keys, and is "
			"multiplied when one of them is a list. When no combination matches, the product of the entry's own "
			"values is added; every key that the entry does not have then stands at the first value of its axis, "
			"and the target is the first one. Combinations that include added are not extended by later entries. "
			"An entry that neither sets nor adds anything is an error."},
		{"REFUSED COMBINATIONS",
			"What cannot be measured, or would in truth be something else, is taken out and listed with place "
			"and reason by iogap plan, the progress and every report; with --strict, or when no leg is left, it "
			"is an error. Nothing that is asked for is ignored or replaced in silence."},
		{"ORDER",
			"A block boots every guest anew and runs each leg once: boots in random order, in each boot its guest "
			"legs and their host legs in random order. A host leg whose cells lie in several boots runs once per "
			"block, in one of them. The seed decides all of it, on every machine alike; the orders of the first "
			"blocks do not depend on how many follow."},
	};

	*n = G_N_ELEMENTS(parts);
	return parts;
}
