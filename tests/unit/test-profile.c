/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a profile may say, and the one clear error for everything else. */
#include <string.h>

#include "harness/base/error.h"
#include "harness/profile/profile.h"

#define HEAD "name: x\ntargets: [{name: t, size: 1G}]\n"

static Profile *good(const char *text)
{
	g_autoptr(GError) error = NULL;
	Profile *profile = profile_parse("p.yaml", text, -1, &error);

	g_assert_no_error(error);
	g_assert_nonnull(profile);
	return profile;
}

static const char *value(const Profile *profile, ProfileSection section, const char *key, guint index)
{
	const ProfileAxis *axis = profile_axis(profile, section, key);

	g_assert_cmpuint(index, <, axis->values->len);
	return g_ptr_array_index(axis->values, index);
}

static void test_defaults(void)
{
	g_autoptr(Profile) profile = good(HEAD);
	const ProfileTarget *target = g_ptr_array_index(profile->targets, 0);
	const ProfileAxis *rw = profile_axis(profile, PROFILE_WORKLOAD, "rw");
	guint n, given = 0;
	const ProfileKey *keys = profile_keys(&n);

	g_assert_cmpstr(profile->file, ==, "p.yaml");
	g_assert_cmpstr(profile->text, ==, HEAD);
	g_assert_cmpstr(profile->name, ==, "x");
	g_assert_cmpstr(profile->accel, ==, "kvm");
	g_assert_cmpuint(profile->targets->len, ==, 1);
	g_assert_cmpstr(target->type, ==, "file");
	g_assert_cmpuint(target->size, ==, 1ull << 30);
	g_assert_null(target->path);
	g_assert_false(target->consent);
	g_assert_cmpuint(rw->values->len, ==, 1);
	g_assert_cmpuint(g_array_index(rw->places, ProfilePlace, 0).line, ==, 0);
	g_assert_cmpuint(profile->settle_ns, ==, 2000000000);
	g_assert_cmpuint(profile->run_ns, ==, 8000000000);
	g_assert_cmpuint(profile->interval_ns, ==, 10000000);
	g_assert_cmpuint(profile->blocks, ==, 6);
	g_assert_false(profile->has_seed);
	for (guint i = 0; i < n; i++)
		given += keys[i].axis && !g_str_equal(keys[i].section, "rule");
	g_assert_cmpuint(given, ==, profile->axes[0]->len + profile->axes[1]->len + profile->axes[2]->len);
}

static void test_gate(void)
{
	g_autoptr(Profile) usual = good(HEAD);
	g_autoptr(Profile) profile = good(HEAD "gate:\n  alpha: 1%\n  least: 1.125%\n  waivers:\n"
					       "    - {cell: \"geomean:all\", reason: known, until: 2026-12-31}\n");
	const ProfileWaiver *waiver = g_ptr_array_index(profile->gate.waivers, 0);

	g_assert_cmpfloat_with_epsilon(usual->gate.alpha, 0.05, 1e-12);
	g_assert_cmpfloat_with_epsilon(usual->gate.least, 0.025, 1e-12);
	g_assert_cmpuint(usual->gate.screen_blocks, ==, 5);
	g_assert_cmpuint(usual->gate.waivers->len, ==, 0);
	g_assert_cmpfloat_with_epsilon(profile->gate.alpha, 0.01, 1e-12);
	g_assert_cmpfloat_with_epsilon(profile->gate.least, 0.01125, 1e-12);
	g_assert_cmpstr(waiver->cell, ==, "geomean:all");
	g_assert_cmpstr(waiver->until, ==, "2026-12-31");
}

