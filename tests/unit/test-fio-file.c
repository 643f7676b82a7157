/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A job file of fio's as an engine: what is read out of it, what it is called, and each way in which it is refused, with its line. */
#include <glib/gstdio.h>
#include <string.h>

#include "harness/base/error.h"
#include "harness/plan/plan.h"

static ProfileFioFile *parse(const char *text, GError **error)
{
	return fio_file_parse("some/a job.fio", text, strlen(text), error);
}

static void test_read(void)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(ProfileFioFile) file = parse(
		"; fio's comments\n# of both kinds\n\n[global]\nioengine=libaio\n  direct = 1\nbs=4KiB\nnorandommap\n"
		"[mixed]\r\nreadwrite=randrw\nrwmixwrite=30\nblocksize=8k\niodepth=16\nnumjobs=2\n",
		&error);
	g_autoptr(ProfileFioFile) least = parse("[job]\n", &error);
	g_autoptr(ProfileFioFile) undone = parse("[global]\nrwmixread=10\nrwmixwrite=30\n[job]\nrw=rw\nrwmixread=20\n", &error);
	g_autoptr(ProfileFioFile) synced = parse("[job]\nrw=write\nfsync=8\nrate_iops=50\nnumjobs=3\n", &error);

	g_assert_no_error(error);
	g_assert_true(g_str_has_prefix(file->name, "fio:a_job.fio#"));
	g_assert_cmpuint(strlen(file->name), ==, strlen("fio:a_job.fio#") + 12);
	g_assert_true(g_str_has_prefix(file->sha256, strchr(file->name, '#') + 1));
	g_assert_cmpstr(file->options, ==,
		"ioengine=libaio\ndirect=1\nnorandommap=1\nrw=randrw\nrwmixwrite=30\nbs=8k\niodepth=16\nnumjobs=2\n");
	g_assert_cmpstr(file->rw, ==, "randrw");
	g_assert_cmpint(file->mix_read, ==, 70);
	g_assert_cmpuint(file->block_size, ==, 8192);
	g_assert_true(file->direct);
	g_assert_cmpuint(file->queue_depth, ==, 16);
	g_assert_cmpuint(file->jobs, ==, 2);
	g_assert_cmpint(file->rate_iops, ==, -1);
	g_assert_false(fio_file_is_synchronous(file));
	/* What fio would take by itself is written out where it depends on how fio was built. */
	g_assert_cmpstr(least->options, ==, "ioengine=psync\n");
	g_assert_cmpstr(least->rw, ==, "read");
	g_assert_cmpint(least->mix_read, ==, -1);
	g_assert_cmpuint(least->block_size, ==, 4096);
	g_assert_false(least->direct);
	g_assert_cmpstr(least->sync, ==, "none");
	g_assert_true(fio_file_is_synchronous(least));
	/* fio takes the last of the two, and so does the plan. */
	g_assert_cmpstr(undone->options, ==, "rwmixwrite=30\nrw=rw\nrwmixread=20\nioengine=psync\n");
	g_assert_cmpint(undone->mix_read, ==, 20);
	g_assert_cmpstr(synced->sync, ==, "fsync");
	g_assert_cmpuint(synced->fsync_every, ==, 8);
	g_assert_cmpint(synced->rate_iops, ==, 150);
}

