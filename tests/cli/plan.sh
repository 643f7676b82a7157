#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# iogap plan: legs, boots, refusals, order and time; and the one clear error for what it cannot read.
. "${IOGAP_SRC:-.}/tests/tap.sh"
data=$IOGAP_SRC/tests/data/plan
export IOGAP_STORE="$tmp/store/iogap.sqlite"

# json EXPRESSION: of the plan "p" in $out
json() { printf '%s' "$out" | python3 -c "import json, sys; p = json.load(sys.stdin); print($1)"; }
# profile LINE...: writes a profile to $tmp/p.yaml
profile() {
	{
		printf 'name: x\ntargets: [{name: t, size: 64M}]\n'
		printf '%s\n' "$@"
	} >"$tmp/p.yaml"
}
# refuses WHAT REGEX ARG...: `iogap plan ARG...` exits with 2, an empty stdout and a message
refuses() {
	what=$1 message=$2
	shift 2
	run "$iogap" plan "$@"
	is "$what: exit status" "$status" 2
	like "$what: message" "$err" "$message"
	is "$what: nothing on stdout" "$out" ""
}

# ---- the shipped profiles
run "$iogap" plan quick --seed 5
is "quick is planned" "$status" 0
like "legs and boots" "$out" \
	'^Profile quick: 36 legs \(12 host, 24 guest\) in 2 blocks, 72 runs; 1 boot in each block$'
like "time needed" "$out" '^Time: about 2 min'
like "seed" "$out" '^Seed: 5$'
like "a guest leg and its host leg" "$out" '^ +2\. guest virtio none/native read 8k direct \(host: 1\)$'
like "both buses in one boot" "$(printf '%s' "$out" | tr '\n' '@')" \
	'1\. pc, 1 vCPU, 512M@ +virtio none/native raw [^@]*@ +ide none/native raw on scratch@'
like "nothing is refused" "$out" '^Refused: nothing$'
like "the order is printed" "$out" '^  block 2, boot 1: [0-9 ]+$'
first=$out
run "$iogap" plan quick --seed 5
is "the same seed gives the same plan" "$out" "$first"
run "$iogap" plan quick --seed 6
ok "another seed gives another one" [ "$out" != "$first" ]
ok "nothing is written" [ ! -e "$tmp/store" ]

run "$iogap" plan quick --seed 5 --format json
is "JSON: legs and seed" "$(json 'len(p["legs"]), p["seed"]')" "36 5"
is "JSON: under three minutes" "$(json 'p["seconds"] < 180')" True
is "JSON: each leg once per block" \
	"$(json '[sorted(l for s in b for l in s["legs"]) == list(range(36)) for b in p["order"]]')" "[True, True]"
is "JSON: a host leg has no bus" "$(json 'set(l["bus"] for l in p["legs"] if l["side"] == "host")')" "{None}"
is "JSON: the host leg does the same" \
	"$(json 'all(p["legs"][l["host"]][k] == l[k] for l in p["legs"] if l["side"] == "guest" for k in ("rw", "block_size", "direct"))')" \
	True
is "JSON: both buses, both directions, three sizes, direct and buffered" \
	"$(json '[len(set(l[k] for l in p["legs"] if l["side"] == "guest")) for k in ("bus", "rw", "block_size", "direct")]')" \
	"[2, 2, 3, 2]"

for name in threads/disk-integrity threads/small-block threads/virtio-ide gate full skeleton; do
	run "$iogap" plan "$name" --format json
	is "$name is planned" "$status" 0
	ok "$name has legs" [ "$(json 'len(p["legs"])')" -gt 1 ]
done
run "$iogap" plan full --format json
is "full has every bus, cache and AIO mode, direction and format" \
	"$(json '[len(set(l[k] for l in p["legs"] if l["side"] == "guest")) for k in ("bus", "cache", "io", "rw", "format")]')" \
	"[4, 5, 3, 6, 2]"
is "full refuses nothing but native AIO through the page cache" \
	"$(json 'set(r["combination"] for r in p["refused"])')" "{'cache=writeback io=native'}"

