#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# qcow2 images of every form in a real guest: read back from QEMU, read through their chains, one that is not as asked, and a
# file system that fills up below one.
. "${IOGAP_SRC:-.}/tests/tap.sh"

export IOGAP_RUNTIME="$tmp/r" IOGAP_STORE="$tmp/s.sqlite"
: "${IOGAP_CACHE:=${XDG_CACHE_HOME:-$HOME/.cache}/iogap}"
export IOGAP_CACHE
sql() { sqlite3 -readonly "$IOGAP_STORE" "$1"; }

# A qemu-img that makes clusters of 16k where 8k are asked for: what a broken one would do.
mkdir "$tmp/bin"
cat >"$tmp/bin/qemu-img" <<'SH'
#!/bin/sh
for word; do
	shift
	case $word in *cluster_size=8192,*) word=cluster_size=16384,${word#*,} ;; esac
	set -- "$@" "$word"
done
exec /usr/bin/qemu-img "$@"
SH
chmod +x "$tmp/bin/qemu-img"

cat >"$tmp/p.yaml" <<'YAML'
name: forms
accel: auto
targets: [{name: t, size: 16M}]
workload: {rw: randread, block_size: 4k, direct: true}
guest: {bus: virtio, cache: none, io: threads, format: qcow2, cluster_size: 64k, preallocation: off, backing: 0, extended_l2: false}
measure: {settle: 0s, run: 0.3s, blocks: 1, extend: false}
include:
  - {cluster_size: 4k, preallocation: metadata}
  - {cluster_size: 8k}
  - {rw: [randread, randwrite], backing: 2}
  - {backing: 1, preallocation: falloc, extended_l2: true}
YAML
run env PATH="$tmp/bin:$PATH" "$iogap" sweep "$tmp/p.yaml" --progress=lines
is "the sweep succeeds" "$status" 0
[ "$status" = 0 ] || tap_show stderr "$err"
seen="select distinct rw, cluster_size, preallocation, backing, extended_l2, seen_format, seen_cluster_size, seen_backing, seen_extended_l2
	from run r join leg l on l.id = r.leg_id where side = 'guest' order by 2, 4, 1"
is "every form is what QEMU has" "$(sql "$seen")" "randread|4096|metadata|0|0|qcow2|4096|0|0
randread|8192|off|0|0|qcow2|16384|0|0
randread|65536|off|0|0|qcow2|65536|0|0
randread|65536|falloc|1|1|qcow2|65536|1|1
randread|65536|off|2|0|qcow2|65536|2|0
randwrite|65536|off|2|0|qcow2|65536|2|0"
is "but for one, which is flagged" "$(sql "select cluster_size, evidence from flag f join run r on r.id = f.run_id join leg l on l.id = r.leg_id
	where flag = 'NOT_AS_ASKED'")" "8192|cluster_size: asked 8192, QEMU has 16384"
is "reads through a chain come from the data below" "$(sql "select count(*) from run r join leg l on l.id = r.leg_id
	where side = 'guest' and backing > 0 and rw = 'randread' and process_read_bytes >= 0.9 * bytes_read and bytes_read > 0")" 2
is "the host's leg reads no image" "$(sql "select count(*) from leg where side = 'host' and (format is not null or backing is not null)")" 0
is "nothing is left" "$(find "$tmp" -mindepth 1 -name "iogap-*")" ""

# ---- the file system below an image fills up
if [ "$(id -u)" != 0 ]; then
	tap_result 0 "a file system that fills up # SKIP mounting needs root"
	done_testing
fi
cat >"$tmp/p.yaml" <<'YAML'
name: full
accel: auto
targets: [{name: t, type: loop, filesystem: ext4, size: 16M}]
workload: {rw: randwrite, block_size: 64k, direct: true}
guest: {bus: virtio, cache: none, io: threads, format: qcow2, backing: 1}
measure: {settle: 0s, run: 5s, blocks: 1, extend: false}
YAML
"$iogap" sweep "$tmp/p.yaml" --progress=lines >"$tmp/out" 2>"$tmp/err" &
sweep=$!
for i in $(seq 600); do
	# QEMU runs, and its guest needs seconds until it writes: all that is free goes to somebody else now.
	if ps -e -o args= | grep "guest=[i]ogap" | grep -q "$tmp/r/"; then
		full=$(ls "$tmp"/iogap-*-t.mnt/iogap-*-t.0.qcow2)
		dd if=/dev/zero of="${full%/*}/other" bs=64k 2>/dev/null
		break
	fi
	sleep 0.1
done
wait "$sweep"
status=$?
is "a file system that fills up: exit status" "$status" 5
like "one run failed, and says why" "$(sql "select status || ': ' || reason from run where status = 'failed'")" '^failed: the guest was paused: the host ran out of space behind .*-t.0.qcow2; free some there, or use a smaller target$'
is "nothing is left of that either" "$(grep -c "$tmp" /proc/mounts)$(losetup -a | grep -c "$tmp")" 00
done_testing
