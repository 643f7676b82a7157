/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/run/sweep-environment.h"

#include <string.h>

#include "harness/base/error.h"
#include "harness/base/subprocess.h"
#include "harness/run/environment.h"
#include "harness/side/guest/image.h"

#define VERSION_S 10

/* The first line that PROGRAM answers, or what bonnie++, which knows no such option, has at the end of its usage. NULL = none. */
static char *version_of(const char *program)
{
	static const char mark[] = "Version: ";
	const char *const argv[] = {program, "--version", NULL};
	g_autofree char *out = NULL;
	g_autofree char *err = NULL;
	gboolean bonnie = g_str_equal(program, "bonnie++");
	const char *at;
	int status;

	if (!subprocess_run(argv, VERSION_S, &out, &err, &status, NULL) || (status && !bonnie))
		return NULL;
	at = bonnie ? strstr(err, mark) : out;
	at = at && bonnie ? at + strlen(mark) : at;
	return at ? g_strndup(at, strcspn(at, "\n")) : NULL;
}

/* Versions of the outside programs among the engines: "fio-3.33" is what fio says, in its first line. */
static void set_outside(const Plan *plan, Record *environment)
{
	for (guint i = 0; i < plan->workloads->len; i++) {
		const char *program = plan_engine_program(g_array_index(plan->workloads, PlanWorkload, i).engine);
		g_autofree char *out = program ? version_of(program) : NULL;
		g_autofree char *key = program ? g_strconcat(program, ".version", NULL) : NULL;

		if (out)
			record_set_text(environment, key, out);
	}
}

static void set_of_image(const char *name, const char *key, const char *value, Record *environment)
{
	g_autofree char *full = g_strdup_printf("image.%s.%s", name, key);

	if (value)
		record_set_text(environment, full, value);
}

static char *list_of(const json_t *texts)
{
	g_autoptr(GString) list = g_string_new(NULL);
	const json_t *text;
	gsize i;

	json_array_foreach(texts, i, text)
		g_string_append_printf(list, "%s%s", i ? " " : "", json_string_value(text));
	return g_string_free(g_steal_pointer(&list), FALSE);
}

/* What was prepared, from the record of preparing it. */
static void set_image(const char *asked, Record *environment)
{
	static const char *const keys[] = {"kernel_sha256", "initrd_sha256", "agent_sha256", "cmdline", "cmdline_from"};
	g_autoptr(Image) image = image_find(asked, NULL);
	g_autofree char *wrote = image ? list_of(json_object_get(image->record, "wrote")) : NULL;
	g_autofree char *size = NULL;
	const json_t *os = image ? json_object_get(image->record, "system") : NULL;

	if (!image) /* the boot says so */
		return;
	size = g_strdup_printf("%" JSON_INTEGER_FORMAT, json_integer_value(json_object_get(image->record, "size")));
	set_of_image(image->name, "distro", json_string_value(json_object_get(os, "distro")), environment);
	set_of_image(image->name, "product", json_string_value(json_object_get(os, "product")), environment);
	set_of_image(image->name, "init", json_string_value(json_object_get(os, "init")), environment);
	set_of_image(image->name, "kernel", image->kernel_version, environment);
	set_of_image(image->name, "size", size, environment);
	set_of_image(image->name, "wrote", wrote, environment);
	for (guint i = 0; i < G_N_ELEMENTS(keys); i++)
		set_of_image(image->name, keys[i], json_string_value(json_object_get(image->record, keys[i])), environment);
}

static void set_images(const Plan *plan, Record *environment)
{
	for (guint i = 0; i < plan->boots->len; i++) {
		const char *image = ((const PlanBoot *)g_ptr_array_index(plan->boots, i))->machine.image;

		if (image)
			set_image(image, environment);
	}
}

/* Before anything boots: the load that is noted is that of others. */
void sweep_environment(Sweep *sweep, Record *row)
{
	g_autoptr(Record) environment = record_new();

	environment_host("", environment);
	environment_cpu("", environment);
	environment_programs(sweep->agent, record_get_text(row, "emulator"), environment);
	set_outside(sweep->plan, environment);
	set_images(sweep->plan, environment);
	for (guint i = 0; i < sweep->targets->len; i++) {
		const ProfileTarget *wanted = g_ptr_array_index(sweep->profile->targets, i);
		Target *target = g_ptr_array_index(sweep->targets, i);

		if (!target)
			continue;
		environment_target("", wanted->name, target_path(target), environment);
		environment_target_kind(wanted->name, wanted->type, target_size(target), environment);
	}
	environment_store(environment, sweep->options->identify, row);
}

/* A sweep whose second half was measured under other conditions would show a difference that nobody made. */
gboolean sweep_environment_same(Sweep *sweep, const Record *now, GError **error)
{
	g_autoptr(Record) before = store_sweep(sweep->store, sweep->sweep, error);
	g_autoptr(Record) a = before ? environment_of_sweep(before) : NULL;
	g_autoptr(Record) b = environment_of_sweep(now);
	g_autoptr(GPtrArray) differences = NULL;
	g_autoptr(GString) list = g_string_new(NULL);

	if (!before)
		return FALSE;
	if (!record_has(before, "fingerprint") ||
		g_strcmp0(record_get_text(before, "fingerprint"), record_get_text(now, "fingerprint")) == 0)
		return TRUE;
	differences = environment_compare(a, b);
	for (guint i = 0; i < differences->len; i++) {
		const EnvironmentDifference *d = g_ptr_array_index(differences, i);

		if (d->weight <= ENVIRONMENT_FINGERPRINT)
			g_string_append_printf(list, "%s%s was %s, is %s", list->len ? "; " : "", d->name, d->a ? d->a : "not known",
				d->b ? d->b : "not known");
	}
	g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_NOTHING,
		"sweep %" G_GINT64_FORMAT " cannot be resumed, for this machine is not as it was: %s. Start a new sweep without --resume",
		sweep->sweep, list->str);
	return FALSE;
}
