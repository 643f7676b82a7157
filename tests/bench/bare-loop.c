/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The least that a direct random reader can do: choose a block, pread it, again; no clock, no counting.
 *
 *     bare-loop FILE BLOCK_SIZE SECONDS
 *
 * prints "IOPS USER_NS SYSTEM_NS PEAK_IOPS"; the times are per operation, the peak is that of the best 1 ms, which other
 * processes of the machine disturbed least. What a load generator reaches of this is its own cost.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "guest-agent/common/clock.h"
#include "guest-agent/common/units.h"

#define OPS_PER_LOOK 16 /* operations between two readings of the clock */
#define WINDOW_NS 1000000

static double microseconds(const struct timeval *time)
{
	return (double)time->tv_sec * 1e6 + (double)time->tv_usec;
}

typedef struct {
	uint64_t ops, ns;
	double peak; /* IOPS */
} Counts;

static int read_for(int fd, void *buffer, uint64_t block_size, uint64_t blocks, uint64_t ns, Counts *ret)
{
	uint64_t begin = clock_now(), now = begin, window = begin, first = 0, x = 88172645463325252u;

	for (ret->ops = 0; now - begin < ns; now = clock_now()) {
		if (now - window >= WINDOW_NS) {
			double rate = (double)(ret->ops - first) * 1e9 / (double)(now - window);

			ret->peak = rate > ret->peak ? rate : ret->peak;
			window = now;
			first = ret->ops;
		}
		for (int i = 0; i < OPS_PER_LOOK; i++, ret->ops++) {
			uint64_t block;

			x ^= x << 13;
			x ^= x >> 7;
			x ^= x << 17;
			block = (uint64_t)(((unsigned __int128)x * blocks) >> 64);
			if (pread(fd, buffer, block_size, (off_t)(block * block_size)) != (ssize_t)block_size)
				return -errno;
		}
	}
	ret->ns = now - begin;
	return 0;
}

int main(int argc, char **argv)
{
	uint64_t block_size, ns;
	struct rusage before, after;
	Counts counts = {0};
	void *buffer;
	struct stat st;
	int fd;

	if (argc != 4 || units_parse_size(argv[2], &block_size) < 0 || units_parse_duration(argv[3], &ns) < 0) {
		fprintf(stderr, "usage: bare-loop FILE BLOCK_SIZE SECONDS\n");
		return 2;
	}
	fd = open(argv[1], O_RDONLY | O_DIRECT);
	if (fd < 0 || fstat(fd, &st) < 0 || posix_memalign(&buffer, 4096, block_size)) {
		perror(argv[1]);
		return 1;
	}
	getrusage(RUSAGE_SELF, &before);
	if (read_for(fd, buffer, block_size, (uint64_t)st.st_size / block_size, ns, &counts) < 0) {
		perror(argv[1]);
		return 1;
	}
	getrusage(RUSAGE_SELF, &after);
	printf("%.0f %.1f %.1f %.0f\n", (double)counts.ops * 1e9 / (double)counts.ns,
		(microseconds(&after.ru_utime) - microseconds(&before.ru_utime)) * 1e3 / (double)counts.ops,
		(microseconds(&after.ru_stime) - microseconds(&before.ru_stime)) * 1e3 / (double)counts.ops, counts.peak);
	return 0;
}
