#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# fio beside the agent, on the host and in a real guest: put there with its libraries, on a disk whose rate QEMU limits. Beside its own
# jobs two job files of a user's, one of which fio itself refuses: a run that failed keeps all that fio said.
. "${IOGAP_SRC:-.}/tests/tap.sh"

command -v fio >/dev/null || skip_all "fio is not installed"
export IOGAP_RUNTIME="$tmp/r" IOGAP_STORE="$tmp/store/iogap.sqlite"
: "${IOGAP_CACHE:=${XDG_CACHE_HOME:-$HOME/.cache}/iogap}"
export IOGAP_CACHE
sql() { sqlite3 -readonly "$IOGAP_STORE" "$1"; }

printf '[global]\nioengine=io_uring\ndirect=1\n[theirs]\nrw=randrw\nrwmixread=75\nbs=8k\niodepth=2\n' >"$tmp/theirs.fio"
# Each option is known, and fio does not know this distribution.
printf '[theirs]\ndirect=1\nrandom_distribution=no-such\n' >"$tmp/bad.fio"
cat >"$tmp/p.yaml" <<-EOF
	name: engines
	accel: auto
	targets: [{name: scratch, type: file, size: 16M}]
	workload: {rw: randread, block_size: 4k, queue_depth: 2, engine: [io_uring, fio, {fio: theirs.fio}, {fio: bad.fio}]}
	guest: {bus: virtio, cache: none, io: native, iops_limit: 200}
	measure: {settle: 0.5s, run: 1.5s, blocks: 1}
	EOF
run "$iogap" sweep "$tmp/p.yaml" --progress=lines
is "a sweep in which two runs fail says so" "$status" 5
[ "$status" = 5 ] || tap_show stderr "$err"
like "  and why" "$err" "failed: run: fio failed with status 1: fio: .*no-such"
is "both engines on both sides" "$(sql "select side, engine from leg where engine not like '%.fio#%' order by 1, 2" | tr '\n' ' ')" \
	"guest|fio:io_uring guest|io_uring host|fio:io_uring host|io_uring "
is "every leg was measured" "$(sql "select count(*) from run join leg on leg.id = leg_id where status = 'ok' and engine not like '%.fio#%'")" 4
hash=$(sha256sum "$tmp/theirs.fio" | cut -c 1-12)
is "a job file says what the load does, and is called by its name and hash" \
	"$(sql "select side, engine, rw, mix_read, block_size, direct, queue_depth from leg where engine like '%theirs%' order by 1" | tr '\n' ' ')" \
	"guest|fio:theirs.fio#$hash|randrw|75|8192|1|2 host|fio:theirs.fio#$hash|randrw|75|8192|1|2 "
is "it is measured on both sides, and kept whole, with what iogap adds" "$(sql "select count(*) from run join leg on leg.id = leg_id where
	engine like '%theirs%' and status = 'ok' and ops_read > ops_write and ops_write > 0 and
	outside_job like '[iogap]%filename=/%ioengine=io_uring%rwmixread=75%bs=8k%time_based=1%runtime=%'")" 2
is "what fio refuses has failed on both sides, with every word of its" "$(sql "select count(*) from run join leg on leg.id = leg_id where
	engine like '%bad%' and status = 'failed' and reason like '%fio failed with status%no-such%' and bytes_per_s is null and
	outside_job like '%random_distribution=no-such%' and outside_messages like '[%no-such%]' and outside_version like 'fio-%'")" 2
[ "$(sql "select count(*) from run where status = 'failed' and outside_messages is not null")" = 2 ] ||
	tap_show failed "$(sql "select side, engine, reason from run join leg on leg.id = leg_id where status = 'failed'")"
is "fio's version and job file are kept, the agent's own legs have none" \
	"$(sql 'select count(*) from run join leg on leg.id = leg_id where engine not like "%.fio#%" and (engine = "fio:io_uring") = (outside_version like "fio-%" and outside_job like "[iogap]%ioengine=io_uring%iodepth=2%" and json_valid(outside_messages))')" 4
is "fio's job file in the guest names the guest's disk" \
	"$(sql 'select count(*) from run join leg on leg.id = leg_id where side = "guest" and outside_job like "%filename=/dev/vd%direct=1%"')" 3
is "the limit is kept with guest legs only" "$(sql 'select side, iops_limit from leg group by 1, 2' | tr '\n' ' ')" "guest|200 host| "
is "QEMU keeps both engines to the limit" \
	"$(sql 'select count(*) from run join leg on leg.id = leg_id where side = "guest" and iops between 120 and 240')" 3
