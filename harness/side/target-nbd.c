/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A network block device on a UNIX socket: nbdkit serves it, guests attach to the socket, and nbdfuse shows the host the same
 * device as a file, since few kernels at hand have the nbd driver. Both programs die with this one.
 */
#include "harness/side/target-private.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/base/error.h"
#include "harness/side/keeper-list.h"

#define READY_TRIES 500
#define READY_PAUSE_US 20000
#define FILE_NAME "nbd"
#define MS 1000000u

struct TargetNbd {
	GSubprocess *server, *file; /* nbdkit, nbdfuse */
	char *socket, *point, *path;
};

static gboolean has_program(const char *program, const char *package, GError **error)
{
	g_autofree char *path = g_find_program_in_path(program);

	if (path)
		return TRUE;
	g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_UNSUPPORTED, "%s is missing; as root: apt-get install %s", program, package);
	return FALSE;
}

gboolean target_nbd_check(GError **error)
{
	if (!has_program("nbdkit", "nbdkit", error) || !has_program("nbdfuse", "libnbd-bin", error))
		return FALSE;
	if (geteuid() == 0 && access("/dev/fuse", R_OK | W_OK) == 0)
		return TRUE;
	g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_UNSUPPORTED, "%s; the host's leg of an nbd target goes through a file that nbdfuse mounts",
		geteuid() == 0 ? "this kernel has no FUSE (/dev/fuse cannot be opened); as root: modprobe fuse" :
				 "this user may not mount; run as root or use `type: file`");
	return FALSE;
}

/* In the child. */
static void prepare_child(gpointer data)
{
	setsid();
	prctl(PR_SET_PDEATHSIG, SIGKILL);
}

static GSubprocess *spawn(const char *const *argv, GError **error)
{
	g_autoptr(GSubprocessLauncher) launcher = g_subprocess_launcher_new(G_SUBPROCESS_FLAGS_STDERR_PIPE);

	g_subprocess_launcher_set_child_setup(launcher, prepare_child, NULL, NULL);
	return g_subprocess_launcher_spawnv(launcher, argv, error);
}

static gboolean is_running(GSubprocess *process)
{
	return process && g_subprocess_get_identifier(process);
}

static void announce(GPtrArray *made, Keeper *keeper, GSubprocess *process)
{
	const char *id = g_subprocess_get_identifier(process);
	g_autofree char *what = NULL;
	guint64 start;

	if (!id)
		return;
	start = keeper_start_time((pid_t)g_ascii_strtoll(id, NULL, 10));
	what = g_strdup_printf("%s %" G_GUINT64_FORMAT, id, start);
	target_made_add(made, keeper, "process", what);
}

/* The last words of a program that ended. */
static char *last_words(GSubprocess *process)
{
	GInputStream *stream = g_subprocess_get_stderr_pipe(process);
	char text[1024];
	gssize n = stream ? g_input_stream_read(stream, text, sizeof(text) - 1, NULL, NULL) : 0;

	text[MAX(n, 0)] = '\0';
	return g_strdup(n > 0 ? g_strstrip(text) : "it said nothing");
}

/* Waits until READY(path) while PROCESS runs. */
static gboolean wait_for(GSubprocess *process, const char *name, const char *path, gboolean (*ready)(const char *path), GError **error)
{
	g_autofree char *words = NULL;

	for (int i = 0; i < READY_TRIES && is_running(process); i++) {
		if (ready(path))
			return TRUE;
		g_usleep(READY_PAUSE_US);
	}
	if (is_running(process)) {
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED, "%s was not ready within %d s", name,
			READY_TRIES * READY_PAUSE_US / 1000000);
		return FALSE;
	}
	words = last_words(process);
	g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED, "%s ended at once: %s", name, words);
	return FALSE;
}

static gboolean is_socket(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISSOCK(st.st_mode);
}

