#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# iogap import: files, streams, labels, pairing, broken input, the same file twice, the shipped examples.
. "${IOGAP_SRC:-.}/tests/tap.sh"
data=$IOGAP_SRC/tests/data/import
db=$tmp/s.sqlite
import() { run "$iogap" import --store "$db" "$@"; }
sql() { sqlite3 "$db" "$1"; }
fresh() { rm -f "$db" "$db"-*; }

# One of each outcome.
import "$data/03-fio-2.14-usec-kib.json" --side host
is "a good file: status" "$status" 0
is "a good file: nothing to warn of" "$err" ""
like "a good file: the sweep is named" "$out" "^sweep 1: files 1, legs 1, runs ok 1, failed 0; "
is "its figures are in the store" "$(sql 'SELECT bytes_read, bytes_written IS NULL, bytes_per_s, iops, ns, submit_mean_ns,
	complete_mean_ns, complete_p50_ns, complete_p99_ns, complete_p90_ns IS NULL FROM run')" \
	"134217728|1|131072000.0|8000.0|1024000000|4300.0|122800.0|117000.0|251000.0|1"
is "its leg is in the store" "$(sql 'SELECT side, rw, block_size, direct, sync, queue_depth, effective_depth, jobs, engine FROM leg')" \
	"host|read|16384|1|none|1|1|1|fio:libaio"
is "its source is in the store" "$(sql 'SELECT format, producer, documents, rows, length(sha256), warnings IS NULL FROM source')" \
	"fio-json|fio-2.14|1|1|64|1"

fresh
import --side host "$data/01-fio-errors-before-json.json"
is "a failed job: status" "$status" 5
like "a failed job: fio's own lines are shown" "$err" "json: warning: line 1: fio: io_u error on file"
like "a failed job: the reason" "$err" "json:14: t0: failed: fio says error 5 \\(EIO\\)"
is "a failed job: stored as failed, with what it did" \
	"$(sql 'SELECT status, reason, bytes_written, bytes_per_s, iops FROM run')" \
	"failed|fio says error 5 (EIO): its figures are those of a part|73728|8192000.0|2000.0"
is "a failed job: its lines are kept" "$(sql 'SELECT length(warnings) > 100 FROM source')" 1
run "$iogap" show --store "$db"
like "a failed job: its lines are shown again" "$out" "^    warning: line 2: fio: pid=2101, err=5"
run "$iogap" report --store "$db"
like "a failed job: the report says so" "$out" "fio says error 5"

fresh
import --side host "$data/02-fio-note-qd-capped.json"
is "a warning: status" "$status" 0
like "a warning is shown" "$err" "rr16: warning: queue depth not reached: 16 asked for, 1 in effect"
is "a warning is kept with its run" "$(sql "SELECT flag FROM flag")" NOT_AS_ASKED
is "both depths are kept" "$(sql 'SELECT queue_depth, effective_depth FROM leg')" "16|1"

fresh
import --side host "$data/12-fio-truncated.json"
is "a truncated file: status" "$status" 5
like "a truncated file: where" "$err" "truncated.json:40: truncated or incomplete JSON: .* \\(byte 899\\)"
is "a truncated file: nothing is stored" "$(sql 'SELECT (SELECT count(*) FROM sweep) + (SELECT count(*) FROM run) +
	(SELECT count(*) FROM leg) + (SELECT count(*) FROM source)')" 0

# One broken file among good ones.
import --side host "$data/12-fio-truncated.json" "$data/07-fio-mixed-rw.json" "$tmp/none" "$tmp"
is "one of many is broken: status" "$status" 5
like "one of many is broken: the others are imported" "$out" "files 1, legs 1, runs ok 1, failed 0; files not imported 3"
like "a file that is not there" "$err" "none: No such file"
like "a folder" "$err" "Is a directory"
is "read and write are neither lost nor added twice" "$(sql 'SELECT bytes_read, bytes_written, ops_read, ops_write, iops,
	bytes_per_s, complete_mean_ns, complete_p99_ns IS NULL FROM run')" "286720000|122880000|70000|30000|10000.0|40960000.0|160000.0|1"

