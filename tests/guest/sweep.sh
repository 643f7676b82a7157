#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The whole way, for real: a profile, real guests, a real disk, the store, the table; then everything that ends it early.
. "${IOGAP_SRC:-.}/tests/tap.sh"

export IOGAP_RUNTIME="$tmp/r" IOGAP_STORE="$tmp/store/iogap.sqlite"
: "${IOGAP_CACHE:=${XDG_CACHE_HOME:-$HOME/.cache}/iogap}"
export IOGAP_CACHE

profile() {
	cat <<-EOF
	name: $1
	accel: auto
	targets: [{name: scratch, type: file, size: 64M}]
	workload: {rw: read, block_size: 4k, direct: [true, false]}
	guest: {bus: [virtio, ide], cache: none, io: native}
	measure: {settle: 0.05s, run: $2, blocks: $3}
	EOF
}
profile small 0.5s 2 >"$tmp/small.yaml"
profile long 1s 30 >"$tmp/long.yaml"
sql() { sqlite3 -readonly "$IOGAP_STORE" "$1"; }
# Processes of ours: QEMU and keepers carry the runtime folder in their command line, agents in their environment.
ours() {
	pgrep -f "$IOGAP_RUNTIME" || true
	for ours_pid in $(pgrep -x iogap-agent); do
		if grep -qzxF "IOGAP_RUNTIME=$IOGAP_RUNTIME" "/proc/$ours_pid/environ" 2>/dev/null; then echo "$ours_pid"; fi
	done
}
# Waits up to N seconds for a command to succeed.
within() {
	within_n=$(($1 * 10))
	shift
	while [ $within_n -gt 0 ]; do
		if "$@" >/dev/null 2>&1; then return 0; fi
		sleep 0.1
		within_n=$((within_n - 1))
	done
	return 1
}
nothing_left() { [ -z "$(ours)" ] && [ -z "$(find "$IOGAP_RUNTIME" -name 'run-*' -o -name '*.sock' -o -name '*.monitor' 2>/dev/null)" ] && [ -z "$(find "$tmp/store" -size +1M -name '*scratch*')" ]; }

# ---- a sweep that goes well
run "$iogap" sweep "$tmp/small.yaml" --progress=lines
is "a small sweep succeeds" "$status" 0
[ "$status" = 0 ] || tap_show stderr "$err"
printf '%s\n' "$out" >"$tmp/table"
is "every leg of every block is one run" "$(sql 'select count(*) from run where status = "ok"')" 12
is "one boot a block carries both buses" "$(sql 'select count(*) from boot')" 2
is "each boot keeps its domain XML and QEMU's command line" \
	"$(sql 'select count(*) from boot where domain_xml like "%<domain%" and qemu_cmdline like "%-blockdev%"')" 2
accel=$(sql 'select accel from sweep')
is "the accelerator stands on every guest leg" "$(sql "select count(*) from leg where side = 'guest' and accel = '$accel'")" 4
is "the host reads what was filled: no byte is missing" \
	"$(sql 'select count(*) from run where bytes_read = ops_read * 4096 and ops_read > 0')" 12
like "the table has both buses" "$out" "ide"
like "the table has both buses" "$out" "virtio"
[ "$accel" = kvm ] || like "emulation is said loudly" "$err" "WARNING: guests run under emulation"
like "it says where the store is" "$err" "store: .*iogap.sqlite"
like "it says where the report is" "$err" "report: .*sweep-1"
run "$iogap" report latest --format text
is "the table made again has the same bytes" "$out" "$(cat "$tmp/table")"
ok "nothing is left after success" within 5 nothing_left

# ---- Ctrl-C, and going on later
"$iogap" sweep "$tmp/long.yaml" --progress=lines >"$tmp/out" 2>"$tmp/err" &
pid=$!
ok "a long sweep gets going" within 120 grep -q '^\[4/' "$tmp/err"
run "$iogap" sweep "$tmp/small.yaml"
is "a second sweep at the same time is refused" "$status" 5
like "and says why" "$err" "another sweep is running"
kill -INT $pid
status=0
wait $pid || status=$?
is "Ctrl-C ends it with 130" "$status" 130
like "and says how to go on" "$(cat "$tmp/err")" "--resume"
ok "nothing is left after Ctrl-C" within 10 nothing_left
kept=$(sql 'select count(*) from run where leg_id in (select id from leg where sweep_id = 2)')
ok "finished runs are kept ($kept)" test "$kept" -ge 4
is "the sweep is marked" "$(sql 'select status from sweep where id = 2')" interrupted
"$iogap" sweep "$tmp/long.yaml" --resume --progress=lines >"$tmp/out" 2>"$tmp/err" &
pid=$!
ok "a resumed sweep gets going" within 120 grep -q '^\[2/' "$tmp/err"
kill -TERM $pid
status=0
wait $pid || status=$?
is "SIGTERM ends it with 143" "$status" 143
is "resuming makes no new sweep" "$(sql 'select count(*) from sweep')" 2
ok "resuming measures more" test "$(sql 'select count(*) from run where leg_id in (select id from leg where sweep_id = 2)')" -gt "$kept"
is "and nothing twice" "$(sql 'select count(*) from (select 1 from run group by leg_id, block having count(*) > 1)')" 0

