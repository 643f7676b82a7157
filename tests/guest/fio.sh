#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# fio beside the agent, on the host and in a real guest: put there with its libraries, on a disk whose rate QEMU limits.
. "${IOGAP_SRC:-.}/tests/tap.sh"

command -v fio >/dev/null || skip_all "fio is not installed"
export IOGAP_RUNTIME="$tmp/r" IOGAP_STORE="$tmp/store/iogap.sqlite"
: "${IOGAP_CACHE:=${XDG_CACHE_HOME:-$HOME/.cache}/iogap}"
export IOGAP_CACHE
sql() { sqlite3 -readonly "$IOGAP_STORE" "$1"; }

cat >"$tmp/p.yaml" <<-EOF
	name: engines
	accel: auto
	targets: [{name: scratch, type: file, size: 16M}]
	workload: {rw: randread, block_size: 4k, queue_depth: 2, engine: [io_uring, fio]}
	guest: {bus: virtio, cache: none, io: native, iops_limit: 200}
	measure: {settle: 0.5s, run: 1.5s, blocks: 1}
	EOF
run "$iogap" sweep "$tmp/p.yaml" --progress=lines
is "a sweep with both engines succeeds" "$status" 0
[ "$status" = 0 ] || tap_show stderr "$err"
is "both engines on both sides" "$(sql 'select side, engine from leg order by 1, 2' | tr '\n' ' ')" \
	"guest|fio:io_uring guest|io_uring host|fio:io_uring host|io_uring "
is "every leg was measured" "$(sql 'select count(*) from run where status = "ok"')" 4
is "fio's version and job file are kept, the agent's own legs have none" \
	"$(sql 'select count(*) from run join leg on leg.id = leg_id where (engine = "fio:io_uring") = (outside_version like "fio-%" and outside_job like "[iogap]%ioengine=io_uring%iodepth=2%" and json_valid(outside_messages))')" 4
is "fio's job file in the guest names the guest's disk" \
	"$(sql 'select count(*) from run join leg on leg.id = leg_id where side = "guest" and outside_job like "%filename=/dev/vd%direct=1%"')" 1
is "the limit is kept with guest legs only" "$(sql 'select side, iops_limit from leg group by 1, 2' | tr '\n' ' ')" "guest|200 host| "
is "QEMU keeps both engines to the limit" \
	"$(sql 'select count(*) from run join leg on leg.id = leg_id where side = "guest" and iops between 120 and 240')" 2
[ "$(sql 'select count(*) from run where iops > 240')" = 2 ] || tap_show iops "$(sql 'select side, engine, iops from run join leg on leg.id = leg_id')"
is "fio's settings are read back in the guest" \
	"$(sql 'select count(*) from run where json_extract(effective_json, "$.direct") = 1')" 4
is "no setting was other than asked" "$(sql 'select count(*) from flag where flag = "NOT_AS_ASKED"')" 0
is "latencies of fio are counted" \
	"$(sql 'select count(*) from run join leg on leg.id = leg_id join hist on run_id = run.id where engine = "fio:io_uring" and kind = "complete" and direction = "read" and n = ops_read')" 2
done_testing
