#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# iogap gate: exit status of every verdict and option, all formats well-formed, hostile names, the same bytes again.
# The stores are synthetic (tests/unit/gate-fixture.h).
. "${IOGAP_SRC:-.}/tests/tap.sh"
make_store() { "$IOGAP_BUILD/tests/test-gate-load" --make "$1" "$tmp/$1.sqlite"; }
gate() { # SCENARIO OPTION...
	[ -e "$tmp/$1.sqlite" ] || make_store "$1" || return 99
	store=$tmp/$1.sqlite
	shift
	run "$iogap" gate --store "$store" "$@"
}
first() { printf '%s\n' "$out" | sed -n 1p; }

# ---- exit status: scenario, plain, --bisect, --inconclusive=pass, --inconclusive=fail
while read -r name plain bisect pass fail; do
	gate "$name"
	is "$name: exit status" "$status" "$plain"
	gate "$name" --bisect
	is "$name: --bisect" "$status" "$bisect"
	gate "$name" --inconclusive=pass
	is "$name: --inconclusive=pass" "$status" "$pass"
	gate "$name" --inconclusive=fail
	is "$name: --inconclusive=fail" "$status" "$fail"
done <<EOT
pass 0 0 0 0
regressed 1 1 1 1
improved 0 0 0 0
drift 3 125 0 1
invalid 3 125 0 1
emulated 0 0 0 0
missing 3 125 0 1
new 0 0 0 0
failed 5 125 5 5
some-failed 3 125 0 1
failed-and-regressed 1 1 1 1
noisy 3 125 0 1
few-blocks 3 125 0 1
interrupted 5 125 5 5
no-arms 4 125 4 4
all-regressed 1 1 1 1
waived 0 0 0 0
expired 1 1 1 1
strict 1 1 1 1
newer 2 128 2 2
same 0 0 0 0
same-alarm 0 0 0 0
same-noisy 0 0 0 0
same-drift 3 125 0 1
same-hash 0 0 0 0
same-hash-missing 3 125 0 1
families 0 0 0 0
latency 0 0 0 0
latency-gating 1 1 1 1
both-gating 1 1 1 1
gating-missing 3 125 0 1
gating-missing-regressed 1 1 1 1
EOT
gate drift --inconclusive=pass
is "what was made of it is said" "$err" "iogap: inconclusive counts as passed (--inconclusive)"
gate pass --format junt
is "usage is 2" "$status" 2
gate pass --format junt --bisect
is "usage stops a bisection" "$status" 128
gate pass --baseline x
is "half a pair of references" "$err" "iogap: --baseline and --candidate go together"

# ---- the verdict comes first, and what it rests on follows
gate regressed
is "verdict line" "$(first)" "REGRESSION: 3 rows REGRESSED (arm new of sweep 1 against arm base of sweep 1)"
like "the cell with its estimate, bounds and p" "$out" \
	'^REGRESSED +virtio none/native read 4k direct depth=1 +n 12  spread [01]\.[0-9] % +sees 2\.[0-9] % +slowdown \+[56]\.[0-9] % \(\+5\.[0-9] % to \+6\.[0-9] %\), p = [0-9]+/4096$'
like "error rate" "$out" '^False alarms: at most 5.0 % of sweeps without a change \(sign-flip max-T over [0-9]+ rows, resolution 1/4096\)\.$'
like "what could be seen" "$out" '^With the spread measured 6 of 6 cells can see a loss of 5.0 %\.$'
gate some-failed
like "failed runs are said" "$out" '^Note: 3 failed runs are left out\.$'
gate invalid
like "a cell without a figure is not said to see anything" "$out" '^With the spread measured 5 of 6 cells'
gate invalid --accept-flag CACHED
is "an accepted flag" "$status" 0
like "is printed" "$out" '^Accepted by the user: runs flagged CACHED count\.$'
# ---- a doubt goes along, whether it takes a run out or not
gate emulated
like "a flag that takes no run out is said" "$out" '^Note: 17 runs that count are flagged EMULATED\.$'
gate emulated --format json
like "in JSON too" "$out" '"17 runs that count are flagged EMULATED"'
cp "$tmp/invalid.sqlite" "$tmp/doubt.sqlite"
for flag in NOT_AS_ASKED CLOCK_DRIFT DROP_FAILED; do
	sqlite3 "$tmp/doubt.sqlite" "UPDATE flag SET flag = '$flag'"
	gate doubt
	is "$flag takes runs out" "$status $(printf '%s\n' "$out" | grep -c "^Note: 17 runs flagged $flag left out of the verdict")" "3 1"
