#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# iogap gate that measures by itself, on real guests: a limit that the candidate's disk alone has is found, an interruption is
# gone on from, and only what the screen chose is confirmed. The long form, with effects of 5 and 1 %, is tests/bench/gate-real.sh.
. "${IOGAP_SRC:-.}/tests/tap.sh"
export IOGAP_RUNTIME="$tmp/r" IOGAP_STORE="$tmp/store/iogap.sqlite"
: "${IOGAP_CACHE:=${XDG_CACHE_HOME:-$HOME/.cache}/iogap}"
export IOGAP_CACHE

# Both arms are limited by QEMU, far below what any guest here does, so that their rates hardly vary.
cat >"$tmp/limited.yaml" <<-EOF
name: limited
accel: auto
targets: [{name: scratch, type: file, size: 16M}]
workload: {rw: randread, block_size: 4k, direct: true, rate: 1000}
guest: {bus: virtio, cache: none, io: native, iops_limit: 100}
measure: {settle: 0.1s, run: 0.5s, extend: false, seed: 7}
gate: {screen_blocks: 2, confirm_blocks: 5, min_blocks: 5, alpha: 10%, least: 10%, detect: 20%}
EOF
sql() { sqlite3 -readonly "$IOGAP_STORE" "$1"; }
gate() { run "$iogap" gate "$tmp/limited.yaml" --arm base: --arm new:iops_limit=60 --accept-flag NOT_STEADY --accept-flag MIXED \
	--accept-flag INCONSISTENT --progress=lines "$@"; }

# ---- Ctrl-C in the screen keeps what is finished
"$iogap" gate "$tmp/limited.yaml" --arm base: --arm new:iops_limit=60 --progress=lines >"$tmp/out" 2>"$tmp/err" &
pid=$!
n=0
while ! grep -q '^\[2/' "$tmp/err" && [ $n -lt 1200 ]; do sleep 0.1; n=$((n + 1)); done
kill -INT $pid
status=0
wait $pid || status=$?
is "Ctrl-C: exit status" "$status" 130
like "how to go on" "$(cat "$tmp/err")" '^iogap: [0-9]+ runs of sweep 1 are kept; `the same command with --resume` goes on$'
run "$iogap" gate
is "an interrupted sweep has no verdict" "$status: $(printf '%s\n' "$out" | head -n 1 | cut -c1-33)" "5: FAILED: the sweep is interrupted "

# ---- and the rest of it finds the loss
gate --resume -o "$tmp/report"
is "the loss: exit status" "$status" 1
[ "$status" = 1 ] || tap_show stderr "$err"
like "verdict" "$out" '^REGRESSED +virtio none/native iops_limit=100 randread 4k direct rate=1000 +n  5 .*slowdown \+(3[5-9]|4[0-5])\.[0-9] %'
like "what the screen chose is said" "$err" 'the screen chose [0-9]+ of [0-9]+ rows; 1 cell will be confirmed in 5 fresh blocks'
is "one sweep" "$(sql 'select count(*) from sweep')" 1
is "every leg once in every block" "$(sql 'select count(*), count(distinct leg_id || " " || block) from run')" "28|28"
run "$iogap" gate --accept-flag NOT_STEADY --accept-flag MIXED --accept-flag INCONSISTENT
is "the finished sweep is judged alike" "$status: $out" "1: $(cat "$tmp/report/gate.txt")"

done_testing
