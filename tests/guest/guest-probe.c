/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Drives the guest side for boot.sh and leftovers.sh: boots one guest and does what the words on
 * the command line say, in their order. Prints a line for each, flushed at once; on failure
 * "error: MESSAGE", stops the guest and exits with 5.
 *
 *   accel WORD            accelerator asked for (kvm, auto, tcg; default tcg)
 *   machine WORD          pc, q35
 *   emulator FILE, kernel FILE, connect URI, hello SECONDS
 *   format WORD           of the disks that follow (raw, qcow2; default raw)
 *   cold BUS FILE         a disk that is there from the boot
 *   boot                  prints "booting RUN-FOLDER", then "booted PID"
 *   disk BUS FILE         plugs it in (cold ones: finds it), prints "disk BUS PATH"
 *   read SECONDS          a run on the latest disk; prints "measuring", then "read OPERATIONS"
 *   write SECONDS         the same, writing
 *   patience SECONDS      how much longer than its time a run may take (default 30)
 *   many BUS FOLDER N     plugs in N disks, FOLDER/many-0 and so on; then asks for the first again
 *   facts                 prints the facts, one "NAME=VALUE" a line (texts cut to 60 characters)
 *   events SECONDS        runs the main loop; prints "lost: REASON" when the guest is lost meanwhile
 *   until FILE            prints "waiting", and runs the main loop until FILE exists
 *   stay                  the next failure is printed, and the program then waits to be killed
 *   stop                  ends the guest; prints "stopped"
 *   recover               before all else: prints what was undone, one "recovered: WHAT" a line
 *   processes TEXT        alone: prints "PID COMMAND LINE" of every other process with TEXT in it
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/base/error.h"
#include "harness/base/paths.h"
#include "harness/side/guest/guest.h"
#include "harness/side/keeper.h"

#define MAX_COLD 8
#define MAX_HOT 4
#define EXIT_PROBE 5

typedef struct {
	Keeper *keeper;
	Hypervisor *hypervisor;
	Side *side;
	GuestConfig config;
	SideDisk cold[MAX_COLD], hot[MAX_HOT], latest;
	guint n_hot;
	char *path, *agent;
	const char *uri, *accel, *format;
	gboolean stay;
	guint serials, patience_s;
} Probe;

static void say(const char *format, ...) G_GNUC_PRINTF(1, 2);

static void say(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
	fflush(stdout);
}

static void clean_up(Probe *probe)
{
	side_free(probe->side);
	hypervisor_close(probe->hypervisor);
	keeper_stop(probe->keeper);
	free(probe->path);
	g_free(probe->agent);
}

static void die(Probe *probe, const GError *error) G_GNUC_NORETURN;

static void die(Probe *probe, const GError *error)
{
	say("error: %s", error->message);
	while (probe->stay)
		g_main_context_iteration(NULL, TRUE);
	clean_up(probe);
	exit(EXIT_PROBE);
}

/* The next word; without one the command line is wrong. */
static const char *next(char ***words)
{
	if (!**words) {
		fputs("guest-probe: a word is missing\n", stderr);
		exit(2);
	}
	return *(*words)++;
}

static guint next_number(char ***words)
{
	const char *word = next(words);
	guint64 value;

	if (!g_ascii_string_to_unsigned(word, 10, 0, 100000, &value, NULL)) {
		fprintf(stderr, "guest-probe: \"%s\" is not a number\n", word);
		exit(2);
	}
	return (guint)value;
}

static SideDisk disk_of(Probe *probe, const char *bus, const char *file)
{
	struct stat st = {0};
	SideDisk disk = {.image = file,
		.bus = bus,
		.cache = "none",
		.io = "threads",
		.format = probe->format,
		.iothread = -1,
		.event_idx = -1,
		.packed = -1,
		.ioeventfd = -1,
		.queues = -1,
		.logical_block_size = 512};

	(void)stat(file, &st);
	disk.size = (guint64)st.st_size;
	disk.serial = g_strdup_printf("iogap-probe-%u", probe->serials++);
	if (g_str_has_prefix(bus, "virtio"))
		disk.queues = 1;
	return disk;
}

