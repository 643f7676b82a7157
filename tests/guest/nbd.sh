#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A network block device as the target: host leg through its file, guest leg through its socket; and a server that is killed.
. "${IOGAP_SRC:-.}/tests/tap.sh"

export IOGAP_RUNTIME="$tmp/r" IOGAP_STORE="$tmp/s.sqlite"
: "${IOGAP_CACHE:=${XDG_CACHE_HOME:-$HOME/.cache}/iogap}"
export IOGAP_CACHE
[ "$(id -u)" = 0 ] || skip_all "an nbd target needs root"
profile() {
	cat <<EOF2
name: nbd
accel: auto
targets:
  - {name: slow, type: nbd, size: 16M, nbd_plugin: memory, nbd_delay: 20ms}
$2
workload: {rw: [randread, randwrite], block_size: 4k, direct: true}
guest: {bus: virtio, cache: none}
measure: {settle: 0s, run: $1, blocks: 1}
EOF2
}
sql() { sqlite3 -readonly "$IOGAP_STORE" "$1"; }

profile 1s "  - {name: zero, type: nbd, size: 16M, nbd_plugin: 'null'}" >"$tmp/p.yaml"
run "$iogap" sweep "$tmp/p.yaml" --progress=lines
is "the sweep succeeds" "$status" 0
[ "$status" = 0 ] || tap_show stderr "$err"
is "both sides were measured on both targets" "$(sql "select count(*) from run where status = 'ok'")" 8
is "no request is faster than the delay, on either side" "$(sql "select count(*) from run r join leg l on l.id = r.leg_id
	where target = 'slow' and complete_p50_ns < 19e6")" 0
is "the zero target is far faster" "$(sql "select count(*) from run r join leg l on l.id = r.leg_id where target = 'zero' and iops < 100")" 0
like "the guest attaches to the socket" "$(sql 'select domain_xml from boot' | tr '\n' ' ')$(sql "select distinct io from leg where side = 'guest'")" "network"
is "nothing is left of it" "$(ps -e -o args= | grep -c "[n]bd.*$tmp/r")$(grep -c "$tmp/r" /proc/mounts)" 00

profile 30s >"$tmp/p.yaml"
"$iogap" sweep "$tmp/p.yaml" --progress=lines >"$tmp/out" 2>"$tmp/err" &
sweep=$!
server=
for i in $(seq 300); do
	# Filled, and the guest is there: what comes now is a leg.
	grep -q 'guest ready after' "$tmp/err" &&
		server=$(ps -e -o pid=,args= | awk -v run="$tmp/r" '$2 == "nbdkit" && index($0, run) {print $1}')
	[ -n "$server" ] && break
	sleep 0.2
done
ok "the server runs" test -n "$server"
kill -9 "$server"
wait "$sweep"
status=$?
is "a server that dies is a failed measurement" "$status" 5
like "and one clear error" "$(tail -1 "$tmp/err")" "target slow: nbdkit, which serves it, has ended with signal 9"
is "the sweep is stored as failed, with the same words" "$(sql "select status, error like '%nbdkit, which serves it, has ended%' from sweep order by id desc limit 1")" "failed|1"
is "and the run that saw it as failed" "$(sql "select count(*) from run where status = 'failed'")" 1
is "nothing is left of that either" "$(ps -e -o args= | grep -c "[n]bd.*$tmp/r")$(grep -c "$tmp/r" /proc/mounts)" 00
done_testing