# The same file twice.
import "$data/07-fio-mixed-rw.json"
is "the same file again: status" "$status" 0
like "the same file again is noticed" "$err" "07-fio-mixed-rw.json is in the store already, as sweep 1: not imported again"
is "the same file again: no sweep" "$(sql 'SELECT count(*) FROM sweep')" 1
import --again --side host "$data/07-fio-mixed-rw.json" "$data/07-fio-mixed-rw.json"
is "--again: two repetitions of one leg" "$(sql 'SELECT count(DISTINCT leg_id), max(block) FROM run WHERE sweep_id = 2')" "1|1"
fresh
cp "$data/03-fio-2.14-usec-kib.json" "$tmp/copy.json"
import --side host "$data/03-fio-2.14-usec-kib.json" "$tmp/copy.json"
like "the same content twice in one call" "$err" "copy.json has the same content as a file before it: left out"

# Streams and compressed files.
for kind in gzip xz zstd bzip2; do
	fresh
	$kind -c <"$data/03-fio-2.14-usec-kib.json" >"$tmp/packed.$kind"
	import --side host "$tmp/packed.$kind"
	is "$kind: status" "$status" 0
	is "$kind: what the file gives" "$(sql 'SELECT bytes_read, complete_p99_ns FROM run')" "134217728|251000.0"
	import "$data/03-fio-2.14-usec-kib.json"
	like "$kind: the same file unpacked is noticed" "$err" "usec-kib.json is in the store already, as sweep 1: not imported again"
done
import --again "$tmp/packed.gzip"
is "the sum is that of the contents" "$(sql 'SELECT DISTINCT sha256 FROM source')" "$(sha256sum <"$data/03-fio-2.14-usec-kib.json" | cut -d' ' -f1)"
gzip -c <"$data/07-fio-mixed-rw.json" | head -c 300 >"$tmp/cut.gz"
import "$tmp/cut.gz"
is "half a packed file: status" "$status" 5
like "half a packed file" "$err" "cut.gz: cannot unpack it"
for kind in gzip xz zstd; do
	$kind -c <"$data/07-fio-mixed-rw.json" | head -c 300 >"$tmp/cut.$kind"
	import "$tmp/cut.$kind"
	like "half a file of $kind says so" "$err" "cut.$kind: cannot unpack it: [Tt]runcated $kind input"
done
fresh
"$iogap" import --store "$db" --side host - <"$data/03-fio-2.14-usec-kib.json" >"$tmp/out" 2>&1
is "standard input" "$(sql 'SELECT name FROM source')" "standard input"
printf '\377\376' >"$tmp/utf16"
iconv -t UTF-16LE "$data/06-fio-3.1-ns-no-bw_bytes.json" >>"$tmp/utf16"
import --side host "$tmp/utf16"
is "UTF-16, as some shells write" "$(sql 'SELECT bytes_per_s FROM run WHERE sweep_id = 2')" 49152000.0
for name in 03-fio-2.14-usec-kib.json 21-fio-terse-v3.txt 24-bonnie-csv-plusses.csv 27-dd-gnu-current.txt 34a-ioping-text.txt 34d-ioping.json; do
	fresh
	{ printf '\357\273\277' && cat "$data/$name"; } >"$tmp/marked"
	import --side host "$data/$name" "$tmp/marked"
	is "$name after a byte order mark: the same results" "$status $(sql 'SELECT count(DISTINCT rows), count(*) FROM source')" "0 1|2"
done
fresh
printf '\357\273\277{"bw":1.5,"iops":3}' >"$tmp/marked"
import --side host "$tmp/marked"
is "a table in JSON after a byte order mark" "$(sql 'SELECT iops FROM run')" "3.0"

# Many files show how far it is; messages stay lines of their own.
fresh
mkdir "$tmp/many"
for i in 1 2 3 4 5 6 7 8; do
	sed "s/131072,/13107$i,/" "$data/03-fio-2.14-usec-kib.json" >"$tmp/many/$i.json"
