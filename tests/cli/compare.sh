#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# iogap compare: alike sweeps, unlike ones with and without --force, sweeps with nothing in common.
. "${IOGAP_SRC:-.}/tests/tap.sh"
command -v sqlite3 >/dev/null || skip_all "needs sqlite3 to fill a store"
db=$tmp/s.sqlite
export IOGAP_STORE="$db"
sql() { sqlite3 -bail "$db"; }
sql >/dev/null <<SQL
.read $IOGAP_BUILD/share/schema/001-first.sql
PRAGMA application_id = 0x696f6770;
INSERT INTO store_meta VALUES (1);
SQL
# sweep ID CPU KERNEL QEMU EXTRA_JSON: a host leg and a guest leg of two blocks; rates in MB/s follow
sweep() {
	sql <<-SQL
	INSERT INTO sweep (id, uuid, label, status, started_unix_ns, profile, blocks, accel, cpu_model, host_kernel, qemu_version,
		environment_json, store_version) VALUES ($1, '0000000$1-0000-4000-8000-000000000000', 's$1', 'finished',
		1700000000000000000, 'p', 2, 'kvm', '$2', '$3', '$4', '$5', 1);
	INSERT INTO leg (id, sweep_id, label, side, target, rw, block_size, direct) VALUES
		(${1}0, $1, 'host read', 'host', 't', 'read', 4096, 1);
	INSERT INTO leg (id, sweep_id, label, side, host_leg_id, target, rw, block_size, direct, bus, cache, format, emulator) VALUES
		(${1}1, $1, 'guest read', 'guest', ${1}0, 't', 'read', $9, 1, 'virtio', 'none', 'raw', '/usr/bin/qemu-$1');
	INSERT INTO run (sweep_id, leg_id, block, status, bytes_per_s) VALUES
		($1, ${1}0, 0, 'ok', ${6}e6), ($1, ${1}0, 1, 'ok', ${6}e6), ($1, ${1}1, 0, 'ok', ${7}e6), ($1, ${1}1, 1, 'ok', ${8}e6);
	SQL
}
stack='"target.t.type":"file","target.t.stack.0.model"'
sweep 1 'model-x 8c' 6.1 7.2 "{$stack:\"DISK 9\",\"host.load.1\":0.1,\"host.cpu.governor\":\"performance\"}" 200 100 100 4096
sweep 2 'model-x 8c' 6.1 8.2 "{$stack:\"DISK 9\",\"host.load.1\":7.5,\"host.cpu.governor\":\"performance\"}" 200 90 90 4096
sweep 3 'model-y 4c' 6.8 8.2 "{$stack:\"DISK 10\",\"host.cpu.governor\":\"powersave\"}" 210 80 70 4096
sweep 4 'model-x 8c' 6.1 7.2 "{$stack:\"DISK 9\"}" 200 100 100 8192
echo "UPDATE leg SET target = 'other', block_size = 512 WHERE sweep_id = 4" | sql
echo "INSERT INTO flag (run_id, flag, evidence) SELECT id, 'CACHED', 'x' FROM run WHERE leg_id = 21" | sql

run "$iogap" compare 1 2
is "alike sweeps: exit 0" "$status" 0
like "another QEMU is noted" "$out" '^  qemu.version +7.2 +8.2$'
is "the load of the moment is no difference" "$(printf '%s' "$out" | grep -c 'host.load')" 0
like "a guest leg: B/A, its host, its ratio" "$out" \
	'^  guest read, t +100.00 +90.00 +0.900 \[0.900, 0.900\] +1.000 \[1.000, 1.000\] +- +B:CACHED$'
