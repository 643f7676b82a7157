#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Options and settings of iogap gate that would do nothing are refused, and those that mean something do it.
. "${IOGAP_SRC:-.}/tests/tap.sh"
store=$tmp/noisy.sqlite
"$IOGAP_BUILD/tests/test-gate-load" --make noisy "$store"
gate() { run "$iogap" gate --store "$store" --no-record "$@"; }
cell='virtio none/native read 4k direct depth=1'

# ---- --require
gate --require "$cell" -f json
is "a cell that is required" "$(printf '%s' "$out" | jq -r --arg cell "$cell" '.rows[] | select(.name == $cell) | .required')" true
gate --require 'virtio none/native read 4k direct depth=11'
is "one that is not there" "$status: $err" "2: iogap: --require \"virtio none/native read 4k direct depth=11\": there is no such cell; did you mean \"$cell\"?"
gate --require nonsense
like "one that is like nothing" "$status: $err" '^2: iogap: --require "nonsense": there is no such cell; one is called "virtio '
gate --require geomean:reads
is "a group" "$status: $err" "2: iogap: --require \"geomean:reads\": a group cannot be required, since it has no noise of its own; require its cells"
printf 'name: p\ntargets: [{name: t, type: file, size: 1M}]\nworkload: {rw: read, block_size: 4k}\n' >"$tmp/p.yaml"
run "$iogap" gate "$tmp/p.yaml" --store "$tmp/none.sqlite" --arm base: --arm new:queue_size=128 --require nonsense
like "before anything is measured" "$status: $err" '^2: iogap: --require "nonsense": there is no such cell; one is called "virtio '
ok "nothing was" test ! -e "$tmp/none.sqlite"

# ---- --accept-flag
gate --accept-flag NOT_STEADY
like "a flag that is accepted" "$out" '^Accepted by the user: runs flagged NOT_STEADY count\.$'
gate --accept-flag NOT_STEDY
is "one that is mistyped" "$status: $err" "2: iogap: --accept-flag NOT_STEDY: no such flag takes a run out of the gate; those that do are CACHED, CLOCK_DRIFT, \
DATASET_SMALL, DROP_FAILED, INCONSISTENT, MIXED, NOT_AS_ASKED, NOT_STEADY; did you mean NOT_STEADY?"
gate --accept-flag EMULATED
like "one that never takes a run out" "$status: $err" '^2: iogap: --accept-flag EMULATED: no such flag takes a run out'
gate --accept-flag NOT_STEDY --bisect
is "which ends a bisection" "$status" 128

# ---- --from
gate -o "$tmp/out"
run "$iogap" gate --from "$tmp/out/gate.json"
is "an earlier verdict" "$status: $out" "3: $(cat "$tmp/out/gate.txt")"
for option in "--accept-flag CACHED" "--require x" "--base-arm x" "--new-arm x" --ignore-env "--inconclusive pass" "--store x"; do
	run "$iogap" gate --from "$tmp/out/gate.json" $option
	like "--from beside ${option%% *}" "$status: $err" "^2: iogap: --from prints an earlier verdict again; ${option%% *} would change nothing in it"
done
for edit in 'del(.exit)' 'del(.verdict)' '.exit = 7' '.verdict = "PASS"' '.exit = "3"' 'del(.rows)' '.inconclusive = "perhaps"'; do
	jq "$edit" "$tmp/out/gate.json" >"$tmp/edited.json"
	run "$iogap" gate --from "$tmp/edited.json"
	like "--from with $edit" "$status: $err" "^2: iogap: $tmp/edited.json is no whole report of .iogap gate.: it needs"
done

# ---- more blocks than the exact test takes
sqlite3 "$store" "
	insert into run (sweep_id, leg_id, block, status, started_unix_ns, bytes_per_s)
	select sweep_id, leg_id, block + 17, status, started_unix_ns + 170000000000000, bytes_per_s from run where block < 13"
gate
like "30 blocks: 25 of them are judged" "$status: $out" '^Note: of 30 blocks the first 25 are judged: the exact test takes no more\.$'
like "with all that they can tell" "$out" 'resolution 1/1048576'
gate -f json
is "they are the first ones" "$(printf '%s' "$out" | jq '.blocks, (.rows[0].differences | length)' | xargs)" "25 25"
sqlite3 "$store" "delete from run where block >= 25"
gate
is "25 need no note" "$(printf '%s\n' "$out" | grep -c '^Note:')" 0

# ---- an alpha that the blocks cannot reach
plan() {
	printf 'name: p\ntargets: [{name: t, type: file, size: 1M}]\ngate: %s\n' "$1" >"$tmp/p.yaml"
	run "$iogap" plan "$tmp/p.yaml"
}
plan '{alpha: 0.01%}'
is "0.01 % needs 14 blocks" "$status: $err" "2: iogap: $tmp/p.yaml:3:7: 12 confirm_blocks can never reach an alpha of 0.01 %: it takes 14"
plan '{alpha: 0.01%, confirm_blocks: 14}'
is "with them it can be" "$status" 0
plan '{alpha: 0.01%, confirm_blocks: 13}'
is "with one less it cannot" "$status" 2
plan '{alpha: 0.04%, latency: gating}'
is "families share it" "$status: $err" "2: iogap: $tmp/p.yaml:3:7: 12 confirm_blocks can never reach an alpha of 0.04 % that gating families share: it takes 13"
plan '{alpha: 0.04%}'
is "which throughput alone reaches" "$status" 0
done_testing
