#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# sweep --host-only: what was measured on the host alone stands in the table and in every format, without a ratio; and of its legs
# the scheduler below the target is known, or why there is none.
. "${IOGAP_SRC:-.}/tests/tap.sh"

disk=$(mktemp -d "$IOGAP_BUILD/host-only.XXXXXX")
at_exit 'rm -rf "$disk"'
export IOGAP_RUNTIME="$tmp/r" IOGAP_STORE="$tmp/store/iogap.sqlite" IOGAP_ALLOW_PARALLEL=1
cat >"$tmp/p.yaml" <<EOF2
name: alone
accel: tcg
targets: [{name: disk, size: 4M, path: $disk}, {name: memory, size: 4M, path: /dev/shm}]
workload: {rw: [read, rw], block_size: [4k, 64k], direct: false}
guest: {bus: virtio}
measure: {settle: 0s, run: 0.05s, blocks: 2}
EOF2
run "$iogap" sweep --host-only "$tmp/p.yaml" --progress=none
is "it succeeds without a guest" "$status" 0
[ "$status" = 0 ] || tap_show stderr "$err"
sql() { sqlite3 -readonly "$IOGAP_STORE" "$1"; }
is "every leg of the host was measured, none of a guest" \
	"$(sql "select side, count(*) from run r join leg l on l.id = r.leg_id where status = 'ok' group by 1")" "host|16"

# ---- what is printed -----------------------------------------------------------------------------------------------------------
# rows FILE: lines of the table of a target that are a leg's, with figures: side, rw, block size, MB/s, IOPS, two latencies.
rows() { grep -cE '^host +(read|rw) +(-|50) +(4k|64k) +[0-9.]+ +[0-9]+ +[0-9.]+[num]s +([0-9.]+[num]s|-) ' "$1"; }
printf '%s\n' "$out" >"$tmp/table"
is "the closing table has a row with figures for each of them" "$(rows "$tmp/table")" 8
is "with the flags" "$(grep -cE '^host .* [A-Z]+$' "$tmp/table")" 8
is "says of both targets that there is no ratio" "$(grep -c '^measured on one side alone, so without a ratio' "$tmp/table")" 2
is "and has reads and writes of mixed loads apart" "$(grep -cE '^  .*: reads: host [0-9.]+ MB/s, mean [0-9.]+[num]s;' "$tmp/table")" 4
no_rows=$(grep -cE ' - +- +- ' "$tmp/table")
is "and no row of nothing" "$no_rows" 0
run "$iogap" report
is "the report is the same table" "$out" "$(cat "$tmp/table")"
run "$iogap" report --format markdown
is "markdown has the rows" "$(printf '%s\n' "$out" | grep -cE '^\| host \| (read|rw) \| (-|50) \| (4k|64k) \| [0-9.]+ \| [0-9]+ \| ')" 8
run "$iogap" report --format html
is "the page has the rows" "$(printf '%s\n' "$out" | grep -cE '<tr[^>]*><td>host</td><td>(read|rw)</td><td class="right" data-v="[0-9]*">(-|50)</td><td class="right" data-v="[0-9]+">(4k|64k)</td><td class="right" data-v="[0-9.]+">')" 8
for shape in integrity compact; do
	run "$iogap" report --format thread --shape $shape
	is "thread, shape $shape: made" "$status" 0
	like "thread, shape $shape: has figures" "$out" '\| +[0-9]+\.[0-9] '
done
run "$iogap" report --format csv
is "CSV has the runs" "$(printf '%s\n' "$out" | grep -c '^run,')" 16
run "$iogap" report --format json
is "JSON has the figures" "$(printf '%s\n' "$out" | jq '[.legs[] | select(.side == "host" and .summary.bytes_per_s > 0)] | length')" 8

# ---- the scheduler -------------------------------------------------------------------------------------------------------------
seen() { sql "select distinct coalesce(seen_scheduler, 'NULL') from run r join leg l on l.id = r.leg_id where target = '$1' and status = 'ok'"; }
is "memory has no scheduler" "$(seen memory)" NULL
like "and the reason is noted" "$(sql "select json_extract(absent_json, '\$.seen_scheduler') from sweep")" 'tmpfs|memory'
queue=/sys/dev/block/$(stat -c %Hd:%Ld "$disk")
[ -d "$queue/queue" ] || queue=$queue/..
case $(cat "$queue/queue/scheduler" 2>/dev/null) in
*'['*) is "the disk below a file has its own" "$(seen disk)" "$(sed 's/.*\[\(.*\)\].*/\1/' "$queue/queue/scheduler")" ;;
*) tap_result 0 "the disk below a file has its own # SKIP $disk lies on no single disk with a queue" ;;
esac
done_testing
