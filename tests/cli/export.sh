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

# A row that no line can hold: the file does not appear.
sqlite3 "$db" "UPDATE run SET bytes_per_s = 9e999"
run "$iogap" export before -o "$tmp/out/y.jsonl"
is "a number that JSON has not: exit status" "$status" 5
like "a number that JSON has not: message" "$err" "column bytes_per_s of a row of run in the store $db is no number that JSON has"
is "a number that JSON has not: no file" "$(ls "$tmp/out")" x.jsonl
done_testing