done
cp "$data/12-fio-truncated.json" "$tmp/many/9.json"
import --side host "$tmp"/many/*.json
is "many files: status" "$status" 5
like "many files: progress" "$err" '^\[1/9, 0:0[0-9] left\] .*/many/1.json: ok$'
like "many files: progress of one that is broken" "$err" '^\[9/9, 0:00 left\] .*/many/9.json: failed$'
like "many files: its message" "$err" '^iogap: .*/many/9.json:40: truncated'
import --again --side host --progress json "$tmp/many/1.json" "$tmp/many/9.json"
is "--progress json: every line is an object" "$(printf '%s\n' "$err" | jq -r .event | sort | uniq -c | tr -s '\n ' ' ')" " 2 begin 2 end 1 note "
import --again --side host --progress none "$tmp"/many/*.json
is "--progress none: messages only" "$(printf '%s\n' "$err" | grep -c left)" 0
import --progress fast "$tmp/many/1.json"
like "a wrong --progress" "$status $err" '^2 .*--progress fast: expected auto, bar, lines, json or none'

# Sides, labels, pairing.
fresh
sed 's/"jobname" : "sr16k"/"jobname" : "other"/; s/"iops" : 8000/"iops" : 4000/; s/"bw" : 128000/"bw" : 64000/; s/131072,/65536,/' \
	"$data/03-fio-2.14-usec-kib.json" >"$tmp/guest.json"
import --host "$data/03-fio-2.14-usec-kib.json" --guest "$tmp/guest.json" --label bus=virtio -l cache=none -l lab=nine \
	--commit abc --branch main --name tuesday
is "two sides: status" "$status" 0
is "a guest leg has the host leg of its workload" "$(sql "SELECT g.bus, g.cache, h.side, h.bus IS NULL FROM leg g JOIN leg h
	ON g.host_leg_id = h.id")" "virtio|none|host|1"
is "labels of the sweep" "$(sql 'SELECT label, commit_id, branch, labels_json FROM sweep')" 'tuesday|abc|main|{"lab":"nine"}'
run "$iogap" report --store "$db" tuesday
like "their ratio" "$out" "^131.1 +65.5 0.500 no interval +4000 123us 123us"
import --guest "$data/02-fio-note-qd-capped.json" --host "$data/17-fio-gtod-reduce-no-latency.json"
like "a workload without a host leg is told" "$err" "no ratio for 1 guest leg"
is "latency that was not measured is NULL" "$(sql 'SELECT complete_mean_ns IS NULL AND complete_p99_ns IS NULL FROM run
	WHERE iops = 65536')" 1

# YAML beside the files.
fresh
mkdir "$tmp/set"
cp "$data/03-fio-2.14-usec-kib.json" "$tmp/set/h.json"
cp "$tmp/guest.json" "$tmp/set/g.json"
sed 's/1700000000/1700000001/g' "$tmp/guest.json" >"$tmp/set/i.json"
printf 'side: guest\nbus: ide\n' >"$tmp/set/i.json.yaml"
printf 'commit: def\nfiles:\n  h.json: {side: host}\n  g.json: {side: guest, bus: virtio}\n  i.json: {bus: sata}\n' \
	>"$tmp/set/iogap-import.yaml"
import "$tmp/set/h.json" "$tmp/set/g.json" "$tmp/set/i.json"
is "YAML: status" "$status" 0
is "YAML: each file has its own; the nearer one wins" "$(sql "SELECT group_concat(side || ':' || coalesce(bus, '-'), ' ') FROM leg")" \
	"host:- guest:virtio guest:ide"
is "YAML: commit" "$(sql 'SELECT commit_id FROM sweep')" def
printf 'side: somewhere\n' >"$tmp/set/i.json.yaml"
import --again "$tmp/set/i.json"
is "YAML with a wrong value: status" "$status" 5
like "YAML with a wrong value: its place" "$err" 'i.json.yaml:1:7: side cannot be "somewhere": host or guest expected'
# Names that nothing has, and slips.
mkdir "$tmp/slips"
cp "$data/03-fio-2.14-usec-kib.json" "$tmp/slips/h.json"
cp "$tmp/guest.json" "$tmp/slips/g.json"
yaml=$tmp/slips/iogap-import.yaml
printf 'files:\n  h.json: {side: host}\n  g.json: {side: guest}\n  zz.json: {side: guest}\nrows:\n  other: {bus: scsi}\n  nosuch: {bus: ide}\n' \
	>"$yaml"
import --again "$tmp/slips/h.json" "$tmp/slips/g.json"
is "names that nothing has: warnings, once for all files" "$status $(printf '%s\n' "$err" | grep ': its settings')" "0 iogap: warning: $yaml:4:3: no file beside it is called \"zz.json\": its settings are not used
iogap: warning: $yaml:7:3: no row that was imported is called \"nosuch\": its settings are not used"
is "names that nothing has: the others are used" "$(sql "SELECT bus FROM leg WHERE side = 'guest' AND sweep_id = (SELECT max(id) FROM sweep)")" scsi
import --again "$tmp/slips/h.json" "$tmp/none"
is "a file that lies beside, for another call" "$(printf '%s\n' "$err" | grep -c 'g.json')" 0
for slip in 'sides: guest|1:1|sides|side' 'file: {h.json: {side: guest}}|1:1|file|files' 'rows: {sr16k: {Bus: ide}}|1:16|Bus|bus' \
	'x-site: b\nblok_size: 4k|2:1|blok_size|block_size'; do
	# shellcheck disable=SC2059
	printf "${slip%%|*}\n" >"$yaml"
	place=${slip#*|}
	word=${place#*|}
	import --again "$tmp/slips/h.json"
	like "YAML with a slip: ${word%|*}" "$status $err" \
		"^5 iogap: $yaml:${place%%|*}: \"${word%|*}\" is not a setting; did you mean \"${word#*|}\"\\? A label of your own is written \"x-"
done
printf 'rows: {sr16k: {lab: nine}}\n' >"$yaml"
import --again "$tmp/slips/h.json"
like "a row has no labels of its own" "$status $err" "^5 iogap: $yaml:1:8: rows: sr16k: a row takes .*\"lab\" is said of a whole file"
import --label sides=guest "$data/07-fio-mixed-rw.json"
like "--label with a slip" "$status $err" '^2 .*"sides" is not a setting; did you mean "side"\?'
import --again --side host --label x-sides=two --label lab=nine --label row=3 "$data/07-fio-mixed-rw.json"
is "labels of one's own" "$status $(sql 'SELECT labels_json FROM sweep ORDER BY id DESC LIMIT 1')" '0 {"lab":"nine","row":"3","x-sides":"two"}'

# Wrong options.
fresh
import --side moon "$data/07-fio-mixed-rw.json"
is "a wrong side: status" "$status" 2
like "a wrong side" "$err" 'side cannot be "moon"'
import --label x "$data/07-fio-mixed-rw.json"
like "a label without a value" "$err" 'a label is KEY=VALUE, not "x"'
import --format excel "$data/07-fio-mixed-rw.json"
is "a wrong format: status" "$status" 2
like "a wrong format: the known ones" "$err" 'no import format "excel"; use one of: fio-json, fio-terse,'
import
is "no file: status" "$status" 2
import --format fio-terse "$data/07-fio-mixed-rw.json"
like "the wrong format" "$err" "it holds no result of the format fio-terse"
printf 'Dear all,\nit is slow.\n' >"$tmp/letter"
import "$tmp/letter"
like "no known format" "$err" "letter: its format is not recognised"
echo '{"fio version":"fio-3.33","jobs":[]}' >"$tmp/letter"
import "$tmp/letter"
like "a format that nobody named, without a result" "$err" "no result of the format fio-json, which it looks most like; --format names another"
: >"$tmp/empty"
import "$tmp/empty"
like "an empty file" "$err" "empty: it is empty"

tar -cf "$tmp/two.tar" -C "$data" 03-fio-2.14-usec-kib.json 34d-ioping.json
tar --format=v7 -cf "$tmp/v7.tar" -C "$data" 03-fio-2.14-usec-kib.json
gzip -c <"$tmp/two.tar" >"$tmp/two.tar.gz"
for name in two.tar v7.tar two.tar.gz; do
	import "$tmp/$name"
	like "an archive: $name" "$status $err" "^5 iogap: $tmp/$name: it is an archive \\(tar\\): unpack it and name the files in it"
done

printf '\357\273\277' >"$tmp/mark"
for format in fio-json fio-terse table-csv table-json bonnie dd ioping; do
	like "--help says what $format is" "$("$iogap" import --help)" "^  $format +[^ ].{20}"
	import --format $format "$tmp/mark"
	like "nothing but a byte order mark as $format" "$status $err" '^5 iogap: .*mark: '
done

# Tables: values in any locale, odd labels, wrong cells. The system need not have the locale: it is made here.
fresh
localedef -i de_DE -f UTF-8 "$tmp/de_DE.UTF-8"
is "there is a locale with a decimal comma" "$(LOCPATH=$tmp LC_ALL=de_DE.UTF-8 locale decimal_point)" ","
printf '{"a":1,"bw":123.75,"iops":30.5}' >"$tmp/flat.json"
for locale in C de_DE.UTF-8; do
	rm -f "$db" "$db"-*
	LOCPATH=$tmp LC_ALL=$locale "$iogap" import --store "$db" --side host "$tmp/flat.json" >"$tmp/out" 2>&1
	is "flat JSON under $locale" "$(sql "SELECT bytes_per_s, iops, json_extract(effective_json, '\$.import.more.a') FROM run")" \
		"123.75|30.5|1"
done
# One of each format: stores and reports are the same to the byte, but for the uuid and the time of the import.
for locale in C de_DE.UTF-8; do
	fresh
	(
		export LOCPATH="$tmp" LC_ALL="$locale"
		for name in 06-fio-3.1-ns-no-bw_bytes.json 19a-fio-jsonplus-bins.json 21-fio-terse-v3.txt 23-bonnie-1.03-text.txt \
			28-dd-locales.txt 34a-ioping-text.txt 34d-ioping.json; do
			"$iogap" import --store "$db" --side host "$data/$name" 2>&1
		done
		"$iogap" import --store "$db" --name t "$IOGAP_SRC/examples/threads/disk-integrity-2008.csv" 2>&1
		for format in text thread csv json html; do
			"$iogap" report --store "$db" --format $format 2>&1
		done
		sqlite3 "$db" 'SELECT * FROM leg; SELECT * FROM run; SELECT * FROM flag; SELECT run_id, direction, kind, n, hex(slots) FROM hist'
	) | sed -E 's/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/UUID/g; s/20[0-9]{2}-[0-9]{2}-[0-9]{2}[T ][0-9:.]*/TIME/g;
		s/"(started|finished)_unix_ns": *[0-9]+/TIME/g' >"$tmp/all.$locale"
