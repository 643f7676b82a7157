/* SPDX-License-Identifier: GPL-2.0-or-later */
/* iogap image: distribution images that guests can be measured in. */
#include <glib-unix.h>
#include <stdio.h>
#include <string.h>

#include "guest-agent/common/units.h"
#include "harness/base/error.h"
#include "harness/base/paths.h"
#include "harness/cli/stored.h"
#include "harness/cli/table.h"
#include "harness/cli/verbs.h"
#include "harness/side/guest/guest.h"
#include "harness/side/guest/image.h"

static char *option_overlay, *option_name, *option_format, *option_output, *option_timeout;
static int caught;

static const GOptionEntry options[] = {
	{"output", 'o', 0, G_OPTION_ARG_FILENAME, &option_overlay, "prepare: put the overlay here instead of into the cache", "OVERLAY"},
	{"name", 'n', 0, G_OPTION_ARG_STRING, &option_name, "prepare: call it this (default: the file's name without suffix)", "NAME"},
	{"image-format", 0, 0, G_OPTION_ARG_STRING, &option_format,
		"prepare, check: the image must be raw or qcow2 (default: what its content says)", "FORMAT"},
	{"timeout", 0, 0, G_OPTION_ARG_STRING, &option_timeout, "prepare, check: end libguestfs after this many seconds (default: 900)",
		"SECONDS"},
	{"format", 'f', 0, G_OPTION_ARG_STRING, &option_output, "list, check, prepare: text (default) or json", "FORMAT"},
	{NULL},
};

static gboolean on_signal(gpointer cancel, int number)
{
	caught = number;
	g_cancellable_cancel(cancel);
	return G_SOURCE_CONTINUE;
}

static gboolean on_sigint(gpointer cancel)
{
	return on_signal(cancel, SIGINT);
}

static gboolean on_sigterm(gpointer cancel)
{
	return on_signal(cancel, SIGTERM);
}

static const char *text_of(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? text : "not known";
}

/* FACTS: of image_inspect, or a record, which has all of them. */
static gboolean print_facts(const json_t *facts, const char *name, GError **error)
{
	const json_t *os = json_object_get(facts, "system"), *kernel = json_object_get(facts, "kernel");
	g_autoptr(GString) text = g_string_new(NULL);

	if (name)
		g_string_append_printf(text, "image        %s\n", name);
	g_string_append_printf(text, "system       %s %s, %s, started by %s\n", text_of(os, "distro"), text_of(os, "product"), text_of(os, "arch"),
		text_of(os, "init"));
	g_string_append_printf(text, "kernel       %s, %s\n", text_of(kernel, "version"),
		json_object_get(kernel, "initrd") ? "with its initrd" : "without an initrd");
	g_string_append_printf(text, "drivers      virtio_pci %s, virtio_console %s, virtio_blk %s\n",
		text_of(json_object_get(kernel, "drivers"), "virtio_pci"), text_of(json_object_get(kernel, "drivers"), "virtio_console"),
		text_of(json_object_get(kernel, "drivers"), "virtio_blk"));
	g_string_append_printf(text, "command line %s\n", text_of(facts, "cmdline"));
	g_string_append_printf(text, "from         %s\n",
		json_is_string(json_object_get(facts, "cmdline_from")) ? text_of(facts, "cmdline_from")
								       : "iogap: no boot loader of the image has a line for this kernel");
	if (json_object_get(facts, "overlay"))
		g_string_append_printf(text, "overlay      %s\n", text_of(facts, "overlay"));
	return stored_print(text->str, error);
}

static void on_starting(const ImageRequest *request)
{
	fprintf(stderr, "iogap: libguestfs starts its own guest under %s%s\n", request->accel,
		g_str_equal(request->accel, "tcg") ? ", which takes a minute or more" : "");
}

static gboolean fill(ImageRequest *request, const char *image, const char *agent, GError **error)
{
	guint64 timeout = 0;

	if (option_timeout && (units_parse_uint(option_timeout, &timeout) < 0 || timeout == 0 || timeout > 86400)) {
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_USAGE, "--timeout %s: expected seconds, 1 to 86400", option_timeout);
		return FALSE;
	}
	*request = (ImageRequest){
		.image = image,
		.format = option_format,
		.overlay = option_overlay,
		.name = option_name,
		.accel = accel_for_tools(),
		.agent = agent,
		.timeout_s = (guint)timeout,
		.starting = on_starting,
	};
	return TRUE;
}

static gboolean prepare(const char *file, gboolean json, GCancellable *cancel, GError **error)
{
	g_autofree char *agent = paths_agent();
	g_autoptr(Image) image = NULL;
	ImageRequest request;

	if (!fill(&request, file, agent, error))
		return FALSE;
	image = image_prepare(&request, cancel, error);
	if (!image)
		return FALSE;
	return json ? stored_print_json(json_incref(image->record), error) : print_facts(image->record, image->name, error);
}

/* A prepared one is looked at from outside; any other is looked into. */
static gboolean check(const char *what, gboolean json, GCancellable *cancel, GError **error)
{
	g_autofree char *agent = paths_agent();
	g_autoptr(Image) image = image_find(what, NULL);
	ImageRequest request;
	gboolean ok;
	json_t *facts;

	if (image)
		return image_usable(image, error) && (json ? stored_print_json(json_incref(image->record), error)
							   : print_facts(image->record, image->name, error));
	if (!fill(&request, what, agent, error))
		return FALSE;
	facts = image_inspect(&request, cancel, error);
	if (!facts)
		return FALSE;
	if (json)
		return stored_print_json(facts, error);
	ok = print_facts(facts, NULL, error);
	json_decref(facts);
	return ok;
}

