#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# iogap export, on a store that another program (sqlite3) filled from the shipped schema.
. "${IOGAP_SRC:-.}/tests/tap.sh"
command -v sqlite3 >/dev/null || skip_all "sqlite3 is missing: make DEPS=test deps"
db="$tmp/s.sqlite"
export IOGAP_STORE="$db"

run "$iogap" export
is "no store is exit 4" "$status" 4
like "the message names the store" "$err" "cannot read the store $db: No such file"
is "nothing is made" "$(ls "$tmp")" ""

{
	for file in "$IOGAP_BUILD"/share/schema/*.sql; do echo ".read $file"; done
	cat <<'SQL'
PRAGMA application_id = 0x696f6770;
INSERT INTO store_meta VALUES (1);
INSERT INTO sweep (uuid, label, status, started_unix_ns, profile, profile_text, store_version) VALUES
('11112222-0000-4000-8000-000000000001', 'before', 'finished', 1700000000000000000, 'quick', 'name: "quick"' || char(10), 1),
('11113333-0000-4000-8000-000000000002', 'after', 'interrupted', 1700000200000000000, 'full', NULL, 1);
INSERT INTO leg (sweep_id, label, side, rw, block_size) VALUES (1, 'host read 8k', 'host', 'read', 8192);
INSERT INTO run (sweep_id, leg_id, block, status, bytes_per_s) VALUES (1, 1, 0, 'ok', 0.1);
SQL
} | sqlite3 -bail "$db"
version=$(find "$IOGAP_BUILD/share/schema" -name '[0-9]*.sql' | wc -l)
sqlite3 "$db" "UPDATE store_meta SET version = $version"

run "$iogap" export before
is "a sweep by its label" "$status $err" "0 "
is "its first line is the header" "$(sed -n 1p "$tmp/.out")" \
	"{\"iogap_export\":1,\"store_version\":$version,\"iogap_version\":\"$("$iogap" --version | cut -d' ' -f2)\"}"
is "then its row" "$(sed -n 2p "$tmp/.out")" '{"sweep":{"id":1,"uuid":"11112222-0000-4000-8000-000000000001","label":"before","status":"finished","started_unix_ns":1700000000000000000,"profile":"quick","profile_text":"name: \"quick\"\n","store_version":1}}'
is "numbers keep all digits" "$(sed -n 4p "$tmp/.out")" \
	'{"run":{"id":1,"sweep_id":1,"leg_id":1,"block":0,"status":"ok","bytes_per_s":0.10000000000000001}}'
is "the sum is that of the rows" "$(sed -n 's/.*"rows":3,"sha256":"\([0-9a-f]*\)".*/\1/p' "$tmp/.out")" \
	"$(sed -n 2,4p "$tmp/.out" | sha256sum | cut -d' ' -f1)"
one=$out
run env LC_ALL=de_DE.UTF-8 "$iogap" export 1 before 11112222
is "named three times, exported once, in any locale" "$out" "$one"
run "$iogap" export
like "without a name: the latest" "$out" '11113333.*"rows":1,'
run "$iogap" export --all
is "--all: every sweep" "$(printf '%s\n' "$out" | grep -c '^{"end"')" 2
run "$iogap" export --all before
is "--all and a name: exit status" "$status" 2
is "--all and a name: message" "$err" "iogap: name sweeps or give --all, not both"
run "$iogap" export nosuch
is "an unknown sweep: exit status" "$status" 4
like "an unknown sweep: message" "$err" 'there is no sweep "nosuch" in the store'

mkdir "$tmp/out"
run "$iogap" export before -o "$tmp/out/x.jsonl"
is "-o: says nothing" "$status $out$err" "0 "
is "-o: the same bytes" "$(cat "$tmp/out/x.jsonl")" "$one"
is "-o: leaves that file alone" "$(ls "$tmp/out")" x.jsonl
is "-o: readable as others are" "$(umask 022 && "$iogap" export before -o "$tmp/out/x.jsonl" && stat -c %a "$tmp/out/x.jsonl")" 644
run "$iogap" export nosuch -o "$tmp/out/x.jsonl"
is "-o: a failure leaves the old file" "$status $(cat "$tmp/out/x.jsonl")" "4 $one"
is "-o: and nothing beside it" "$(ls "$tmp/out")" x.jsonl
run "$iogap" export before -o "$tmp/nosuch/x.jsonl"
is "-o into no folder: exit status" "$status" 5
like "-o into no folder: message" "$err" "cannot write the export $tmp/nosuch/x.jsonl: No such file or directory"
run "$iogap" export before -o /dev/full
is "-o to a full device: exit status" "$status" 5
like "-o to a full device: message" "$err" "cannot write the export /dev/full: .*No space left on device"
is "printed on a full device: exit status" "$("$iogap" export before 2>/dev/null >/dev/full || echo $?)" 5
is "-o to a pipe" "$("$iogap" export before -o /dev/stdout | cat)" "$one"

# ---- and back into another store
other="$tmp/other.sqlite"
"$iogap" export --all -o "$tmp/all.jsonl"
run "$iogap" import --store "$other" "$tmp/all.jsonl"
is "import: exit status" "$status $err" "0 "
is "import: each sweep" "$out" "sweep 1: 11112222-0000-4000-8000-000000000001, runs 1, from $tmp/all.jsonl
sweep 2: 11113333-0000-4000-8000-000000000002, runs 0, from $tmp/all.jsonl"
is "import: all is there" "$("$iogap" export --all --store "$other")" "$(cat "$tmp/all.jsonl")"
gzip -c "$tmp/all.jsonl" >"$tmp/all.jsonl.gz"
run "$iogap" import --store "$other" "$tmp/all.jsonl.gz"
is "import again, compressed: exit status" "$status $out" "0 "
like "import again: noticed" "$err" "sweep 11112222.* of $tmp/all.jsonl.gz is in the store already, as sweep 1: left as it is"
is "import again: nothing is there twice" "$("$iogap" export --all --store "$other")" "$(cat "$tmp/all.jsonl")"

# Two stores into one: ids are given anew, and a sweep of both is one sweep.
third="$tmp/third.sqlite"
"$iogap" export after -o "$tmp/after.jsonl"
cat "$tmp/after.jsonl" "$tmp/all.jsonl" >"$tmp/joined.jsonl"
run "$iogap" import --store "$third" "$tmp/joined.jsonl"
is "joined files: exit status" "$status" 0
like "joined files: new numbers" "$out" "sweep 2: 11112222-0000-4000-8000-000000000001, runs 1"
like "joined files: one is there already" "$err" "sweep 11113333.*is in the store already, as sweep 1"
is "joined files: the run has its leg" "$(sqlite3 "$third" "SELECT s.uuid, l.label FROM run r JOIN leg l ON l.id = r.leg_id
	JOIN sweep s ON s.id = r.sweep_id AND s.id = l.sweep_id")" "11112222-0000-4000-8000-000000000001|host read 8k"
sqlite3 "$db" "INSERT INTO leg (sweep_id, label, side, rw) VALUES (2, 'more', 'host', 'read')"
"$iogap" export after -o "$tmp/after.jsonl"
run "$iogap" import --store "$third" "$tmp/after.jsonl"
like "a sweep that went on is said" "$err" "as sweep 1, with 1 rows; the file has 2: it was left as it is in the store"

# An export is read as a stream, packed or not: a sweep is stored before the file has come to its end.
for pack in cat gzip; do
	rm -f "$tmp"/stream.*
	mkfifo "$tmp/stream.fifo"
	{
		sed '/"end":.*11112222/q' "$tmp/all.jsonl"
		tries=0
		until [ "$(sqlite3 "$tmp/stream.sqlite" 'SELECT count(*) FROM sweep' 2>/dev/null)" = 1 ] || [ $tries = 100 ]; do
			# What libraries keep until they have more of it: lines of spaces are no part of an export, so a header again.
			[ $pack = gzip ] && head -c 300000 /dev/urandom | od -An -tx1 | tr -d ' \n' | sed 's/.*/{"iogap_export":1,"store_version":1,"note":"&"}\n/'
			tries=$((tries + 1))
			sleep 0.1
		done
		sqlite3 "$tmp/stream.sqlite" 'SELECT count(*) FROM sweep' >"$tmp/stream.seen"
		sed '1,/"end":.*11112222/d' "$tmp/all.jsonl"
	} | $pack >"$tmp/stream.fifo" &
	run "$iogap" import --store "$tmp/stream.sqlite" "$tmp/stream.fifo"
	is "a stream ($pack): exit status" "$status $err" "0 "
	is "a stream ($pack): the first sweep is stored while the second is to come" "$(cat "$tmp/stream.seen")" 1
	is "a stream ($pack): all is there" "$("$iogap" export --all --store "$tmp/stream.sqlite")" "$(cat "$tmp/all.jsonl")"
done

sed 's/"block":0/"block":O/' "$tmp/all.jsonl" >"$tmp/bad.jsonl"
run "$iogap" import --store "$tmp/bad.sqlite" "$tmp/bad.jsonl"
is "a damaged line: exit status" "$status" 5
like "a damaged line: named, with its sweep" "$err" "^iogap: $tmp/bad.jsonl:4: the line is damaged: .*nothing of sweep 11112222[-0-9]* is stored$"
like "a damaged line: the next sweep is taken" "$out" "^sweep 1: 11113333.*, runs 0, from $tmp/bad.jsonl$"
is "a damaged line: nothing of its sweep is stored" "$(sqlite3 "$tmp/bad.sqlite" "SELECT (SELECT count(*) FROM sweep), (SELECT count(*) FROM leg)")" "1|0"
for broken in '1s/iogap_export/iogap_exp/' '1s/^{/x/' 1d '1s/..$//'; do
	sed "$broken" "$tmp/all.jsonl" >"$tmp/head.jsonl"
	run "$iogap" import --store "$tmp/head.sqlite" "$tmp/head.jsonl"
	like "a damaged first line ($broken): status, line, and both sweeps" "$status $err" \
		"^5 iogap: $tmp/head.jsonl:1: .*export.*; nothing of sweeps 11112222[-0-9]*, 11113333[-0-9]* is stored$"
done
run "$iogap" import --store "$tmp/bad.sqlite" "$tmp/bad.jsonl" "$tmp/all.jsonl"
is "one bad file, one good: exit status" "$status" 5
is "one bad file, one good: the good one is there" "$(sqlite3 "$tmp/bad.sqlite" "SELECT count(*) FROM sweep")" 2
head -n 3 "$tmp/all.jsonl" >"$tmp/cut.jsonl"
run "$iogap" import --store "$tmp/cut.sqlite" "$tmp/cut.jsonl"
like "a file that ends too early" "$status $err" "5 iogap: $tmp/cut.jsonl:3: the file ends within a sweep; nothing of sweep"
run "$iogap" import --store "$tmp/cut.sqlite" --label bus=virtio "$IOGAP_SRC/tests/data/import/34d-ioping.json" "$tmp/all.jsonl"
is "labels do not fit an export: exit status" "$status" 2
is "labels do not fit an export: nothing is stored" "$(sqlite3 "$tmp/cut.sqlite" 'SELECT count(*) FROM sweep')" 0
like "labels do not fit an export: message" "$err" "is an export of iogap, whose sweeps are taken as they are"
sed '1s/"iogap_export":1/"iogap_export":2/' "$tmp/all.jsonl" | sed '1s/"iogap_version":"[^"]*"/"iogap_version":"7.0"/' >"$tmp/new.jsonl"
run "$iogap" import --store "$tmp/cut.sqlite" "$tmp/new.jsonl"
like "a newer format" "$status $err" "5 iogap: $tmp/new.jsonl:1: this export has format 2, written by iogap 7.0.*use a newer iogap"

# A row that no line can hold: the file does not appear.
sqlite3 "$db" "UPDATE run SET bytes_per_s = 9e999"
run "$iogap" export before -o "$tmp/out/y.jsonl"
is "a number that JSON has not: exit status" "$status" 5
like "a number that JSON has not: message" "$err" "column bytes_per_s of a row of run in the store $db is no number that JSON has"
is "a number that JSON has not: no file" "$(ls "$tmp/out")" x.jsonl
done_testing
