#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A ratio is formed between rows that did the same, and a guest that beats its host carries the reason: a table of eleven rows, each a trap
# of its own (tests/data/import/gap-table.csv), a queue depth that was asked for and not reached, and two releases of fio.
. "${IOGAP_SRC:-.}/tests/tap.sh"
data=${IOGAP_SRC:-.}/tests/data/import
export IOGAP_STORE="$tmp/gap.sqlite"

run "$iogap" import --name gap "$data/gap-table.csv"
is "the table is taken" "$status" 0
like "a guest row without its like is told" "$err" 'no ratio for 1 guest leg'
"$iogap" report gap --format json >"$tmp/gap.json" 2>"$tmp/err" || tap_show report "$(cat "$tmp/err")"
# cell NAME FILTER: of the cell of the guest row NAME
cell() { jq -r --arg name "$1 " "[.cells[] | select(.label + \" \" | contains(\$name))] | if length == 1 then .[0] | $2 else \"\(length) cells\" end" "$tmp/gap.json"; }
ratio() { cell "$1" '.ratio'; }
flag() { cell "$1" '[.flags[] | .flag + ": " + .evidence] | join("; ")'; }
suspected='host page cache suspected \(cache=writeback; nothing counted what it absorbed\)$'

is "5 % faster: the ratio" "$(cell sixteen-none '.ratio * 1000 | round')" 1050
is "5 % faster: no flag" "$(flag sixteen-none)" ""
is "a cache between: the ratio" "$(cell sixteen-writeback '.ratio * 1000 | round')" 1500
like "a cache between: flagged with what is suspected" "$(flag sixteen-writeback)" "^FASTER_THAN_HOST: ratio 1\.500, .*$suspected"
is "four times the host: against the direct row, not the buffered" "$(cell big-writeback '.ratio * 1000 | round')" 4000
like "four times the host: flagged with what is suspected" "$(flag big-writeback)" "^FASTER_THAN_HOST: ratio 4\.000, .*$suspected"
is "the guest that bypasses caches: against the direct row" "$(cell big-none '.ratio * 1000 | round')" 940
is "the guest that bypasses caches: no flag" "$(flag big-none)" ""
is "the buffered host row is nobody's baseline" \
	"$(sqlite3 "$IOGAP_STORE" "SELECT count(*) FROM leg g JOIN leg h ON g.host_leg_id = h.id WHERE h.direct = 0")" 0
is "another depth: no ratio" "$(ratio deep-none)" null
is "unsafe with synchronous writes: no ratio" "$(ratio flushed-unsafe)" null
like "unsafe with synchronous writes: why" "$(cell flushed-unsafe .reason)" "^withheld: cache=unsafe drops the guest's flushes"
is "unsafe with synchronous writes: both rates are there" \
	"$(cell flushed-unsafe '[.measured.guest, .measured.host | .bytes_per_s / 1048576 | round] | join(" ")')" "9500 95"
is "unsafe with reads: has nothing to flush" "$(cell read-unsafe '.ratio * 1000 | round')" 1050
is "unsafe with synchronous writes: not called faster" "$(flag flushed-unsafe)" ""
for format in text markdown html csv; do
	run "$iogap" report gap --format $format
	like "$format: says why unsafe has no ratio" "$(printf '%s' "$out" | tr '\n' ' ' | tr -s ' ')" "withheld: cache=unsafe drops the guest(.|&#39;|&#x27;)s flushes"
	is "$format: and has no factor of a hundred" "$(printf '%s\n' "$out" | grep -cE '(^|[^0-9.])100\.0*([^0-9]|$)')" 0
done

# ---- a depth that was asked for and not reached is not a depth
export IOGAP_STORE="$tmp/depth.sqlite"
# At a true depth of 16 twice as many.
sed -e 1d -e '/"iodepth_level"/,$ {s/"1" : 100/"1" : 0/; s/"16" : 0/"16" : 100/}' -e 's/"bw_bytes" : 52428800/"bw_bytes" : 104857600/' \
	-e 's/"iops" : 12800/"iops" : 25600/; s/"total_ios" : 1024/"total_ios" : 2048/; s/"io_bytes" : 4194304/"io_bytes" : 8388608/' \
	"$data/02-fio-note-qd-capped.json" >"$tmp/deep.json"
run "$iogap" import --host "$tmp/deep.json" --guest "$data/02-fio-note-qd-capped.json"
is "capped beside deep: stored" "$status $(sqlite3 "$IOGAP_STORE" 'SELECT group_concat(effective_depth) FROM (SELECT * FROM leg ORDER BY side DESC)')" "0 16,1"
like "capped beside deep: no ratio" "$err" 'no ratio for 1 guest leg'
run "$iogap" import --again --host "$data/02-fio-note-qd-capped.json" --guest "$data/02-fio-note-qd-capped.json"
is "capped beside capped: a pair" "$(sqlite3 "$IOGAP_STORE" 'SELECT count(*) FROM leg WHERE sweep_id = 2 AND host_leg_id IS NOT NULL')" 1

# ---- two releases of the program that measured
export IOGAP_STORE="$tmp/release.sqlite"
flags() { sqlite3 "$IOGAP_STORE" "SELECT leg.side || ' ' || evidence FROM flag JOIN run ON run.id = run_id JOIN leg ON leg.id = leg_id
	WHERE flag = 'IMPORT_WARNING' AND leg.sweep_id = $1"; }
sed 's/fio-3.33/fio-3.36/' "$data/17-fio-gtod-reduce-no-latency.json" >"$tmp/newer.json"
run "$iogap" import --host "$tmp/newer.json" --guest "$data/17-fio-gtod-reduce-no-latency.json"
is "two releases: the guest's run says so" "$status $(flags 1)" \
	"0 guest measured by fio-3.33, its host by fio-3.36: the ratio is that of the programs, too"
run "$iogap" report --format text
like "two releases: the report says so" "$(printf '%s' "$out" | tr '\n' ' ' | tr -s ' ')" "measured by fio-3\.33, its host by fio-3\.36"
run "$iogap" import --again --host "$data/17-fio-gtod-reduce-no-latency.json" --guest "$data/17-fio-gtod-reduce-no-latency.json"
is "one release: nothing to say" "$status $(flags 2)" "0 "
done_testing
