#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Two sets of figures from elsewhere, imported and gated: noise, a loss, too little data, a gain and a failed run (tests/data/gate/noise.csv);
# and a loss of 25 % between two machines that are not alike (machine-a.json, machine-b.json).
. "${IOGAP_SRC:-.}/tests/tap.sh"
data=${IOGAP_SRC:-.}/tests/data/gate

# ---- one sweep for each commit, one row for each series; 0 MiB/s is what a failed run left
export IOGAP_STORE="$tmp/noise.sqlite"
for commit in $(awk -F, 'NR > 1 {print $2}' "$data/noise.csv" | sort -u); do
	{
		echo name,side,rw,block_size,MiBps
		awk -F, -v c="$commit" '$2 == c {print $1 ",host,read,64k,900"; print $1 ",guest,read,64k," $3}' "$data/noise.csv"
	} >"$tmp/$commit.csv"
	"$iogap" import --name "$commit" --branch "${commit%[0-9]}" --commit "${commit}0000000" "$tmp/$commit.csv" >/dev/null 2>"$tmp/err" || tap_show import "$(cat "$tmp/err")"
done
is "every commit is a sweep" "$(sqlite3 -readonly "$IOGAP_STORE" "select count(*), sum(branch = 'base') from sweep")" "10|7"
run "$iogap" gate --baseline base --candidate cand
is "tables say nothing of their machine: not comparable" "$status" 4
like "and that is why" "$out" '^Differs: fingerprint: at least one of the sweeps has none'
row() { printf '%s\n' "$out" | grep -E "^[A-Z_]+ +$1 read 64k "; }
run "$iogap" gate --baseline base --candidate cand --ignore-env
is "with the user's word for it: exit status" "$status" 1
like "A: noise is no loss" "$(row A)" '^TOO_NOISY .*slowdown \+1\.6 % \(-3\.2 % to \+6\.2 %\)'
like "B: the loss of 8 %" "$(row B)" '^REGRESSED .*slowdown \+8\.1 %'
like "C: one value on either side is no verdict" "$(row C)" '^INCONCLUSIVE .*4 more baseline sweeps are needed: 1 of at least 5$'
like "D: the gain of 12 %" "$(row D)" '^IMPROVED .*slowdown -11\.9 %'
like "E: the failed run is out" "$(row E)" '^OK +E read 64k +n +6 '
like "and said to be out" "$out" '^Note: 1 failed run is left out\.$'
is "B alone is the loss" "$(printf '%s\n' "$out" | grep -c ^REGRESSED)" 1
run "$iogap" gate --baseline base1 --baseline base2 --baseline base3 --baseline base5 --baseline base6 --candidate base4 --candidate base7 --ignore-env
is "the same commit against itself finds nothing" "$(printf '%s\n' "$out" | grep -cE '^(REGRESSED|IMPROVED)')" 0
ok "and does not fail" test "$status" -ne 1

# ---- two machines
export IOGAP_STORE="$tmp/machines.sqlite"
lines() { # FILE BRANCH NUMBER: the figures as a sweep of an export
	jq -c --arg branch "$2" --argjson n "$3" '
		"5252fad5-b9cb-469f-a165-00000000000\($n)" as $uuid |
		{iogap_export: 1, store_version: 1, iogap_version: "0.1.0"},
		{sweep: {id: 1, uuid: $uuid, status: "finished", started_unix_ns: (1764532934000000000 + $n), profile: "machines",
			store_version: 1, branch: $branch, commit_id: .commit, accel: .accel, host_kernel: .kernel, qemu_version: .qemu,
			cpu_model: .cpu, fingerprint: ([.cpu, .kernel, .image] | join(" ")),
			environment_json: ({"fio.version": .fio_host} | tojson)}},
		{leg: {id: 1, sweep_id: 1, label: "guest read", side: "guest", rw: "read", format: .image, filesystem: .fs}},
		{run: {id: 1, sweep_id: 1, leg_id: 1, block: 0, status: "ok", bytes_per_s: .bw_Bps}},
		{end: {uuid: $uuid, rows: 3}}' "$1"
}
for n in 1 2 3 4 5; do lines "$data/machine-a.json" main $n; done >"$tmp/a.jsonl"
lines "$data/machine-b.json" topic 9 >"$tmp/b.jsonl"
run "$iogap" import "$tmp/a.jsonl" "$tmp/b.jsonl"
is "six sweeps" "$status $(sqlite3 -readonly "$IOGAP_STORE" 'select count(*) from sweep')" "0 6"
run "$iogap" gate --baseline main --candidate topic
is "not comparable, and no loss of 25 %" "$status: $(printf '%s\n' "$out" | grep -c ^REGRESSED)" "4: 0"
like "processor" "$out" '^Differs: host\.cpu\.model: model-x 8c in the baseline, model-y 4c in the candidate$'
like "kernel" "$out" '^Differs: host\.kernel: 6\.1 in the baseline, 6\.8 in the candidate$'
like "fio" "$out" '^Differs: fio\.version: 3\.28 in the baseline, 3\.36 in the candidate$'
run "$iogap" gate --baseline main --candidate topic --ignore-env
is "--ignore-env shows the figure" "$status: $(printf '%s\n' "$out" | grep -c '^REGRESSED .*slowdown +25\.0 %')" "1: 1"
like "with a warning" "$out" '^WARNING: the environments differ'
like "and the list" "$out" '^Differs: host\.cpu\.model'
like "p is never 0" "$out" 'p < 1e-300$'
done_testing