static void test_values(void)
{
	g_autoptr(Profile) profile = good(HEAD "workload:\n"
					       "  block_size: [8k, 65536, 1MiB, 1000, \"2M\"]\n"
					       "  direct: [True, false]\n"
					       "  engine: [psync, null]\n"
					       "  rate: [none, 100]\n"
					       "guest: {logical_block_size: 4096, queues: [vcpus, 2], kernel: /boot//vmlinuz}\n"
					       "host: {scheduler: [none, mq-deadline]}\n"
					       "measure: {settle: 0, run: 0.25s, interval: 1ms, blocks: 3, seed: 7}\n");
	const ProfileAxis *size = profile_axis(profile, PROFILE_WORKLOAD, "block_size");
	static const char *const sizes[] = {"8k", "64k", "1M", "1000", "2M"};
	static const guint64 numbers[] = {8192, 65536, 1048576, 1000, 2097152};

	g_assert_cmpuint(size->values->len, ==, 5);
	for (guint i = 0; i < 5; i++) {
		g_assert_cmpstr(g_ptr_array_index(size->values, i), ==, sizes[i]);
		g_assert_cmpuint(profile_number(size->row, sizes[i], 0), ==, numbers[i]);
	}
	g_assert_cmpuint(g_array_index(size->places, ProfilePlace, 1).line, ==, 4);
	g_assert_cmpuint(g_array_index(size->places, ProfilePlace, 1).column, ==, 20);
	g_assert_cmpstr(value(profile, PROFILE_WORKLOAD, "direct", 0), ==, "true");
	g_assert_cmpstr(value(profile, PROFILE_WORKLOAD, "engine", 1), ==, "null");
	g_assert_cmpstr(value(profile, PROFILE_WORKLOAD, "rate", 0), ==, "none");
	g_assert_cmpstr(value(profile, PROFILE_GUEST, "logical_block_size", 0), ==, "4k");
	g_assert_cmpstr(value(profile, PROFILE_GUEST, "queues", 0), ==, "vcpus");
	g_assert_cmpstr(value(profile, PROFILE_GUEST, "kernel", 0), ==, "/boot/vmlinuz");
	g_assert_cmpstr(value(profile, PROFILE_HOST, "scheduler", 1), ==, "mq-deadline");
	g_assert_cmpuint(profile->settle_ns, ==, 0);
	g_assert_cmpuint(profile->run_ns, ==, 250000000);
	g_assert_true(profile->has_seed);
	g_assert_cmpuint(profile->seed, ==, 7);
}

static void test_rules(void)
{
	g_autoptr(Profile) profile = good("include:\n- {bus: sata, rw: [read, write], target: t}\n"
					  "- {guest.scheduler: none}\n"
					  "exclude: [{host.scheduler: keep, block_size: 8K}]\n" HEAD);
	const ProfileRule *rule = g_ptr_array_index(profile->include, 0);
	const ProfileAxis *axis = g_ptr_array_index(rule->axes, 1);

	g_assert_cmpuint(profile->include->len, ==, 2);
	g_assert_cmpuint(profile->exclude->len, ==, 1);
	g_assert_cmpuint(rule->place.line, ==, 2);
	g_assert_cmpuint(rule->place.column, ==, 3);
	g_assert_cmpuint(rule->axes->len, ==, 3);
	g_assert_cmpuint(axis->values->len, ==, 2);
	axis = g_ptr_array_index(((ProfileRule *)g_ptr_array_index(profile->include, 1))->axes, 0);
	g_assert_cmpstr(axis->row->section, ==, "guest");
	axis = g_ptr_array_index(((ProfileRule *)g_ptr_array_index(profile->exclude, 0))->axes, 1);
	g_assert_cmpstr(g_ptr_array_index(axis->values, 0), ==, "8k");
}