done
sqlite3 "$tmp/doubt.sqlite" "UPDATE leg SET direct = 1, cache = 'writeback' WHERE side = 'guest'"
gate doubt
is "a failed drop does where the host caches" "$status" 3
sqlite3 "$tmp/doubt.sqlite" "UPDATE leg SET cache = 'none' WHERE side = 'guest'"
gate doubt
is "and not where no cache is used" "$status $(printf '%s\n' "$out" | grep -c '^Note: 17 runs that count are flagged DROP_FAILED')" "0 1"

gate regressed --base-arm new --new-arm base
is "arms exchanged: improved" "$status" 0

gate waived
like "a waived row is shown" "$out" '^REGRESSED +\* virtio none/native read 4k direct depth=1 .*; waived$'
like "its waiver too" "$out" '^Waived: virtio none/native read 4k direct depth=1: known \(until 2025-11-30\)$'
like "a waiver that fits nothing" "$out" '^Note: the waiver of "gone" fits no row\.$'
gate expired
like "a waiver that has passed" "$out" '^Waived: .*: known \(until 2025-11-29, which has passed: it does not count\)$'
gate strict
like "thresholds in force" "$out" '^In force: REGRESSED from 1\.0 % \(groups 0\.2 %\)'
gate newer
is "a key that this program does not know" "$err" \
	'iogap: the stored profile:3:8: unknown key "beta" in gate; iogap-profile(5) and `iogap plan --skeleton` list all keys'

# ---- arms that are the same
gate same-alarm
is "A/A: no verdict but the alarms counted" "$(first)" \
	"PASS: NO_CHANGE, both arms are the same (3 of 11 rows would be alarms) (arm new of sweep 1 against arm base of sweep 1)"
like "and which they are" "$out" '^NO_CHANGE +virtio none/native read 4k direct depth=1 .*otherwise this would be REGRESSED$'
gate same-noisy
like "noise is shown all the same" "$out" '^(TOO_NOISY|INCONCLUSIVE) '
gate same-hash
like "two paths to one program" "$(first)" '^PASS: NO_CHANGE, both arms are the same'
# One kernel at two places has the modules of two places: what was booted says whether these are the same.
cp "$tmp/same-hash.sqlite" "$tmp/modules.sqlite"
sqlite3 "$tmp/modules.sqlite" "UPDATE leg SET emulator = NULL, emulator_sha256 = NULL, kernel = '/k/' || arm, kernel_sha256 = 'aa' WHERE side = 'guest';
	INSERT INTO boot (sweep_id, block, boot_no, status, initramfs_sha256) VALUES (1, 0, 1, 'finished', 'm1'), (1, 0, 2, 'finished', 'm2');
	UPDATE run SET boot_id = (SELECT boot.id FROM leg, boot WHERE leg.id = run.leg_id AND leg.side = 'guest' AND boot_no = 1 + (arm = 'new'))"
gate modules
is "one kernel with other modules is a change" "$status" 1
sqlite3 "$tmp/modules.sqlite" "UPDATE boot SET initramfs_sha256 = 'm1'"
gate modules
like "and with the same ones none" "$status $(first)" '^0 PASS: NO_CHANGE, both arms are the same'
sqlite3 "$tmp/modules.sqlite" "UPDATE boot SET initramfs_sha256 = NULL"
gate modules
is "what is not known is no likeness" "$status" 1

# ---- the verdict stays with the sweep
kept() { sqlite3 -readonly "$store" "select group_concat(distinct coalesce(gate_verdict, 'none')) from sweep where $1"; }
gate regressed
is "kept" "$(kept 1)" REGRESSION
rm -f "$tmp"/pass.sqlite*
gate pass --no-record
is "--no-record keeps nothing" "$status $(kept 1)" "0 none"
gate pass --no-record --from /dev/null
is "nor does it go with --from" "$status: $err" "2: iogap: --from prints an earlier verdict again; nothing is recorded and --no-record has no meaning"

