#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What QEMU and the guest really have, read back in real guests: bus, driver, cache mode, aio, iothread, and QEMU's own counts.
. "${IOGAP_SRC:-.}/tests/tap.sh"

export IOGAP_RUNTIME="$tmp/r" IOGAP_STORE="$tmp/s.sqlite"
: "${IOGAP_CACHE:=${XDG_CACHE_HOME:-$HOME/.cache}/iogap}"
export IOGAP_CACHE
cat >"$tmp/p.yaml" <<'EOF2'
name: settings
accel: auto
targets: [{name: scratch, type: file, size: 32M}]
workload: {rw: [randread, randwrite], block_size: 4k, direct: true}
guest:
  bus: [virtio, virtio-scsi, ide]
  cache: [none, writeback]
  io: [threads, native, io_uring]
measure: {settle: 0.1s, run: 0.5s, blocks: 1}
EOF2
sql() { sqlite3 -readonly "$IOGAP_STORE" "$1"; }
guests="from run r join leg l on l.id = r.leg_id where l.side = 'guest' and r.status = 'ok'"

run "$iogap" sweep "$tmp/p.yaml" --progress=lines
is "the sweep succeeds" "$status" 0
[ "$status" = 0 ] || tap_show stderr "$err"
n=$(sql "select count(*) $guests")
ok "guest runs ($n)" test "$n" -ge 24
is "virtio really is virtio, every bus is what was asked" "$(sql "select group_concat(distinct bus || ' ' || seen_bus || ' ' || seen_driver)
	from (select bus, seen_bus, seen_driver $guests order by bus)")" "ide ide ata_piix,virtio virtio virtio_blk,virtio-scsi virtio-scsi virtio_scsi"
is "QEMU has the cache mode that was asked" "$(sql "select count(*) $guests and seen_cache = cache")" "$n"
is "O_DIRECT of its descriptors follows the cache mode wherever it can be told" \
	"$(sql "select count(*) $guests and seen_host_direct <> (cache = 'none')")" 0
is "it can be told of every disk that was plugged in" \
	"$(sql "select count(*) $guests and bus <> 'ide' and seen_host_direct is null")" 0
is "the aio mode in effect is the one asked wherever it can be told" "$(sql "select count(*) $guests and seen_aio <> l.io")" 0
is "all three were seen" "$(sql "select group_concat(a) from (select distinct seen_aio a $guests and a is not null order by a)")" \
	"io_uring,native,threads"
is "nothing is flagged as other than asked for its settings" \
	"$(sql "select evidence from flag where flag = 'NOT_AS_ASKED' and evidence like '%QEMU has%'")" ""
is "every run has QEMU's own counts" \
	"$(sql "select count(*) $guests and qemu_reads + qemu_writes > 0 and qemu_read_bytes + qemu_write_bytes > 0")" "$n"
# The two are read some milliseconds apart while the load goes on, and reads may be split.
is "and they are those of the load, within a half where there are many" \
	"$(sql "select count(*) $guests and ops_read + ops_write > 500 and abs(1.0 * (qemu_read_bytes + qemu_write_bytes)
	/ (bytes_read + bytes_written) - 1) > 0.5")" 0
is "the direction is right" "$(sql "select count(*) $guests and iif(rw = 'randread', qemu_read_bytes > 0, qemu_write_bytes > 0)")" "$n"
is "every disk interrupts its guest" "$(sql "select count(*) $guests and device_interrupts > 0")" "$n"
accel=$(sql 'select accel from sweep')
[ "$accel" = kvm ] || like "without KVM there are no exits, and the reason is kept" "$(sql 'select absent_json from sweep')" '"kvm_exits":\["guests under TCG'
[ "$accel" = kvm ] || is "NULL, not 0" "$(sql "select count(*) $guests and kvm_exits is not null")" 0
done_testing
