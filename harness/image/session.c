/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "harness/image/session.h"

#include "harness/base/error.h"

gboolean image_session_error(guestfs_h *g, const char *what, GError **error)
{
	/* Some fill a paragraph. */
	g_autofree char *message = g_strdelimit(g_strdup(guestfs_last_error(g)), "\n", ' ');

	g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED, "%s: %s", what, message ? message : "libguestfs gives no reason");
	return FALSE;
}

static gboolean prepare(guestfs_h *g, const char *disk, const char *format, gboolean read_only, const char *accel)
{
	/* libvirt's way of starting it would take a libvirt of its own beside ours. */
	if (guestfs_set_backend(g, "direct") < 0 || guestfs_set_network(g, 0) < 0)
		return FALSE;
	if (g_str_equal(accel, "tcg") && guestfs_set_backend_setting(g, "force_tcg", "1") < 0)
		return FALSE;
	return guestfs_add_drive_opts(g, disk, GUESTFS_ADD_DRIVE_OPTS_FORMAT, format, GUESTFS_ADD_DRIVE_OPTS_READONLY, (int)read_only,
		       -1) == 0;
}

guestfs_h *image_session(const char *disk, const char *format, gboolean read_only, const char *accel, GError **error)
{
	g_autoptr(guestfs_h) g = guestfs_create();

	if (!g) {
		g_set_error_literal(error, IOGAP_ERROR, IOGAP_ERROR_FAILED, "libguestfs has no memory for a session");
		return NULL;
	}
	guestfs_set_error_handler(g, NULL, NULL); /* it would print */
	if (!prepare(g, disk, format, read_only, accel)) {
		image_session_error(g, "libguestfs does not take the image", error);
		return NULL;
	}
	if (guestfs_launch(g) < 0) {
		image_session_error(g,
			"libguestfs's own guest does not start (libguestfs-test-tool tells more; it needs a kernel in /boot that this user may "
			"read)",
			error);
		return NULL;
	}
	return g_steal_pointer(&g);
}

gboolean image_session_end(guestfs_h *g, GError **error)
{
	if (guestfs_umount_all(g) < 0)
		return image_session_error(g, "the image cannot be unmounted", error);
	return guestfs_shutdown(g) == 0 || image_session_error(g, "what was written may not be in the image", error);
}

gboolean image_has_file(guestfs_h *g, const char *path)
{
	return guestfs_is_file_opts(g, path, GUESTFS_IS_FILE_OPTS_FOLLOWSYMLINKS, 1, -1) > 0;
}