done
ok "there is much to compare" test "$(wc -c <"$tmp/all.C")" -gt 100000
is "de_DE: the same stores and reports" "$(cksum <"$tmp/all.de_DE.UTF-8")" "$(cksum <"$tmp/all.C")"
cmp "$tmp/all.C" "$tmp/all.de_DE.UTF-8" | sed 's/^/# /'

# A series without a single figure, and a plot without a series.
fresh
{
	echo side,rw,block_size,cache,MiBps
	for line in '4k nan 100.5' '64k nan 200.25' '1M nan nan'; do
		# shellcheck disable=SC2086
		set -- $line
		echo "host,read,$1,,300.5"
		echo "guest,read,$1,none,$2"
		echo "guest,read,$1,writeback,$3"
	done
} >"$tmp/series.csv"
import "$tmp/series.csv"
is "nan in a table: status" "$status" 5
like "nan in a table: the row is no result" "$err" "series.csv:3: .*: failed: MiBps is not a number: nan"
like "nan in a table: the others are" "$out" "legs 9, runs ok 5, failed 4"
run "$iogap" report --store "$db" --format html
is "a series without a figure: status" "$status" 0
like "a series without a figure is left out with a note" "$out" "left out, not measured: none"
like "the plot has the others" "$(printf '%s' "$out" | tr -d '\n')" "Throughput.*<svg.*writeback"
is "no nan in the page" "$(printf '%s' "$out" | sed 's/is not a number: nan//g' | grep -ciE '[^a-z](nan|inf)[^a-z]')" 0
fresh
printf 'side,rw,block_size,MiBps\nhost,read,4k,nan\nguest,read,4k,inf\nguest,read,64k,-nan\n' >"$tmp/nothing.csv"
import "$tmp/nothing.csv"
like "nothing but nan" "$out" "runs ok 0, failed 3"
for format in text thread markdown csv json html; do
	run "$iogap" report --store "$db" --format $format
	is "nothing but nan: $format" "$status" 0
