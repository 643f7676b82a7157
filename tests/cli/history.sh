#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# iogap history: in git's order whatever the order of measuring, every format, the same bytes again, and its messages. The
# sweeps are synthetic (tests/unit/test-history.c): from the 16th of 30 on, "steps" is 10 % slower; from the 9th on it is another machine.
. "${IOGAP_SRC:-.}/tests/tap.sh"
# A repository of 30 commits; the store meets them newest first, so that time and git disagree.
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 GIT_AUTHOR_NAME=t GIT_AUTHOR_EMAIL=t@t GIT_COMMITTER_NAME=t GIT_COMMITTER_EMAIL=t@t
git init -q -b main "$tmp/repo"
for i in $(seq 30); do git -C "$tmp/repo" commit -q --allow-empty -m "change $i"; done
forward=$(git -C "$tmp/repo" rev-list --reverse HEAD)
backward=$(git -C "$tmp/repo" rev-list HEAD)
# shellcheck disable=SC2086
"$IOGAP_BUILD/tests/test-history" --make "$tmp/forward.sqlite" $forward
# shellcheck disable=SC2086
"$IOGAP_BUILD/tests/test-history" --make "$tmp/backward.sqlite" $backward
at() { printf '%s\n' "$forward" | sed -n "$1p" | cut -c1-12; }
history() { # STORE OPTION...
	store=$tmp/$1.sqlite
	shift
	run env -C "$tmp/repo" "$iogap" history --store "$store" "$@"
}
history forward
is "exit status" "$status" 0
like "head" "$out" "^History of rate .*: 3 cells in 30 sweeps, by git's order$"
like "the change point and the commits around it" "$out" "WORSE: rate fell by 10\.[0-9] % .* in $(at 16), last seen before in $(at 15), p = "
is "no other" "$(printf '%s\n' "$out" | grep -cE 'WORSE:|BETTER:')" 1
like "the environment is named as such" "$out" "^The environment changes at $(at 9): .*model-x -> model-y"
like "what it rests on" "$out" '^False alarms: at most 5\.0 % of histories'
history backward --cell steps
like "measured backwards, git's order still finds the change going forward" "$out" "BETTER: rate rose by 11\.[0-9] % .* in $(at 16), last seen before in $(at 15)"
like "points are listed for few cells" "$out" "^  2025-.*  $(at 16) .*<- BETTER$"
history backward --cell steps --order time
like "by time it is the other way round" "$out" "WORSE: rate fell by .* in $(at 15), last seen before in $(at 16)"
run env -C / "$iogap" history --store "$tmp/forward.sqlite"
like "outside of a checkout" "$out" '^Not ordered by git: the working folder is in no git checkout that knows every measured commit\.$'
history forward --metric p99 --cell steps
like "less is better for latency" "$out" 'WORSE: p99 rose by 11\.[0-9] %'

history forward --format json
is "JSON" "$(printf '%s' "$out" | jq -r '[.format, .version, .order, (.cells | length), (.cells[2].changes[0].sweep)] | join(" ")')" "iogap-history 1 git 3 15"
history forward --format csv
is "CSV: head, and one row for each cell and sweep" "$(printf '%s\n' "$out" | wc -l)" 76
is "CSV: the step is in its row" "$(printf '%s\n' "$out" | grep -c ',0$')" 1
for format in json csv html text; do
	history forward --format $format -o "$tmp/a.$format"
	history forward --format $format -o "$tmp/b.$format"
	ok "$format: the same bytes again" sh -c '[ -s "$1" ] && cmp -s "$1" "$2"' - "$tmp/a.$format" "$tmp/b.$format"
done
ok "HTML is well-formed as far as its drawings go" sh -c 'sed -n "/<svg/,/<\/svg>/p" "$1" | grep -q "<circle"' - "$tmp/a.html"
ok "HTML asks nothing of anybody" sh -c '! grep -qE "(src|href)=.?(https?:)?//|<script" "$1"' - "$tmp/a.html"
history forward --format plot -o "$tmp/plots"
is "plots" "$status: $(find "$tmp/plots" -type f | sed 's/.*\.//' | sort | uniq -c | xargs)" "0: 3 dat 3 gp 3 png 3 svg"
for svg in "$tmp"/plots/*.svg; do ok "$(basename "$svg") is XML" xmllint --noout "$svg"; done
rm "$tmp"/plots/*.png
ok "the script draws them again" sh -c 'cd "$1" && gnuplot -d 003-steps.gp && file -b 003-steps.png | grep -q PNG || head -c 8 003-steps.png | grep -q PNG' - "$tmp/plots"

message() { # WHAT STATUS MESSAGE OPTION...
	what=$1 code=$2 text=$3
	shift 3
	history forward "$@"
	is "$what" "$status: $err" "$code: iogap: $text"
}
message "no such format" 2 'there is no format "htm"; there are text, json, csv, html and plot; did you mean "html"?' --format htm
message "plot without a folder" 2 '--format plot writes several files; name their folder with -o' --format plot
message "no such metric" 2 'there is no metric "rat"; there are rate, ratio, iops, latency, p99, cpu, switches; did you mean "rate"?' --metric rat
message "no branch" 4 "no finished sweep of the store $tmp/forward.sqlite fits the branch topic" --branch topic
message "alpha" 2 '--alpha takes a chance between 0 and 1, such as 0.05' --alpha 2
done_testing