like "the ratio of a cached guest to a direct host is withheld, with the reason" "$out" '^guest/host withheld: the guest was served from a cache \(CACHED\)'
is "the emulator is no other leg" "$(printf '%s' "$out" | grep -c 'Only in')" 0
cp "$tmp/.out" "$tmp/alike"
run env LC_ALL=de_DE.UTF-8 "$iogap" compare 1 2
ok "no locale changes it" cmp -s "$tmp/.out" "$tmp/alike"
cp "$db" "$tmp/uncached.sqlite"
echo "DELETE FROM flag" | sqlite3 -bail "$tmp/uncached.sqlite"
run "$iogap" compare --store "$tmp/uncached.sqlite" 1 2
like "without the flag it is shown" "$out" \
	'^  guest read, t +100.00 +90.00 +0.900 \[0.900, 0.900\] +1.000 \[1.000, 1.000\] +0.900 \[0.900, 0.900\] +-?$'
is "and nothing is withheld" "$(printf '%s' "$out" | grep -c withheld)" 0
echo "UPDATE leg SET cache = 'unsafe' WHERE side = 'guest'; UPDATE leg SET rw = 'write', sync = 'dsync'" | sqlite3 -bail "$tmp/uncached.sqlite"
echo "UPDATE run SET bytes_per_s = 9e9 WHERE leg_id % 10 = 1" | sqlite3 -bail "$tmp/uncached.sqlite"
run "$iogap" compare --store "$tmp/uncached.sqlite" 1 2 --format json
is "nor is that of writes whose flushes are dropped, which are not called faster" "$(jq -c '.with[0].cells[1] | [.ratio, (.reason | .[:30]), .flags]' "$tmp/.out")" \
	'[null,"withheld: cache=unsafe drops t",{"base":[],"other":[]}]'

run "$iogap" compare 1 3
is "unlike sweeps: exit 4" "$status" 4
like "the message names what must be equal" "$err" 'sweep 3 is not comparable with the first one: host.cpu.model, target.t.stack.0.model must be equal; --force'
like "the output says so" "$out" '^NOT COMPARABLE: '
like "and lists: what must be equal" "$out" '^  host.cpu.model +model-x 8c +model-y 4c$'
like "and lists: kernel" "$out" '^  host.kernel +6.1 +6.8$'
like "and lists: governor" "$out" '^  host.cpu.governor +performance +powersave$'
like "and lists: QEMU" "$out" '^  qemu.version +7.2 +8.2$'
is "no figure is shown" "$(printf '%s' "$out" | grep -c 'MB/s')" 0
run "$iogap" compare 1 3 --format json
is "JSON: exit 4 too" "$status" 4
is "JSON: figures are withheld" "$(printf '%s' "$out" | sqlite3 :memory: "SELECT json_type(readfile('$tmp/.out'), '$.with[0].cells')")" null

run "$iogap" compare 1 3 --force
is "forced: exit 0" "$status" 0
like "forced: the output says so" "$out" '^FORCED: these sweeps are unlike'
like "forced: the list stays" "$out" '^  host.cpu.model +model-x 8c'
like "forced: figures with an interval" "$out" '^  guest read, t +100.00 +74.83 +0.748 \[[0-9.]+, [0-9.]+\]'
run "$iogap" compare 1 3 --force --format json
is "forced: JSON says so" "$(sqlite3 :memory: "SELECT json_extract(readfile('$tmp/.out'), '$.with[0].forced')")" 1

# ---- all formats, three sweeps in one table; IOGAP_REGENERATE=1 writes the golden files anew: review the diff
golden=$IOGAP_SRC/tests/data/compare
for format in text markdown csv html json; do
	run env TZ=Asia/Kathmandu PYTHONHASHSEED=1 TERM=dumb COLUMNS=20 "$iogap" compare 1 2 3 --force --format $format
	is "three sweeps as $format: exit 0" "$status$err" 0
	[ -z "${IOGAP_REGENERATE:-}" ] || cp "$tmp/.out" "$golden/three.$format"
	ok "three sweeps as $format" cmp "$tmp/.out" "$golden/three.$format"
	run env LC_ALL=de_DE.UTF-8 PYTHONHASHSEED=2 "$iogap" compare 1 2 3 --force --format $format -o "$tmp/three"
	is "$format to a file prints nothing" "$status$out$err" 0
	ok "the same bytes of $format" cmp "$tmp/three" "$golden/three.$format"
	run "$iogap" compare 1 3 --format $format
	is "$format of unlike sweeps: exit 4" "$status" 4
	is "$format of unlike sweeps: no figure" "$(grep -cE '74[.]8|74833147' "$tmp/.out")" 0
