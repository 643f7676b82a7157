#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A small data set behind the host's cache is told from direct I/O to the disk, by a real sweep; clocks, steadiness and what
# could not be had are stored.
. "${IOGAP_SRC:-.}/tests/tap.sh"

export IOGAP_RUNTIME="$tmp/r" IOGAP_STORE="$tmp/store/iogap.sqlite"
: "${IOGAP_CACHE:=${XDG_CACHE_HOME:-$HOME/.cache}/iogap}"
export IOGAP_CACHE
sql() { sqlite3 -readonly "$IOGAP_STORE" "$1"; }

cat >"$tmp/flags.yaml" <<-EOF2
name: flags
accel: auto
targets: [{name: scratch, type: file, size: 32M}]
workload: {rw: [read, write], block_size: 64k, direct: true}
guest: {bus: virtio, cache: [none, writeback], io: threads}
measure: {settle: 0.5s, run: 1s, extend: false, blocks: 1}
EOF2
run "$iogap" sweep "$tmp/flags.yaml" --progress=lines
is "the sweep succeeds" "$status" 0
[ "$status" = 0 ] || tap_show stderr "$err"

# Flags of the guest's runs with this rw and cache.
flags() {
	sql "select distinct flag from flag join run on run.id = run_id join leg on leg.id = leg_id
		where side = '$3' and rw = '$1' and ifnull(cache, '') = '$2' order by flag" | tr '\n' ' '
}
lacks() { ! printf '%s' "$2" | grep -qw "$1"; }
device=$(sql "select distinct ifnull(host_device, 'none') from leg")
if [ "$device" != none ]; then
	like "writes into the host's cache are flagged CACHED" "$(flags write writeback guest)" "CACHED "
	like "and the data set as small" "$(flags write writeback guest)" "DATASET_SMALL "
	for rw in read write; do
		for side in guest host; do
			cache=$([ $side = guest ] && echo none || true)
			ok "direct $rw on the $side is not CACHED" lacks CACHED "$(flags $rw "$cache" $side)"
			ok "nor DATASET_SMALL" lacks DATASET_SMALL "$(flags $rw "$cache" $side)"
		done
	done
	is "all direct reads came from the device" "$(sql "select count(*) from run join leg on leg.id = leg_id
		where rw = 'read' and ifnull(cache, 'none') = 'none' and absorbed_read < 0.05")" 2
	like "the evidence has the figures" "$(sql "select evidence from flag where flag = 'CACHED' limit 1")" \
		'^[0-9.]+ % of [0-9.]+ MiB (written|read) by the load did not reach .*\(device [0-9.]+ MiB'
else
	like "without a device the reason is kept" "$(sql 'select absent_json from sweep')" '"absorbed_read":\["'
	is "and nothing is called cached" "$(sql "select count(*) from flag where flag = 'CACHED'")" 0
fi
accel=$(sql 'select accel from sweep')
emulated=$(sql "select count(*) from flag where flag = 'EMULATED'")
is "every guest run says whether it was emulated" "$emulated" "$([ "$accel" = tcg ] && echo 4 || echo 0)"
is "the clocks of every run were compared" \
	"$(sql 'select count(*) from run where drift is not null and round_trip_ns > 0 and host_bytes_per_s > 0')" 6
is "clocks that agree are not flagged" "$(sql "select count(*) from run where abs(drift) < 0.005 and id in
	(select run_id from flag where flag = 'CLOCK_DRIFT')")" 0
is "each run is steady or not, or the sweep says why that cannot be told" "$(sql "select count(*) from run, sweep
	where steady is null and ifnull(absent_json, '') not like '%\"steady\":[%'")" 0
is "no run was extended" "$(sql 'select count(*) from run where extended = 1')" 0
is "the host's cost of a clock reading and of an empty I/O is kept" \
	"$(sql 'select count(*) from sweep where host_clock_read_ns > 0 and host_null_io_ns > 0')" 1
is "and the guest's" "$(sql 'select count(*) from boot where clock_read_ns > 0 and null_io_ns > 0')" 1
is "reasons for what could not be had are lists" \
	"$(sql "select count(*) from sweep, json_each(ifnull(absent_json, '{}')) where json_each.type <> 'array'")" 0
for format in text thread markdown csv html json; do
	run "$iogap" report latest --format $format
	like "the flags stand in the $format report" "$out" "DATASET.?_SMALL"
done
done_testing
