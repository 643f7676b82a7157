#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A sweep that ends by itself: both sides are held to one rate, so that every interval is narrow as soon as there are six blocks.
. "${IOGAP_SRC:-.}/tests/tap.sh"

export IOGAP_RUNTIME="$tmp/r" IOGAP_STORE="$tmp/store/iogap.sqlite"
: "${IOGAP_CACHE:=${XDG_CACHE_HOME:-$HOME/.cache}/iogap}"
export IOGAP_CACHE
cat >"$tmp/narrow.yaml" <<-EOF
	name: narrow
	accel: auto
	targets: [{name: scratch, type: tmpfs, size: 8M}]
	workload: {rw: randread, block_size: 4k, rate: 200, direct: false}
	guest: {bus: virtio, cache: writeback, io: threads}
	measure: {settle: 0.1s, run: 0.6s, precision: 20%, blocks: 8, extend: false}
EOF
sql() { sqlite3 -readonly "$IOGAP_STORE" "$1"; }

run "$iogap" plan "$tmp/narrow.yaml"
like "the plan has a range of blocks" "$out" "in 6 to 8 blocks, 12 to 16 runs"
like "and of time" "$out" "^Time: about .* to .* \(until every interval is within 20 %.*\)"
run "$iogap" sweep "$tmp/narrow.yaml" --progress=lines
is "the sweep succeeds" "$status" 0
[ "$status" = 0 ] || tap_show stderr "$err"
is "it measured six blocks of at most eight" "$(sql 'select blocks, most_blocks, count(distinct block), count(*) from sweep, run')" "6|8|6|12"
is "the store says why it stopped" "$(sql 'select stopped, wide_cells, precision from sweep')" "reached|0|0.2"
is "and how narrow the widest interval is" "$(sql 'select half_width >= 0 and half_width <= 0.2 from sweep')" 1
like "so does the progress" "$err" "precision reached after 6 of at most 8 blocks"
like "and the table" "$out" "every interval within 20 % after 6 of at most 8 blocks"
is "blocks that were not needed are not missing" "$(printf '%s\n' "$out" | grep -c 'never run')" 0
run "$iogap" show latest
like "show says it" "$out" "reached: every interval within 20 %, at most 8 blocks"
run "$iogap" sweep "$tmp/narrow.yaml" --resume
like "there is nothing to resume" "$err" "no interrupted sweep"
done_testing
