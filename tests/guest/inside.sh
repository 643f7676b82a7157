#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Targets and settings that this machine's kernel may lack, under a kernel that has them: iogap itself runs in a guest. LVM,
# device-mapper's zero and delay, null_blk, and the I/O scheduler of real queues.
. "${IOGAP_SRC:-.}/tests/tap.sh"
. "${IOGAP_SRC:-.}/tests/guest/inside.inc"

[ "$(id -u)" = 0 ] || skip_all "only root can read all of this machine's files for the guest"
[ -n "$(inside_kernel)" ] || skip_all "no kernel in /boot has its modules beside it"

cat >"$share/profile.yaml" <<EOF2
name: inside
accel: tcg
targets:
  - {name: vol, type: lvm, size: 16M, path: /run/disk}
  - {name: slow, type: dm-delay, size: 4M, path: /run/disk, delay: 20ms}
  - {name: zero, type: dm-zero, size: 16M}
  - {name: "null", type: null_blk, size: 16M}
workload: {rw: [randread, randwrite], block_size: 4k, direct: true}
host: {scheduler: [keep, none, mq-deadline]}
measure: {settle: 0s, run: 0.3s, blocks: 1}
exclude: [{rw: randwrite, host.scheduler: [none, mq-deadline]}]
EOF2
# Only what a leg uses is made. Which leg comes first is left to chance, and null_blk's does not touch the disk's scheduler: one leg's time is
# less than what is waited for that.
sed -e 's/run: 0.3s/run: 20s, extend: false/' -e 's/\[keep, none, mq-deadline\]/OTHER/' -e 's/^exclude: .*/exclude: [{rw: randwrite}]/' \
	"$share/profile.yaml" >"$share/long.yaml"

cat >"$share/run" <<'EOF2'
export IOGAP_STORE=/run/s/s.sqlite IOGAP_RUNTIME=/run/ig IOGAP_CACHE=/run/c
# The report is another test's; here it would take longer than all the rest.
export IOGAP_PYTHON=/bin/true
iogap=$IOGAP_BUILD/iogap share=/run/share
cd /run/share
mkdir /run/disk /run/s
modprobe loop
modprobe ext4
mkfs.ext4 -q /dev/vda && mount /dev/vda /run/disk

# What only a run makes.
left() {
	{
		ls /dev/mapper | grep -v '^control$'
		ls -d /dev/iogap* /run/ig/run-*
		ls /sys/kernel/config/nullb | grep iogap
		cat /sys/block/loop*/loop/backing_file
		ls /run/disk | grep -v 'lost+found'
	} 2>/dev/null
}
queue() { sed 's/.*\[\(.*\)\].*/\1/' "/sys/block/$1/queue/scheduler"; }
await() { # at most 60 s
	until=$(($(date +%s) + 60))
	while [ "$(date +%s)" -lt "$until" ]; do
		"$@" && return
		sleep 0.2
	done
}
# All is made, and a leg on the disk has begun.
is_set() { [ "$(queue vda)" = "$other" ]; }
is_clean() { [ -z "$(left)" ] && [ "$(queue vda)" = "$before" ]; }
# interrupted NAME SIGNAL: a sweep that gets SIGNAL in the middle of a leg.
interrupted() {
	"$iogap" sweep --host-only long.yaml --progress=lines >"$1.out" 2>"$1.err" &
	pid=$!
	await is_set
	{
		left
		echo "vda $(queue vda)"
	} >"$1.during"
	kill "-$2" $pid
	wait $pid
	echo $? >"$1.status"
	await is_clean
	{
		left
		queue vda
	} >"$1.after"
}

before=$(queue vda)
other=none
[ "$before" != none ] || other=mq-deadline
echo "$before" >before
echo "$other" >other
sed -i "s/OTHER/$other/" long.yaml
"$IOGAP_BUILD/tests/test-target-kernel" >unit 2>&1
cut -d' ' -f1 /proc/uptime >>times
"$iogap" plan profile.yaml >plan 2>&1
cut -d' ' -f1 /proc/uptime >>times
"$iogap" sweep --host-only profile.yaml --progress=lines >sweep.out 2>sweep.err
echo $? >sweep.status
{
	left
	queue vda
} >sweep.after
cp /run/s/s.sqlite "$share/"
cut -d' ' -f1 /proc/uptime >>times
interrupted killed KILL
cut -d' ' -f1 /proc/uptime >>times
interrupted stopped INT
cut -d' ' -f1 /proc/uptime >>times
echo done >done
EOF2