"$iogap" plan --skeleton >"$tmp/skeleton.yaml"
ok "the shipped skeleton is the one from the key table" \
	cmp "$tmp/skeleton.yaml" "$IOGAP_SRC/profiles/skeleton.yaml"

# ---- where profiles come from
profile 'guest: {bus: [virtio, ide]}'
out=$("$iogap" plan - --seed 1 <"$tmp/p.yaml")
like "standard input" "$out" '^Profile x: 3 legs'
refuses "no profile" '^iogap plan: an argument is missing: a profile'
refuses "near miss" '^iogap: there is no profile "quik", shipped or as a file; did you mean "quick"\?$' quik
refuses "unknown name" \
	'^iogap: there is no profile "zebra"; shipped are full, gate, quick, skeleton, threads/disk-integrity, threads/small-block, threads/virtio-ide, and' zebra
refuses "no such file" "^iogap: cannot open the profile $tmp/none.yaml: No such file" "$tmp/none.yaml"
refuses "a folder" "^iogap: the profile $tmp/ is not a regular file" "$tmp/"
mkfifo "$tmp/fifo.yaml"
refuses "a pipe by name" "^iogap: the profile $tmp/fifo.yaml is not a regular file" "$tmp/fifo.yaml"
refuses "bad seed" '^iogap: --seed takes a whole number below 2\^53, not "-1"$' --seed=-1 quick
refuses "bad format" '^iogap: --format takes text or json, not "yaml"$' --format yaml quick
refuses "one argument too many" 'is one argument too many' quick full

# ---- what can be told of this machine
like "accelerator that cannot be known without a boot" "$first" '^Note: .*KVM|^Note: /dev/kvm'
run env IOGAP_AGENT=/nonexistent/agent "$iogap" plan quick
is "no agent: planned all the same" "$status" 0
like "no agent: says what it assumed" "$out" '^Note: the agent could not be asked, so every engine is assumed to work: '
printf 'name: x\ntargets: [{name: t, path: /nonexistent/folder, size: 64M}]\n' >"$tmp/p.yaml"
run "$iogap" plan "$tmp/p.yaml"
is "unusable target: planned all the same" "$status" 0
like "unusable target: says why" "$out" '^Note: the target "t" cannot be used as it is: .*/nonexistent/folder'

profile 'guest: {memory: [256M, 1024G]}'
run "$iogap" plan "$tmp/p.yaml"
is "more memory than the host has: planned without it" "$status" 0
like "more memory than the host has: reason" "$out" \
	'p.yaml:3:24: memory=1T guests=1: the guest asks for 1T of memory, and the host has .* \(swap included\) \(1 leg\)$'
printf 'name: x\ntargets: [{name: t, type: block, path: /dev/null, consent: true}]\n' >"$tmp/p.yaml"
run "$iogap" plan "$tmp/p.yaml"
like "a device would be overwritten: the command that a sweep needs" "$out" \
	"^Note: everything on /dev/null would be overwritten; .*: iogap sweep $tmp/p.yaml --overwrite-device=/dev/null\$"
like "a device: what else is wrong is seen" "$out" '^Note: the target "t" cannot be used as it is: .*not a block device'

# ---- bad profiles: the place, the reason, the mend
at="^iogap: $tmp/p.yaml"
profile 'workload: {blocksize: 8k}'
refuses "unknown key" "$at:3:12: unknown key \"blocksize\" in workload; did you mean \"block_size\"\?$" "$tmp/p.yaml"
profile 'workload: {queue_depth: deep}'
refuses "wrong type" "$at:3:25: queue_depth cannot be \"deep\": it takes whole number, 1 to 4096$" "$tmp/p.yaml"
profile 'guest: {bus: ide}' 'guest: {bus: sata}'
refuses "duplicate key" "$at:4:1: the key \"guest\" is here twice; it stands in line 3 already$" "$tmp/p.yaml"
profile 'workload: {rw: []}'
refuses "empty axis" "$at:3:16: rw is an empty list, so the matrix would be empty$" "$tmp/p.yaml"
profile 'exclude: [{rw: read}]'
refuses "empty matrix" "$at:3:11: the matrix is empty: exclude takes out every combination$" "$tmp/p.yaml"
: >"$tmp/p.yaml"
refuses "empty file" "$at:1:1: the profile is empty" "$tmp/p.yaml"
run sh -c "head -c 2000000 /dev/zero | '$iogap' plan -"
is "zeros without end: exit status" "$status" 2
like "zeros without end: message" "$err" '^iogap: <stdin>:1:1: the profile is longer than 1048576 bytes$'

