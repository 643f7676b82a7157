/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lists of processors; where threads run and memory lies, read from a tree of the test's own and of real processes; facts of the machine. */
#include <glib/gstdio.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/base/cpu-list.h"
#include "harness/base/error.h"
#include "harness/run/facts-machine.h"
#include "harness/run/placement.h"
#include "tests/unit/tree-fixture.h"

/* ---- lists ---- */

static void test_lists(void)
{
	static const char *const good[][2] = {{"0", "0"}, {"0-3,7", "0-3,7"}, {"7,0,1,2,3", "0-3,7"}, {"0,1", "0-1"}, {"3-3", "3"},
		{"1-4,2-6,9,9", "1-6,9"}, {"8191", "8191"}, {"007", "7"}};
	static const char *const bad[] = {"", ",", "1,", ",1", "3-1", "x", "1-", "-1", "1 ", " 1", "1,,2", "8192", "0-99999999999999999999", "0-1-2",
		"1/2"};

	for (guint i = 0; i < G_N_ELEMENTS(good); i++) {
		g_autofree char *text = cpu_list_canonical(good[i][0]);

		g_assert_cmpstr(text, ==, good[i][1]);
	}
	for (guint i = 0; i < G_N_ELEMENTS(bad); i++) {
		g_test_message("\"%s\"", bad[i]);
		g_assert_null(cpu_list_canonical(bad[i]));
	}
}

static void test_lacks(void)
{
	static const char *const cases[][3] = {{"0-3", "0-3", NULL}, {"1", "0-3", NULL}, {"0-5", "0-3", "4-5"}, {"2,9", "0-3", "9"},
		{"0-8", "1-2,4", "0,3,5-8"}};

	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *missing = cpu_list_lacks(cases[i][0], cases[i][1]);

		g_assert_cmpstr(missing, ==, cases[i][2]);
	}
}

/* ---- planted trees ---- */

static void put_thread(const Tree *tree, guint tid, const char *name, const char *cpus)
{
	g_autofree char *file = g_strdup_printf("proc/42/task/%u/status", tid);
	g_autofree char *text = g_strdup_printf("Name:\t%s\nUmask:\t0022\nCpus_allowed:\tff\nCpus_allowed_list:\t%s\nMems_allowed:\t1\n", name, cpus);

	put(tree->root, file, text);
}

static void test_qemu_threads(Tree *tree, gconstpointer data)
{
	g_autoptr(Record) none = record_new(), run = record_new(), different = record_new(), load = record_new();

	placement_threads(tree->root, 42, TRUE, none);
	g_assert_cmpuint(record_size(none), ==, 0);
	put_thread(tree, 42, "qemu-system-x86", "6-7");
	put_thread(tree, 44, "CPU 1/TCG", "0-1");
	put_thread(tree, 43, "CPU 0/TCG", "0-1");
	put_thread(tree, 50, "worker", "6");
	put_thread(tree, 51, "worker", "7");
	put_thread(tree, 45, "call_rcu", "0-7");
	put_thread(tree, 47, "IO mon_iothread", "6");
	placement_threads(tree->root, 42, TRUE, run);
	g_assert_cmpstr(record_get_text(run, "seen_pin_vcpu"), ==, "0-1");
	g_assert_cmpstr(record_get_text(run, "seen_pin_emulator"), ==, "6-7");
	g_assert_cmpstr(record_get_text(run, "seen_pin_worker"), ==, "6-7");
	g_assert_false(record_has(run, "seen_pin_iothread"));
	g_assert_false(record_has(run, "seen_pin_load"));
	put_thread(tree, 44, "CPU 1/TCG", "3");
	put_thread(tree, 46, "IO iothread1", "5");
	placement_threads(tree->root, 42, TRUE, different);
	g_assert_cmpstr(record_get_text(different, "seen_pin_vcpu"), ==, "0-1/3");
	g_assert_cmpstr(record_get_text(different, "seen_pin_iothread"), ==, "5");
	placement_threads(tree->root, 42, FALSE, load);
	g_assert_cmpstr(record_get_text(load, "seen_pin_load"), ==, "0-7");
	g_assert_cmpuint(record_size(load), ==, 1);
}

static void test_memory(Tree *tree, gconstpointer data)
{
	g_autoptr(Record) none = record_new(), run = record_new(), huge = record_new();

	placement_memory(tree->root, 42, none);
	g_assert_cmpuint(record_size(none), ==, 0);
	put(tree->root, "proc/42/numa_maps",
		"55d0 default file=/usr/bin/qemu mapped=1000 N0=1000 kernelpagesize_kB=4\n"
		"7f00 bind:0-1 anon=131072 dirty=131072 active=9 N0=65536 N1=65536 kernelpagesize_kB=4\n"
		"7fff default stack anon=5 N0=5 kernelpagesize_kB=4\n");
	placement_memory(tree->root, 42, run);
	g_assert_cmpstr(record_get_text(run, "seen_numa"), ==, "0-1");
	g_assert_cmpint(record_get_int(run, "seen_hugepages", 0), ==, 4096);
	put(tree->root, "proc/42/numa_maps",
		"55d0 default file=/usr/bin/qemu mapped=1000 N0=1000 kernelpagesize_kB=4\n"
		"7f00 default file=/dev/hugepages/libvirt/qemu/ram\\040(deleted) huge anon=128 dirty=128 N0=128 kernelpagesize_kB=2048\n");
	placement_memory(tree->root, 42, huge);
	g_assert_cmpstr(record_get_text(huge, "seen_numa"), ==, "default");
	g_assert_cmpint(record_get_int(huge, "seen_hugepages", 0), ==, 2 << 20);
}