static const struct {
	const char *text, *wrong;
} bad[] = {
	{"", ":1: there is no job in it: a section [NAME] with its options"},
	{"[global]\nbs=4k\n", "there is no job in it: a section [NAME] with its options"},
	{"bs=4k\n[a]\n", ":1: bs stands before the first section"},
	{"[a]\nfilename=/dev/sda\n", ":2: filename: the file is the target of the profile; take the line out"},
	{"[a]\ndirectory=/tmp\n", ":2: directory: the file is the target"},
	{"[a]\nsize=1g\n", ":2: size: the range is the whole target (targets: size); take the line out"},
	{"[global]\nruntime=10\n[a]\n", ":2: runtime: how long is measured stands in the profile (measure: settle, run)"},
	{"[a]\nexec_prerun=reboot\n", ":2: exec_prerun: no commands are run"},
	{"include x.fio\n[a]\n", ":1: nothing is included"},
	{"[a]\ninclude missing.fio\n", ":2: nothing is included; put the options of that file here, so that the hash covers them"},
	{"[a]\nbs=4k\n[b]\nbs=8k\n", ":3: [b] is a second job, and a run is one number"},
	{"[a]\n[global]\n", ":2: [global] stands once, before the job"},
	{"[a\n", ":1: a section is [global] or [NAME OF THE JOB]"},
	{"[a]\niodpeth=4\n", ":2: iogap does not know the option iodpeth of a job; did you mean iodepth?"},
	{"[a]\nverify=crc32c\n", ":2: iogap does not know the option verify of a job, and passes none on"},
	{"[a]\nbs=4k\nbs=8k\n", ":3: bs stands twice in its section"},
	{"[a]\nbs=4k\nblocksize=8k\n", ":3: blocksize stands twice in its section"},
	{"[a]\nbs=4k,8k\n", ":2: bs cannot be 4k,8k: it is one size here"},
	{"[a]\nbs=0\n", ":2: bs cannot be 0"},
	{"[a]\nbs=$SIZE\n", ":2: bs has a value that depends on something else, or none; write it out"},
	{"[a]\nbs=\n", ":2: bs has a value that depends on something else, or none"},
	{"[a]\nrandom_distribution=zoned:[\n", ":2: random_distribution cannot be zoned:[: a bracket begins a section"},
	{"[a]\nrw=randread:8\n", ":2: rw cannot be randread:8"},
	{"[a]\nrw=trim\n", ":2: rw cannot be trim"},
	{"[a]\ndirect=yes\n", ":2: direct cannot be yes: it is 0 or 1"},
	{"[a]\nrwmixread=50\n", ":2: a share of reads means nothing with rw=read"},
	{"[a]\nrw=rw\nrate_iops=5\n", ":3: fio limits reads and writes apart"},
	{"[a]\nrate_iops=5,5\n", ":2: rate_iops cannot be 5,5: it is one number here"},
	{"[global]\niodepth=4\n[a]\nioengine=sync\n", ":2: ioengine sync has one request in flight whatever is asked"},
	{"[a]\nioengine=null\n", ":2: ioengine cannot be null"},
	{"[a]\nrw=write\nsync=1\nfsync=4\n", ":4: fsync and sync do not go together"},
	{"[a]\nfsync=4\n", ":2: a pure read has nothing to sync"},
	{"[a]\nbs=\xff\n", ":1: it is no text in UTF-8"},
};

static void test_refused(void)
{
	for (guint i = 0; i < G_N_ELEMENTS(bad); i++) {
		g_autoptr(GError) error = NULL;

		g_assert_null(parse(bad[i].text, &error));
		g_assert_error(error, IOGAP_ERROR, IOGAP_ERROR_USAGE);
		g_assert_true(g_str_has_prefix(error->message, "some/a job.fio:"));
		if (!strstr(error->message, bad[i].wrong))
			g_error("for \"%s\" expected \"%s\", got \"%s\"", bad[i].text, bad[i].wrong, error->message);
	}
}

static void test_large(void)
{
	g_autofree char *text = g_strnfill(FIO_FILE_BYTES + 1, '\n');
	g_autoptr(GError) error = NULL;

	g_assert_null(parse(text, &error));
	g_assert_nonnull(strstr(error->message, "longer than 16384 bytes"));
}

/* ---- in a profile ----------------------------------------------------------------------------- */

static char *folder;

static void write_file(const char *name, const char *text)
{
	g_autofree char *path = g_build_filename(folder, name, NULL);

	g_assert_true(g_file_set_contents(path, text, -1, NULL));
}

static Profile *load(const char *engine, GError **error)
{
	g_autofree char *path = g_build_filename(folder, "p.yaml", NULL);
	g_autofree char *text = g_strdup_printf(
		"name: x\ntargets: [{name: t, size: 1G}]\nworkload: {rw: [read, write], engine: %s}\n", engine);

	return profile_parse(path, text, -1, error);
}

