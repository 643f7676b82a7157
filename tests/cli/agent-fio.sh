#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# fio as an engine of the agent, for real: each kind of load on a disk and in memory, what fio says when it fails, and its end.
. "${IOGAP_SRC:-.}/tests/tap.sh"

command -v fio >/dev/null || skip_all "fio is not installed"
file=$tmp/data
head -c 4194304 /dev/urandom >"$file"
job() { printf '{"path":"%s","size":4194304,"block_size":4096,"settle_ns":100000000,"run_ns":300000000,%s}' "$file" "$1"; }
# WHAT JOB TESTS...: a run that succeeds, and expressions over its result r, all of which are true. One Python for all of them.
good() {
	what=$1
	run "$agent" --run "$(job "$2")"
	is "$what" "$status$err" 0
	shift 2
	printf '%s' "$out" | /usr/bin/python3 -c '
import json, sys
r = json.load(sys.stdin)
whole = all(r[d]["bytes"] == r[d]["ops"] * 4096 and r[d]["complete"]["n"] == r[d]["ops"] ==
	sum(c for s, c in r[d]["complete"]["slots"]) + r[d]["complete"]["below"] for d in ("read", "write"))
for test in sys.argv[1:]:
	if not eval(test): print(test)
' "$@" >"$tmp/wrong" 2>&1
	is "  its result" "$(cat "$tmp/wrong")" ""
}
good "random reads with psync" '"rw":"randread","engine":"fio:psync","direct":true' whole 'r["read"]["ops"] > 20' \
	'r["write"]["ops"] == 0' '300e6 <= r["ns"] < 600e6' 'r["effective"]["direct"]' 'r["effective"]["engine"] == "fio:psync"' \
	'r["fio"]["version"].startswith("fio-")' 'r["fio"]["messages"] == []' '"ioengine=psync" in r["fio"]["job"]' \
	'abs(r["end"]["boot_ns"] - r["begin"]["boot_ns"] - r["ns"]) < 1e6 if r["begin"] else "placed" in r["unplaced"]' \
	'r["read"]["submit"]["n"] == 0' 'r["depth_mean"] is None' 'r["cpu"]["load_user_ns"] + r["cpu"]["load_system_ns"] > 0'
good "a mixed load with io_uring, two jobs" \
	'"rw":"randrw","mix_read":50,"engine":"fio:io_uring","queue_depth":4,"jobs":2,"direct":true' whole \
	'min(r[d]["ops"] for d in ("read", "write")) > 10' 'abs(r["read"]["submit"]["n"] - r["read"]["ops"]) <= 8' \
	'r["read"]["submit"]["sum_ns"] < r["read"]["complete"]["sum_ns"]'
good "libaio, rate limited" '"rw":"randread","engine":"fio:libaio","queue_depth":2,"rate_iops":200,"direct":true' whole \
	'40 <= r["read"]["ops"] <= 75'
good "O_DSYNC is read back from fio's descriptor" '"rw":"write","engine":"fio:psync","sync":"dsync"' whole \
	'r["effective"]["sync_flags"] == "dsync"' 'not r["effective"]["direct"]' 'r["final_sync_ns"] is None'
good "buffered writes: settled by another fio, synced at the end" '"rw":"randwrite","engine":"fio:psync"' whole \
	'"end_fsync=1" in r["fio"]["job"]' '"ramp_time" not in r["fio"]["job"]' 'r["settle_ns"] == 100000000'
good "fsync after every 4 writes" '"rw":"write","engine":"fio:psync","sync":"fsync","fsync_every":4' whole \
	'abs(r["sync"]["ops"] - r["write"]["ops"] / 4) <= 1' 'r["sync"]["latency"]["n"] == r["sync"]["ops"]'
if [ "$(stat -f -c %T /dev/shm 2>/dev/null)" = tmpfs ]; then
	memory=$(mktemp /dev/shm/iogap-test.XXXXXX)
	at_exit "rm -f $memory"
	cp "$file" "$memory"
	file=$memory
	good "in memory" '"rw":"read","engine":"fio:psync"' whole 'r["device"] is None'
	good "asynchronous in memory: nobody knows when it was, and nothing is counted" '"rw":"read","engine":"fio:io_uring"' whole \
		'r["begin"] is None and r["end"] is None and r["device"] is None and r["cpu"]["machine_user_ns"] is None' \
		'"counts nothing of asynchronous I/O in memory" in r["unplaced"]' 'r["placed_ns"] is None' 'r["cpu"]["load_user_ns"] >= 0'
	file=$tmp/data
fi
# The job file that is stored is one that anybody can run.
printf '%s' "$out" | python3 -c 'import json, sys; print(json.load(sys.stdin)["fio"]["job"])' >"$tmp/job.fio"
cp "$file" "$(sed -n 's/^filename=//p' "$tmp/job.fio")"
ok "fio takes the stored job file" fio --parse-only "$tmp/job.fio"

run "$agent" --run "$(job '"rw":"read","engine":"fio:psync","queue_depth":4')"
like "a depth that fio would cap" "$err" 'queue_depth is 4, but engine fio:psync has one request in flight'
run "$agent" --run "$(job '"rw":"read","engine":"fio:libaio"')"
like "libaio is direct only" "$err" 'engine fio:libaio on a buffered file waits inside every call'
run "$agent" --run "$(job '"rw":"read","engine":"fio"')"
like "fio alone is no engine of the agent" "$err" 'engine is "fio" and must be one of .*fio:io_uring'
run env PATH="$tmp" "$agent" --run "$(job '"rw":"read","engine":"fio:psync"')"
is "fio missing: status" "$status" 1
like "fio missing: message" "$err" 'engine fio:psync does not work here: there is no fio in PATH; install the package fio \(ENOENT: engine\)'