/* Text of a profile and the beginning of the one message that it gets. */
static const struct {
	const char *text, *message;
} bad[] = {
	/* not a document */
	{"", "p.yaml:1:1: the profile is empty"},
	{"# only a remark\n", "p.yaml:1:1: the profile is empty"},
	{"---\n", "p.yaml:1:1: the profile is empty"},
	{"just text\n", "p.yaml:1:1: a profile takes a mapping, not a single value"},
	{"- a\n", "p.yaml:1:1: a profile takes a mapping, not a list"},
	{HEAD "---\nname: y\n", "p.yaml:3:1: a second document begins here"},
	{HEAD "workload: {rw: read\n", "p.yaml:4:1: not YAML: "},
	{HEAD "workload:\n\trw: read\n", "p.yaml:4:1: a tab indents"},
	{HEAD "workload: &w {rw: read}\n", "p.yaml:3:11: anchors (&w) are not taken"},
	{HEAD "workload: *w\n", "p.yaml:3:11: aliases (*w) are not taken"},
	{HEAD "workload: {<<: {rw: read}}\n", "p.yaml:3:12: merge keys (<<) are not taken"},
	{HEAD "workload: !!map {rw: read}\n", "p.yaml:3:11: tags (tag:yaml.org,2002:map) are not taken"},
	{HEAD "workload: {rw: !x read}\n", "p.yaml:3:16: tags (!x) are not taken"},
	{HEAD "workload: {rw: [[[[[[[read]]]]]]]}\n", "p.yaml:3:20: lists and mappings lie more than 6 deep"},
	{HEAD "workload: {? [rw] : read}\n", "p.yaml:3:14: a key must be a word"},
	{"name: \"a\\0b\"\n", "p.yaml:1:7: the value holds a NUL character"},
	/* keys */
	{HEAD "name: y\n", "p.yaml:3:1: the key \"name\" is here twice; it stands in line 1"},
	{HEAD "workload: {rw: read, rw: write}\n", "p.yaml:3:22: the key \"rw\" is here twice; it stands in line 3"},
	{HEAD "workloads: {}\n", "p.yaml:3:1: unknown key \"workloads\" at the top level; did you mean \"workload\"?"},
	{HEAD "zebra: 1\n", "p.yaml:3:1: unknown key \"zebra\" at the top level; iogap-profile(5)"},
	{HEAD "block_size: 8k\n", "p.yaml:3:1: unknown key \"block_size\" at the top level; it belongs in workload"},
	{HEAD "workload: {accel: tcg}\n", "p.yaml:3:12: unknown key \"accel\" in workload; it belongs at the top level"},
	{HEAD "workload: {blocksize: 8k}\n",
		"p.yaml:3:12: unknown key \"blocksize\" in workload; did you mean \"block_size\"?"},
	{HEAD "guest: {pinning: 1}\n", "p.yaml:3:9: unknown key \"pinning\" in guest"},
	{HEAD "\"a\\nb\": 1\n", "p.yaml:3:1: unknown key \"a\\nb\""},
	{"targets: [{name: t, size: 1G}]\n", "p.yaml:1:1: the key name is missing at the top level"},
	{"name: x\n", "p.yaml:1:1: the key targets is missing at the top level"},
	/* types and ranges */
	{"name: [x]\n", "p.yaml:1:7: name takes name, not a list"},
	{"name: -x\n", "p.yaml:1:7: name cannot be \"-x\": a name is 1 to 40"},
	{"name:\n" "targets: []\n", "p.yaml:1:6: name has no value"},
	{HEAD "accel: xen\n", "p.yaml:3:8: accel cannot be \"xen\": it takes one of kvm, auto, tcg"},
	{HEAD "workload: read\n", "p.yaml:3:11: workload takes a mapping, not a single value"},
	{HEAD "workload:\n", "p.yaml:3:10: workload takes a mapping, not nothing"},
	{HEAD "workload: {rw: []}\n", "p.yaml:3:16: rw is an empty list, so the matrix would be empty"},
	{HEAD "workload: {rw: {a: b}}\n", "p.yaml:3:16: rw takes one of read, write"},
	{HEAD "workload: {rw: raed}\n", "p.yaml:3:16: rw cannot be \"raed\": it takes one of read, write, randread, "
		"randwrite, rw, randrw; did you mean \"read\"?"},
	{HEAD "workload: {rw: ~}\n", "p.yaml:3:16: rw has no value"},
	{HEAD "workload: {rw: [read, write, read]}\n",
		"p.yaml:3:30: rw has the value read twice; it stands in line 3, column 17 already"},
	{HEAD "workload: {block_size: [8k, 8192]}\n", "p.yaml:3:29: block_size has the value 8k twice"},
	{HEAD "workload: {block_size: 0}\n", "p.yaml:3:24: block_size cannot be \"0\": it takes size, 1 to 256M"},
	{HEAD "workload: {block_size: -8k}\n", "p.yaml:3:24: block_size cannot be \"-8k\""},
	{HEAD "workload: {block_size: 8kb}\n", "p.yaml:3:24: block_size cannot be \"8kb\""},
	{HEAD "workload: {block_size: 8 k}\n", "p.yaml:3:24: block_size cannot be \"8 k\""},
	{HEAD "workload: {block_size: 0x1000}\n", "p.yaml:3:24: block_size cannot be \"0x1000\""},
	{HEAD "workload: {block_size: 0.3k}\n", "p.yaml:3:24: block_size cannot be \"0.3k\""},
	{HEAD "workload: {block_size: 99999999999999999999}\n", "p.yaml:3:24: block_size cannot be"},
	{HEAD "workload: {block_size: nan}\n", "p.yaml:3:24: block_size cannot be \"nan\""},
	{HEAD "workload: {block_size: 1G}\n", "p.yaml:3:24: block_size cannot be \"1G\": it takes size, 1 to 256M"},
	{HEAD "workload: {queue_depth: 1.5}\n", "p.yaml:3:25: queue_depth cannot be \"1.5\": it takes whole number"},
	{HEAD "workload: {queue_depth: 4k}\n", "p.yaml:3:25: queue_depth cannot be \"4k\""},
	{HEAD "workload: {direct: yes}\n", "p.yaml:3:20: direct cannot be \"yes\": it takes true or false"},
	{HEAD "workload: {direct: 1}\n", "p.yaml:3:20: direct cannot be \"1\": it takes true or false"},
	{HEAD "workload: {engine: aio}\n", "p.yaml:3:20: engine cannot be \"aio\": it takes one of psync"},
	{HEAD "workload: {mix_read: 100}\n", "p.yaml:3:22: mix_read cannot be \"100\": it takes whole number, 1 to 99"},
	{HEAD "workload: {rate: nonee}\n", "p.yaml:3:18: rate cannot be \"nonee\": it takes whole number, 1 to 1000000000, "
		"or none; did you mean \"none\"?"},
	{HEAD "guest: {pin_vcpu: 3-1}\n", "p.yaml:3:19: pin_vcpu cannot be \"3-1\": it takes list of numbers such as 0-3,7, or several with '/'"},
	{HEAD "guest: {pin_vcpu: 0/}\n", "p.yaml:3:19: pin_vcpu cannot be \"0/\": it takes"},
	{HEAD "guest: {pin_emulator: 0/1}\n", "p.yaml:3:23: pin_emulator cannot be \"0/1\": it takes list of numbers such as 0-3,7, or none"},
	{HEAD "measure: {max_load: 10}\n", "p.yaml:3:21: max_load cannot be \"10\": it takes percentage, 0.1% to 100%"},
	{HEAD "measure: {max_load_wait: 10s}\n", "p.yaml:3:26: max_load_wait has no effect without max_load"},
	{HEAD "measure: {boot_limit: 500ms}\n", "p.yaml:3:23: boot_limit cannot be \"500ms\": it takes duration, 1s to 1h"},
	{HEAD "guest: {host_cache_limit: 1G}\n", "p.yaml:3:9: unknown key \"host_cache_limit\" in guest; it belongs in host"},
	{HEAD "guest: {logical_block_size: 1k}\n", "p.yaml:3:29: logical_block_size cannot be \"1k\": it takes one of "
		"512, 4k"},
	{HEAD "guest: {bus: xen}\n", "p.yaml:3:14: bus cannot be \"xen\": it takes one of virtio, virtio-scsi, ide, "
		"sata"},
	{HEAD "guest: {kernel: vmlinuz}\n", "p.yaml:3:17: kernel cannot be \"vmlinuz\": it takes absolute path, or "
		"default"},
	{HEAD "measure: {run: 0}\n", "p.yaml:3:16: run cannot be \"0\": it takes duration, 10ms to 24h"},
	{HEAD "measure: {run: 5 minutes}\n", "p.yaml:3:16: run cannot be \"5 minutes\""},
	{HEAD "measure: {run: [1s, 2s]}\n", "p.yaml:3:16: run takes duration, 10ms to 24h, not a list"},
	{HEAD "measure: {blocks: 0}\n", "p.yaml:3:19: blocks cannot be \"0\""},
	{HEAD "measure: {precision: 2}\n", "p.yaml:3:22: precision cannot be \"2\""},
	{HEAD "measure: {precision: 0%}\n", "p.yaml:3:22: precision cannot be \"0%\": it takes percentage, 0.1% to 50%"},
	{HEAD "measure: {precision: 2%, blocks: 6}\n", "p.yaml:3:34: precision has no effect with blocks: 6, since at least 6 are always"},
	{HEAD "measure: {seed: -1}\n", "p.yaml:3:17: seed cannot be \"-1\""},
	{HEAD "measure: {run: 20ms, interval: 30ms}\n", "p.yaml:3:32: interval is longer than run"},
	{HEAD "measure: {run: 10m}\n", "p.yaml:3:16: a run has 60000 intervals of 10ms, and at most 10000 fit"},
	/* targets */
	{"name: x\ntargets: []\n", "p.yaml:2:10: targets is an empty list, so the matrix would be empty"},
	{"name: x\ntargets: {name: t}\n", "p.yaml:2:10: targets takes a list, not a mapping"},
	{"name: x\ntargets: [t]\n", "p.yaml:2:11: targets takes a mapping, not a single value"},
	{"name: x\ntargets: [{name: t}]\n", "p.yaml:2:11: the target \"t\" needs a size"},
	{"name: x\ntargets: [{size: 1G}]\n", "p.yaml:2:11: the key name is missing"},
	{"name: x\ntargets: [{name: t, size: 1G}, {name: t, size: 1G}]\n",
		"p.yaml:2:39: two targets have the name \"t\""},
	{"name: x\ntargets: [{name: t, type: block}]\n", "p.yaml:2:11: the target \"t\" is a block device: name it"},
	{"name: x\ntargets: [{name: t, size: 1G, path: data}]\n", "p.yaml:2:37: path cannot be \"data\""},
	{"name: x\ntargets: [{name: t, size: 1G, filesystem: ext4}]\n",
		"p.yaml:2:43: filesystem is for targets of type loop or lvm or dm-delay, and \"t\" is of type file"},
	{"name: x\ntargets: [{name: t, size: 1G, consent: true}]\n",
		"p.yaml:2:40: consent is for targets of type block"},
	{"name: x\ntargets: [{name: t, size: 1000001}]\n", "p.yaml:2:27: size cannot be"},
	{"name: x\ntargets: [{name: t, size: 1050000}]\n", "p.yaml:2:27: size is not a multiple of 4k"},
	{"name: x\ntargets: [{name: t, type: dm-dely, size: 1G}]\n",
		"p.yaml:2:27: type cannot be \"dm-dely\": it takes one of file, tmpfs, block, loop, lvm, dm-delay, dm-zero, null_blk, nbd; "
		"did you mean \"dm-delay\"?"},
	{"name: x\ntargets: [{name: t, type: lvm}]\n", "p.yaml:2:11: the target \"t\" needs a size"},
	{"name: x\ntargets: [{name: t, type: dm-delay, size: 1G}]\n", "p.yaml:2:11: the target \"t\" needs a delay, such as 5ms"},
	{"name: x\ntargets: [{name: t, type: dm-delay, size: 1G, delay: -1ms}]\n", "p.yaml:2:54: delay cannot be \"-1ms\""},
	{"name: x\ntargets: [{name: t, type: dm-delay, size: 1G, delay: 0}]\n", "p.yaml:2:54: delay cannot be \"0\""},
	{"name: x\ntargets: [{name: t, type: dm-delay, size: 1G, delay: 1.5ms}]\n",
		"p.yaml:2:54: device-mapper counts in milliseconds: delay is not a whole number of them"},
	{"name: x\ntargets: [{name: t, type: lvm, size: 1G, delay: 1ms}]\n",
		"p.yaml:2:49: delay is for targets of type dm-delay or null_blk, and \"t\" is of type lvm"},
	{"name: x\ntargets: [{name: t, type: dm-zero, size: 1G, memory_backed: true}]\n",
		"p.yaml:2:61: memory_backed is for targets of type null_blk, and \"t\" is of type dm-zero"},
	{"name: x\ntargets: [{name: t, type: dm-zero, size: 1G, path: /tmp}]\n",
		"p.yaml:2:11: the target \"t\" is of type dm-zero, which has no path"},
	{"name: x\ntargets: [{name: t, type: null_blk, size: 1028k}]\n", "p.yaml:2:43: null_blk counts in MiB: size is not a multiple of 1M"},
	/* rules */
	{HEAD "include: {rw: read}\n", "p.yaml:3:10: include takes a list, not a mapping"},
	{HEAD "include: []\n", "p.yaml:3:10: include is an empty list"},
	{HEAD "exclude: [rw]\n", "p.yaml:3:11: exclude takes a mapping, not a single value"},
	{HEAD "gate: {alpha: 5}\n", "p.yaml:3:15: alpha cannot be \"5\": it takes percentage, 0.01% to 50%"},
	{HEAD "gate: {alpha: 5.%}\n", "p.yaml:3:15: alpha cannot be \"5.%\": it takes percentage"},
	{HEAD "gate: {alpha: 1.2345%}\n", "p.yaml:3:15: alpha cannot be \"1.2345%\""},
	{HEAD "gate: {alpha: 60%}\n", "p.yaml:3:15: alpha cannot be \"60%\""},
	{HEAD "gate: {least: 6%}\n", "p.yaml:3:7: a loss that is REGRESSED (least) cannot be larger than one that must not be OK"},
	{HEAD "gate: {min_blocks: 9, confirm_blocks: 8}\n", "p.yaml:3:7: min_blocks cannot be more than confirm_blocks"},
	{HEAD "gate: {waivers: none}\n", "p.yaml:3:17: waivers takes a list, not a single value"},
	{HEAD "gate: {waivers: [{cell: x, until: 2026-12-31}]}\n", "p.yaml:3:18: the key reason is missing"},
	{HEAD "gate: {waivers: [{cell: x, reason: y, until: 2026-02-30}]}\n",
		"p.yaml:3:46: until cannot be \"2026-02-30\": it takes date such as 2026-12-31"},
	{HEAD "gate: {waivers: [{cell: x, reason: \"\\t\", until: 2026-12-31}]}\n",
		"p.yaml:3:36: reason cannot be \"\\t\": it takes 1 to 400 bytes of text without control characters"},
	{HEAD "exclude: [{}]\n", "p.yaml:3:11: an entry of exclude without keys"},
	{HEAD "exclude: [{scheduler: none}]\n",
		"p.yaml:3:12: scheduler is a key of two sections; write guest.scheduler or host.scheduler"},
	{HEAD "exclude: [{guest.rw: read}]\n", "p.yaml:3:12: unknown key \"guest.rw\" in this entry"},
	{HEAD "exclude: [{bsu: ide}]\n", "p.yaml:3:12: unknown key \"bsu\" in this entry; did you mean \"bus\"?"},
	{HEAD "exclude: [{run: 1s}]\n", "p.yaml:3:12: unknown key \"run\" in this entry"},
	{HEAD "exclude: [{rw: read, workload.rw: read}]\n", "p.yaml:3:22: the key rw is here twice"},
	{HEAD "exclude: [{rw: sideways}]\n", "p.yaml:3:16: rw cannot be \"sideways\""},
	{HEAD "exclude: [{target: u}]\n", "p.yaml:3:20: there is no target \"u\" in this profile"},
};