static gboolean list_json(const GPtrArray *images, GError **error)
{
	json_t *rows = json_array();

	for (guint i = 0; i < images->len; i++)
		json_array_append(rows, ((const Image *)images->pdata[i])->record);
	return stored_print_json(json_pack("{s:o}", "images", rows), error);
}

static gboolean list(gboolean json, GError **error)
{
	static const char *const heads[] = {"<NAME", "<SYSTEM", "<VERSION", "<INIT", "<KERNEL", "<USABLE", "<IMAGE", NULL};
	g_autoptr(GPtrArray) remarks = g_ptr_array_new_with_free_func(g_free);
	g_autoptr(GPtrArray) images = image_list(remarks);
	g_autoptr(Table) table = table_new(heads);
	g_autofree char *text = NULL;

	for (guint i = 0; i < remarks->len; i++)
		fprintf(stderr, "iogap: %s\n", (const char *)remarks->pdata[i]);
	if (json)
		return list_json(images, error);
	if (images->len == 0) {
		fprintf(stderr, "iogap: no image is prepared yet; `iogap image prepare IMAGE` makes one\n");
		return TRUE;
	}
	for (guint i = 0; i < images->len; i++) {
		const Image *image = images->pdata[i];
		const json_t *os = json_object_get(image->record, "system");

		table_cell(table, image->name);
		table_cell(table, text_of(os, "distro"));
		table_cell(table, text_of(os, "product"));
		table_cell(table, text_of(os, "init"));
		table_cell(table, image->kernel_version);
		table_cell(table, image_usable(image, NULL) ? "yes" : "no");
		table_cell(table, image->image);
	}
	text = table_text(table, "");
	return stored_print(text, error);
}

static gboolean remove_one(const char *what, GError **error)
{
	g_autoptr(Image) image = image_find(what, error);

	if (!image || !image_remove(image, error))
		return FALSE;
	fprintf(stderr, "iogap: %s is removed; %s was never written to\n", image->name, image->image);
	return TRUE;
}

static gboolean act(char **words, GCancellable *cancel, GError **error)
{
	gboolean needs_image = !g_str_equal(words[0], "list"), json = FALSE;

	if (!stored_format(option_output, &json, error))
		return FALSE;
	if (needs_image == !words[1]) {
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_USAGE, "image %s: %s; see iogap image --help", words[0],
			needs_image ? "an image is missing" : "it takes no image");
		return FALSE;
	}
	if (g_str_equal(words[0], "list"))
		return list(json, error);
	if (g_str_equal(words[0], "prepare"))
		return prepare(words[1], json, cancel, error);
	if (g_str_equal(words[0], "check"))
		return check(words[1], json, cancel, error);
	if (g_str_equal(words[0], "remove"))
		return remove_one(words[1], error);
	g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_USAGE, "image: \"%s\" is none of prepare, list, check, remove", words[0]);
	return FALSE;
}

static int run(const Verb *verb, int argc, char **argv)
{
	g_auto(GStrv) words = NULL;
	g_autoptr(GError) error = NULL;
	g_autoptr(GCancellable) cancel = g_cancellable_new();
	int status = verb_parse(verb, argc, argv, &words);

	if (status >= 0)
		return status;
	g_unix_signal_add(SIGINT, on_sigint, cancel);
	g_unix_signal_add(SIGTERM, on_sigterm, cancel);
	g_unix_signal_add(SIGHUP, on_sigterm, cancel);
	if (act(words, cancel, &error))
		return EXIT_OK;
	return caught ? 128 + caught : verb_fail(error);
}

const Verb verb_image = {
	.name = "image",
	.arguments = "prepare|check|list|remove [IMAGE]",
	.summary = "prepare distribution images that guests can be measured in",
	.description =
		"`iogap image prepare IMAGE` looks into a raw or qcow2 image of a Linux distribution with libguestfs and puts the agent and its "
		"start-up unit (systemd, OpenRC or sysvinit) into a qcow2 overlay; the image itself is not written to, and must not be changed "
		"while the overlay is used. The image's newest kernel with virtio drivers and its initrd are copied out: guests boot these "
		"directly, with the command line that the image's own boot loader has for them, root= by UUID, and a few words more for the "
		"console and a panic. The boot loader itself does not run. A profile names it as `guest: {image: NAME}`; every boot gets an "
		"overlay of its own that is thrown away, on a virtio disk of its own whatever the data disk's bus is. "
		"Preparing an image again replaces what was prepared of it; a name that stands for another image is refused, and so is a place "
		"where something else lies.\n\n"
		"`check` says whether an image can be prepared, or a prepared one still be booted; `list` lists those that are prepared; "
		"`remove` takes away what prepare made. Prepared images lie in the cache, and are lost with it.\n\n"
		"libguestfs starts a small guest of its own. It is told to leave KVM alone unless a guest of iogap ran in it since this host was "
		"booted (a sweep, or iogap doctor --probe, tries that), and is ended after --timeout.",
	.options = options,
	.min_arguments = 1,
	.max_arguments = 2,
	.run = run,
};
