#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# iogap compare --engines: which legs are partners, each verdict with its exit status, and what is no question.
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
# sweep ID IOPS MEAN: both engines on both sides in six blocks, all at one rate; fio has 1000 IOPS and 1 ms
sweep() {
	sql <<-SQL
	INSERT INTO sweep (id, uuid, status, started_unix_ns, profile, blocks, store_version, settle_ns, run_ns)
		VALUES ($1, '0000000$1-0000-4000-8000-000000000000', 'finished', 1700000000000000000 + $1, 'p', 6, 1, 1000000000, 4000000000);
	INSERT INTO leg (id, sweep_id, label, side, rw, block_size, engine, queue_depth) VALUES
		(${1}0, $1, 'host io_uring', 'host', 'read', 4096, 'io_uring', 4), (${1}1, $1, 'host fio', 'host', 'read', 4096, 'fio:io_uring', 4),
		(${1}2, $1, 'host deep fio', 'host', 'read', 4096, 'fio:io_uring', 8), (${1}3, $1, 'host psync', 'host', 'read', 4096, 'psync', 4);
	INSERT INTO leg (id, sweep_id, label, side, host_leg_id, rw, block_size, engine, queue_depth, bus) VALUES
		(${1}4, $1, 'guest io_uring', 'guest', ${1}0, 'read', 4096, 'io_uring', 4, 'virtio'),
		(${1}5, $1, 'guest fio', 'guest', ${1}1, 'read', 4096, 'fio:io_uring', 4, 'virtio');
	UPDATE leg SET rate_iops = 1000 WHERE sweep_id = $1;
	WITH b(block) AS (VALUES (0), (1), (2), (3), (4), (5))
	INSERT INTO run (sweep_id, leg_id, block, status, bytes_per_s, iops, complete_mean_ns, complete_p99_ns)
		SELECT $1, leg.id, block, 'ok', 4e6, CASE engine WHEN 'io_uring' THEN $2 ELSE 1000 END + block,
			CASE engine WHEN 'io_uring' THEN $3 ELSE 1e6 END + block, 2e6 + block FROM leg, b WHERE sweep_id = $1;
	INSERT INTO flag (run_id, flag, evidence) SELECT id, 'THROTTLED', 'x' FROM run WHERE leg_id = ${1}1;
	SQL
}
sweep 1 1002 1010000
sweep 2 1002 1050000
sweep 3 1002 1000000
echo "DELETE FROM run WHERE leg_id = 35 AND block = 3" | sql
sweep 4 1000 1000000
echo "UPDATE leg SET block_size = 512 WHERE engine = 'io_uring' AND sweep_id = 4" | sql

sweep 5 1000 1000000
sweep 6 1000 1000000
echo "UPDATE run SET iops = iops * CASE block % 2 WHEN 0 THEN 0.7 ELSE 1.43 END WHERE leg_id = 64" | sql
sweep 7 1000 1000000
echo "UPDATE leg SET rate_iops = NULL WHERE sweep_id = 7; UPDATE leg SET iops_limit = 1000 WHERE sweep_id = 7 AND side = 'guest'" | sql
echo "UPDATE leg SET rate_iops = NULL WHERE sweep_id = 5" | sql
sweep 8 1000 1000000
echo "UPDATE sweep SET run_ns = 1500000000 WHERE id = 8" | sql

run "$iogap" compare --engines 1
is "they agree: exit 0" "$status" 0
is "two pairs of legs, and no leg without its like" "$(printf '%s' "$out" | grep -c ', against fio:io_uring: agree$')" 2
like "its ratio" "$out" '^  IOPS +6 +1004.5 +1002.5 +1.0020 +\[1.0020, 1.0020\] +1 % +agree$'
like "its latency" "$out" '^  mean latency us +6 +1010.00 +1000.00 +1.0100 +\[1.0100, 1.0100\] +3 % +agree$'
like "its p99" "$out" 'p99 us, with its interval: agent 2000.0 \[2000.0, 2000.0\], fio 2000.0 \[2000.0, 2000.0\]  agree'
is "flags are shown where they belong" "$(printf '%s' "$out" | grep -c 'flags of fio: THROTTLED')" 1
run "$iogap" compare --engines 2
is "latency differs: exit 1" "$status" 1
like "and is named" "$out" 'mean latency us .* 3 % +differ$'
run "$iogap" compare --engines 3
is "five pairs: exit 3" "$status" 3
like "and says so" "$out" '^guest io_uring, against fio:io_uring: unclear$'
like "the other pair of legs is judged alone" "$out" '^host io_uring, against fio:io_uring: agree$'
like "and why" "$out" '^  not judged: 5 pairs of runs, 6 are needed'
run "$iogap" compare --engines 5
is "legs without a ceiling: exit 3" "$status" 3
is "each says so" "$(printf '%s' "$out" | grep -c '^  not judged: no rate and no iops_limit')" 2
is "nothing of them is called agreement" "$(printf '%s' "$out" | grep -c ' agree$')" 0
run "$iogap" compare --engines 6
is "a ratio of 1 with a wide interval: exit 3" "$status" 3
like "it is unclear" "$out" '^  IOPS +6 .* 1\.000[0-9] +\[0\.[0-9]+, 1\.[0-9]+\] +1 % +unclear$'
run "$iogap" compare --engines 7
is "a limit of the guest's disk is a ceiling: exit 0" "$status" 0
like "its host, which has none, is not judged" "$out" '^host io_uring, against fio:io_uring: unclear$'
run "$iogap" compare --engines 8
is "runs of 1.5 s: exit 3" "$status" 3
like "and says why" "$out" '^  not judged: each run was measured for less than 4 s'
run "$iogap" compare --engines 4
is "a sweep without such legs: exit 4" "$status" 4
like "and says what would have" "$err" 'sweep 4 has no leg that both the agent and fio ran; measure with engine: \[io_uring, fio\]'
run "$iogap" compare --engines 1 --format json
is "JSON" "$(printf '%s' "$out" | /usr/bin/python3 -c 'import json, sys; d = json.load(sys.stdin); print(d["format"], d["verdict"], len(d["legs"]), d["legs"][0]["iops"]["pairs"], d["legs"][0]["iops"]["limit"])')" \
	"iogap-engines agree 2 6 0.01"
run "$iogap" compare --engines 1 2
is "two sweeps are too many: exit 2" "$status" 2
like "and says so" "$err" '--engines takes one sweep'
run "$iogap" compare 1
is "one sweep is too few without --engines" "$status" 2
like "and says so" "$err" 'two or more sweeps are needed \(or --engines and one\)'
run "$iogap" compare --engines nothing
is "no such sweep: exit 4" "$status" 4
done_testing