# Programs of the same name that go wrong in the ways that fio can.
bad() { # WHAT SCRIPT MESSAGE [ERROR]
	mkdir -p "$tmp/bin"
	printf '#!/bin/sh\n[ "$1" = --version ] && { echo fio-9.9; exit; }\n%s\n' "$2" >"$tmp/bin/fio"
	chmod +x "$tmp/bin/fio"
	run env PATH="$tmp/bin:$PATH" "$agent" --run "$(job '"rw":"read","engine":"fio:psync"')"
	is "$1: status" "$status" 1
	like "$1: message" "$err" "$3"
}
bad "an fio that fails" 'echo "fio: this is why" >&2; echo "note: and that"; exit 1' \
	'fio failed with status 1: fio: this is why; note: and that \(EIO: fio\)'
bad "an fio that is killed" 'kill -9 $$' 'fio was killed by signal 9 \(EIO: fio\)'
bad "an fio that prints no JSON" 'echo hello' 'fio printed no JSON: hello \(EPROTO: fio\)'
bad "an fio that prints other JSON" 'printf "{\n\"jobs\": []}\n"' 'has 0 jobs, not one'
bad "an fio that never stops printing" 'exec cat /dev/zero' 'what fio prints cannot be taken: File too large'
# The harness gets all of its words, and what it was told.
bad "an fio that says much" 'for i in 1 2 3 4 5; do echo "note: line $i" >&2; done; exit 1' 'line 1; note: line 2; note: line 3 \(EIO: fio\)'
# The pipe stays open until the answer is there: its end would call the run off.
{ printf '{"id":1,"cmd":"run","job":%s}\n' "$(job '"rw":"read","engine":"fio:psync"')"; sleep 2; } | PATH="$tmp/bin:$PATH" "$agent" --stdio >"$tmp/answers"
like "a failed run has every message" "$(tail -n 1 "$tmp/answers")" '"messages": ?\["note: line 1", ?"note: line 2", ?"note: line 3", ?"note: line 4", ?"note: line 5"\]'
like "  the job file" "$(tail -n 1 "$tmp/answers")" '"job": ?"\[iogap\]\\nfilename='
like "  and the error" "$(tail -n 1 "$tmp/answers")" '"failed": ?\{"code": ?"EIO"'
# A folder with a blank and a colon: fio opens the very file.
saved=$file
mkdir "$tmp/a b:c"
file="$tmp/a b:c/data"
cp "$saved" "$file"
good "a path with a blank and a colon" '"rw":"read","engine":"fio:psync","direct":true' whole 'r["effective"]["direct"]'
file=$saved
# The true program with a job that it refuses: its own words come through.
bad "a bad job" "exec $(command -v fio) --output-format=json+ --no-such-option" 'fio failed with status [0-9]+: .*no-such-option'

# fio's set-up opens the file for a moment and otherwise than its jobs do: that is not the begin.
printf '#!/bin/sh\n[ "$1" = --version ] || { exec 3<"%s"; sleep 0.05; exec 3<&-; sleep 0.2; }\nexec %s "$@"\n' \
	"$file" "$(command -v fio)" >"$tmp/bin/fio"
saved=$PATH
PATH=$tmp/bin:$PATH
good "an open of the set-up is no begin" '"rw":"read","engine":"fio:psync","direct":true' whole 'r["effective"]["direct"]'
good "nor is it without flags to tell it by" '"rw":"read","engine":"fio:psync"' whole 'not r["effective"]["direct"]'
PATH=$saved

# A cancelled run, a hang-up, and the agent's own end leave no fio behind.
kids() { pgrep -P "$1" || true; }
long=$(printf '{"id":1,"cmd":"run","job":%s}' "$(job '"rw":"read","engine":"fio:psync"' | sed 's/300000000/30000000000/')")
mkfifo "$tmp/in"
begin() {
	"$agent" --stdio <"$tmp/in" >"$tmp/answers" &
	pid=$!
	exec 9>"$tmp/in"
	printf '%s\n' "$long" >&9
	n=100
	until grep -q '"phase":"measure"' "$tmp/answers" || [ $n = 0 ]; do
		sleep 0.1
		n=$((n - 1))
	done
	child=$(kids $pid)
	ok "fio runs as a child of the agent" test -n "$child"
}
gone() {
	n=50
	while kill -0 "$child" 2>/dev/null && [ $n -gt 0 ]; do
		sleep 0.1
		n=$((n - 1))
	done
	! kill -0 "$child" 2>/dev/null
}
begin
printf '{"id":2,"cmd":"ping"}\n{"id":3,"cmd":"cancel"}\n' >&9
ok "cancel ends fio" gone
exec 9>&-
wait $pid
like "another request meanwhile is refused" "$(cat "$tmp/answers")" '"id":2.*EBUSY|EBUSY.*"id":2'
like "the run says that it was cancelled" "$(cat "$tmp/answers")" 'ECANCELED.*the run was cancelled'
begin
exec 9>&-
ok "a hang-up ends fio" gone
wait $pid
begin
kill -9 $pid
ok "the agent's violent end ends fio" gone
exec 9>&-
begin
kill -9 "$child"
n=50
until grep -q '"type":"error"' "$tmp/answers" || [ $n = 0 ]; do
	sleep 0.1
	n=$((n - 1))
done
like "a killed fio fails the run" "$(cat "$tmp/answers")" 'fio was killed by signal 9'
exec 9>&-
wait $pid
done_testing