static void assert_bad(const char *text, gssize length, const char *message)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(Profile) profile = profile_parse("p.yaml", text, length, &error);

	g_assert_null(profile);
	g_assert_error(error, IOGAP_ERROR, IOGAP_ERROR_USAGE);
	if (!g_str_has_prefix(error->message, message))
		g_error("for\n%.200s\nexpected %s\n     got %s", text, message, error->message);
	g_assert_null(strchr(error->message, '\n'));
}

static void test_bad(void)
{
	for (guint i = 0; i < G_N_ELEMENTS(bad); i++)
		assert_bad(bad[i].text, -1, bad[i].message);
}

static void test_bytes(void)
{
	static const char nul[] = "name: x\nna\0me: y\n", latin[] = "name: x\n# caf\xe9\n", wide[] = "\xff\xfen\0";
	g_autoptr(GString) longest = g_string_new(HEAD);

	assert_bad(nul, sizeof(nul) - 1, "p.yaml:2:3: a NUL byte");
	assert_bad(latin, -1, "p.yaml:2:6: this byte (0xe9) is not UTF-8");
	assert_bad(wide, sizeof(wide) - 1, "p.yaml:1:4: a NUL byte");
	assert_bad("name: x\nt\xc3\xa4rgets: 1\n", -1, "p.yaml:2:1: unknown key \"t\xc3\xa4rgets\"");
	assert_bad("name: x\n\x01: 1\n", -1, "p.yaml:2:1: not YAML: control characters are not allowed");
	while (longest->len < 1200000)
		g_string_append(longest, "# a remark that goes on and on\n");
	assert_bad(longest->str, longest->len, "p.yaml:1:1: the profile is longer than 1048576 bytes");
	g_string_truncate(longest, 1000000);
	g_string_append(longest, "\n");
	profile_free(good(longest->str));
}