done
like "nothing but nan: the page says why there is no plot" "$out" "Throughput \\(not measured: host; guest\\)"

printf 'label,MiBps\r\n"virtio_blk <cache=none> & ""direct"" 100%%",123.75\r\n"a_b^c{d}@e",30.5\r\n' >"$tmp/odd.csv"
import --again --host "$tmp/odd.csv" --guest "$tmp/odd.csv"
is "odd labels" "$(sql "SELECT json_extract(effective_json, '\$.import.name'), bytes_per_s FROM run WHERE sweep_id = 2 AND block = 0
	ORDER BY id LIMIT 2")" \
	'virtio_blk <cache=none> & "direct" 100%|129761280.0
a_b^c{d}@e|31981568.0'
run "$iogap" report --store "$db" 2 --format html
like "odd labels are escaped in HTML" "$out" 'guest virtio_blk &lt;cache=none&gt; &amp; &#34;direct&#34; 100%'
printf 'rw,MBps\nread,12x\n' >"$tmp/bad.csv"
import "$tmp/bad.csv"
like "a cell that is no number" "$err" 'bad.csv:2: column MBps: "12x" is not a number'
printf 'rw,MBps\nread,1,2\n' >"$tmp/bad.csv"
import "$tmp/bad.csv"
like "a cell too much" "$err" "bad.csv:2: 3 cells, but the first line names 2 columns"
printf 'rw,MBps,colour\nread,1,2\n' >"$tmp/bad.csv"
import "$tmp/bad.csv"
like "an unknown column" "$err" 'bad.csv:1: column "colour" is not known'