# ---- families beside throughput
cell='virtio none/native read 4k direct depth=1'
gate families
like "all families in one line each" "$out" '^p99 latency \(advisory\): 11 OK$'
like "thresholds of a family" "$out" \
	'^p99 latency \(lower is better, advisory: never an exit status\): REGRESSED from a loss of 10\.0 % \(groups 4\.0 %\), OK below 20\.0 % \(groups 8\.0 %\), false alarms at most 5\.0 % for this family alone\.$'
gate latency -o "$tmp/latency"
like "an advisory finding is shown" "$out" "^REGRESSED +$cell .*slowdown \\+(29|30|31)\\.[0-9] %"
like "but the verdict is that of throughput" "$(first)" '^PASS: '
is "Markdown shows it, folded" "$(grep -c 'summary>p99 latency (advisory): .*REGRESSED' "$tmp/latency/gate.md")" 1
is "JUnit: it is skipped, not failed" "$(xmllint --xpath "string(//testcase[@classname='iogap.gate.latency.cell'][@name='$cell']/skipped/@message)" "$tmp/latency/gate.xml" | cut -c1-10)" "REGRESSED:"
is "JUnit: no failure" "$(xmllint --xpath 'string(//testsuite/@failures)' "$tmp/latency/gate.xml")" 0
is "GitHub: warnings" "$(grep -c '^::warning title=REGRESSED virtio.* p99 latency::' "$tmp/latency/gate.github")" 1
like "GitLab: a metric of its own" "$(cat "$tmp/latency/gate.metrics")" "^iogap_gate_latency_slowdown\{cell=\"$cell\"\} 0\.(29|30|31)"
is "JSON" "$(jq -r '.families[] | "\(.name) \(.better) \(.gating) \(.settings.alpha)"' "$tmp/latency/gate.json" | xargs)" \
	"latency lower false 0.05 cpu lower false 0.05 switches lower false 0.05"
gate latency-gating -o "$tmp/latency"
like "a gating family decides" "$(first)" '^REGRESSION: p99 latency: [0-9] rows? REGRESSED '
like "alpha is shared" "$out" '^Alpha of 5\.0 % is shared equally by the 2 families that decide\.$'
like "throughput's part too" "$out" '^False alarms: at most 2\.5 % of sweeps'
is "JUnit: a failure" "$(xmllint --xpath "count(//testcase[@classname='iogap.gate.latency.cell']/failure)" "$tmp/latency/gate.xml")" 1
is "GitHub: an error" "$(grep -c '^::error title=REGRESSED virtio.* p99 latency::' "$tmp/latency/gate.github")" 1
gate latency-off
is "a family that is off is not there" "$(printf '%s\n' "$out" | grep -c latency)" 0
gate both-gating
like "three share alpha" "$out" '^CPU time of QEMU per operation .*gating.* at most 1\.7 % for this family alone\.$'
gate gating-missing
is "what gates and was not measured" "$(first | cut -d'(' -f1)" \
	"INCONCLUSIVE: context switches of QEMU per operation: no run has it, although it gates "

# ---- stored sweeps
gate history --baseline main --candidate topic
is "a loss against stored sweeps" "$status" 1
like "names that row" "$out" '^REGRESSED +equal '
is "and no other cell" "$(printf '%s\n' "$out" | grep -cE '^REGRESSED +(steady|faster|broken)')" 0
like "the gain" "$out" '^IMPROVED +faster '
like "the failed run" "$out" '^Note: 1 failed run is left out\.$'
gate history --baseline aaaaaaaa --candidate 'synthetic: candidate' --format json
is "by commit and label" "$(printf '%s' "$out" | jq -r '.exit, .method, .baseline_sweeps' | xargs)" "1 stored 7"
is "the candidate's sweeps are marked" "$(kept "branch = 'topic'")" REGRESSION
is "the baseline's are not" "$(kept "branch = 'main'")" none
gate history --baseline topic --baseline main --candidate 7
is "marked ones are no baseline" "$(printf '%s\n' "$out" | grep -c '^Note: sweep [0-9]* is no baseline: its own gate ended REGRESSION\.$')" 3
is "the others are" "$(printf '%s\n' "$out" | grep -c 'against 6 stored sweeps)$')" 1
gate history --baseline topic --candidate main
is "with nothing but marked ones there is nothing to compare with" "$status" 4
gate history-pass --baseline main --candidate topic
is "no loss" "$status" 0
like "the control is the host of both" "$out" "^Control: the host's own rate differs by [-+]0\.[0-9] % from that of 7 baseline sweeps; no drift found"
# A branch has other sweeps too: they are no reason for cells to be missing.
for change in "profile = 'other'" arm; do
	cp "$tmp/history-pass.sqlite" "$tmp/kinds.sqlite"
	if [ "$change" = arm ]; then
		sqlite3 "$tmp/kinds.sqlite" "UPDATE leg SET arm = 'x', label = label || ' @x' WHERE sweep_id = 1"
		why="it was measured with arms"
	else
		sqlite3 "$tmp/kinds.sqlite" "UPDATE sweep SET $change WHERE id = 1; UPDATE leg SET label = label || ' else' WHERE sweep_id = 1"
		why="it is of the profile other"
	fi
	gate kinds --baseline main --candidate topic
	is "a sweep of another kind ($why) is no baseline" "$status $(printf '%s\n' "$out" | grep -c "^Note: sweep 1 is no baseline: $why\.\$")" "0 1"
done
gate history-moved --baseline main --candidate topic
is "the host moved as well: nothing is said of the guest" "$status $(first | cut -c1-28)" "3 INCONCLUSIVE: CONTROL_DRIFT:"
like "the loss is withheld" "$out" "^WITHHELD +equal .*the host's own rate moved by -[78]\.[0-9] %"
gate history-pass-dead-host --baseline main --candidate topic
is "a host that failed is no calm host" "$status" 3
like "and that is the reason" "$(first)" "^INCONCLUSIVE: the host's own rate is known of [0-9]+ baseline sweeps, or not of the candidate"
gate history-short --baseline main --candidate topic
is "too few baselines" "$status" 3
is "which says nothing against it" "$(kept "branch = 'topic'")" TOO_FEW_BASELINES
like "how many are missing" "$out" '2 more baseline sweeps are needed: 3 of at least 5'
gate history-other --baseline main --candidate topic
is "another machine is not comparable" "$status" 4
is "and no row is shown" "$(printf '%s\n' "$out" | grep -cE '^(REGRESSED|OK)')" 0
like "but where it differs" "$out" '^Differs: .*: model-x 8c in the baseline, model-y 4c in the candidate$'
gate history-other --baseline main --candidate topic --ignore-env
is "unless forced" "$status" 1
like "which is printed" "$out" '^WARNING: the environments differ'
gate history --baseline nothing --candidate topic
is "an unknown reference" "$status" 4

# ---- what is in force stands in every output
in_force() { # TEXT of a sentence that each format has to have, in $tmp/force
	for file in gate.txt gate.md gate.xml gate.github gate.metrics gate.html; do
		sed 's/&#40;/(/g; s/&#58;/:/g; s/%25/%/g' "$tmp/force/$file" >"$tmp/unescaped"
		ok "$file: $1" grep -q "$1" "$tmp/unescaped"
	done
}
gate strict --inconclusive=fail --accept-flag CACHED -o "$tmp/force"
in_force 'REGRESSED from 1.0 % (groups 0.2 %'
in_force 'at most 5.0 % of sweeps without a change'
in_force 'runs flagged CACHED count'
in_force 'What is not decided counts as failed'
is "JSON: --inconclusive" "$(jq -r .inconclusive "$tmp/force/gate.json")" fail
gate waived -o "$tmp/force"
in_force 'known .until 2025-11-30'
is "JSON: no --inconclusive" "$(jq -r .inconclusive "$tmp/force/gate.json")" null
is "and no sentence about it" "$(cat "$tmp"/force/gate.[tmxg]* | grep -c 'What is not decided')" 0
gate history-other --baseline main --candidate topic --ignore-env -o "$tmp/force"
in_force 'WARNING: the environments differ'
ok "JUnit: well-formed" xmllint --noout "$tmp/force/gate.xml"
is "JUnit: properties come before the cases, as its schema wants" "$(xmllint --xpath 'name(//testsuite/*[1])' "$tmp/force/gate.xml")" properties
is "GitLab: one metric of type info" "$(grep -c '^# TYPE iogap_gate_in_force info$' "$tmp/force/gate.metrics")" 1
is "GitHub: one notice for all of it" "$(grep -c '^::notice title=iogap gate in force::WARNING.*%0AIn force' "$tmp/force/gate.github")" 1
gate history-other --baseline main --candidate topic -o "$tmp/force"
is "nothing is judged: exit status" "$status" 4
in_force 'In force: REGRESSED from 2.5 % (groups 1.0 %'
in_force 'at most 5.0 % of candidates without a change; nothing is judged here'
in_force 'p99 latency (lower is better, advisory: never an exit status.*: REGRESSED from a loss of 10.0 %'
is "JSON: the rules" "$(jq -c '[.settings.least, .settings.alpha, (.families | length), .families[0].settings.alpha, (.rows | length)]' "$tmp/force/gate.json")" '[0.025,0.05,3,0.05,0]'
is "and nothing of what would have come out" "$(cat "$tmp"/force/gate.[tmxgh]* | grep -cE 'With the spread measured|Control: ')" 0
ok "JUnit: well-formed without a row" xmllint --noout "$tmp/force/gate.xml"
gate interrupted --accept-flag CACHED -o "$tmp/force"
is "a sweep that did not end: exit status" "$status" 5
in_force 'In force: REGRESSED from 2.5 % (groups 1.0 %'
in_force 'at most 5.0 % of sweeps without a change; nothing is judged here'
in_force 'runs flagged CACHED count'
run "$iogap" gate --from "$tmp/force/gate.json"
like "again from the JSON" "$out" 'nothing is judged here'
gate interrupted-gating -o "$tmp/force"
in_force 'Alpha of 5.0 % is shared equally by the 2 families that decide'
in_force 'at most 2.5 % of sweeps without a change; nothing is judged here'
in_force 'known .until 2025-11-30'
gate noisy --inconclusive=fail -o "$tmp/force"
is "not decided is a failure: exit status" "$status" 1
is "JUnit" "$(xmllint --xpath "count(//testcase[@name='verdict']/failure[@type='INCONCLUSIVE'])" "$tmp/force/gate.xml")" 1
is "GitHub" "$(grep -c '^::error title=iogap gate::INCONCLUSIVE' "$tmp/force/gate.github")" 1
run "$iogap" gate --from "$tmp/force/gate.json"
is "again from the JSON: the same exit status" "$status" 1
gate noisy -o "$tmp/force"
is "left as it is: JUnit" "$(xmllint --xpath "count(//testcase[@name='verdict']/skipped)" "$tmp/force/gate.xml")" 1
is "GitHub" "$(grep -c '^::warning title=iogap gate::INCONCLUSIVE' "$tmp/force/gate.github")" 1
like "text: the spread of each row" "$out" '^[A-Z_]+ +virtio none/native read 4k direct depth=1 +n +[0-9]+  spread [0-9.]+ % +sees [0-9.]+ %'
is "Markdown: too" "$(grep -c '^| verdict | row | slowdown | 95 % bounds | p | n | spread | sees |$' "$tmp/force/gate.md")" 2
rm -f "$tmp"/strict.sqlite*
make_store strict
store=$tmp/strict.sqlite
long=$(printf '%0300d' 0)
sqlite3 "$store" "update sweep set profile_text = profile_text || '  waivers:' || char(10) || (
	with recursive n(i) as (select 1 union all select i + 1 from n where i < 300)
	select group_concat('    - {cell: no ' || i || ', reason: \"$long\", until: 2030-01-01}', char(10)) from n) || char(10)
	where id = 1"
sqlite3 "$store" "update sweep set profile_text = replace(profile_text, 'gate: {least: 1%, group_least: 0.2%}', 'gate:' || char(10) || '  least: 1%' || char(10) || '  group_least: 0.2%')"
gate strict -o "$tmp/force"
is "300 long waivers" "$status: $(grep -c '^Waived: ' "$tmp/force/gate.txt")" "1: 300"
ok "Markdown: still fits" [ "$(wc -c <"$tmp/force/gate.md")" -le 60000 ]
in_force 'REGRESSED from 1.0 % (groups 0.2 %'
like "Markdown: what is left out is counted" "$(cat "$tmp/force/gate.md")" '^- and [0-9]+ more; the JSON has them all$'
is "and the rows are there" "$(grep -c '^| REGRESSED' "$tmp/force/gate.md")" "$(grep -c ^REGRESSED "$tmp/force/gate.txt")"
like "GitHub: so it is there" "$(cat "$tmp/force/gate.github")" '%0Aand [0-9]+ more; the JSON has them all$'
rm -f "$tmp"/strict.sqlite*

# ---- outputs
for name in regressed drift invalid hostile all-regressed many; do
	gate "$name" -o "$tmp/$name"
	ok "$name: XML is well-formed" xmllint --noout "$tmp/$name/gate.xml"
	ok "$name: JSON is well-formed" sh -c 'jq -e .version "$1" >/dev/null' - "$tmp/$name/gate.json"
	ok "$name: Markdown fits" [ "$(wc -c <"$tmp/$name/gate.md")" -le 60000 ]
	ok "$name: annotations are single lines" sh -c '! grep -qvE "^::(error|warning|notice) title=[^:,]+::" "$1"' - "$tmp/$name/gate.github"
	ok "$name: at most 10 errors" [ "$(grep -c '^::error' "$tmp/$name/gate.github")" -le 10 ]
	for pair in text:gate.txt json:gate.json markdown:gate.md html:gate.html junit:gate.xml github:gate.github gitlab:gate.metrics; do
		run "$iogap" gate --from "$tmp/$name/gate.json" --format "${pair%%:*}"
		is "$name: ${pair%%:*} again from the JSON" "$out" "$(cat "$tmp/$name/${pair#*:}")"
	done
done
is "HTML: the verdict comes first" "$(sed -n 's/^<p class="verdict bad">//p' "$tmp/regressed/gate.html")" "$(sed -n 1p "$tmp/regressed/gate.txt")</p>"
is "HTML: a bar for each row with an interval" "$(grep -c 'class="bar"><svg' "$tmp/regressed/gate.html")" "$(jq '[.rows[] | select(.low != null)] | length' "$tmp/regressed/gate.json")"
like "HTML: thresholds in force" "$(cat "$tmp/regressed/gate.html")" '<th>2.5 %</th><td>slowdown below which no cell is REGRESSED'
ok "HTML: hostile names stay text, and nothing is fetched or run" sh -c '! grep -qE "<c>|<script|(src|href)=" "$1"' - "$tmp/hostile/gate.html"
gate history-other --baseline main --candidate topic --format html
like "HTML: where the environments differ" "$out" '<li>.*: model-x 8c in the baseline, model-y 4c in the candidate</li>'
is "many: something is left out, and counted" "$(grep -c 'more rows are left out here' "$tmp/many/gate.md")" 1
is "JUnit: failures" "$(xmllint --xpath 'string(//testsuite/@failures)' "$tmp/regressed/gate.xml")" 4
is "JUnit: a case for each row and the verdict" "$(xmllint --xpath 'count(//testcase)' "$tmp/regressed/gate.xml")" 12
is "JUnit: errors" "$(xmllint --xpath 'string(//testsuite/@errors)' "$tmp/invalid/gate.xml")" 1
is "all-regressed: 9 and the rest" "$(grep -c 'and [0-9]* more' "$tmp/all-regressed/gate.github")" 1
like "hostile: nothing becomes Markdown" "$(grep -c '@everyone\|<c>\|](y)' "$tmp/hostile/gate.md")" '^0$'
ok "hostile: no control character in the text" sh -c '! LC_ALL=C grep -q "$(printf "\033")" "$1"' - "$tmp/hostile/gate.txt"
cp "$tmp/hostile/gate.json" "$tmp/once.json"
gate hostile -o "$tmp/hostile"
ok "the same bytes from the same store" cmp "$tmp/hostile/gate.json" "$tmp/once.json"
echo '{}' >"$tmp/odd.json"
run "$iogap" gate --from "$tmp/odd.json"
is "not a gate's JSON" "$status: $err" "2: iogap: $tmp/odd.json is not a report of \`iogap gate\` of version 1"
done_testing