/* Deep and broad texts end in an error at once, not in a full stack or a full memory. */
static void test_hostile(void)
{
	g_autoptr(GString) deep = g_string_new(HEAD "workload: "), broad = g_string_new(HEAD "workload: {rw: [");
	g_autofree char *word = g_strnfill(500000, 'a');
	g_autofree char *name = g_strconcat("name: ", word, "\n", NULL);

	for (guint i = 0; i < 200000; i++)
		g_string_append_c(deep, '[');
	assert_bad(deep->str, -1, "p.yaml:3:16: lists and mappings lie more than 6 deep");
	for (guint i = 0; i < 100000; i++)
		g_string_append(broad, "read,");
	g_string_append(broad, "]}\n");
	assert_bad(broad->str, -1, "p.yaml:3:22: rw has the value read twice");
	assert_bad(name, -1, "p.yaml:1:7: name cannot be \"aaa");
	assert_bad("a: &a [x,x]\nb: &b [*a,*a]\nc: [*b,*b]\n", -1, "p.yaml:1:4: anchors (&a)");
}

/* Every row can say of itself what it takes, and its default is one of its own canonical values. */
static void test_table(void)
{
	guint n;
	const ProfileKey *keys = profile_keys(&n);

	for (guint i = 0; i < n; i++) {
		g_autofree char *why = NULL, *values = profile_key_values(&keys[i]);
		g_autofree char *canonical = keys[i].fallback ? profile_value(&keys[i], keys[i].fallback, &why) : NULL;

		g_assert_cmpstr(values, !=, "");
		g_assert_true(keys[i].help && *keys[i].help && !g_str_has_suffix(keys[i].help, "."));
		g_assert_cmpstr(canonical, ==, keys[i].fallback);
		g_assert_true(!keys[i].axis || keys[i].fallback || g_str_equal(keys[i].section, "rule"));
		g_assert_true(profile_key(keys[i].section, keys[i].key) == &keys[i]);
		for (guint w = 0; keys[i].words && keys[i].words[w]; w++) {
			g_autofree char *word = profile_value(&keys[i], keys[i].words[w], &why);

			g_assert_cmpstr(word, ==, keys[i].words[w]);
		}
	}
	g_assert_null(profile_key("guest", "rw"));
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/profile/defaults", test_defaults);
	g_test_add_func("/profile/gate", test_gate);
	g_test_add_func("/profile/values", test_values);
	g_test_add_func("/profile/rules", test_rules);
	g_test_add_func("/profile/bad", test_bad);
	g_test_add_func("/profile/bytes", test_bytes);
	g_test_add_func("/profile/hostile", test_hostile);
	g_test_add_func("/profile/table", test_table);
	return g_test_run();
}
