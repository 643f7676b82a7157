#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The finer settings of a disk in a real guest: rings, sectors, discard, rotation rate, and a disk on USB.
. "${IOGAP_SRC:-.}/tests/tap.sh"

export IOGAP_RUNTIME="$tmp/r" IOGAP_STORE="$tmp/s.sqlite"
: "${IOGAP_CACHE:=${XDG_CACHE_HOME:-$HOME/.cache}/iogap}"
export IOGAP_CACHE
cat >"$tmp/p.yaml" <<'EOF2'
name: disks
accel: auto
targets: [{name: scratch, type: file, size: 32M}]
workload: {rw: randread, block_size: 4k, direct: true}
guest: {bus: [virtio, virtio-scsi, sata, usb, nvme]}
include:
  - {bus: virtio, event_idx: false, packed: true, queue_size: [default, 64], physical_block_size: 4k, iothread_map: [none, 2]}
  - {bus: virtio-scsi, packed: true, rotation_rate: 7200, logical_block_size: 4k}
  - {bus: sata, rotation_rate: 1, physical_block_size: 4k}
  - {bus: usb, logical_block_size: [512, 4k], discard: [ignore, unmap], rotation_rate: [none, 7200]}
measure: {settle: 0.1s, run: 0.4s, blocks: 1}
EOF2
sql() { sqlite3 -readonly "$IOGAP_STORE" "$1"; }
guests="from run r join leg l on l.id = r.leg_id where l.side = 'guest' and r.status = 'ok'"

run "$iogap" sweep "$tmp/p.yaml" --progress=lines
is "the sweep succeeds" "$status" 0
[ "$status" = 0 ] || tap_show stderr "$err"
ok "every disk was measured ($(sql "select count(*) $guests"))" test "$(sql "select count(*) $guests")" -ge 6
is "no run failed" "$(sql "select reason from run where status <> 'ok'")" ""
is "the bus is what was asked" "$(sql "select count(*) $guests and seen_bus <> bus")" 0
is "a disk on USB is one" "$(sql "select distinct seen_bus || ' ' || seen_driver $guests and bus = 'usb'")" "usb usb-storage"
is "sectors are what was asked" "$(sql "select count(*) $guests and seen_logical_block_size <> logical_block_size")" 0
is "what was asked is in the store" "$(sql "select count(*) $guests and event_idx = 0 and packed = 1 and queue_size = 64")" 1
xml=$(sql 'select domain_xml from boot order by id limit 1')
like "libvirt has the rotation rate" "$xml" 'rotation_rate=.1.'
like "and a USB 3 controller" "$xml" "model='qemu-xhci'"
refused=$(sql 'select combination || ": " || reason from refusal')
like "4096-byte sectors on USB are refused" "$refused" "bus=usb: QEMU gives a USB disk sectors of 512 bytes"
like "a rotation rate on USB is refused" "$refused" "bus=usb: a usb disk tells no rotation rate"
like "NVMe names the version it needs, or what iogap knows" "$refused" "bus=nvme: .*(needs libvirt 11.5.0, and [0-9.]+ is installed|only been taught)"
like "several I/O threads name the version that they need, or work" "$refused$(sql "select 'works' $guests and iothread_map = 2")" \
	"needs libvirt 10.0.0, and [0-9.]+ is installed|works"
done_testing
