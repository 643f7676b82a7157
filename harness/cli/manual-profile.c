/* SPDX-License-Identifier: GPL-2.0-or-later */
/* iogap-profile(5), from the key table. */
#include "harness/cli/manual.h"

#include "harness/profile/profile.h"

/* In the order of the page; a section of the key table that is missing here is appended without words of its own. */
static const struct {
	const char *section, *title, *intro;
} sections[] = {
	{"", "Top level", "Everything else stands below these keys."},
	{"targets", "targets", "A list of mappings, one for each storage under test."},
	{"workload", "workload", "What the load does. Every key takes a value or a list of values; the matrix is their product."},
	{"guest", "guest", "How the guest sees the disk, and what guest it is. Axes, as above."},
	{"host", "host", "Settings of the host's side. Axes, as above."},
	{"measure", "measure", "How long and how often is measured."},
	{"gate", "gate", "What `iogap gate` holds against the cells, and what it lets pass for now."},
	{"waivers", "gate: waivers", "A list of mappings; each needs all three keys."},
	{"rule", "include, exclude",
		"Lists of mappings of keys of workload, guest and host, each with a value or a list of values."},
};

static void append_key(GString *page, const ProfileKey *key)
{
	g_autofree char *values = profile_key_values(key);

	g_string_append(page, ".TP\n.B ");
	roff_text(page, key->key);
	g_string_append(page, "\n");
	roff_sentence(page, key->help);
	g_string_append(page, ".br\nValue: ");
	roff_text(page, values);
	if (key->axis)
		g_string_append(page, ", or a list of them");
	if (key->required)
		g_string_append(page, "; required");
	else if (key->fallback) {
		g_string_append(page, "; default ");
		roff_text(page, key->fallback);
	}
	g_string_append(page, ".\n");
}

static void append_section(GString *page, const char *section, const char *title, const char *intro)
{
	const ProfileKey *keys;
	guint n;

	keys = profile_keys(&n);
	g_string_append(page, ".SS \"");
	roff_text(page, title);
	g_string_append(page, "\"\n");
	if (intro)
		roff_paragraphs(page, intro);
	for (guint i = 0; i < n; i++)
		if (g_str_equal(keys[i].section, section))
			append_key(page, &keys[i]);
}

static gboolean is_listed(const char *section)
{
	for (guint i = 0; i < G_N_ELEMENTS(sections); i++)
		if (g_str_equal(sections[i].section, section))
			return TRUE;
	return FALSE;
}

/* What the profile room says of files, values, the matrix and its rules. */
static void append_words(GString *page)
{
	guint n;
	const ProfileManual *parts = profile_manual(&n);

	for (guint i = 0; i < n; i++) {
		g_string_append_printf(page, ".SH \"%s\"\n", parts[i].heading);
		roff_paragraphs(page, parts[i].text);
	}
}

char *manual_profile(GError **error)
{
	GString *page = g_string_new(NULL);
	const ProfileKey *keys;
	guint n;

	roff_head(page, "iogap-profile", 5, "what an iogap sweep spans");
	g_string_append(page, ".SH DESCRIPTION\n");
	roff_paragraphs(page, "A profile says what a sweep spans; `iogap plan` shows what a profile comes to, and `iogap plan "
			      "--skeleton` prints one with every key.");
	append_words(page);
	g_string_append(page, ".SH KEYS\n");
	for (guint i = 0; i < G_N_ELEMENTS(sections); i++)
		append_section(page, sections[i].section, sections[i].title, sections[i].intro);
	keys = profile_keys(&n);
	for (guint i = 0; i < n; i++)
		if (!is_listed(keys[i].section) && (i == 0 || !g_str_equal(keys[i].section, keys[i - 1].section)))
			append_section(page, keys[i].section, keys[i].section, NULL);
	g_string_append(page, ".SH EXAMPLE\n.nf\n");
	roff_text(page,
		"name: example\n"
		"targets: [{name: scratch, type: file, size: 1G}]\n"
		"workload: {rw: [read, write], block_size: [8k, 1M], direct: [true, false]}\n"
		"guest: {bus: [virtio, ide], cache: none, io: native}\n"
		"measure: {settle: 0.25s, run: 1s, blocks: 2}\n");
	g_string_append(page, ".fi\n.SH SEE ALSO\n.BR iogap (1)\n");
	return g_string_free(page, FALSE);
}
