/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/side/fake.h"

#include <gio/gunixinputstream.h>
#include <gio/gunixoutputstream.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "guest-agent/common/wire.h"
#include "harness/base/error.h"

typedef struct {
	Side side;
	FakeAnswer answer;
	void *data;
	GThread *thread;
	int hear, say; /* the agent's ends of the pipes; the thread closes them */
} FakeSide;

static gboolean reply(FakeSide *fake, const char *line)
{
	json_t *request = json_loads(line, 0, NULL);
	g_autofree char *id =
		g_strdup_printf("%" JSON_INTEGER_FORMAT, json_integer_value(json_object_get(request, "id")));
	g_autofree char *text =
		fake->answer(json_string_value(json_object_get(request, "cmd")), request, fake->data);
	g_autoptr(GString) answer = g_string_new(text);
	gboolean written;

	json_decref(request);
	if (!text)
		return FALSE;
	g_string_replace(answer, "%ID%", id, 0);
	written = write(fake->say, answer->str, answer->len) == (gssize)answer->len;
	return written;
}

static gpointer play(gpointer data)
{
	FakeSide *fake = data;
	static const char hello[] = "{\"type\":\"hello\",\"protocol\":1,\"agent\":\"fake\"}\n";
	FILE *in = fdopen(fake->hear, "r");
	g_autofree char *line = g_malloc(WIRE_MAX_REQUEST + 1);
	gboolean going = write(fake->say, hello, strlen(hello)) > 0;

	while (going && fgets(line, WIRE_MAX_REQUEST + 1, in))
		going = reply(fake, line);
	close(fake->say);
	fclose(in);
	return NULL;
}

static gboolean start(Side *side, GCancellable *cancel, GError **error)
{
	FakeSide *fake = (FakeSide *)side;
	int answers[2], requests[2];
	g_autoptr(GInputStream) in = NULL;
	g_autoptr(GOutputStream) out = NULL;

	if (pipe(answers) < 0 || pipe(requests) < 0) {
		g_set_error_literal(error, IOGAP_ERROR, IOGAP_ERROR_FAILED, "cannot make a pipe");
		return FALSE;
	}
	in = g_unix_input_stream_new(answers[0], TRUE);
	out = g_unix_output_stream_new(requests[1], TRUE);
	fake->hear = requests[0];
	fake->say = answers[1];
	side->link = link_new("fake", in, out);
	fake->thread = g_thread_new("fake-agent", play, fake);
	return link_hello(side->link, 5000, cancel, error) != NULL;
}

static char *disk(Side *side, const SideDisk *disk, GCancellable *cancel, GError **error)
{
	return g_strdup(disk->image);
}

static void stop(Side *side)
{
	FakeSide *fake = (FakeSide *)side;

	g_clear_pointer(&side->link, link_free);
	g_clear_pointer(&fake->thread, g_thread_join);
}

static const SideOps fake_ops = {
	.name = "fake",
	.start = start,
	.disk = disk,
	.stop = stop,
};

Side *fake_side_new(FakeAnswer answer, void *data)
{
	FakeSide *fake = g_new0(FakeSide, 1);

	fake->side.ops = &fake_ops;
	fake->answer = answer;
	fake->data = data;
	return &fake->side;
}
