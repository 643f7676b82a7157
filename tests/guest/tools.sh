#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# dd, ioping and bonnie++ as engines, on the host and in a real guest: put there with their libraries, read as `iogap import` reads them;
# bonnie++ on a file system that the guest makes.
. "${IOGAP_SRC:-.}/tests/tap.sh"

for program in dd ioping bonnie++ mkfs.ext4; do command -v $program >/dev/null || skip_all "$program is not installed"; done
export IOGAP_RUNTIME="$tmp/r" IOGAP_STORE="$tmp/store/iogap.sqlite"
: "${IOGAP_CACHE:=${XDG_CACHE_HOME:-$HOME/.cache}/iogap}"
export IOGAP_CACHE
sql() { sqlite3 -readonly "$IOGAP_STORE" "$1"; }
tools="run join leg on leg.id = leg_id where engine in ('dd', 'ioping') and status = 'ok'"
bonnie="run join leg on leg.id = leg_id where engine = 'bonnie++'"

# 60 operations per second for the guest: a figure that each engine must come to, whatever it prints.
cat >"$tmp/p.yaml" <<-EOF
	name: tools
	accel: auto
	targets: [{name: scratch, type: file, size: 64M}]
	workload: {rw: [read, write, randrw], block_size: 8k, engine: [psync, dd, ioping, bonnie++]}
	guest: {bus: virtio, cache: none, io: native, iops_limit: [60, none]}
	exclude:
	  - {engine: [psync, dd, ioping], iops_limit: none}
	  - {engine: [psync, dd, ioping], rw: randrw}
	  - {engine: bonnie++, iops_limit: 60}
	measure: {settle: 0.3s, run: 1s, blocks: 1}
	EOF
sed -i 's/^\t//' "$tmp/p.yaml"
run "$iogap" sweep "$tmp/p.yaml" --progress=lines
# So small a data set may be over too fast for bonnie++ to tell a figure, above all on the host, and is no run then.
is "a sweep with all engines succeeds" "$(sql "select count(*) from run where status <> 'ok' and not (reason like
	'%bonnie++%finished too fast to be timed%' and exists (select 1 from flag where run_id = run.id and flag = 'TOO_FAST'))")" 0
[ "$status" = 0 ] || [ "$(sql "select count(*) from run where status <> 'ok'")" -gt 0 ] || tap_show stderr "$err"
is "each engine reads and writes on both sides" "$(sql "select engine, count(*), count(distinct side), count(distinct rw) from run
	join leg on leg.id = leg_id where engine <> 'bonnie++' and status = 'ok' group by 1" | tr '\n' ' ')" "dd|4|2|2 ioping|4|2|2 psync|4|2|2 "
is "QEMU keeps all of them to the limit" "$(sql "select count(*) from run join leg on leg.id = leg_id where side = 'guest' and engine <> 'bonnie++'
	and iops between 15 and 100")" 6
[ "$(sql "select count(*) from run join leg on leg.id = leg_id where side = 'guest' and engine <> 'bonnie++' and (iops > 100 or iops < 15)")" = 0 ] ||
	tap_show iops "$(sql 'select side, engine, rw, iops from run join leg on leg.id = leg_id')"
is "every guest leg has the host leg of its engine" "$(sql "select count(*) from leg g join leg h on g.host_leg_id = h.id and g.engine = h.engine")" 9
is "version, command and output are kept" "$(sql "select count(*) from $tools and json_valid(outside_messages) and
	((engine = 'dd' and outside_version like 'dd (coreutils)%' and outside_job like 'dd if=%bs=8192%flag=direct%' and outside_messages like '%bytes%copied%') or
	(engine = 'ioping' and outside_version like 'ioping %' and outside_job like 'ioping -B -i 0 -w 1000ms -s 8192%-D -L%'))")" 8
is "the command names the guest's disk" "$(sql "select count(*) from $tools and side = 'guest' and outside_job like '%/dev/vd%'")" 4
is "only writes say so" "$(sql "select rw, outside_job like '%of=/dev/null%' or (engine = 'ioping' and outside_job not like '%-WWW%'), count(*)
	from $tools group by 1, 2" | tr '\n' ' ')" "read|1|4 write|0|4 "
is "bytes are whole blocks, of the direction that was asked" "$(sql "select count(*) from $tools and bytes_read + bytes_written = 8192 * (ops_read + ops_write)
	and case rw when 'read' then bytes_written = 0 and bytes_read > 0 else bytes_read = 0 and bytes_written > 0 end")" 8
is "what was moved reached the guest's disk: within what was in flight, and what was not seen of its begin" \
	"$(sql "select count(*) from $tools and side = 'guest' and device_read_bytes + device_write_bytes between 0.5 * (bytes_read + bytes_written)
	and 1.5 * (bytes_read + bytes_written)")" 4