static void test_plan(void)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(Profile) profile = NULL;
	g_auto(PlanFacts) facts = {NULL};
	g_autoptr(Plan) plan = NULL;
	const PlanWorkload *of_file = NULL;

	write_file("a.fio", "[a]\nrw=randwrite\ndirect=1\nioengine=io_uring\niodepth=8\n");
	profile = load("[psync, {fio: a.fio}]", &error);
	g_assert_no_error(error);
	g_assert_cmpuint(profile->fio_files->len, ==, 1);
	/* A changed job file is another profile for --resume. */
	g_assert_nonnull(strstr(profile->text, "\n# fio job file fio:a.fio#"));
	plan_facts_init(&facts, profile, "tcg");
	plan = plan_build(profile, &facts, FALSE, 1, &error);
	g_assert_no_error(error);
	/* Its file says what is read or written, so that it is one leg whatever rw lists. */
	g_assert_cmpuint(plan->legs->len, ==, 6);
	g_assert_cmpuint(plan->folded, ==, 1);
	for (guint i = 0; i < plan->workloads->len; i++)
		if (g_array_index(plan->workloads, PlanWorkload, i).fio_file)
			of_file = &g_array_index(plan->workloads, PlanWorkload, i);
	g_assert_nonnull(of_file);
	g_assert_cmpstr(of_file->rw, ==, "randwrite");
	g_assert_cmpuint(of_file->queue_depth, ==, 8);
	g_assert_true(g_str_has_prefix(of_file->engine, "fio:a.fio#"));
	g_assert_cmpstr(plan_engine_of_agent(of_file), ==, "fio:file");
	g_assert_cmpstr(plan_engine_program(of_file->engine), ==, "fio");
}

static void fails(const char *engine, const char *wrong)
{
	g_autoptr(GError) error = NULL;

	g_assert_null(load(engine, &error));
	g_assert_error(error, IOGAP_ERROR, IOGAP_ERROR_USAGE);
	if (!strstr(error->message, wrong))
		g_error("for \"%s\" expected \"%s\", got \"%s\"", engine, wrong, error->message);
}

static void test_profile(void)
{
	g_autofree char *twice = g_strdup_printf("[{fio: a.fio}, {fio: %s/a.fio}]", folder);

	write_file("a.fio", "[a]\n");
	write_file("bad.fio", "[a]\nbs=x\n");
	fails("{fio: bad.fio}", "/p.yaml:3:45: the job file cannot be used: ");
	fails("{fio: bad.fio}", "/bad.fio:2: bs cannot be x");
	fails("{fio: none.fio}", "/none.fio cannot be read: ");
	fails("{fio: .}", "is not a regular file");
	fails("{fio: }", "a mapping as an engine is {fio: FILE}");
	fails("{dd: a.fio}", "a mapping as an engine is {fio: FILE}");
	fails("{fio: a.fio, bs: 4k}", "a mapping as an engine is {fio: FILE}");
	fails("{fio: [a.fio]}", "a mapping as an engine is {fio: FILE}");
	fails("[{fio: a.fio}, {fio: a.fio}]", "engine has the value fio:a.fio#");
	fails(twice, "has the value fio:a.fio#");
}

/* What only QEMU or the kernel refuses of a job is refused as it is for the engines. */
static void test_refusals(void)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(Profile) profile = NULL;
	g_auto(PlanFacts) facts = {NULL};
	g_autoptr(Plan) plan = NULL;
	g_autofree char *text = NULL;

	write_file("a.fio", "[a]\nioengine=libaio\n");
	profile = load("[psync, {fio: a.fio}]", &error);
	g_assert_no_error(error);
	plan_facts_init(&facts, profile, "tcg");
	plan = plan_build(profile, &facts, FALSE, 1, &error);
	g_assert_no_error(error);
	g_assert_cmpuint(plan->refusals->len, ==, 1);
	text = plan_refusal_text(plan, plan->refusals->pdata[0]);
	g_assert_nonnull(strstr(text, "Linux AIO on a buffered file blocks"));
}

int main(int argc, char **argv)
{
	int status;

	g_test_init(&argc, &argv, NULL);
	folder = g_dir_make_tmp("iogap-fio-file-XXXXXX", NULL);
	g_test_add_func("/fio-file/read", test_read);
	g_test_add_func("/fio-file/refused", test_refused);
	g_test_add_func("/fio-file/large", test_large);
	g_test_add_func("/fio-file/plan", test_plan);
	g_test_add_func("/fio-file/profile", test_profile);
	g_test_add_func("/fio-file/refusals", test_refusals);
	status = g_test_run();
	for (guint i = 0; i < 2; i++) {
		g_autofree char *path = g_build_filename(folder, i ? "bad.fio" : "a.fio", NULL);

		g_remove(path);
	}
	g_rmdir(folder);
	return status;
}
