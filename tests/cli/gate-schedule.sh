#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Arms that were measured one after the other as a whole are no pairs, however their blocks are numbered: iogap gate refuses them.
. "${IOGAP_SRC:-.}/tests/tap.sh"
store=$tmp/pass.sqlite
"$IOGAP_BUILD/tests/test-gate-load" --make pass "$store"
arm_of_run="(select arm from leg where leg.id = run.leg_id)"
moved() { # SQL: the time that a run started, from its block, arm and id; then the gate
	sqlite3 "$store" "update run set started_unix_ns = 1764532934000000000 + 1000000000 * ($1)"
	run "$iogap" gate --store "$store" --no-record
}
refused="^iogap: the arms base and new of sweep 1 did not take turns: of 17 blocks with both, 1[67] have runs of other blocks between their own, so that"

run "$iogap" gate --store "$store" --no-record
is "in turns: judged" "$status: $(printf '%s\n' "$out" | grep -c 'Note:')" "0: 0"
moved "block * 100 + 1000000 * ($arm_of_run = 'new')"
is "all of the candidate after all of the baseline" "$status: $out" "4: "
like "is said, with what to do" "$err" "$refused what the machine did meanwhile would be taken for the change; measure them with"
moved "block * 100 + 1000000 * ($arm_of_run = 'base')"
is "the other way round" "$status: $out" "4: "
moved "block * 100 + 1000000 * ($arm_of_run = 'new') + 10000000 * (block >= 8)"
like "half of the blocks so, and then the others" "$status: $err" "^4: ${refused#^}"
moved "block * 100 + 1000000 * ($arm_of_run = 'new') + 10000000 * (block / 2)"
like "two blocks of one arm each time" "$status: $err" "^4: ${refused#^}"
moved "block * 100 + 10 * ($arm_of_run = 'new') + 10000000 * (block >= 14 and $arm_of_run = 'new')"
is "a few blocks that were torn apart are judged" "$status" 0
like "and noted" "$out" '^Note: 3 of 17 blocks have runs of other blocks between their own\.$'
sqlite3 "$store" "update run set started_unix_ns = 1764532934000000000 + 1000000000 * (block * 100 + 1000000 * ($arm_of_run = 'new'))"
"$iogap" export --store "$store" latest -o "$tmp/after.jsonl" 2>/dev/null
run "$iogap" import --store "$tmp/imported.sqlite" "$tmp/after.jsonl"
is "imported" "$status" 0
run "$iogap" gate --store "$tmp/imported.sqlite"
is "so is a sweep that was imported" "$status: $out" "4: "
is "and no verdict is kept" "$(sqlite3 -readonly "$tmp/imported.sqlite" "select coalesce(gate_verdict, 'none') from sweep")" none

# ---- what is odd, and what cannot be told
moved "block * 100 + 10 * ($arm_of_run = 'new')"
is "the same arm first each time is judged" "$status" 0
like "and noted" "$out" '^Note: arm base came first in all of the 17 blocks: what the order does cannot be told from the change\.$'
moved "null"
is "without times: judged" "$status" 0
like "and noted too" "$out" '^Note: no run says when it started, so that nobody can tell whether the arms took turns\.$'
done_testing