static void boot(Probe *probe)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(Record) record = record_new();
	g_autofree char *remark = NULL;

	say("booting %s", keeper_folder(probe->keeper));
	probe->hypervisor = hypervisor_open(probe->uri, probe->keeper, &error);
	if (!probe->hypervisor)
		die(probe, error);
	say("open");
	probe->config.accel = accel_decide(
		probe->hypervisor, &probe->config, probe->accel, FALSE, &remark, NULL, &error);
	if (!probe->config.accel)
		die(probe, error);
	if (remark)
		say("remark: %s", remark);
	probe->side = guest_side_new(probe->hypervisor, &probe->config, &error);
	if (!probe->side || !side_start(probe->side, NULL, &error))
		die(probe, error);
	side_facts(probe->side, record);
	say("booted %d", (int)record_get_int(record, "qemu_pid", 0));
}

static void plug(Probe *probe, const SideDisk *disk)
{
	g_autoptr(GError) error = NULL;

	g_free(probe->path);
	probe->path = side_disk(probe->side, disk, NULL, &error);
	if (!probe->path)
		die(probe, error);
	probe->latest = *disk;
	say("disk %s %s", disk->bus, probe->path);
}

static const SideDisk *known(const SideDisk *disks, guint count, const char *bus, const char *file)
{
	for (guint i = 0; i < count; i++)
		if (g_str_equal(disks[i].image, file) && g_str_equal(disks[i].bus, bus))
			return &disks[i];
	return NULL;
}

static void disk(Probe *probe, const char *bus, const char *file)
{
	const SideDisk *asked = known(probe->cold, probe->config.n_disks, bus, file);

	if (!asked)
		asked = known(probe->hot, probe->n_hot, bus, file);
	if (!asked) {
		if (probe->n_hot == MAX_HOT) {
			fputs("guest-probe: too many disks\n", stderr);
			exit(2);
		}
		probe->hot[probe->n_hot] = disk_of(probe, bus, file);
		asked = &probe->hot[probe->n_hot++];
	}
	plug(probe, asked);
}

static void run(Probe *probe, const char *rw, guint seconds)
{
	g_autoptr(GError) error = NULL;
	json_t *arguments = json_pack("{s:{s:s, s:I, s:I, s:s, s:n, s:I, s:b, s:s, s:n, s:i, s:i, "
				      "s:s, s:n, s:i, s:I, s:I, s:I}}",
		"job", "path", probe->path, "offset", (json_int_t)0, "size",
		(json_int_t)probe->latest.size, "rw", rw, "mix_read", "block_size",
		(json_int_t)65536, "direct", 1, "sync", "none", "fsync_every", "queue_depth", 1,
		"jobs", 1, "engine", "psync", "rate_iops", "seed", 1, "settle_ns", (json_int_t)0,
		"run_ns", (json_int_t)seconds * 1000000000, "interval_ns", (json_int_t)10000000);
	json_t *result;

	say("measuring");
	result = side_call(
		probe->side, "run", arguments, (seconds + probe->patience_s) * 1000, NULL, NULL, NULL, &error);
	json_decref(arguments);
	if (!result)
		die(probe, error);
	say("%s %lld", rw,
		(long long)json_integer_value(json_object_get(json_object_get(result, rw), "ops")));
	json_decref(result);
}

static void many(Probe *probe, const char *bus, const char *folder, guint count)
{
	SideDisk first = {0};

	for (guint i = 0; i < count; i++) {
		char *file = g_strdup_printf("%s/many-%u", folder, i);
		SideDisk asked = disk_of(probe, bus, file);

		if (i == 0)
			first = asked;
		plug(probe, &asked);
	}
	plug(probe, &first);
}

static void facts(Probe *probe)
{
	g_autoptr(Record) record = record_new();

	hypervisor_facts(probe->hypervisor, probe->config.emulator, record);
	side_facts(probe->side, record);
	for (guint i = 0; i < record_size(record); i++) {
		const char *name = record_name(record, i), *text = record_get_text(record, name);

		if (text)
			say("%s=%.60s", name, text);
		else if (record_has(record, name))
			say("%s=%" G_GINT64_FORMAT, name, record_get_int(record, name, -1));
		else
			say("%s=NULL", name);
	}
}

static gboolean on_timer(gpointer data)
{
	*(gboolean *)data = TRUE;
	return G_SOURCE_REMOVE;
}

static void events(Probe *probe, guint seconds)
{
	gboolean passed = FALSE;
	guint timer = g_timeout_add_seconds(seconds, on_timer, &passed);

	say("waiting");
	while (!passed && !link_lost(probe->side->link))
		g_main_context_iteration(NULL, TRUE);
	if (!passed)
		g_source_remove(timer);
	if (link_lost(probe->side->link))
		say("lost: %s", link_lost(probe->side->link));
}

static gboolean on_tick(gpointer data)
{
	return G_SOURCE_CONTINUE;
}

