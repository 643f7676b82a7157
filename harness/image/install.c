/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The agent and its start-up unit. It starts when the port appears, and late: what a distribution does while it comes up would
 * else be measured too. It powers the guest off when the harness is gone; nothing may outlive that.
 */
#include <string.h>

#include "harness/side/guest/domain.h"
#include "harness/image/session.h"

#define AGENT "/usr/local/sbin/iogap-agent"
#define START AGENT " --port " DOMAIN_CHANNEL " --poweroff"

typedef struct {
	const char *init; /* NULL = every one */
	const char *path;
	int mode;
	const char *text; /* content, or with LINK what it points to */
	gboolean link;
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

static const char sysv_script[] =
	"#!/bin/sh\n"
	"### BEGIN INIT INFO\n"
	"# Provides:          iogap-agent\n"
	"# Required-Start:    $all\n"
	"# Required-Stop:\n"
	"# Default-Start:     2 3 4 5\n"
	"# Default-Stop:\n"
	"# Short-Description: iogap measuring agent, put in by iogap image prepare\n"
	"### END INIT INFO\n"
	"[ \"$1\" = start ] || exit 0\n"
	"modprobe -q virtio_console 2>/dev/null\n"
	"grep -qsx '" DOMAIN_CHANNEL "' /sys/class/virtio-ports/*/name || exit 0\n"
	"ulimit -l unlimited\n"
	START " </dev/null >/dev/console 2>&1 &\n";

static const char openrc_script[] =
	"#!/sbin/openrc-run\n"
	"# Put in by iogap image prepare.\n"
	"description=\"iogap measuring agent\"\n"
	"depend() {\n"
	"\tafter *\n"
	"}\n"
	"start() {\n"
	"\tmodprobe -q virtio_console 2>/dev/null\n"
	"\tgrep -qsx '" DOMAIN_CHANNEL "' /sys/class/virtio-ports/*/name || return 0\n"
	"\tulimit -l unlimited\n"
	"\t" START " </dev/null >/dev/console 2>&1 &\n"
	"}\n";

static const Piece pieces[] = {
	{"systemd", "/etc/systemd/system/iogap-agent.service", 0644, systemd_unit},
	{"systemd", "/etc/udev/rules.d/60-iogap-agent.rules", 0644, udev_rule},
	{"systemd", "/etc/modules-load.d/iogap.conf", 0644, "virtio_console\n"},
	{"sysvinit", "/etc/init.d/iogap-agent", 0755, sysv_script},
	{"sysvinit", "/etc/rc2.d/S99iogap-agent", 0, "../init.d/iogap-agent", TRUE},
	{"sysvinit", "/etc/rc3.d/S99iogap-agent", 0, "../init.d/iogap-agent", TRUE},
	{"sysvinit", "/etc/rc4.d/S99iogap-agent", 0, "../init.d/iogap-agent", TRUE},
	{"sysvinit", "/etc/rc5.d/S99iogap-agent", 0, "../init.d/iogap-agent", TRUE},
	{"openrc", "/etc/init.d/iogap-agent", 0755, openrc_script},
	{"openrc", "/etc/runlevels/default/iogap-agent", 0, "/etc/init.d/iogap-agent", TRUE},
};

static gboolean put(guestfs_h *g, const Piece *piece)
{
	g_autofree char *folder = g_path_get_dirname(piece->path);

	if (guestfs_mkdir_p(g, folder) < 0)
		return FALSE;
	if (piece->link)
		return guestfs_ln_sf(g, piece->text, piece->path) == 0;
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