# The examples: every figure of the 33 rows in its place.
fresh
examples=$IOGAP_SRC/examples/threads
for name in disk-integrity-2008 odirect-small-blocks-2010 virtio-vs-ide-2008; do
	import --name $name "$examples/$name.csv"
	is "$name: status" "$status" 0
done
run "$iogap" report --store "$db" disk-integrity-2008 --format thread
printf '%s\n' "$out" | sed -n 's/^[a-z0-9].*| *\([0-9.]*\) | *\([0-9]*\)   | *\([0-9.]*\)     | *\([0-9.]*\)    |$/\1,\2,\3,\4/p' |
	sort >"$tmp/got"
awk -F, 'NR > 1 { printf "%.1f,%d,%.2f,%.2f\n", $10, $11, $12, $13 }' "$examples/disk-integrity-2008.csv" | sort >"$tmp/expected"
is "33 rows in the thread's own tables" "$(grep -c . "$tmp/got")" 33
is "all their figures" "$(cat "$tmp/got")" "$(cat "$tmp/expected")"
is "the host's cache in today's words" "$(sql "SELECT cache, count(*) FROM leg WHERE sweep_id = 1 AND side = 'guest' GROUP BY cache")" \
	"none|9
writeback|9
writethrough|9"
is "two rows contradict themselves" "$(sql "SELECT l.rw, l.block_size, l.target, l.cache, substr(f.evidence, 55) FROM flag f
	JOIN run r ON f.run_id = r.id JOIN leg l ON r.leg_id = l.id WHERE r.sweep_id = 1 AND f.flag = 'INCONSISTENT' ORDER BY r.id")" \
	"write|16384|lvm|writeback|713.6 requests in flight, the median of 33 rows 72.1
write|16384|file-ext3|none|6.4 requests in flight, the median of 33 rows 72.1"
run "$iogap" report --store "$db" disk-integrity-2008 --format json
is "and 14 guest rows are faster than their host" "$(printf '%s' "$out" | jq -c '[.cells[].flags[].flag] |
	[map(select(. == "FASTER_THAN_HOST")), map(select(. == "INCONSISTENT"))] | map(length)')" "[14,2]"
is "each of the two is told once" "$(printf '%s' "$out" | jq -c '[.. | objects | select(has("runs") and has("label")) | .runs | arrays[] |
	.flags[]? | (.flag? // .) | select(. == "INCONSISTENT")] | length')" 2
is "no other row of the threads does" "$(sql "SELECT count(*) FROM flag WHERE flag = 'INCONSISTENT'")" 2
is "host cells of every guest row" "$(sql "SELECT count(*) FROM leg WHERE sweep_id = 1 AND host_leg_id IS NOT NULL")" 27
is "the 8k row of 2010" "$(sql "SELECT l.block_size, r.bytes_per_s, h.direct FROM run r JOIN leg l ON r.leg_id = l.id
	JOIN leg h ON l.host_leg_id = h.id WHERE r.bytes_per_s = 79e6")" "8192|79000000.0|1"
is "bonnie++ in KiB, its seeks without a rate" "$(sql "SELECT l.bus, l.rw, l.block_sizes, r.bytes_per_s, r.iops, r.cpu_percent FROM run r
	JOIN leg l ON r.leg_id = l.id WHERE r.sweep_id = 3 AND l.bus = 'ide' AND l.rw <> 'rewrite' AND l.block_sizes <> 'per char'")" \
	"ide|write|block|27069440.0||28.0
ide|read|block|59382784.0||18.0
ide|randread|seeks||91.5|2.0"
done_testing