static gboolean is_file(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

/* Filters come outermost first: an error is made up before the delay, a rate holds for what is left. */
static GPtrArray *server_argv(const TargetSpec *spec, const char *socket)
{
	GPtrArray *argv = g_ptr_array_new_with_free_func(g_free);
	g_autofree char *size = g_strdup_printf("%" G_GUINT64_FORMAT, spec->size);

	for (const char *const *word = (const char *const[]){"nbdkit", "--foreground", "--exit-with-parent", "--unix", socket, NULL}; *word; word++)
		g_ptr_array_add(argv, g_strdup(*word));
	if (spec->nbd_error_rate)
		g_ptr_array_add(argv, g_strdup("--filter=error"));
	if (spec->nbd_delay_ns)
		g_ptr_array_add(argv, g_strdup("--filter=delay"));
	if (spec->nbd_rate)
		g_ptr_array_add(argv, g_strdup("--filter=rate"));
	g_ptr_array_add(argv, g_strdup(spec->nbd_plugin));
	g_ptr_array_add(argv, g_strconcat("size=", size, NULL));
	if (spec->nbd_error_rate)
		g_ptr_array_add(argv, g_strdup_printf("error-rate=%u.%03u%%", spec->nbd_error_rate / 1000, spec->nbd_error_rate % 1000));
	if (spec->nbd_delay_ns) {
		g_ptr_array_add(argv, g_strdup_printf("rdelay=%" G_GUINT64_FORMAT "ms", spec->nbd_delay_ns / MS));
		g_ptr_array_add(argv, g_strdup_printf("wdelay=%" G_GUINT64_FORMAT "ms", spec->nbd_delay_ns / MS));
	}
	if (spec->nbd_rate)
		g_ptr_array_add(argv, g_strdup_printf("rate=%" G_GUINT64_FORMAT, spec->nbd_rate * 8));
	/* By itself the filter lets two seconds' worth through after a pause, and there is one before every leg. Less than this and
	 * large requests, which wait until all of theirs has come together, fall far behind the rate. */
	if (spec->nbd_rate)
		g_ptr_array_add(argv, g_strdup("burstiness=0.1"));
	g_ptr_array_add(argv, NULL);
	return argv;
}

static gboolean start_server(TargetNbd *nbd, const TargetSpec *spec, GPtrArray *made, Keeper *keeper, GError **error)
{
	g_autoptr(GPtrArray) argv = server_argv(spec, nbd->socket);

	target_made_add(made, keeper, "file", nbd->socket);
	nbd->server = spawn((const char *const *)argv->pdata, error);
	if (!nbd->server)
		return FALSE;
	announce(made, keeper, nbd->server);
	return wait_for(nbd->server, "nbdkit", nbd->socket, is_socket, error);
}

static gboolean start_file(TargetNbd *nbd, GPtrArray *made, Keeper *keeper, GError **error)
{
	const char *const argv[] = {"nbdfuse", nbd->path, "--unix", nbd->socket, NULL};

	target_made_add(made, keeper, "dir", nbd->point);
	if (g_mkdir(nbd->point, 0700) < 0) {
		g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED, "cannot make the folder %s: %s", nbd->point, g_strerror(errno));
		return FALSE;
	}
	nbd->file = spawn(argv, error);
	if (!nbd->file)
		return FALSE;
	announce(made, keeper, nbd->file);
	target_made_add(made, keeper, "mount", nbd->point);
	return wait_for(nbd->file, "nbdfuse", nbd->path, is_file, error);
}

TargetNbd *target_nbd_start(const TargetSpec *spec, const char *stem, GPtrArray *made, Keeper *keeper, GError **error)
{
	g_autoptr(TargetNbd) nbd = g_new0(TargetNbd, 1);
	g_autofree char *folder = keeper ? g_strdup(keeper_folder(keeper)) : g_dir_make_tmp("iogap-XXXXXX", error);
	g_autofree char *socket = g_strconcat(stem, ".sock", NULL);
	g_autofree char *point = g_strconcat(stem, ".fuse", NULL);

	if (!folder)
		return NULL;
	if (!keeper)
		target_made_add(made, NULL, "dir", folder);
	nbd->socket = g_build_filename(folder, socket, NULL);
	nbd->point = g_build_filename(folder, point, NULL);
	nbd->path = g_build_filename(nbd->point, FILE_NAME, NULL);
	if (!start_server(nbd, spec, made, keeper, error) || !start_file(nbd, made, keeper, error))
		return NULL;
	return g_steal_pointer(&nbd);
}

const char *target_nbd_path(const TargetNbd *nbd)
{
	return nbd->path;
}

const char *target_nbd_socket_of(const TargetNbd *nbd)
{
	return nbd->socket;
}

static gboolean dead(GSubprocess *process, const char *name, GError **error)
{
	g_autofree char *how = NULL;

	if (is_running(process))
		return FALSE;
	g_subprocess_wait(process, NULL, NULL);
	how = g_subprocess_get_if_signaled(process) ?
		g_strdup_printf("signal %d (%s)", g_subprocess_get_term_sig(process), g_strsignal(g_subprocess_get_term_sig(process))) :
		g_strdup_printf("status %d", g_subprocess_get_exit_status(process));
	g_set_error(error, IOGAP_ERROR, IOGAP_ERROR_FAILED, "%s, which serves it, has ended with %s; nothing more can be measured on it", name, how);
	return TRUE;
}

gboolean target_nbd_alive(const TargetNbd *nbd, GError **error)
{
	return !dead(nbd->server, "nbdkit", error) && !dead(nbd->file, "nbdfuse", error);
}

void target_nbd_free(TargetNbd *nbd)
{
	if (!nbd)
		return;
	g_clear_object(&nbd->server);
	g_clear_object(&nbd->file);
	g_free(nbd->socket);
	g_free(nbd->point);
	g_free(nbd->path);
	g_free(nbd);
}