# A resumed sweep stays on the storage it began on.
run "$iogap" sweep "$tmp/long.yaml" --resume --data=/dev/shm
is "resuming on another storage is refused" "$status" 4
ok "nothing is left of the attempt" within 5 nothing_left

# ---- Ctrl-C as a terminal sends it: to the whole foreground group, in every stage
# terminal PATTERN: runs a sweep on a terminal, types Ctrl-C once PATTERN has been printed.
terminal() {
	rm -f "$tmp/keys"
	mkfifo "$tmp/keys"
	status=0
	# A background job ignores SIGINT, and all its children would.
	env --default-signal=INT script -qec "$iogap sweep $tmp/qcow2.yaml --progress=lines" /dev/null <"$tmp/keys" >"$tmp/out" 2>&1 &
	pid=$!
	exec 8>"$tmp/keys"
	within 120 grep -q "$1" "$tmp/out"
	printf '\003' >&8
	wait $pid || status=$?
	exec 8>&-
}
profile qcow2 2s 2 | sed 's/size: 64M/size: 512M/; s/io: native/io: native, format: qcow2/' >"$tmp/qcow2.yaml"
for stage in 'filling target' 'making qcow2' 'host read'; do
	terminal "$stage"
	is "Ctrl-C typed while $stage: 130" "$status" 130
	is "Ctrl-C typed while $stage: the sweep can be resumed" "$(sql 'select status from sweep order by id desc limit 1')" interrupted
	is "Ctrl-C typed while $stage: no failed run" \
		"$(sql 'select count(*) from run where status <> "ok" and leg_id in (select id from leg where sweep_id = (select max(id) from sweep))')" 0
	ok "Ctrl-C typed while $stage: nothing is left" within 10 nothing_left
done

# ---- a host scheduler is set, read back, and set back
disk=$(basename "$(readlink -f "/sys/dev/block/$(stat -c %Hd:%Ld "$tmp" 2>/dev/null)" 2>/dev/null)" 2>/dev/null)
queue=/sys/block/$disk/queue/scheduler
if [ -w "$queue" ] && grep -q 'none' "$queue" && grep -q 'mq-deadline' "$queue"; then
	before=$(cat "$queue")
	profile scheduled 0.5s 1 | sed 's/^guest:.*/host: {scheduler: [none, mq-deadline]}\nguest: {bus: virtio, cache: none, io: native}/' >"$tmp/scheduled.yaml"
	run "$iogap" sweep "$tmp/scheduled.yaml" --progress=lines
	is "a sweep over host schedulers succeeds" "$status" 0
	is "host schedulers were in effect" "$(sql 'select count(*) from flag where flag = "NOT_AS_ASKED" and evidence like "%scheduler%"')" 0
	is "the host's scheduler is set back" "$(cat "$queue")" "$before"
else
	echo "# the host's scheduler cannot be set here ($queue): not tried"
fi

# ---- a guest that dies in the middle
"$iogap" sweep "$tmp/small.yaml" --progress=lines >"$tmp/out" 2>"$tmp/err" &
pid=$!
ok "a guest is there" within 60 pgrep -f "qemu-system.*$IOGAP_RUNTIME"
within 60 grep -q 'guest ready' "$tmp/err"
kill -KILL "$(pgrep -f "qemu-system.*$IOGAP_RUNTIME" | head -1)"
status=0
wait $pid || status=$?
is "a guest that dies makes a failed measurement" "$status" 5
like "the row says so" "$(sql 'select reason from run where status = "failed"')" "guest"
is "the other legs are measured" "$(sql 'select count(*) > 8 from run where leg_id in (select id from leg where sweep_id = (select max(id) from sweep)) and status = "ok"')" 1
like "the table says so" "$(cat "$tmp/out")" "failed"
ok "nothing is left after a dead guest" within 10 nothing_left

# ---- SIGKILL of the harness itself
"$iogap" sweep "$tmp/long.yaml" --progress=lines >"$tmp/out" 2>"$tmp/err" &
pid=$!
ok "a sweep to be killed gets going" within 120 grep -q '^\[3/' "$tmp/err"
kill -KILL $pid
wait $pid 2>/dev/null || true
ok "nothing is left after SIGKILL while measuring" within 10 nothing_left
run "$iogap" sweep "$tmp/small.yaml" --progress=none
is "the next sweep works" "$status" 0
is "and calls the killed one interrupted" "$(sql 'select count(*) from sweep where status = "running"')" 0
is "the store is whole" "$(sql 'pragma integrity_check')" ok
done_testing
