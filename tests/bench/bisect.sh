#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# docs/bisect.md with real guests: a repository of eight commits, one of which makes the guest's disk slower and one of which cannot be built,
# is bisected by `git bisect run` and examples/bisect/step.sh. What the document shows is what is run here.
. "${IOGAP_SRC:-.}/tests/tap.sh"
command -v git >/dev/null || skip_all "git is missing: make DEPS=test deps"
export IOGAP_RUNTIME="$tmp/r" IOGAP_STORE="$tmp/store/iogap.sqlite"
: "${IOGAP_CACHE:=${XDG_CACHE_HOME:-$HOME/.cache}/iogap}"
export IOGAP_CACHE IOGAP="$iogap"
. "${IOGAP_SRC:-.}/tests/bench/bisect.inc"

step=$IOGAP_SRC/examples/bisect/step.sh
bisect
is "git bisect: exit status" "$status" 0
[ "$status" = 0 ] || tap_show output "$out
$err"
is "the first bad commit" "$(found)" "disk: a fair share for all guests"
printf '%s\n' "$out" "$err" >"$tmp/said"
is "git says so" "$(grep -c "^$(git -C "$repo" rev-parse refs/bisect/bad) is the first bad commit" "$tmp/said")" 1
git -C "$repo" bisect log | sed -n 's/^git bisect \([a-z]*\) \([0-9a-f]*\)$/\1 \2/p' >"$tmp/log"
tap_show "bisect" "$(cat "$tmp/log")"
ok "a bad step was measured" grep -q '^bad' "$tmp/log"
ok "so was a good one" sh -c 'test "$(grep -c "^good" "$1")" -ge 1' - "$tmp/log"
# Every judged commit has its sweep and that sweep the same verdict.
sqlite3 -readonly "$IOGAP_STORE" "select case gate_verdict when 'REGRESSION' then 'bad' when 'PASS' then 'good' else gate_verdict end
	|| ' ' || commit_id from sweep order by id" >"$tmp/sweeps"
is "each step is a sweep of its commit" "$(cat "$tmp/sweeps")" "$(grep -E '^(good|bad) [0-9a-f]+$' "$tmp/log" | grep -vE " ($(git -C "$repo" rev-parse good bad | paste -sd '|'))$")"
# The commit between them that cannot be built says nothing; what the step makes of it, apart from which steps git chose.
git -C "$repo" checkout -q "$(git -C "$repo" log --format=%H --grep='rename the settings' bad)"
run sh -c "cd '$repo' && sh '$step' '$tmp/bisect.yaml' iops_limit=100 ./arm"
is "a commit that cannot be built is skipped" "$status" 125
like "its build says why" "$err" 'disk/settings'
is "and is not measured" "$(sqlite3 -readonly "$IOGAP_STORE" 'select count(*) from sweep')" "$(wc -l <"$tmp/sweeps")"
done_testing