done
run "$iogap" compare 1 3 --format markdown
like "Markdown says that figures are withheld" "$out" '^> \*\*NOT COMPARABLE: B is unlike A'
run "$iogap" compare 1 4 --format html
like "a page without a common leg" "$status $out" 'B has no leg in common with A\.'
echo "UPDATE sweep SET label = '<script>alert(1)</script> | x' WHERE id = 2" | sql
run "$iogap" compare 1 2 --format html
is "a hostile label is no markup in the page" "$(grep -oc '<script' "$tmp/.out")" 1
is "and nothing is fetched" "$(grep -ciE '(src|srcset|action)=|url\(|@import' "$tmp/.out")" 0
run "$iogap" compare 1 2 --format markdown
like "nor in Markdown" "$out" '&lt;script&gt;alert\(1\)&lt;/script&gt; \\\| x'
run "$iogap" compare 1 2 --format html -o /proc/none.html
like "where nothing can be written" "$status $err" "^5 iogap: cannot write the comparison: .*/proc/none.html"
run "$iogap" compare 1 2 --format htlm
like "a format mistyped" "$status $err" '^2 iogap: there is no format "htlm"; did you mean "html"\?'
run env IOGAP_PYTHON=/nonexistent/python "$iogap" compare 1 2
is "text needs no Python" "$status" 0

# ---- what would move the cursor, colour or reorder letters on a terminal: ESC, CSI in one character (U+009B), BEL, a line's end, U+202E
escape="'x' || char(27, 91) || '31m' || char(155) || '2J' || char(7, 10, 0x202e) || 'y'"
unprintable() { # CHARACTERS of standard input that print nothing, as their codes
	/usr/bin/python3 -c 'import sys; print(*(hex(ord(c)) for c in sys.stdin.read() if c != "\n" and not c.isprintable()))'
}
echo "UPDATE sweep SET label = $escape, profile = $escape WHERE id = 2; UPDATE leg SET label = $escape WHERE id IN (11, 21, 41)" | sql
run "$iogap" compare 1 2
is "text: labels reach no terminal as commands" "$status $(printf '%s' "$out" | unprintable)" "0 "
like "text: the label stays on its line" "$out" '^B: sweep 2 \(x \[31m 2J   y\), x \[31m 2J   y, 20'
run "$iogap" compare 1 4
is "text: nor labels of legs that only one has" "$status $(printf '%s' "$out" | unprintable)" "4 "
like "text: such a leg is on one line" "$out" '^  x \[31m 2J   y'
echo "UPDATE sweep SET label = 's2', profile = 'p' WHERE id = 2; UPDATE leg SET label = 'guest read' WHERE id IN (11, 21, 41)" | sql

echo "UPDATE run SET status = 'failed', reason = 'gone', bytes_per_s = NULL WHERE leg_id = 21 AND block = 1" | sql
run "$iogap" compare 1 2
like "one run alone has no interval" "$out" '^  guest read, t +100.00 +90.00 +0.900 \[no interval\]'
run "$iogap" compare 1 2 4
is "nothing in common: exit 4" "$status" 4
like "nothing in common: said" "$err" 'sweep 4 has no leg in common'
like "nothing in common: what each has" "$out" '^Only in B$'
run "$iogap" compare 1
is "one sweep is no comparison" "$status" 2
run "$iogap" compare 1 9
is "no such sweep: exit 4" "$status" 4
like "no such sweep: named" "$err" '"?9"?'
run "$iogap" compare 1 2 --format xml
is "no such format: exit 2" "$status" 2
done_testing