[ "$(sql 'select count(*) from run where iops > 240')" = 3 ] || tap_show iops "$(sql 'select side, engine, iops from run join leg on leg.id = leg_id')"
is "fio's settings are read back in the guest" \
	"$(sql 'select count(*) from run where json_extract(effective_json, "$.direct") = 1')" 6
is "no setting was other than asked" "$(sql 'select count(*) from flag where flag = "NOT_AS_ASKED"')" 0
is "no direct leg is said to have been cached" "$(sql 'select count(*) from flag where flag in ("CACHED", "MIXED")')" 0
# fio says in milliseconds how long it took; the counters are of that time, or of none and the reason is kept.
is "begin and end are as far apart as the measured time" "$(sql 'select count(*) from run where abs(end_boot_ns - begin_boot_ns - ns) > 2000000')" 0
is "what could not be placed in time has its reason" \
	"$(sql 'select count(*) from run, sweep where run.status = "ok" and begin_boot_ns is null and absent_json not like "%could not be placed%"')" 0
ticks=$((3 * $(getconf _NPROCESSORS_ONLN) * 10000000))
is "no processor worked longer than there was time" \
	"$(sql "select count(*) from run where coalesce(host_user_ns + host_system_ns, machine_user_ns + machine_system_ns) > ns * $(getconf _NPROCESSORS_ONLN) + $ticks
		or qemu_user_ns + qemu_system_ns > ns * $(getconf _NPROCESSORS_ONLN) + $ticks")" 0
is "the guest's disk and QEMU saw what fio counted, give or take what a busy machine hides" \
	"$(sql 'select count(*) from run join leg on leg.id = leg_id where side = "guest" and begin_boot_ns is not null
		and device_reads between 0.5 * ops_read and 1.5 * ops_read')" \
	"$(sql 'select count(*) from run join leg on leg.id = leg_id where side = "guest" and begin_boot_ns is not null')"
is "the split of QEMU's time is that of its total" \
	"$(sql "select count(*) from run where abs(qemu_user_ns + qemu_system_ns - qemu_vcpu_ns - qemu_iothread_ns - qemu_worker_ns
		- qemu_main_ns - qemu_other_ns - qemu_unseen_ns) > 60000000 + ns / 20")" 0
# Columns that do not apply to these legs: of the other side, of other axes, other engines and other tools, and of runs that failed.
/usr/bin/python3 - "$IOGAP_STORE" >"$tmp/unexplained" 2>&1 <<'EOF2'
import json, sqlite3, sys
db = sqlite3.connect("file:%s?mode=ro" % sys.argv[1], uri=True)
db.row_factory = sqlite3.Row
free = ("boot_id", "reason", "final_sync_ns", "sync_mean_ns", "cpu_percent", "outside_", "all_guests_", "other_guests_", "seen_", "seq_", "ran_",
	"resident_bytes")
guest_only = ("host_user_", "host_system_", "host_irq_", "host_steal_", "host_iowait_", "host_idle_", "host_switches", "host_interrupts", "qemu_",
	"kvm_exits")
nothing = {"absorbed_read": "bytes_read", "absorbed_write": "bytes_written"} # of nothing moved no share is absorbed
missing = set()
for run in db.execute("select run.*, side, absent_json from run join leg on leg.id = leg_id join sweep on sweep.id = run.sweep_id where run.status = 'ok'"):
	why = json.loads(run["absent_json"] or "{}")
	for name in run.keys():
		if run[name] is None and name not in why and not name.startswith(free) and not (run["side"] == "host" and name.startswith(guest_only)) \
				and not (name in nothing and not run[nothing[name]]):
			missing.add(name)
print(" ".join(sorted(missing)), end="")
EOF2
is "every figure that is not there has its reason" "$(cat "$tmp/unexplained")" ""
is "the reasons of fio's legs are its own" "$(sql 'select json_extract(absent_json, "$.depth_mean[0]") like "another program%"
	and json_extract(absent_json, "$.load_voluntary_switches[0]") like "fio does not tell%"
	and json_extract(absent_json, "$.process_read_bytes[0]") like "the I/O on the host was done by another program%" from sweep')" 1
is "latencies of fio are counted" \
	"$(sql 'select count(*) from run join leg on leg.id = leg_id join hist on run_id = run.id where engine = "fio:io_uring" and kind = "complete" and direction = "read" and n = ops_read')" 2
done_testing
