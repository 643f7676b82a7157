#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# iogap import of what the installed fio really prints: each output in all its formats, compared with one another.
. "${IOGAP_SRC:-.}/tests/tap.sh"
command -v fio >"$tmp/which" || skip_all "fio is not installed"
db=$tmp/s.sqlite
sql() { sqlite3 "$db" "$1"; }
fresh() {
	[ -e "$db" ] && sql "SELECT evidence FROM flag WHERE flag = 'INCONSISTENT'" >>"$tmp/inconsistent"
	rm -f "$db" "$db"-*
}
import() { run "$iogap" import --store "$db" --side host "$@"; }
load() { (cd "$tmp" && fio --name=job --size=16m --bs=4k "$@" 2>"$tmp/fio.err"); }

# One run printed as JSON+ and as terse: both say the same, to the digits that terse has.
for version in 2 3 4 5; do
	fresh
	load --ioengine=null --rw=randrw --rwmixread=70 --iodepth=4 --output-format=json+,terse --terse-version=$version --output="$tmp/both"
	import --format fio-json "$tmp/both"
	is "JSON+ beside terse $version: status" "$status" 0
	import --again --format fio-terse "$tmp/both"
	is "terse $version: status" "$status" 0
	is "terse $version: the figures of JSON" "$(sql "SELECT abs(a.bytes_read - b.bytes_read) < 1024, abs(a.bytes_written - b.bytes_written) < 1024,
		abs(a.bytes_per_s - b.bytes_per_s) < 2048.1, abs(a.iops - b.iops) < 2.1, a.ns = b.ns,
		abs(a.complete_mean_ns - b.complete_mean_ns) < 1 FROM run a, run b WHERE a.sweep_id = 1 AND b.sweep_id = 2")" "1|1|1|1|1|1"
	is "terse $version: sequential or random is not known" "$(sql 'SELECT group_concat(rw) FROM leg')" "randrw,rw?"
done
is "a mixed run has all bytes" "$(sql 'SELECT bytes_read + bytes_written FROM run WHERE sweep_id = 1')" 16777216
is "bins became histograms, which add up" "$(sql 'SELECT sum(h.n) = r.ops_read + r.ops_write FROM hist h JOIN run r ON h.run_id = r.id
	WHERE r.sweep_id = 1')" 1

# Percentiles from bins are those that fio makes of them.
fresh
load --ioengine=psync --rw=randread --output-format=json+ --percentile_list=50:90:99:99.9 --output="$tmp/told"
sed 's/"\(90\|99.9\)0*" : [0-9]*,*/"0.00" : 0,/' "$tmp/told" | tr -d '\n' | sed 's/,\( *}\)/\1/g' >"$tmp/untold"
import "$tmp/told"
import "$tmp/untold"
is "percentiles of bins" "$(sql 'SELECT b.complete_p90_ns = a.complete_p90_ns AND b.complete_p999_ns = a.complete_p999_ns
	FROM run a, run b WHERE a.sweep_id = 1 AND b.sweep_id = 2')" 1
is "the histogram is within a slot" "$(sql 'SELECT h.n = r.ops_read AND h.max_ns >= r.complete_p999_ns FROM hist h JOIN run r ON h.run_id = r.id
	WHERE r.sweep_id = 1')" 1

# unified_rw_reporting, in both formats and all its settings.
for unified in mixed both; do
	for format in json terse; do
		fresh
		load --ioengine=null --rw=randrw --unified_rw_reporting=$unified --output-format=$format --output="$tmp/unified"
		import "$tmp/unified"
		is "unified $unified in $format: the whole, once" "$(sql "SELECT json_extract(effective_json, '\$.import.mixed.bytes'),
			abs(bytes_per_s - 16777216e9 / ns) < 0.02 * bytes_per_s FROM run")" "16777216|1"
	done
done

# Several processes: grouped or not, the same sum.
for grouped in "" --group_reporting; do
	fresh
	# shellcheck disable=SC2086
	load --ioengine=null --rw=read --numjobs=3 $grouped --output-format=json --output="$tmp/jobs"
	import "$tmp/jobs"
	is "three processes ${grouped:-apart}: one run with all bytes" "$(sql 'SELECT count(*), sum(bytes_read), max(l.jobs) FROM run r
		JOIN leg l ON r.leg_id = l.id')" "1|50331648|3"
	load --ioengine=null --rw=read --numjobs=3 $grouped --output-format=terse --output="$tmp/jobs"
	import "$tmp/jobs"
	is "three processes ${grouped:-apart}, terse: the same" "$(sql 'SELECT count(*), sum(bytes_read) FROM run WHERE sweep_id = 2')" "1|50331648"
done

