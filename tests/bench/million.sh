#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What a store of RUNS (a million) runs costs to answer: the gate in both modes, list, report of one sweep, history. A thousand sweeps of 50 legs
# and 20 blocks, made by SQL out of made-up rates, in a folder that is removed again.
set -e
cd "${IOGAP_SRC:-.}"
build=${IOGAP_BUILD:-$PWD/build}
make -s BUILD="$build" all "$build/bench/store-bench"
runs=${RUNS:-1000000}
folder=$(mktemp -d "${TMPDIR:-/tmp}/iogap-million.XXXXXX")
trap 'rm -rf "$folder"' EXIT
store=$folder/s.sqlite
IOGAP_SHARE="$build/share" "$build/bench/store-bench" "$store" 1 >/dev/null
sqlite3 "$store" >/dev/null <<SQL
PRAGMA synchronous = OFF;
BEGIN;
DELETE FROM series; DELETE FROM flag; DELETE FROM hist; DELETE FROM run; DELETE FROM leg; DELETE FROM sweep;
CREATE TEMP TABLE n (i INTEGER PRIMARY KEY);
WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < $((runs / 1000))) INSERT INTO n SELECT i FROM c;
-- The last sweep has two arms; the one before it is of the branch topic, all others of main.
INSERT INTO sweep (id, uuid, label, status, started_unix_ns, profile, store_version, seed, commit_id, branch, fingerprint)
	SELECT i, printf('00000000-0000-0000-0000-%012d', i), 'made up', 'finished', i * 1000000000, 'bench', 1, 1, printf('%040x', i),
	CASE max(i) OVER () - i WHEN 0 THEN 'arms' WHEN 1 THEN 'topic' ELSE CASE WHEN i % 50 = 0 THEN 'main' ELSE 'old' END END, 'f' FROM n;
INSERT INTO leg (id, sweep_id, label, side, host_leg_id, target, rw, block_size, queue_depth, jobs, arm)
	SELECT s.i * 50 + l.i - 1, s.i, iif(l.i % 2, 'host', 'guest virtio') || ' read 4k depth=' || ((l.i + 1) / 2 % 13)
		|| iif(l.i > 25, iif(s.i = $((runs / 1000)), ' @new', ' write'), iif(s.i = $((runs / 1000)), ' @base', ' read'))
		|| iif(l.i IN (25, 26), ' x', ''),
	iif(l.i % 2, 'host', 'guest'), iif(l.i % 2, NULL, s.i * 50 + l.i - 2), 't', 'read', 4096, 1, 1,
	iif(s.i = $((runs / 1000)), iif(l.i > 25, 'new', 'base'), NULL) FROM n AS s, n AS l WHERE l.i <= 50;
INSERT INTO run (sweep_id, leg_id, block, position, status, ns, bytes_read, ops_read, bytes_per_s, iops, complete_p99_ns,
	qemu_user_ns, qemu_system_ns, drop_ok)
	SELECT leg.sweep_id, leg.id, b.i - 1, leg.id % 50, 'ok', 1000000000, 100000000, 24414,
	1e8 * (1 + 0.002 * (abs(random()) % 7 - 3)), 24414.0, 90000, 500000000, 100000000, 1 FROM leg, n AS b WHERE b.i <= 17 OR
	(b.i <= 20 AND leg.sweep_id < $((runs / 1000)));
COMMIT;
SQL
echo "runs in the store: $(sqlite3 "$store" 'SELECT count(*) FROM run'), $(stat -c %s "$store") bytes"
took() { # NAME COMMAND...: seconds of the second of two runs, so that the page cache is warm for all alike, and of them CPU
	name=$1
	shift
	"$@" >/dev/null 2>&1 || true
	times >"$folder/before"
	begun=$(date +%s%N)
	"$@" >"$folder/out" 2>&1 || true
	ended=$(date +%s%N)
	times >"$folder/after"
	awk -v ns="$((ended - begun))" -v name="$name" '
		function seconds(text) { split(text, part, /[ms]/); return part[1] * 60 + part[2] }
		# The second line is that of the children.
		FNR == 2 { cpu = seconds($1) + seconds($2) - cpu }
		END { printf "%s %.2f s, CPU %.2f s", name, ns / 1e9, cpu }' "$folder/before" "$folder/after"
	echo " ($(sed -n 1p "$folder/out" | cut -c1-90))"
}
took gate_arms "$build/iogap" gate --store "$store"
took gate_stored "$build/iogap" gate --store "$store" --baseline main --candidate topic
took list "$build/iogap" list --store "$store"
took report "$build/iogap" report --store "$store"
took history "$build/iogap" history --store "$store" --branch main
