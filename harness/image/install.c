/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The agent and its start-up unit. It starts when the port appears, and late: what a distribution does while it comes up would
 * else be measured too. It powers the guest off when the harness is gone; nothing may outlive that.
 */
#include <string.h>

#include "harness/side/guest/domain.h"
#include "harness/image/session.h"

#define AGENT "/usr/local/sbin/iogap-agent"
#define STARTER AGENT "-start"
#define START AGENT " --port " DOMAIN_CHANNEL " --poweroff"

typedef enum {
	PIECE_FILE,
	PIECE_LINK,
	PIECE_APPEND,
} PieceHow;

typedef struct {
	const char *init;
	const char *path;
	int mode; /* of a file */
	const char *text; /* content, what a link points to, or what a file of the image's gets at its end */
	PieceHow how;
} Piece;

static const char systemd_unit[] =
	"# Put in by iogap image prepare.\n"
	"[Unit]\n"
	"Description=iogap measuring agent\n"
	"After=multi-user.target\n"
	"\n"
	"[Service]\n"
	"ExecStart=" START "\n"
	"OOMScoreAdjust=-900\n"
	"LimitMEMLOCK=infinity\n";

/* The unit is wanted by the port, not by a target: without iogap's port it is never started. */
static const char udev_rule[] =
	"# Put in by iogap image prepare.\n"
	"SUBSYSTEM==\"virtio-ports\", ATTR{name}==\"" DOMAIN_CHANNEL "\", TAG+=\"systemd\", "
	"ENV{SYSTEMD_WANTS}+=\"iogap-agent.service\"\n";

/*
 * Where no rule of udev starts it: a port comes a moment after its driver, and without iogap's port nothing is started. Nobody waits for
 * this script.
 */
static const char start_script[] =
	"#!/bin/sh\n"
	"# Put in by iogap image prepare.\n"
	"modprobe -q virtio_console 2>/dev/null\n"
	"for second in 1 2 3 4 5 6 7 8 9 10; do\n"
	"\tif grep -qsx '" DOMAIN_CHANNEL "' /sys/class/virtio-ports/*/name; then\n"
	"\t\tulimit -l unlimited\n"
	"\t\techo -900 >/proc/self/oom_score_adj\n"
	"\t\texec " START " </dev/null >/dev/console 2>&1\n"
	"\tfi\n"
	"\tsleep 1\n"
	"done\n";

/*
 * A line of inittab and no script of a run level: Debian's rc starts only those scripts that insserv has put into its own lists, and says
 * nothing of others. init comes to this line when the one before it that runs rc, a "wait", is done.
 */
#define INITTAB "/etc/inittab"
static const char inittab_lines[] =
	"\n"
	"# Put in by iogap image prepare.\n"
	"iog:2345:once:" STARTER "\n";

static const char openrc_script[] =
	"#!/sbin/openrc-run\n"
	"# Put in by iogap image prepare.\n"
	"description=\"iogap measuring agent\"\n"
	"depend() {\n"
	"\tafter *\n"
	"}\n"
	"start() {\n"
	"\t" STARTER " </dev/null >/dev/console 2>&1 &\n"
	"}\n";

static const Piece pieces[] = {
	{"systemd", "/etc/systemd/system/iogap-agent.service", 0644, systemd_unit},
	{"systemd", "/etc/udev/rules.d/60-iogap-agent.rules", 0644, udev_rule},
	{"systemd", "/etc/modules-load.d/iogap.conf", 0644, "virtio_console\n"},
	{"sysvinit", STARTER, 0755, start_script},
	{"sysvinit", INITTAB, 0, inittab_lines, PIECE_APPEND},
	{"openrc", STARTER, 0755, start_script},
	{"openrc", "/etc/init.d/iogap-agent", 0755, openrc_script},
	{"openrc", "/etc/runlevels/default/iogap-agent", 0, "/etc/init.d/iogap-agent", PIECE_LINK},
};

static gboolean put(guestfs_h *g, const Piece *piece)
{
	g_autofree char *folder = g_path_get_dirname(piece->path);

	if (guestfs_mkdir_p(g, folder) < 0)
		return FALSE;
	if (piece->how == PIECE_LINK)
		return guestfs_ln_sf(g, piece->text, piece->path) == 0;
	if (piece->how == PIECE_APPEND)
		return guestfs_write_append(g, piece->path, piece->text, strlen(piece->text)) == 0;
	return guestfs_write(g, piece->path, piece->text, strlen(piece->text)) == 0 && guestfs_chmod(g, piece->mode, piece->path) == 0;
}

static gboolean put_agent(guestfs_h *g, const char *agent)
{
	g_autofree char *folder = g_path_get_dirname(AGENT);

	return guestfs_mkdir_p(g, folder) == 0 && guestfs_upload(g, agent, AGENT) == 0 && guestfs_chmod(g, 0755, AGENT) == 0 &&
		guestfs_chown(g, 0, 0, AGENT) == 0;
}

json_t *image_install(guestfs_h *g, const char *init, const char *agent, GError **error)
{
	json_t *wrote = json_array();

	if (!put_agent(g, agent)) {
		image_session_error(g, "the agent cannot be put in", error);
		json_decref(wrote);
		return NULL;
	}
	json_array_append_new(wrote, json_string(AGENT));
	for (guint i = 0; i < G_N_ELEMENTS(pieces); i++) {
		if (!g_str_equal(pieces[i].init, init))
			continue;
		if (!put(g, &pieces[i])) {
			image_session_error(g, pieces[i].path, error);
			json_decref(wrote);
			return NULL;
		}
		json_array_append_new(wrote, json_string(pieces[i].path));
	}
	return wrote;
}
