/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "guest-agent/agent.h"
#include "guest-agent/common/cleanup.h"
#include "guest-agent/common/clock.h"
#include "guest-agent/disk.h"
#include "guest-agent/init.h"
#include "guest-agent/tool-place.h"

#define WAIT_NS UINT64_C(60000000000)
#define LOOK_AGAIN_NS 5000000

static void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

static void complain(const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	fprintf(stderr, "iogap-agent: %s\n", text);
}

static void mount_one(const char *type, const char *place)
{
	if (mkdir(place, 0755) < 0 && errno != EEXIST)
		complain("cannot make %s: %s", place, strerror(errno));
	/* EBUSY: the kernel mounted it already (devtmpfs can be told to). */
	if (mount(type, place, type, MS_NOSUID, NULL) < 0 && errno != EBUSY)
		complain("cannot mount %s: %s", place, strerror(errno));
}

/* The kernel opens the console for process 1 only if the initramfs had a /dev/console. */
static void open_console(void)
{
	int fd;

	if (fcntl(STDERR_FILENO, F_GETFL) >= 0)
		return;
	fd = open("/dev/console", O_RDWR | O_NOCTTY);
	if (fd < 0)
		return;
	for (int i = 0; i < 3; i++)
		dup2(fd, i);
	if (fd > 2)
		close(fd);
}

static void load_module(const char *path)
{
	CLEANUP_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		complain("module %s: %s", path, strerror(errno));
	else if (syscall(SYS_finit_module, fd, "", 0) < 0 && errno != EEXIST)
		complain("module %s does not load: %s", path, strerror(errno));
}

/* A module that fails is said and the rest goes on: what is really needed shows when the port or a disk is missing. */
static void load_modules(void)
{
	FILE *list = fopen("/modules.list", "re");
	char path[PATH_MAX];

	if (!list) {
		if (errno != ENOENT)
			complain("/modules.list: %s", strerror(errno));
		return;
	}
	while (fgets(path, sizeof(path), list)) {
		path[strcspn(path, "\n")] = 0;
		if (path[0])
			load_module(path);
	}
	fclose(list);
}

/* Device node of the port, or false while there is none: it comes a moment after its driver. */
static bool find_port(const char *name, char *ret, size_t size)
{
	char path[PATH_MAX], own[128];
	DIR *dir = opendir("/sys/class/virtio-ports");
	bool found = false;

	if (!dir)
		return false;
	for (struct dirent *entry; !found && (entry = readdir(dir));) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "/sys/class/virtio-ports/%s/name", entry->d_name);
		found = disk_read_text(path, own, sizeof(own)) > 0 && !strcmp(own, name);
		if (found)
			snprintf(ret, size, "/dev/%s", entry->d_name);
	}
	closedir(dir);
	return found;
}

/* The descriptor, or -errno: -ETIMEDOUT when the port does not come. */
static int open_port(const char *name, uint64_t deadline)
{
	char path[PATH_MAX];

	while (clock_now() < deadline) {
		if (find_port(name, path, sizeof(path))) {
			int fd = open(path, O_RDWR | O_CLOEXEC);

			/* ENOENT: devtmpfs or udev has not made the node yet. */
			if (fd >= 0)
				return fd;
			if (errno != ENOENT)
				return -errno;
		}
		clock_sleep_until(clock_now() + LOOK_AGAIN_NS);
	}
	return -ETIMEDOUT;
}

/* While nobody holds the other end, the port reports a hang-up. */
static bool await_peer(int fd, uint64_t deadline)
{
	while (clock_now() < deadline) {
		struct pollfd port = {.fd = fd, .events = POLLOUT};

		if (poll(&port, 1, 0) >= 0 && !(port.revents & POLLHUP))
			return true;
		clock_sleep_until(clock_now() + LOOK_AGAIN_NS);
	}
	return false;
}

void init_power_off(bool settled)
{
	/* After a hang-up a sync could wait for ever for a disk that is gone, and there is nothing to keep. */
	if (settled)
		sync();
	reboot(RB_POWER_OFF);
	complain("power-off failed: %s", strerror(errno));
}

typedef struct {
	int fd;
	bool power_off;
} Watch;

/*
 * The serving thread notices a hang-up when it reads, but a long fill or a request that hangs in a dead disk keeps it from
 * reading; nothing may outlive the harness, so this thread does nothing but wait for that moment.
 */
static void *watch_main(void *data)
{
	Watch *watch = data;
	struct pollfd port = {.fd = watch->fd};

	while (poll(&port, 1, -1) < 0 || !(port.revents & (POLLHUP | POLLERR)))
		;
	complain("the other end of the port hung up");
	if (watch->power_off)
		init_power_off(false);
	_exit(1);
}

static int start_watch(int fd, bool power_off)
{
	static Watch watch;
	pthread_t thread;

	watch = (Watch){fd, power_off};
	return -pthread_create(&thread, NULL, watch_main, &watch);
}

int init_serve_port(const char *name, bool power_off)
{
	uint64_t deadline = clock_now() + WAIT_NS;
	Wire *wire = malloc(sizeof(*wire)); /* never freed: threads of a run may outlive this function */
	int fd = open_port(name, deadline), r;

	if (fd < 0) {
		complain("port %s: %s", name, fd == -ETIMEDOUT ? "it did not appear within 60 s" : strerror(-fd));
		return fd;
	}
	if (!await_peer(fd, deadline)) {
		complain("port %s: nobody opened its other end within 60 s", name);
		return -ETIMEDOUT;
	}
	r = wire ? start_watch(fd, power_off) : -ENOMEM;
	if (r == 0) {
		tool_place_allow_devices();
		wire_init(wire, fd, fd);
		r = agent_serve(wire);
	}
	if (r < 0 && r != -EPIPE) /* the watch tells that one */
		complain("port %s: %s", name, strerror(-r));
	return r;
}

_Noreturn void init_main(void)
{
	mount_one("proc", "/proc");
	mount_one("sysfs", "/sys");
	mount_one("devtmpfs", "/dev");
	open_console();
	/* Orphans that end here are reaped by the kernel. */
	signal(SIGCHLD, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	load_modules();
	init_power_off(init_serve_port(WIRE_PORT, true) == 0);
	for (;;) /* the end of process 1 would be a panic */
		pause();
}
