#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The verdict that iogap gate keeps with a sweep: no other question turns a bad one into a good one, and the same question again does.
. "${IOGAP_SRC:-.}/tests/tap.sh"
make_store() { # SCENARIO NAME
	store=$tmp/$2.sqlite
	"$IOGAP_BUILD/tests/test-gate-load" --make "$1" "$store"
}
gate() { run "$iogap" gate --store "$store" "$@"; }
sql() { sqlite3 "$store" "$1"; }
kept() { sql "select group_concat(distinct coalesce(gate_verdict, 'none')) from sweep where ${1:-1}"; }
not_kept='a sweep has the worst answer of all that was asked of it$'

# ---- arms exchanged
make_store regressed exchanged
gate
is "a loss" "$status $(kept)" "1 REGRESSION"
gate --base-arm new --new-arm base
is "exchanged it is a gain, and the loss is kept" "$status $(kept)" "0 REGRESSION"
like "which is said" "$err" "^iogap: sweep 1 keeps its verdict REGRESSION \(arm new against arm base\), and PASS \(arm base against arm new\) is not kept: $not_kept"
gate --base-arm base --new-arm new
is "the same question by names: nothing to say" "$status $(kept) $err" "1 REGRESSION "
make_store regressed gain
gate --base-arm new --new-arm base
is "a gain first" "$status $(kept)" "0 PASS"
gate
is "then the loss takes its place" "$status $(kept): $err" "1 REGRESSION: "

# ---- flags
make_store invalid flags
gate
is "flagged" "$status $(kept)" "3 INCONCLUSIVE"
gate --accept-flag CACHED
is "accepting the flag does not wash it away" "$status $(kept)" "0 INCONCLUSIVE"
like "what was asked is named" "$err" "and PASS \(arm new against arm base; accepted flags: CACHED\) is not kept"
make_store invalid flags-first
gate --accept-flag CACHED
is "asked so from the beginning it is a pass" "$status $(kept)" "0 PASS"
sql "delete from flag"
gate
is "and a pass without it as well says nothing new" "$status $(kept): $err" "0 PASS: "

# ---- the same question, when the answer has changed
make_store invalid again
gate
sql "delete from flag"
gate
is "the same question again: the new answer" "$status $(kept): $err" "0 PASS: "

# ---- nothing of a sweep that has not ended
make_store regressed running
gate
sql "update sweep set status = 'running'"
gate
is "a sweep under way is not judged" "$status $(kept)" "5 REGRESSION"
is "nor is that kept" "$err" "iogap: the verdict is not kept in the store: sweep 1 is running"
make_store pass unfinished
sql "update sweep set status = 'interrupted'"
gate
is "nor where there is no verdict yet" "$status $(kept)" "5 none"
sql "update sweep set status = 'finished'"
gate
is "once it has ended it is" "$status $(kept)" "0 PASS"

# ---- another machine
make_store history machine
gate --baseline main --candidate topic
is "a loss against stored sweeps" "$status $(kept "branch = 'topic'")" "1 REGRESSION"
sql "update sweep set fingerprint = 'f2' where id <= 3"
gate --baseline 1 --baseline 2 --candidate topic
is "other fingerprints are never kept over it" "$status $(kept "branch = 'topic'")" "4 REGRESSION"
like "and that is said" "$err" "^iogap: sweep 8 keeps its verdict REGRESSION \(topic against main\), and NOT_COMPARABLE \(topic against [0-9a-f-]+, [0-9a-f-]+\)"
make_store history-other alone
gate --baseline main --candidate topic
is "not comparable" "$status $(kept "branch = 'topic'")" "4 NOT_COMPARABLE"
sql "update sweep set fingerprint = 'f1'"
gate --baseline topic --baseline main --candidate 7
is "which is no pass: no baseline" "$(printf '%s\n' "$out" | grep -c '^Note: sweep [0-9]* is no baseline: its own gate ended NOT_COMPARABLE\.$')" 3
gate --baseline main --candidate topic
is "until it can be compared" "$status $(kept "branch = 'topic'")" "1 REGRESSION"

# ---- too few baselines
make_store history-short short
gate --baseline main --candidate topic
is "too few" "$status $(kept "branch = 'topic'")" "3 TOO_FEW_BASELINES"
make_store history-short short-flagged
sql "insert into flag (run_id, flag, evidence) select run.id, 'CACHED', 'made up' from run join leg on leg.id = leg_id join sweep on sweep.id = leg.sweep_id
	where branch = 'topic' and side = 'guest'"
gate --baseline main --candidate topic
is "nothing but flagged runs is no want of baselines" "$status $(kept "branch = 'topic'")" "3 INCONCLUSIVE"
make_store history-short short-missing
sql "delete from run where leg_id in (select leg.id from leg join sweep on sweep.id = sweep_id where branch = 'topic' and leg.label = 'guest equal')"
gate --baseline main --candidate topic
is "nor is a cell without a run" "$status $(kept "branch = 'topic'")" "3 INCONCLUSIVE"
done_testing