inside run 300
got() { cat "$share/$1" 2>/dev/null; }
sql() { sqlite3 -readonly "$share/s.sqlite" "$1"; }
is "the guest came to its end" "$(got done)" "done"
[ -n "$(got done)" ] || tap_show console "$(tail -20 "$share/console")"
before=$(got before) other=$(got other)

# ---- each target, made, used and taken away ----------------------------------------------------------------------------------
is "what must not be there is the only test that is left out" "$(got unit | grep -E '^not ok|# SKIP' | grep -v '/lacking/.*# SKIP this kernel has')" ""
is "all others ran" "$(got unit | grep -c '^ok .*/target-kernel/')" 23
like "plan finds nothing in the way of any of them" "$(got plan)" '^Profile inside: '
is "and has no remark on a target" "$(got plan | grep 'cannot be used')" ""

# ---- a sweep on them ---------------------------------------------------------------------------------------------------------
is "a sweep on all of them succeeds" "$(got sweep.status)" 0
[ "$(got sweep.status)" = 0 ] || tap_show stderr "$(got sweep.err)"
is "every leg was measured" "$(sql "select target, count(*) from run r join leg l on l.id = r.leg_id where status = 'ok' group by 1" | tr '\n' ' ')" \
	"null|4 slow|4 vol|4 zero|2 "
is "no scheduler can be asked of zeros, and that is said" "$(sql "select count(*) > 0 from refusal where reason like 'device-mapper makes zeros%'")" 1
# Device-mapper counts in ticks of 4 ms and may be one early.
is "no request is faster than the delay" \
	"$(sql "select count(*) from run r join leg l on l.id = r.leg_id where target = 'slow' and complete_mean_ns < 16e6")" 0
is "the empty ones are far faster" "$(sql "select count(*) from run r join leg l on l.id = r.leg_id where target in ('zero', 'null') and iops < 500")" 0
is "through LVM and the loop device the disk's counters are found" \
	"$(sql "select distinct host_device from leg where target in ('vol', 'slow') and side = 'host'")" vda
is "and they hold what was read" "$(sql "select count(*) from run r join leg l on l.id = r.leg_id
	where target = 'vol' and rw = 'randread' and host_device_read_bytes between 0.9 * r.bytes_read and 1.5 * r.bytes_read")" 3
is "and written" "$(sql "select count(*) from run r join leg l on l.id = r.leg_id
	where target = 'vol' and rw = 'randwrite' and host_device_write_bytes >= 0.9 * r.bytes_written")" 1
is "nothing is counted where there is no disk" "$(sql "select count(*) from run r join leg l on l.id = r.leg_id
	where target in ('zero', 'null') and host_device_read_bytes is not null")" 0
# What was set is read back, and a leg on which it is not what was asked for fails: both cannot be the one that was there.
is "both schedulers were set, on the disk and on null_blk" "$(sql "select distinct target, host_scheduler
	from run r join leg l on l.id = r.leg_id where host_scheduler is not null and status = 'ok' and target <> 'slow' order by 1, 2" | tr '\n' ' ')" \
	"null|mq-deadline null|none vol|mq-deadline vol|none "
is "nothing is left, and the scheduler is set back" "$(got sweep.after)" "$before"

# ---- ended in the middle -----------------------------------------------------------------------------------------------------
for how in killed stopped; do
	like "$how: the volume was there" "$(got $how.during)" '^iogap_[0-9a-f]{8}_vol-data$'
	like "$how: and the delay" "$(got $how.during)" '^iogap-[0-9a-f]{8}-slow$'
	like "$how: and null_blk" "$(got $how.during)" '^nullb-iogap-[0-9a-f]{8}-null$'
	like "$how: and the other scheduler" "$(got $how.during)" "^vda $other\$"
	is "$how: nothing is left, and the scheduler is set back" "$(got $how.after)" "$before"
done
is "kill -9: exit status" "$(got killed.status)" 137
is "Ctrl-C: exit status" "$(got stopped.status)" 130
[ "$tap_failed" = 0 ] || tap_show times "$(got times | tr '\n' ' ')"
done_testing