is "ioping tells a latency, dd none" "$(sql "select engine, count(complete_mean_ns), count(complete_p99_ns) from $tools group by 1" | tr '\n' ' ')" \
	"dd|0|0 ioping|4|0 "
is "O_DIRECT is read back" "$(sql "select count(*) from $tools and json_extract(effective_json, '\$.direct') = 1")" 8
is "no setting was other than asked" "$(sql "select evidence from flag where flag = 'NOT_AS_ASKED'")" ""
is "bonnie++ ran once on each side, whatever order its legs had" "$(sql "select side, count(*), count(distinct started_unix_ns), count(distinct outside_job)
	from $bonnie group by 1" | tr '\n' ' ')" "guest|3|1|1 host|3|1|1 "
is "in a folder on a file system of the guest, and in one of the host" "$(sql "select side, outside_job like 'bonnie++ -q -d /iogap-bonnie-______ %-s 48:8192 -r 24 -n 16 -f %-D -u 0:0'
	or outside_job like 'bonnie++ -q -d $tmp/%/iogap-bonnie-______ %-s 48:8192 -r 24 -n 16 -f %-D%' from $bonnie group by 1, 2" | tr '\n' ' ')" "guest|1 host|1 "
ok "the emulated guest writes slowly enough for a figure" [ "$(sql "select count(*) from $bonnie and side = 'guest' and rw = 'write' and status = 'ok'
	and bytes_per_s > 1e5 and cpu_percent > 0")" = 1 ]
is "its seeks are operations without a rate" "$(sql "select count(*) from $bonnie and rw = 'randrw' and status = 'ok' and (bytes_per_s is not null or iops is null)")" 0
ok "files are told with each of its figures" [ "$(sql "select count(*) from $bonnie and side = 'guest' and status = 'ok' and coalesce(seq_create_per_s, ran_create_per_s,
	seq_delete_per_s, ran_delete_per_s) > 0")" -ge 1 ]
is "what was counted over all its tests is of none" "$(sql "select count(*) from $bonnie and (qemu_reads is not null or device_reads is not null or
	load_user_ns is not null or host_user_ns is not null or ns is not null)")" 0
is "its whole output is kept" "$(sql "select count(*) from $bonnie and outside_version like 'bonnie++ _.%' and outside_messages like '%,iogap,1,%Sequential Output%'")" 6
is "the folder is gone" "$(find "$tmp" -name 'iogap-bonnie*')" ""
is "versions are in the environment" "$(sql "select json_extract(environment_json, '\$.\"dd.version\"') like 'dd (coreutils) _._' and
	json_extract(environment_json, '\$.\"ioping.version\"') like 'ioping _._' and json_extract(environment_json, '\$.\"bonnie++.version\"') like '_.%' from sweep")" 1
run "$iogap" report --format text
like "the report has a table of each" "$out" "ioping"
is "the report comes" "$status" 0
run "$iogap" report --format thread --shape bonnie
like "and the table of bonnie++, with its data set" "$out" "^guest +48M "
like "  with its files" "$out" "-Sequential Create-"

# ---- what bonnie++ leaves in a qcow2 image ---------------------------------------------------------------------------------------
# The guest's mkfs discards all of the disk first, so that its image loses its clusters.
cat >"$tmp/q.yaml" <<-EOF
	name: refilled
	accel: auto
	targets: [{name: scratch, type: file, size: 64M}]
	workload: {rw: read, block_size: [8k, 16k, 32k, 64k], engine: [psync, bonnie++]}
	guest: {bus: virtio, cache: none, io: native, format: qcow2, discard: unmap}
	exclude: [{engine: bonnie++, block_size: [16k, 32k, 64k]}]
	measure: {settle: 0s, run: 0.3s, blocks: 1, extend: false, seed: 6}
	EOF
sed -i 's/^\t//' "$tmp/q.yaml"
export IOGAP_STORE="$tmp/store/q.sqlite"
run "$iogap" sweep "$tmp/q.yaml" --progress=lines
after="$bonnie and side = 'guest'"
is "bonnie++ ran in the guest on qcow2" "$(sql "select distinct coalesce(seen_format, 'none'), outside_messages is not null from $after")" "qcow2|1"
later="run join leg on leg.id = leg_id where side = 'guest' and engine = 'psync' and position > (select max(position) from $after)"
ok "reads came after it" [ "$(sql "select count(*) from $later")" -gt 0 ]
is "none of them was refused for a hole" "$(sql "select count(*), group_concat(reason) from $later and status <> 'ok'")" "0|"
is "and all that they read came out of the image" "$(sql "select count(*) from $later and (process_read_bytes is null or
	process_read_bytes < 0.9 * bytes_read)")" 0
[ "$tap_failed" = 0 ] || tap_show runs "$(sql "select position, side, engine, block_size, status, reason, bytes_read, process_read_bytes from run
	join leg on leg.id = leg_id order by 1")"
done_testing