# Periodic status: cumulative documents, the last counts.
fresh
load --ioengine=null --rw=read --time_based --runtime=3 --rate_iops=1000 --status-interval=1 --output-format=json --output="$tmp/status"
import "$tmp/status"
like "status interval" "$err" "warning: [34] documents of one run, each cumulative: the last"
is "status interval: one run of all 3 s" "$(sql 'SELECT count(*), abs(ops_read - 3000) < 60, abs(ns - 3000000000) < 60000000 FROM run')" "1|1|1"
load --ioengine=null --rw=read --time_based --runtime=3 --rate_iops=1000 --status-interval=1 --output-format=terse --output="$tmp/status"
import "$tmp/status"
like "status interval, terse" "$err" "earlier states of jobs that later lines have in full"
is "status interval, terse: one run" "$(sql 'SELECT count(*), abs(bytes_read - 12288000) < 245760 FROM run WHERE sweep_id = 2')" "1|1"

# Jobs of a fixed size, one run appended to the other within a second: as many operations, and results of their own.
fresh
for i in 1 2 3; do
	load --ioengine=null --rw=read --size=4m --output-format=json --output="$tmp/one"
	cat "$tmp/one"
done >"$tmp/appended"
import "$tmp/appended"
is "three runs appended to one file are three results" "$(sql 'SELECT count(*), count(DISTINCT block), sum(bytes_read) FROM run')" "3|3|12582912"

# Client and server.
fresh
fio --server=sock:"$tmp/sock" --daemonize="$tmp/pid" >"$tmp/server" 2>&1
at_exit 'kill "$(cat "$tmp/pid")"'
tries=0
while [ ! -S "$tmp/sock" ] && [ $tries -lt 50 ]; do
	sleep 0.1
	tries=$((tries + 1))
done
printf '[one]\nioengine=null\nsize=1m\nbs=4k\nrw=read\n[two]\nstonewall\nioengine=null\nsize=1m\nbs=4k\nrw=write\n' >"$tmp/job.fio"
fio --client=sock:"$tmp/sock" "$tmp/job.fio" --output-format=json >"$tmp/client" 2>"$tmp/fio.err"
import "$tmp/client"
like "client and server: the sum is not a result" "$err" 'the entry "All clients" is left out'
is "client and server" "$(sql "SELECT l.rw, r.bytes_read, r.bytes_written FROM run r JOIN leg l ON r.leg_id = l.id ORDER BY l.id")" \
	"read|1048576|
write||1048576"

# Runs that fail.
fresh
load --ioengine=psync --rw=read --direct=1 --bs=1000 --output-format=json >"$tmp/failed"
cat "$tmp/fio.err" >>"$tmp/failed"
import "$tmp/failed"
is "a run that failed: status" "$status" 5
is "a run that failed: stored as failed" "$(sql 'SELECT status, bytes_per_s IS NULL FROM run')" "failed|1"
like "a run that failed: the error" "$(sql 'SELECT reason FROM run')" '^fio says error [0-9]+ \(E[A-Z]+\)'
load --ioengine=nonsense --output-format=json >"$tmp/none"
cat "$tmp/fio.err" >>"$tmp/none"
import "$tmp/none"
is "an engine that fio does not have: status" "$status" 5
is "an engine that fio does not have: no result" "$(sql "SELECT count(*) FROM run WHERE status = 'ok'")" 0

# Nothing timed is NULL, a depth that is no depth is flagged.
fresh
load --ioengine=null --rw=read --gtod_reduce=1 --output-format=json --output="$tmp/gtod"
import "$tmp/gtod"
is "gtod_reduce: no latency" "$(sql 'SELECT complete_mean_ns IS NULL AND complete_p99_ns IS NULL AND ops_read = 4096 FROM run')" 1
load --ioengine=psync --rw=randread --iodepth=16 --output-format=json >"$tmp/capped"
import "$tmp/capped"
is "a depth that a synchronous engine cannot have" "$(sql "SELECT queue_depth, effective_depth FROM leg WHERE sweep_id = 2")" "16|1"
is "its flag" "$(sql "SELECT count(*) FROM flag WHERE flag = 'NOT_AS_ASKED'")" 1
load --ioengine=null --rw=randread --bssplit=4k/60:64k/40 --output-format=json --output="$tmp/split"
import "$tmp/split"
is "a split of block sizes" "$(sql "SELECT block_size IS NULL, block_sizes FROM leg WHERE sweep_id = 3")" "1|4k/60:64k/40"
load --ioengine=null --rw=randtrim --output-format=json --output="$tmp/trim"
import "$tmp/trim"
is "a trim is a result of its own" "$(sql "SELECT status, ops_read IS NULL, ops_write IS NULL, iops > 0 FROM run WHERE sweep_id = 4")" "ok|1|1|1"
fresh
is "what fio really printed contradicts itself nowhere" "$(cat "$tmp/inconsistent")" ""
done_testing
