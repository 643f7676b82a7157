#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Several guests at once: they do the same load on disks of their own, together, and leave nothing behind.
. "${IOGAP_SRC:-.}/tests/tap.sh"

export IOGAP_RUNTIME="$tmp/r" IOGAP_STORE="$tmp/s.sqlite"
: "${IOGAP_CACHE:=${XDG_CACHE_HOME:-$HOME/.cache}/iogap}"
export IOGAP_CACHE
cat >"$tmp/p.yaml" <<'EOF2'
name: together
accel: auto
targets: [{name: scratch, type: file, size: 16M}]
workload: {rw: randread, block_size: 4k, direct: true, rate: 100}
guest: {bus: [virtio, ide], cache: none, io: threads, guests: [1, 2], memory: 256M}
measure: {settle: 0.2s, run: 1s, blocks: 1}
EOF2
sql() { sqlite3 -readonly "$IOGAP_STORE" "$1"; }
together="from run r join leg l on l.id = r.leg_id where r.status = 'ok' and l.side = 'guest' and l.guests = 2"

run "$iogap" plan "$tmp/p.yaml"
like "plan: the boot has two guests" "$out" '^ +[0-9]\. pc, 1 vCPU, 256M, 2 guests at once$'
like "plan: so has the leg" "$out" 'guest virtio none/threads guests=2 memory=256M randread 4k'
"$iogap" sweep "$tmp/p.yaml" --progress=lines >"$tmp/out" 2>"$tmp/err" &
pid=$!
# While they work: each has a QEMU of its own with an image of its own.
most=0
while kill -0 $pid 2>/dev/null; do
	n=$(find "$tmp" -maxdepth 1 -name 'iogap-*.raw' | wc -l)
	[ "$n" -gt "$most" ] && most=$n
	sleep 0.2
done
status=0
wait $pid || status=$?
is "the sweep succeeds" "$status" 0
[ "$status" = 0 ] || tap_show stderr "$(cat "$tmp/err")"
is "libvirt's own log stays off the terminal" "$(grep -cE ': (info|warning) : ' "$tmp/err")" 0
is "the second guest had an image of its own" "$most" 2
is "no image is left" "$(find "$tmp" -maxdepth 1 -name 'iogap-*.raw' | wc -l)" 0
is "both buses were measured by two guests at once" "$(sql "select group_concat(bus) from (select l.bus $together order by l.bus)")" "ide,virtio"
is "the sum is that of two guests with the same rate" \
	"$(sql "select count(*) $together and all_guests_iops between iops * 1.7 and iops * 2.3 and iops between 60 and 110")" 2
is "the other one did as much" "$(sql "select count(*) $together and other_guests_bytes between (bytes_read) * 0.7 and bytes_read * 1.3")" 2
is "its QEMU cost processor time" "$(sql "select count(*) $together and other_guests_cpu_ns > 0")" 2
is "a guest alone has no sum" "$(sql "select count(*) from run r join leg l on l.id = r.leg_id where l.side = 'guest'
	and l.guests = 1 and r.status = 'ok' and r.all_guests_iops is null")" 2
is "a host leg has no guests" "$(sql "select count(*) from leg where side = 'host' and guests is not null")" 0
like "the report tells them apart" "$(cat "$tmp/out")" 'guests'

# ---- what cannot be
sed 's/type: file, size: 16M/type: loop, size: 16M/' "$tmp/p.yaml" >"$tmp/loop.yaml"
run "$iogap" plan "$tmp/loop.yaml"
like "a device cannot be shared out" "$out" 'guests=2 .*every guest needs a disk of its own, and a target of type loop cannot be copied'
sed 's/guests: \[1, 2\]/guests: 17/' "$tmp/p.yaml" >"$tmp/many.yaml"
run "$iogap" plan "$tmp/many.yaml"
is "too many: exit status" "$status" 2
like "too many: message" "$err" 'guests cannot be "17": it takes whole number, 1 to 16|17.*1 to 16'
done_testing
