/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * When a run is not to be believed as it stands: one function for each kind of doubt. Each looks at the columns of a leg and of
 * a run (results/schema), adds the columns that it derives, and hands out flags with the figures that led to them.
 *
 * Pure: no I/O, no clock, nothing kept. A figure that is missing (NULL) never flags: what could not be looked at is
 * handed out as absent, with the reason. Shares are of 1. Who may include it: run, import, cli. Depends on base and
 * guest-agent/common.
 */
#ifndef IOGAP_CHECK_CHECK_H
#define IOGAP_CHECK_CHECK_H

#include "harness/base/record.h"

/* Where the results go. ABSENT names a column of the run and why it is NULL; EVIDENCE and REASON are borrowed. */
typedef struct {
	void (*flag)(const char *flag, const char *evidence, void *data);
	void (*absent)(const char *column, const char *reason, void *data);
	void *data;
} CheckSink;

#define CHECK_CLEAN 0.02  /* absorbed share up to which the device was measured */
#define CHECK_MIXED 0.20  /* up to which it was a mixture; above that a cache was measured */
#define CHECK_LITTLE 0.10 /* largest deviation from Little's law */
#define CHECK_PEERS 8	  /* rows from which on their median says what was in flight in each */
#define CHECK_PEERS_SHARE 0.9 /* of them that must agree with it to CHECK_LITTLE */
#define CHECK_DRIFT 0.01  /* largest difference of two clocks, beside the uncertainty of their comparison */
#define CHECK_STEAL 0.05  /* of the measured time: one processor's share taken by others */
#define CHECK_OTHER 0.20  /* of all processors' time: spent by others than the run */

/*
 * CACHED, MIXED. Sets absorbed_read and absorbed_write: the share of the load's bytes that never reached the host's device.
 * Of reads the smaller of what the device and what the process (process_read_bytes) read counts, since others read from the
 * device too. Without a device (tmpfs) both are NULL, whatever the process counted, and nothing is flagged. With other guests at work
 * (other_guests_bytes) the device's bytes are held against those of all; loads of both directions then give NULL and absent. The
 * two ends of the time are known to within round_trip_ns and SLACK_NS (how late the load's side placed them), and as much of its
 * share is forgiven. Negative: more was moved than asked for (read-ahead, file system, others).
 */
void check_bytes(Record *run, gint64 slack_ns, const CheckSink *sink);

/*
 * DATASET_SMALL: a cache that is not bypassed - the guest's of LEG's memory, the host's of HOST_MEMORY bytes - is larger than
 * half of LEG's target_size. Silent when check_bytes has shown that all bytes of this run reached the device.
 */
void check_dataset(const Record *leg, guint64 host_memory, const Record *run, const CheckSink *sink);

/*
 * INCONSISTENT: IOPS x mean latency is not the number of requests in flight that was counted (depth_mean), or, without it, that was
 * asked for (only more than that, where syncs take a part of the time); bytes are not operations x size. NOT_AS_ASKED: a load without a rate that did not reach its queue depth.
 */
void check_little(const Record *leg, const Record *run, const CheckSink *sink);

/*
 * INCONSISTENT of figures that another program printed, which are rounded and do not count what was in flight. IN_FLIGHT, operations
 * per second x mean latency, or NaN, is more than queue depth x jobs of LEG; or, where nobody told the depth, not COMMON, which
 * most of PEERS rows agree on (NaN: they do not). Bytes are not operations x size by more than the last requests' parts.
 */
void check_told(const Record *leg, const Record *run, double in_flight, double common, guint peers, const CheckSink *sink);

/* What most of N rows of one table have in flight: their median, NaN when fewer than CHECK_PEERS_SHARE agree or too few have a
 * figure. *ret_n: rows that have one. */
double check_common_depth(const double *in_flight, guint n, guint *ret_n);

/* One look at two clocks: the other side's reading and when the question was sent and the answer came, ns. */
typedef struct {
	guint64 sent_ns, other_ns, came_ns;
} CheckStamp;

/*
 * CLOCK_DRIFT, from a look before and one after the run. Sets drift (the other side's clock against the host's; -0.1: it
 * counts 54 s in 60), round_trip_ns (the uncertainty) and host_bytes_per_s (bytes_per_s by the host's clock).
 */
void check_clock(const CheckStamp *before, const CheckStamp *after, Record *run, const CheckSink *sink);

/*
 * NOT_STEADY, from the operations of each interval of INTERVAL_NS. Sets steady (1, 0, NULL = cannot be told), cut_ns, and with a
 * cut bytes_per_s and iops of what is left of the run; EXTENDED says whether the run was made longer for it. Buffered
 * writes are judged as a whole.
 */
void check_steady(const Record *leg, const guint64 *ops, guint n, guint64 interval_ns, gboolean extended, Record *run,
	const CheckSink *sink);

/* EMULATED: the guest's processor was emulated. */
void check_emulated(const Record *leg, const CheckSink *sink);

/*
 * THROTTLED: processor time taken away from the guest or the host (steal), spent by others (CPUS processors, host's figures), a
 * processor that slowed down for heat or ran below its base frequency, other processes' reads or writes on the device.
 */
void check_throttled(const Record *leg, const Record *run, guint cpus, const CheckSink *sink);

/* A disk as its side sees it; NULL and -1 = cannot be told. */
typedef struct {
	const char *bus, *driver, *scheduler;
	gint64 queues, logical_block_size;
} CheckDisk;

/* NOT_AS_ASKED: bus, queues, sector size and scheduler of LEG against those that are there. */
void check_disk(const Record *leg, const CheckDisk *seen, const CheckSink *sink);

/* NOT_AS_ASKED: how LEG was to be kept apart from the rest of the host (host_cache_limit, pinning, NUMA nodes, huge pages, governor, turbo), against what the columns seen_* of RUN say. */
void check_isolation(const Record *leg, const Record *run, const CheckSink *sink);

/* NOT_AS_ASKED: what was asked for or not, a disk that is another at the end of a run than at its begin. */
void check_changed(const CheckDisk *before, const CheckDisk *after, const CheckSink *sink);

/* NOT_AS_ASKED: cache mode, O_DIRECT, aio, queues, iothread, ioeventfd and the image's format of a guest's LEG against the columns seen_* of RUN, which
 * tell what QEMU has. */
void check_qemu(const Record *leg, const Record *run, const CheckSink *sink);

#endif