static Profile *a_profile(void)
{
	return profile_parse("p.yaml", "name: x\ntargets: [{name: t, size: 1G}]\n", -1, NULL);
}

static void test_facts(Tree *tree, gconstpointer data)
{
	g_autoptr(Profile) profile = a_profile();
	g_auto(PlanFacts) bare, full;
	const PlanHugepages *pages;

	plan_facts_init(&bare, profile, "tcg");
	facts_machine(tree->root, &bare);
	g_assert_null(bare.cpus);
	g_assert_null(bare.nodes);
	g_assert_cmpuint(bare.hugepages->len, ==, 0);
	g_assert_nonnull(strstr(bare.no_hugepages, "mount -t hugetlbfs"));
	g_assert_nonnull(bare.memory_limit);
	put(tree->root, "sys/devices/system/cpu/online", "0-2,4\n");
	put(tree->root, "sys/devices/system/node/online", "0-1\n");
	put(tree->root, "sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages", "10\n");
	put(tree->root, "sys/kernel/mm/hugepages/hugepages-1048576kB/free_hugepages", "0\n");
	put(tree->root, "proc/self/mounts", "proc /proc proc rw 0 0\nnone /dev/hugepages hugetlbfs rw,pagesize=2M 0 0\n");
	plan_facts_init(&full, profile, "tcg");
	facts_machine(tree->root, &full);
	g_assert_cmpstr(full.cpus, ==, "0-2,4");
	g_assert_cmpstr(full.nodes, ==, "0-1");
	g_assert_null(full.no_hugepages);
	g_assert_cmpuint(full.hugepages->len, ==, 2);
	pages = &g_array_index(full.hugepages, PlanHugepages, 1);
	g_assert_cmpuint(pages->size, ==, 2 << 20);
	g_assert_cmpuint(pages->free, ==, 20 << 20);
	g_assert_cmpuint(g_array_index(full.hugepages, PlanHugepages, 0).size, ==, 1 << 30);
}

/* ---- for real ---- */

/* Each processor that is offered takes a thread, and this thread stays where it was. */
static void test_real_cpus(void)
{
	g_autofree char *cpus = facts_cpus("");
	g_autoptr(GArray) list = cpu_list_parse(cpus);
	cpu_set_t before, after;

	g_assert_cmpint(sched_getaffinity(0, sizeof(before), &before), ==, 0);
	g_assert_cmpuint(list->len, >, 0);
	g_free(facts_cpus(""));
	g_assert_cmpint(sched_getaffinity(0, sizeof(after), &after), ==, 0);
	g_assert_true(CPU_EQUAL(&before, &after));
}

static void seen_load(pid_t pid, const char *expected)
{
	g_autoptr(Record) run = record_new();

	placement_threads("", pid, FALSE, run);
	g_assert_cmpstr(record_get_text(run, "seen_pin_load"), ==, expected);
}

static void test_load(void)
{
	g_autofree char *cpus = facts_cpus("");
	g_autoptr(GArray) list = cpu_list_parse(cpus);
	g_autofree char *last = g_strdup_printf("%u", g_array_index(list, guint, list->len - 1));
	g_autoptr(GError) error = NULL;
	g_autoptr(Record) first = record_new();
	LoadPin *pin, *gone;
	pid_t child = fork();

	if (child == 0) {
		pause();
		_exit(0);
	}
	placement_threads("", child, FALSE, first);
	pin = load_pin_new(child);
	g_assert_true(load_pin_use(pin, NULL, &error));
	g_assert_true(load_pin_use(pin, last, &error));
	g_assert_no_error(error);
	seen_load(child, last);
	g_assert_true(load_pin_use(pin, NULL, &error));
	seen_load(child, record_get_text(first, "seen_pin_load"));
	g_assert_false(load_pin_use(pin, "8000", &error));
	g_assert_error(error, IOGAP_ERROR, IOGAP_ERROR_UNSUPPORTED);
	g_assert_cmpstr(error->message, ==, "the host's load cannot be moved to the processors 8000: Invalid argument");
	g_clear_error(&error);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	g_assert_false(load_pin_use(pin, last, &error));
	g_assert_nonnull(strstr(error->message, "No such process"));
	load_pin_free(pin);
	/* One that cannot be looked at is left where it is. */
	gone = load_pin_new(child);
	g_assert_true(load_pin_use(gone, NULL, NULL));
	load_pin_free(gone);
	load_pin_free(NULL);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/cpu-list/canonical", test_lists);
	g_test_add_func("/cpu-list/lacks", test_lacks);
	g_test_add("/placement/qemu-threads", Tree, NULL, tree_set_up, test_qemu_threads, tree_tear_down);
	g_test_add("/placement/memory", Tree, NULL, tree_set_up, test_memory, tree_tear_down);
	g_test_add("/placement/facts", Tree, NULL, tree_set_up, test_facts, tree_tear_down);
	g_test_add_func("/placement/real-cpus", test_real_cpus);
	g_test_add_func("/placement/load", test_load);
	return g_test_run();
}
