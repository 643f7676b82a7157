#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs that must not be believed, made so on purpose, and the same runs left alone: a guest whose clock is really fast, an
# answer that contradicts itself, other load on the host, and a scheduler that changes while a run is under way.
. "${IOGAP_SRC:-.}/tests/tap.sh"

export IOGAP_RUNTIME="$tmp/r"
: "${IOGAP_CACHE:=${XDG_CACHE_HOME:-$HOME/.cache}/iogap}"
export IOGAP_CACHE
sql() { sqlite3 -readonly "$IOGAP_STORE" "$1"; }
# On a loop device, where there is one, whose requests the disk below schedules: asked is what that disk has already.
type=file scheduler=keep
disk=$(lsblk -nro PKNAME,NAME "$(df --output=source "$tmp" | tail -n 1)" 2>/dev/null | awk '{print $1; exit}')
if [ "$(id -u)" = 0 ] && losetup -f >/dev/null 2>&1 && [ -e "/sys/block/$disk/queue/scheduler" ]; then
	type=loop scheduler=$(sed 's/.*\[\(.*\)\].*/\1/' "/sys/block/$disk/queue/scheduler")
fi
cat >"$tmp/p.yaml" <<EOF2
name: planted
accel: auto
targets: [{name: scratch, type: $type, size: 64M}]
workload: {rw: randread, block_size: [4k, 12k], direct: true}
guest: {bus: virtio, cache: none, io: native}
host: {scheduler: $scheduler}
measure: {settle: 0.5s, run: 1.5s, extend: false, blocks: 1}
EOF2
flags() { # flags FLAG SIDE: how many runs have it
	sql "select count(distinct run_id) from flag join run on run.id = run_id join leg on leg.id = leg_id
		where flag = '$1' and side like '$2'"
}
evidence() { sql "select evidence from flag where flag = '$1' and evidence like '$2' limit 1"; }
cpus=$(getconf _NPROCESSORS_ONLN)
# Whole percents of the processors' time that were spent during SECONDS.
busy() {
	busy_a=$(awk '/^cpu /{print $2+$3+$4+$7+$8, $5+$6}' /proc/stat)
	sleep "$1"
	awk -v a="$busy_a" '/^cpu /{split(a, o, " "); b = $2+$3+$4+$7+$8-o[1]; i = $5+$6-o[2]; printf "%d\n", 100 * b / (b + i)}' /proc/stat
}

# ---- left alone
# Twice at most: somebody else on the machine who comes for a moment is flagged rightly, and is gone then; a fault is not.
for try in 1 2; do
	export IOGAP_STORE="$tmp/calm$try.sqlite"
	before=$(busy 1)
	run "$iogap" sweep "$tmp/p.yaml" --progress=lines
	after=$(busy 1)
	seen="$(sql "select group_concat(evidence, '; ') from flag where flag = 'THROTTLED' and evidence like 'other load: %'")"
	[ -n "$seen" ] || break
	echo "# try $try, busy $before % before and $after % after: $seen"
done
is "calm: the sweep succeeds" "$status" 0
[ "$status" = 0 ] || tap_show stderr "$err"
is "calm: every run is good" "$(sql "select count(*) from run where status = 'ok'")" 4
is "calm: no clock is off" "$(flags CLOCK_DRIFT %)" 0
is "calm: everything is as asked" "$(evidence NOT_AS_ASKED %)" ""
# Asked only of a machine that was idle when nothing of ours ran, which is what calm means; the loop device's thread alone took a quarter of it.
if [ "$before" -lt 15 ] && [ "$after" -lt 15 ]; then
	is "calm: nobody else loads the processors" "$seen" ""
else
	tap_result 0 "calm: nobody else loads the processors # SKIP others do: busy $before % before, $after % after; flagged: ${seen:-nothing}"
fi
is "calm: the time of the kernel's own threads is known, or why not" \
	"$(sql "select count(*) from run where host_kthread_ns >= 0 or (select absent_json from sweep) like '%host_kthread_ns%'")" 4

# ---- and not
export IOGAP_STORE="$tmp/planted.sqlite"
pids=
for _ in $(seq "$cpus"); do
	sh -c 'while :; do :; done' &
	pids="$pids $!"
done
at_exit 'kill $pids 2>/dev/null'
run env IOGAP_AGENT="$IOGAP_BUILD/tests/odd-agent" "$iogap" sweep "$tmp/p.yaml" --progress=lines
kill $pids 2>/dev/null
is "planted: the sweep ends with exit 5, since runs failed" "$status" 5
like "planted: and says so" "$err" "the agent's result contradicts itself: bytes are not operations times block size"
is "an answer that contradicts itself is a failed run with the contradiction, on both sides" \
	"$(sql "select group_concat(side || ' ' || status || ' ' || reason, '|') from (select side, status, reason from run join leg on leg.id = leg_id
		where block_size = 12288 order by side)")" \
	"guest failed the agent's result contradicts itself: bytes are not operations times block size|host failed the agent's result contradicts itself: bytes are not operations times block size"
is "and never a number" "$(sql "select count(*) from run join leg on leg.id = leg_id where block_size = 12288
	and (bytes_per_s is not null or iops is not null or bytes_read is not null or complete_mean_ns is not null)")" 0
is "nor is a histogram kept of it" "$(sql "select count(*) from hist join run on run.id = run_id where status = 'failed'")" 0
is "the other runs are good" "$(sql "select count(*) from run where status = 'ok'")" 2
for format in text markdown csv html json thread; do
	run "$iogap" report latest --format $format
	like "the $format report has the contradiction" "$(printf '%s' "$out" | tr '\n' ' ')" "contradicts"
done
is "the guest whose clock is fast is flagged" "$(flags CLOCK_DRIFT guest)" 1
is "its host is not" "$(flags CLOCK_DRIFT host)" 0
is "by as much as it is off" "$(sql "select count(*) from run join leg on leg.id = leg_id where side = 'guest' and status = 'ok'
	and drift between 0.04 and 0.06")" 1
is "by the host's clock the rate is higher" "$(sql "select count(*) from run join leg on leg.id = leg_id where side = 'guest'
	and status = 'ok' and host_bytes_per_s between bytes_per_s * 1.04 and bytes_per_s * 1.06")" 1
like "with the evidence" "$(evidence CLOCK_DRIFT %)" "the clock of the load's side counted [0-9.]+ s while the host's counted [0-9.]+ s: [4-6]\.[0-9] %"
is "other load on the host is seen by both sides" "$(flags THROTTLED guest)$(flags THROTTLED host)" 11
like "with the evidence" "$(evidence THROTTLED 'other load: %')" "other load: [0-9.]+ % of the time of the host's $cpus processors was spent by other processes"
is "a scheduler that changes during a run is not as asked" "$(flags NOT_AS_ASKED guest)" 1
like "with both names" "$(evidence NOT_AS_ASKED '%scheduler%')" "^scheduler: changed from [a-z-]+ to [a-z-]+ during the run$"
is "nothing else is" "$(sql "select count(*) from flag where flag = 'NOT_AS_ASKED'")" 1
done_testing
