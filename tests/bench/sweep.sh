#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A sweep's efficiency: seconds in which a leg was measuring (settle and run) over wall seconds, for 4 disk configurations
# x 12 workloads of 2 s, on virtio (aim: 0.90) and on IDE (aim: 0.80), and what one boot per leg would make of it.
set -eu
: "${IOGAP_BUILD:=$PWD/build}" "${RUN:=2s}"
tmp=$(mktemp -d "${TMPDIR:-/tmp}/iogap-bench.XXXXXX")
trap 'rm -rf "$tmp"' EXIT
export IOGAP_STORE="$tmp/iogap.sqlite" IOGAP_RUNTIME="$tmp/r"
sql() { sqlite3 -readonly "$IOGAP_STORE" "$1"; }

# sweep BUS CACHES IOS RWS BLOCK_SIZES DIRECTS
sweep() {
	cat >"$tmp/profile.yaml" <<-EOF
	name: efficiency
	accel: auto
	targets: [{name: scratch, type: file, size: 256M}]
	workload: {rw: $4, block_size: $5, direct: $6}
	guest: {bus: $1, cache: $2, io: $3}
	measure: {settle: 0s, run: $RUN, blocks: 1}
	EOF
	"$IOGAP_BUILD/iogap" sweep "$tmp/profile.yaml" --progress=none >/dev/null
}
efficiency() { sql "select printf('%.2f', 1.0 * measured_ns / wall_ns) from sweep order by id desc limit 1"; }

for bus in virtio ide; do
	sweep $bus '[none, directsync]' '[native, threads]' '[read, write]' '[4k, 64k, 1M]' '[true, false]'
	echo "$bus: 4 disk configurations x 12 workloads of $RUN: efficiency $(efficiency)," \
		"$(sql 'select count(*) from run where leg_id in (select id from leg where sweep_id = (select max(id) from sweep))') runs," \
		"$(sql 'select count(*) from boot where sweep_id = (select max(id) from sweep)') boot(s)"
	# One boot per leg: a sweep of one guest leg (and its host leg) boots, fills and ends for that leg alone.
	sweep $bus none native read 4k true
	echo "$bus: one boot per leg: efficiency $(efficiency)"
done