# ---- impossible combinations
run "$iogap" plan "$data/aio-cache.yaml" --format json
is "AIO and cache: 12 of 15 run" \
	"$(json 'p["combinations"], sum(l["side"] == "guest" for l in p["legs"]), len(p["refused"])')" "15 12 3"
is "refused with its place" "$(json 'sorted((r["line"], r["column"]) for r in p["refused"])')" \
	"[(8, 17), (8, 28), (8, 54)]"
run "$iogap" plan "$data/aio-cache.yaml"
like "listed in the text" "$out" 'aio-cache.yaml:8:17: cache=writeback io=native: QEMU refuses native AIO .* \(1 leg\)$'
refuses "AIO and cache, strict" \
	'^iogap: .*aio-cache.yaml: combinations that cannot be measured \(--strict\):$' --strict "$data/aio-cache.yaml"
is "strict lists them all" "$(printf '%s\n' "$err" | grep -c 'io=native: QEMU refuses')" 3
run "$iogap" plan --strict quick
is "strict with nothing refused" "$status" 0
refuses "nothing left" \
	'ide-q35.yaml:7:8: bus=ide machine=q35: q35 has no IDE controller; use machine pc or bus sata \(1 leg\)$' \
	"$data/ide-q35.yaml"
run "$iogap" plan "$data/ide-five.yaml"
like "five IDE disks take two boots" "$out" '; 2 boots in each block$'
run "$iogap" plan "$data/alignment.yaml" --format json
like "block sizes against sectors" "$(json '[r["combination"] for r in p["refused"]]')" 'block_size=1000 direct=true'

# ---- targets that this kernel may lack
cat >"$tmp/kernel.yaml" <<EOF2
name: kernel
targets: [{name: file, size: 16M}, {name: zero, type: dm-zero, size: 16M}]
EOF2
run "$iogap" plan "$tmp/kernel.yaml"
is "a target that may be missing: exit status" "$status" 0
if grep -q ' device-mapper$' /proc/misc || [ -d "/lib/modules/$(uname -r)" ]; then
	ok "a kernel with device-mapper or its modules # SKIP nothing is missing" true
else
	like "a kernel without device-mapper" "$out" \
		'kernel.yaml:2:36: target=zero: this kernel \([^ ]*\) has no device-mapper, neither running nor as a module .* \(1 leg\)$'
fi

# ---- files in memory, whatever the type of the target is called
shm=/dev/shm
if [ "$(stat -f -c %T $shm 2>/dev/null)" = tmpfs ] && [ -w $shm ]; then
	cat >"$tmp/p.yaml" <<-EOF2
	name: memory
	targets: [{name: t, type: file, path: $shm, size: 16M}]
	workload: {direct: false}
	host: {host_cache_limit: [none, 2G], scheduler: [keep, none]}
	EOF2
	run "$iogap" plan "$tmp/p.yaml"
	like "a file in /dev/shm: no limit of the cache" "$out" 'p.yaml:4:33: host_cache_limit=2G target=t: a tmpfs lies in memory as a whole'
	like "a file in /dev/shm: no scheduler" "$out" 'p.yaml:4:56: scheduler=none target=t: a tmpfs lies in memory, and no I/O scheduler'
	sed -i 's/type: file/type: loop/' "$tmp/p.yaml"
	run "$iogap" plan "$tmp/p.yaml"
	like "a loop device over it: the same" "$out" 'target=t: (a tmpfs lies in memory as a whole|this (machine|user) )'
else
	ok "a file in /dev/shm # SKIP it is no tmpfs" true
fi

run "$iogap" plan --help
is "help" "$status" 0
like "help says what it does" "$out" 'Nothing is booted and nothing is'
done_testing
