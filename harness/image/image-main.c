/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * iogap-image: what of `iogap image` calls libguestfs. IMAGE DISK FORMAT ACCEL AGENT FOLDER as image.c hands them over; prints the facts as one
 * line of JSON. Exit status 0, 2 (of the image, IOGAP_ERROR_USAGE) or 5, with the message as last line of standard error.
 */
#include <inttypes.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>

#include "harness/base/error.h"
#include "harness/image/session.h"
#include "harness/side/guest/image-judge.h"
#include "harness/side/guest/image-private.h"
#include "harness/side/guest/kernel.h"

typedef struct {
	const char *image; /* its name, for messages */
	const char *disk, *format, *accel, *agent;
	const char *folder; /* where kernel and initrd go; "" = only look */
} Work;

static guint64 agent_size(const char *agent)
{
	struct stat st = {0};

	(void)stat(agent, &st); /* uploading it tells why */
	return (guint64)st.st_size;
}

static gboolean copy_out(guestfs_h *g, const json_t *kernel, const char *key, const char *folder, const char *name, GError **error)
{
	const char *path = json_string_value(json_object_get(kernel, key));
	g_autofree char *to = g_build_filename(folder, name, NULL);

	if (!path)
		return TRUE;
	return guestfs_download(g, path, to) == 0 || image_session_error(g, path, error);
}

/* The kernel says itself what it is: a file of its name may be anything. */
static gboolean check_kernel(const Work *work, const json_t *choice, GError **error)
{
	g_autofree char *file = g_build_filename(work->folder, IMAGE_KERNEL, NULL);
	const char *version = json_string_value(json_object_get(choice, "version"));
	g_autoptr(GError) cause = NULL;
	g_autoptr(Kernel) kernel = kernel_open(file, &cause);

	if (kernel && g_str_equal(kernel->version, version))
		return TRUE;
	g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_USAGE, "%s: %s is not a usable kernel: %s%s", work->image,
		json_string_value(json_object_get(choice, "file")),
		kernel ? "it calls itself " : cause->message, kernel ? kernel->version : "");
	return FALSE;
}

static gboolean install(guestfs_h *g, const Work *work, const ImageChoice *choice, json_t *facts, GError **error)
{
	json_t *wrote;

	if (!copy_out(g, choice->kernel, "file", work->folder, IMAGE_KERNEL, error) ||
		!copy_out(g, choice->kernel, "initrd", work->folder, IMAGE_INITRD, error) || !check_kernel(work, choice->kernel, error))
		return FALSE;
	wrote = image_install(g, json_string_value(json_object_get(choice->os, "init")), work->agent, error);
	if (!wrote)
		return FALSE;
	json_object_set_new(facts, "wrote", wrote);
	return image_session_end(g, error);
}

static void add_choice(json_t *facts, const ImageChoice *choice)
{
	const char *from;
	g_autofree char *cmdline = image_cmdline(choice, &from);

	json_object_set(facts, "system", (json_t *)choice->os);
	json_object_set(facts, "kernel", (json_t *)choice->kernel);
	json_object_set_new(facts, "cmdline", json_string(cmdline));
	json_object_set_new(facts, "cmdline_from", from ? json_string(from) : json_null());
	json_object_del(facts, "systems");
	json_object_del((json_t *)choice->os, "kernels");
}

/* New reference. */
static json_t *library_version(guestfs_h *g)
{
	struct guestfs_version *version = guestfs_version(g);
	json_t *text = version ? json_sprintf("%" PRId64 ".%" PRId64 ".%" PRId64, version->major, version->minor, version->release) :
				 json_string("unknown");

	guestfs_free_version(version);
	return text;
}

static json_t *work_on(const Work *work, GError **error)
{
	g_autoptr(guestfs_h) g = image_session(work->disk, work->format, !*work->folder, work->accel, error);
	json_t *facts = g ? image_gather(g, error) : NULL;
	guint64 needed = agent_size(work->agent) + IMAGE_INSTALL_EXTRA;
	ImageChoice choice;

	if (!facts)
		return NULL;
	json_object_set_new(facts, "libguestfs", library_version(g));
	if (!image_judge(work->image, facts, needed, &choice, error) ||
		(*work->folder && !install(g, work, &choice, facts, error))) {
		json_decref(facts);
		return NULL;
	}
	add_choice(facts, &choice);
	return facts;
}

static int run(char **words)
{
	const Work work = {.image = words[0], .disk = words[1], .format = words[2], .accel = words[3], .agent = words[4], .folder = words[5]};
	g_autoptr(GError) error = NULL;
	json_t *facts = work_on(&work, &error);

	if (!facts) {
		fprintf(stderr, "iogap-image: %s\n", error->message);
		return g_error_matches(error, IOGAP_ERROR, IOGAP_ERROR_USAGE) ? 2 : 5;
	}
	json_dumpf(facts, stdout, JSON_COMPACT | JSON_SORT_KEYS);
	json_decref(facts);
	return fflush(stdout) == 0 ? 0 : 5;
}

int main(int argc, char **argv)
{
	/* libguestfs's own guest ends with this process, and this one with its parent. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* Messages may be in any language, numbers never are. */
	setlocale(LC_ALL, "");
	setlocale(LC_NUMERIC, "C");
	if (argc == 2 && g_str_equal(argv[1], "--version")) {
		g_autoptr(guestfs_h) g = guestfs_create_flags(GUESTFS_CREATE_NO_ENVIRONMENT);
		json_t *version = g ? library_version(g) : NULL;

		puts(version ? json_string_value(version) : "unknown");
		json_decref(version);
		return 0;
	}
	if (argc != 7) {
		fputs("iogap-image is started by `iogap image`; see `iogap image --help`\n", stderr);
		return 2;
	}
	return run(argv + 1);
}