static void until(Probe *probe, const char *file)
{
	guint tick = g_timeout_add(50, on_tick, NULL);

	say("waiting");
	while (!g_file_test(file, G_FILE_TEST_EXISTS))
		g_main_context_iteration(NULL, TRUE);
	g_source_remove(tick);
}

static void processes(const char *text)
{
	g_autoptr(GDir) dir = g_dir_open("/proc", 0, NULL);
	g_autofree char *self = g_strdup_printf("%d", (int)getpid());
	const char *name;

	while ((name = g_dir_read_name(dir)) != NULL) {
		g_autofree char *path = g_strdup_printf("/proc/%s/cmdline", name);
		g_autofree char *line = NULL;
		gsize length;

		if (!g_ascii_isdigit(*name) || g_str_equal(name, self) ||
			!g_file_get_contents(path, &line, &length, NULL))
			continue;
		for (gsize i = 0; i + 1 < length; i++)
			if (line[i] == '\0')
				line[i] = ' ';
		if (strstr(line, text))
			say("%s %s", name, line);
	}
}

static void recover(void)
{
	g_autoptr(GPtrArray) remark = g_ptr_array_new_with_free_func(g_free);
	guint n = keeper_recover(hypervisor_destroy_domain, remark);

	say("recovered %u", n);
	for (guint i = 0; i < remark->len; i++)
		say("recovered: %s", (const char *)remark->pdata[i]);
}

static gboolean configure(Probe *probe, const char *word, char ***words)
{
	if (g_str_equal(word, "accel"))
		probe->accel = next(words);
	else if (g_str_equal(word, "machine"))
		probe->config.machine = next(words);
	else if (g_str_equal(word, "emulator"))
		probe->config.emulator = next(words);
	else if (g_str_equal(word, "kernel"))
		probe->config.kernel = next(words);
	else if (g_str_equal(word, "connect"))
		probe->uri = next(words);
	else if (g_str_equal(word, "format"))
		probe->format = next(words);
	else if (g_str_equal(word, "hello"))
		probe->config.hello_timeout_s = next_number(words);
	else if (g_str_equal(word, "patience"))
		probe->patience_s = next_number(words);
	else if (g_str_equal(word, "stay"))
		probe->stay = TRUE;
	else if (g_str_equal(word, "cold") && probe->config.n_disks < MAX_COLD) {
		const char *bus = next(words);

		probe->cold[probe->config.n_disks++] = disk_of(probe, bus, next(words));
	} else
		return FALSE;
	return TRUE;
}

static void obey(Probe *probe, const char *word, char ***words)
{
	if (configure(probe, word, words))
		return;
	if (g_str_equal(word, "boot"))
		boot(probe);
	else if (g_str_equal(word, "disk")) {
		const char *bus = next(words);

		disk(probe, bus, next(words));
	} else if (g_str_equal(word, "read") || g_str_equal(word, "write"))
		run(probe, word, next_number(words));
	else if (g_str_equal(word, "many")) {
		const char *bus = next(words), *folder = next(words);

		many(probe, bus, folder, next_number(words));
	} else if (g_str_equal(word, "facts"))
		facts(probe);
	else if (g_str_equal(word, "events"))
		events(probe, next_number(words));
	else if (g_str_equal(word, "until"))
		until(probe, next(words));
	else if (g_str_equal(word, "stop")) {
		side_stop(probe->side);
		say("stopped");
	} else {
		fprintf(stderr, "guest-probe: unknown word \"%s\"\n", word);
		exit(2);
	}
}

int main(int argc, char **argv)
{
	Probe probe = {.accel = "tcg", .format = "raw", .patience_s = 30};
	g_autoptr(GError) error = NULL;
	char **words = argv + 1;

	if (argc == 3 && g_str_equal(argv[1], "keeper"))
		return keeper_main(argv[2], hypervisor_destroy_domain);
	if (argc == 3 && g_str_equal(argv[1], "processes")) {
		processes(argv[2]);
		return 0;
	}
	if (*words && g_str_equal(*words, "recover")) {
		recover();
		words++;
	}
	if (!*words)
		return 0;
	probe.agent = paths_agent();
	probe.config = (GuestConfig){.machine = "pc",
		.agent = probe.agent,
		.vcpus = 1,
		.memory = 256u << 20,
		.disks = probe.cold};
	probe.keeper = keeper_start(&error);
	if (!probe.keeper) {
		say("error: %s", error->message);
		return EXIT_PROBE;
	}
	while (*words) {
		const char *word = next(&words);

		obey(&probe, word, &words);
	}
	clean_up(&probe);
	return 0;
}
