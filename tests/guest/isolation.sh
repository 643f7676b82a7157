#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What keeps a leg apart from the rest of the host, in one boot of a real guest: a limit of the host's cache.
. "${IOGAP_SRC:-.}/tests/tap.sh"

export IOGAP_RUNTIME="$tmp/r" IOGAP_STORE="$tmp/store/iogap.sqlite"
: "${IOGAP_CACHE:=${XDG_CACHE_HOME:-$HOME/.cache}/iogap}"
export IOGAP_CACHE
sql() { sqlite3 -readonly "$IOGAP_STORE" "$1"; }
# Control groups that a sweep has made and not removed.
groups() { find /sys/fs/cgroup -type d -name 'iogap-????????' 2>/dev/null; }
before=$(groups)

# 128M of guest, 128M of QEMU: the least limit; the data set is twice as large. Long enough settled to read all of it.
cat >"$tmp/p.yaml" <<-EOF2
name: isolation
accel: auto
targets: [{name: scratch, type: file, size: 512M}]
workload: {rw: read, block_size: 1M, direct: [true, false]}
guest: {bus: virtio, cache: writeback, io: threads, memory: 128M}
host: {host_cache_limit: [none, 256M]}
measure: {settle: 2500ms, run: 800ms, extend: false, blocks: 1}
EOF2
run "$iogap" plan "$tmp/p.yaml"
if printf '%s' "$out" | grep -q 'no memory can be limited here'; then
	skip_all "$(printf '%s' "$out" | grep -o 'no memory can be limited here.*' | head -1)"
fi
run "$iogap" sweep "$tmp/p.yaml" --progress=lines
is "the sweep succeeds" "$status" 0
[ "$status" = 0 ] || tap_show stderr "$err"
is "its control group is gone" "$(groups)" "$before"

# SELECT of the run of SIDE, DIRECT, with a LIMIT or not (null).
of() { sql "select $1 from run join leg on leg.id = leg_id where side = '$2' and direct = $3 and host_cache_limit is $4"; }
has() { sql "select count(*) from flag where flag = '$1' and run_id = $(of run.id "$2" "$3" "$4")"; }
limit=268435456
is "each run with a limit had it, on both sides" "$(sql "select group_concat(distinct ifnull(seen_host_cache_limit, 'none'))
	from run join leg on leg.id = leg_id where host_cache_limit is not null")" "$limit"
is "so nothing is other than asked" "$(sql "select evidence from flag where flag = 'NOT_AS_ASKED'")" ""
if [ "$(sql "select distinct ifnull(host_device, 'none') from leg")" = none ]; then
	like "without a device the reason is kept" "$(sql 'select absent_json from sweep')" '"absorbed_read":\["'
	done_testing
	exit
fi
is "without a limit the guest's reads come out of the host's cache" "$(has CACHED guest 1 null)" 1
is "and so do the host's buffered ones" "$(has CACHED host 0 null)" 1
is "the data set is called small then" "$(has DATASET_SMALL guest 1 null)$(has DATASET_SMALL host 0 null)" 11
for leg in "guest 1" "guest 0" "host 0"; do
	set -- $leg
	is "with the limit the $1's reads (direct=$2) are not CACHED" "$(has CACHED "$1" "$2" $limit)" 0
	is "the data set is not called small for the host's cache" "$(sql "select count(*) from flag where flag = 'DATASET_SMALL'
		and evidence like 'the host''s%' and run_id = $(of run.id "$1" "$2" $limit)")" 0
	share=$(of 'round(1.0 * host_device_read_bytes / bytes_read, 2)' "$1" "$2" $limit)
	ok "and the device read what the load did ($share of it)" test "$(sql "select $share > 0.8 and $share < 1.25")" = 1
done

# Killed while it fills the target: the keeper removes what is left, the group too.
"$iogap" sweep "$tmp/p.yaml" >"$tmp/killed" 2>&1 </dev/null &
sweep=$!
tries=0
while [ "$(groups)" = "$before" ] && [ $tries -lt 200 ]; do
	sleep 0.05
	tries=$((tries + 1))
done
ok "a sweep under way has its control group" test "$(groups)" != "$before"
kill -KILL $sweep
wait $sweep 2>/dev/null || :
tries=0
while [ "$(groups)" != "$before" ] && [ $tries -lt 100 ]; do
	sleep 0.1
	tries=$((tries + 1))
done
is "killed with SIGKILL it leaves none" "$(groups)" "$before"

# Too little for QEMU: said before anything starts.
sweeps=$(sql 'select count(*) from sweep')
sed -i 's/\[none, 256M\]/255M/' "$tmp/p.yaml"
run "$iogap" sweep "$tmp/p.yaml"
is "a limit below what QEMU needs is refused" "$status" 2
like "with what would be needed" "$err" "host_cache_limit=255M memory=128M guests=1: QEMU would be killed for want of memory: .* 256M"
is "and no sweep was begun" "$(sql 'select count(*) from sweep')" "$sweeps"
done_testing
