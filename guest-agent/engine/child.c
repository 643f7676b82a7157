/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "guest-agent/engine/child.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define USUAL_PATH "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

bool child_find(const char *program, char *ret, size_t size)
{
	const char *at = getenv("PATH");

	if (!at || !*at)
		at = USUAL_PATH;
	while (*at) {
		int length = (int)strcspn(at, ":");

		/* Relative folders are left out: what they mean changes with the working folder. */
		if (*at == '/' && snprintf(ret, size, "%.*s/%s", length, at, program) < (int)size &&
			access(ret, X_OK) == 0)
			return true;
		at += length;
		at += *at == ':';
	}
	return false;
}

/* The whole input as a file in memory, so that neither side can block the other. */
static int make_input(const char *text)
{
	size_t length = text ? strlen(text) : 0;
	int fd = memfd_create("input", MFD_CLOEXEC), r;

	if (fd < 0)
		return -errno;
	while (length) {
		ssize_t n = write(fd, text, length);

		if (n < 0) {
			r = -errno;
			close(fd);
			return r;
		}
		text += n;
		length -= (size_t)n;
	}
	lseek(fd, 0, SEEK_SET);
	return fd;
}

/* Between fork and exec, possibly with other threads around: async-signal-safe calls only. */
static _Noreturn void become(char *const *argv, int in, int out, int err, pid_t parent)
{
	static char *const environment[] = {"LC_ALL=C", "PATH=" USUAL_PATH, "HOME=/", NULL};

	signal(SIGPIPE, SIG_DFL);
	signal(SIGINT, SIG_DFL);
	/* The parent may have ended before the first call took effect. */
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || getppid() != parent)
		_exit(127);
	if (dup2(in, STDIN_FILENO) < 0 || dup2(out, STDOUT_FILENO) < 0 || dup2(err, STDERR_FILENO) < 0 || chdir("/") < 0)
		_exit(127);
	execve(argv[0], argv, environment);
	_exit(127);
}

static int watch(Child *child, ChildStream *stream, int fd)
{
	struct epoll_event event = {.events = EPOLLIN, .data.ptr = stream};

	stream->fd = fd;
	fcntl(fd, F_SETFL, O_NONBLOCK);
	return epoll_ctl(child->wake_fd, EPOLL_CTL_ADD, fd, &event) < 0 ? -errno : 0;
}

static void close_all(int *fds, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (fds[i] >= 0)
			close(fds[i]);
}

enum { IN, OUT_READ, OUT_WRITE, ERR_READ, ERR_WRITE, N_ENDS };

static int make_ends(const char *input, int ends[N_ENDS])
{
	ends[IN] = make_input(input);
	if (ends[IN] < 0)
		return ends[IN];
	if (pipe2(&ends[OUT_READ], O_CLOEXEC) < 0 || pipe2(&ends[ERR_READ], O_CLOEXEC) < 0)
		return -errno;
	return 0;
}

static int fork_child(Child *child, char *const *argv, const int ends[N_ENDS])
{
	struct sigaction plain = {.sa_handler = SIG_DFL};
	pid_t parent = getpid();

	/* Process 1 ignores it, which would reap the child and lose its status. */
	sigaction(SIGCHLD, &plain, &child->before);
	child->pid = fork();
	if (child->pid == 0)
		become(argv, ends[IN], ends[OUT_WRITE], ends[ERR_WRITE], parent);
	if (child->pid < 0) {
		int r = -errno;

		sigaction(SIGCHLD, &child->before, NULL);
		return r;
	}
	return 0;
}

int child_start(Child *child, char *const *argv, const char *input, Fault *fault)
{
	int ends[N_ENDS] = {-1, -1, -1, -1, -1}, r;

	memset(child, 0, sizeof(*child));
	child->out.fd = child->err.fd = -1;
	child->wake_fd = epoll_create1(EPOLL_CLOEXEC);
	r = child->wake_fd < 0 ? -errno : make_ends(input, ends);
	if (r == 0)
		r = watch(child, &child->out, ends[OUT_READ]);
	if (r == 0)
		r = watch(child, &child->err, ends[ERR_READ]);
	if (r == 0)
		r = fork_child(child, argv, ends);
	if (r < 0) {
		close_all(ends, N_ENDS);
		close_all(&child->wake_fd, 1);
		return fault_set(fault, -r, "engine", "%.200s cannot be started: %s", argv[0], strerror(-r));
	}
	close(ends[IN]);
	close(ends[OUT_WRITE]);
	close(ends[ERR_WRITE]);
	return 0;
}

static int grow(ChildStream *stream)
{
	size_t size = stream->size ? stream->size * 2 : 65536;
	char *text;

	if (stream->used + 1 < stream->size)
		return 0;
	if (size > CHILD_MAX_OUTPUT)
		return -EFBIG;
	text = realloc(stream->text, size);
	if (!text)
		return -ENOMEM;
	stream->text = text;
	stream->size = size;
	return 0;
}

static int collect(ChildStream *stream)
{
	while (stream->fd >= 0) {
		ssize_t n;
		int r = grow(stream);

		if (r < 0)
			return r;
		n = read(stream->fd, stream->text + stream->used, stream->size - 1 - stream->used);
		if (n < 0 && errno != EINTR)
			return errno == EAGAIN ? 0 : -errno;
		if (n == 0) {
			close(stream->fd); /* which takes it out of the epoll set as well */
			stream->fd = -1;
		}
		if (n > 0)
			stream->used += (size_t)n;
		stream->text[stream->used] = 0;
	}
	return 0;
}

int child_collect(Child *child)
{
	int r = collect(&child->out);

	if (r == 0)
		r = collect(&child->err);
	if (r < 0)
		return r;
	return child->out.fd >= 0 || child->err.fd >= 0;
}

int child_reap(Child *child)
{
	int status = 0;

	while (waitpid(child->pid, &status, 0) < 0 && errno == EINTR)
		;
	child->pid = 0;
	sigaction(SIGCHLD, &child->before, NULL);
	close_all(&child->out.fd, 1);
	close_all(&child->err.fd, 1);
	close(child->wake_fd);
	child->out.fd = child->err.fd = child->wake_fd = -1;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

void child_kill(Child *child)
{
	kill(child->pid, SIGKILL);
	child_reap(child);
}

void child_release(Child *child)
{
	free(child->out.text);
	free(child->err.text);
	child->out.text = child->err.text = NULL;
}
