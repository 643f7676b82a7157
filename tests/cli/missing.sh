#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A target that this host cannot make: refused with the reason, in plan and sweep alike, and the rest is measured. Missing are the
# programs, which every machine can be made to miss; what the kernel lacks goes the same way.
. "${IOGAP_SRC:-.}/tests/tap.sh"

export IOGAP_RUNTIME="$tmp/r" IOGAP_STORE="$tmp/store/iogap.sqlite"

cat >"$tmp/p.yaml" <<EOF
name: missing
accel: tcg
targets:
  - {name: scratch, type: file, size: 16M}
  - {name: net, type: nbd, size: 16M}
workload: {rw: [read, write], block_size: 64k, direct: false}
measure: {settle: 0s, run: 0.1s, blocks: 1}
EOF
without() { run env PATH="$tmp/nothing" "$iogap" "$@"; }
why="$tmp/p.yaml:5:5: target=net: nbdkit is missing; as root: apt-get install nbdkit \(2 legs\)"

without plan "$tmp/p.yaml"
is "plan: exit status" "$status" 0
like "plan: a refusal with place and reason" "$out" "^ *$why\$"
is "plan: said once" "$(printf '%s\n' "$out" | grep -c 'nbdkit is missing')" 1
without plan "$tmp/p.yaml" --format=json
is "plan: no leg of it, and no time for it" "$(printf '%s' "$out" | /usr/bin/python3 -c '
import json, sys
p = json.load(sys.stdin)
print(sorted({leg["target"] for leg in p["legs"]}), [(r["combination"], r["line"], r["legs"]) for r in p["refused"]])')" \
	"['scratch'] [('target=net', 5, 2)]"
without plan --strict "$tmp/p.yaml"
is "plan --strict: exit status" "$status" 2
like "plan --strict: the reason" "$err" "$why"

without sweep --host-only "$tmp/p.yaml" --progress=lines
is "sweep: the rest is measured" "$status" 0
like "sweep: says what is refused" "$err" "$why"
is "sweep: runs of what is there only" "$(sqlite3 "$IOGAP_STORE" "select group_concat(target || ' ' || rw || ' ' || status, ', ')
	from (select target, rw, status from run join leg on leg.id = run.leg_id order by rw)")" "scratch read ok, scratch write ok"
is "sweep: the refusal is stored" "$(sqlite3 "$IOGAP_STORE" 'select line, combination, reason, legs from refusal')" \
	"5|target=net|nbdkit is missing; as root: apt-get install nbdkit|2"
is "sweep: nothing is left" "$(find "$tmp" -mindepth 1 -name 'iogap-*')" ""
rm -f "$IOGAP_STORE"*
without sweep --host-only --strict "$tmp/p.yaml" --progress=none
is "sweep --strict: exit status" "$status" 2
like "sweep --strict: the reason" "$err" "$why"

sed -i '/scratch/d' "$tmp/p.yaml"
for verb in plan sweep; do
	without $verb "$tmp/p.yaml"
	is "$verb: nothing left: exit status" "$status" 2
	like "$verb: nothing left: the reason" "$err" "p.yaml:4:5: target=net: nbdkit is missing; as root: apt-get install nbdkit"
	is "$verb: nothing left: one error" "$(printf '%s\n' "$err" | grep -c '^iogap')" 1
done

# A file system that cannot be made.
cat >"$tmp/p.yaml" <<EOF
name: missing
targets: [{name: scratch, size: 16M}, {name: disk, type: loop, size: 16M, filesystem: ext4}]
EOF
without plan "$tmp/p.yaml"
is "a file system: exit status" "$status" 0
like "a file system: the reason" "$out" \
	'p.yaml:2:39: target=disk: (mkfs.ext4 is missing; as root: apt-get install e2fsprogs|this (machine|user) .*) \(1 leg\)$'

# What is wrong with the target itself is an error still, which a refusal would hide.
cat >"$tmp/p.yaml" <<EOF
name: missing
targets: [{name: scratch, size: 16M}, {name: huge, size: 60T}]
EOF
without sweep --host-only "$tmp/p.yaml" --progress=none
is "no space: exit status" "$status" 5
like "no space: message" "$err" '^iogap: target huge: .*no space'
done_testing
