#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What a sweep refuses before anything boots: one clear error, and nothing left behind or stored.
. "${IOGAP_SRC:-.}/tests/tap.sh"

export IOGAP_RUNTIME="$tmp/r" IOGAP_STORE="$tmp/store/iogap.sqlite"

# refused WHAT EXIT REGEX: the sweep of $tmp/p.yaml ends so, with one line of error, no row and no file.
refused() {
	run "$iogap" sweep "$tmp/p.yaml" --progress=none
	is "$1: exit status" "$status" "$2"
	like "$1: message" "$err" "$3"
	is "$1: one error" "$(printf '%s\n' "$err" | grep -c '^iogap')" 1
	is "$1: nothing on stdout" "$out" ""
	rows=0
	[ ! -e "$IOGAP_STORE" ] || rows=$(sqlite3 "$IOGAP_STORE" 'select count(*) from sweep')
	is "$1: nothing stored" "$rows" 0
	is "$1: no image left" "$(find "$tmp" -size +100k -name '*scratch*')" ""
	is "$1: no folder of a run left" "$(find "$IOGAP_RUNTIME" -name 'run-*' 2>/dev/null)" ""
}
# planned WHAT: plan finds it without a boot, in the same words; what the profile names is the profile's error.
planned() {
	said=$(printf '%s\n' "$err" | grep '^iogap')
	run "$iogap" plan "$tmp/p.yaml"
	is "$1: exit status of plan" "$status" 2
	is "$1: plan says the same" "$err" "$said"
	is "$1: no plan is shown" "$out" ""
}
# profile TARGET WORKLOAD GUEST
profile() {
	cat >"$tmp/p.yaml" <<-EOF
	name: bad
	accel: auto
	targets: [{$1}]
	workload: {$2}
	guest: {$3}
	measure: {settle: 0.05s, run: 0.1s, blocks: 1}
	EOF
}
file='name: scratch, type: file, size: 16M'
good='rw: read, block_size: 4k, direct: true'

printf 'name: bad\nspeed: 3\n' >"$tmp/p.yaml"
refused "unknown key" 2 'p\.yaml:2:1: .*speed'
printf 'name: bad\nname: worse\n' >"$tmp/p.yaml"
refused "duplicate key" 2 'p\.yaml:2:1: .*name'
profile "$file" 'rw: sideways' 'bus: virtio'
refused "wrong word" 2 'p\.yaml:4:[0-9]+: .*sideways'
profile "$file" 'rw: []' 'bus: virtio'
refused "empty matrix" 2 'p\.yaml:4:[0-9]+: '
profile "$file" "$good" 'bus: ide, machine: q35'
refused "nothing that can be measured" 2 'q35'
profile "$file" "rw: read, block_size: 1000, direct: true" 'bus: virtio'
refused "block size against sectors" 2 '1000'
profile 'name: scratch, type: file, size: 60T' "$good" 'bus: virtio'
refused "no space" 5 'space'
profile "name: scratch, type: file, size: 16M, path: /proc/nowhere" "$good" 'bus: virtio'
refused "no such folder" 5 '/proc/nowhere'
profile "name: scratch, type: block, path: /dev/iogap-no-such-device" "$good" 'bus: virtio'
refused "no such device" 5 'iogap-no-such-device'
profile "$file" "$good" 'bus: virtio, kernel: /there/is/no/vmlinuz'
refused "kernel missing" 5 '/there/is/no/vmlinuz'
planned "kernel missing"
printf 'no kernel at all' >"$tmp/notakernel"
profile "$file" "$good" "bus: virtio, kernel: $tmp/notakernel"
refused "not a kernel" 5 'notakernel.*kernel'
planned "not a kernel"
profile "$file" "$good" "bus: virtio, image: $tmp/nothere.qcow2"
refused "image missing" 2 'nothere'
planned "image missing"
profile "$file" "$good" 'bus: virtio, emulator: /there/is/no/qemu'
refused "emulator missing" 5 '/there/is/no/qemu'
planned "emulator missing"
cp /bin/true "$tmp/notqemu"
profile "$file" "$good" "bus: virtio, emulator: $tmp/notqemu"
refused "not an emulator" 5 'notqemu does not answer'
planned "not an emulator"
sed -i 's/accel: auto/accel: hax/' "$tmp/p.yaml"
refused "unknown accelerator" 2 'hax'

run "$iogap" sweep "$tmp/there-is-no-profile.yaml"
is "missing profile: exit status" "$status" 2
like "missing profile: message" "$err" 'there-is-no-profile'
run "$iogap" sweep quick --seed=minus
is "bad seed: exit status" "$status" 2
like "bad seed: message" "$err" 'seed minus'
run "$iogap" sweep quick --progress=loud
is "bad progress: exit status" "$status" 2
run "$iogap" sweep quick --resume
is "nothing to resume: exit status" "$status" 4
like "nothing to resume: message" "$err" 'no interrupted sweep'

# Storage that promised more than it has: a file system on a sparse file for which a small tmpfs has no room.
full="a target's file system that fills up"
if [ "$(id -u)" = 0 ] && mkdir "$tmp/few" "$tmp/many" && mount -t tmpfs -o size=12M none "$tmp/few" && at_exit "umount $tmp/few" &&
	truncate -s 64M "$tmp/few/img" && mkfs.ext4 -q -F -O ^has_journal "$tmp/few/img" && mount -o loop "$tmp/few/img" "$tmp/many"; then
	at_exit "umount $tmp/many"
	profile "name: scratch, type: file, path: $tmp/many, size: 32M" "$good" 'bus: virtio'
	sed -i 's/accel: auto/accel: tcg/' "$tmp/p.yaml"
	run "$iogap" sweep "$tmp/p.yaml" --progress=none
	is "$full: exit status" "$status" 5
	like "$full: message" "$err" \
		'^iogap: target scratch cannot be filled: .*write of .* No space left on device.*: free some, or use a smaller size or another folder$'
	is "$full: one error" "$(printf '%s\n' "$err" | grep -c '^iogap')" 1
	is "$full: the sweep is stored as failed, with no run" "$(sqlite3 "$IOGAP_STORE" \
		"select status, error like '%cannot be filled%', (select count(*) from run) from sweep")" "failed|1|0"
	is "$full: nothing is left" "$(find "$tmp" -mindepth 1 -name "iogap-*")" ""
	rm -f "$IOGAP_STORE"*
else
	tap_result 0 "$full # SKIP mounting needs root, and a free loop device"
fi

# Consent to lose a device is given in the profile and on the command line, for a device that is meant.
profile "name: scratch, type: block, path: /dev/iogap-no-such-device" "$good" 'bus: virtio'
run "$iogap" sweep "$tmp/p.yaml" --overwrite-device=/dev/iogap-no-such-device
is "consent on the command line alone: exit status" "$status" 2
like "consent on the command line alone: message" "$err" 'p\.yaml:3:[0-9]+: .*consent: true'
profile "$file" "$good" 'bus: virtio'
run "$iogap" sweep "$tmp/p.yaml" --overwrite-device=/dev/nothing
is "consent for no target: exit status" "$status" 2
like "consent for no target: message" "$err" 'no block target of .*p\.yaml'

# An agent that is none.
run env IOGAP_AGENT=/bin/true "$iogap" sweep "$tmp/p.yaml"
is "no agent: exit status" "$status" 5
like "no agent: message" "$err" '/bin/true does not work as the agent .*IOGAP_AGENT'

# A machine on which another sweep measures, whatever its store and its folders.
cat >"$tmp/hold.py" <<'EOF'
import socket, sys, time
s = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
s.bind("\0iogap-sweep")
s.listen(8)
print("held", flush=True)
time.sleep(600)
EOF
/usr/bin/python3 "$tmp/hold.py" >"$tmp/held" 2>/dev/null &
holder=$!
at_exit "kill $holder 2>/dev/null"
for _ in 1 2 3 4 5 6 7 8 9 10; do
	[ -s "$tmp/held" ] || ! kill -0 $holder 2>/dev/null || sleep 0.3
done
# Where a real sweep has the machine, that is who must be named.
[ -s "$tmp/held" ] && who=$holder || who='[0-9]+'
rm -f "$IOGAP_STORE"*
profile "$file" "$good" 'bus: virtio, kernel: /there/is/no/vmlinuz'
(
	unset IOGAP_ALLOW_PARALLEL
	refused "machine in use" 5 "another sweep is running on this machine \(process $who\).*wait for it, or set IOGAP_ALLOW_PARALLEL=1"
	for bisect in "" --bisect; do
		run "$iogap" gate "$tmp/p.yaml" --arm base: --arm new:queue_size=128 --progress=none $bisect
		is "machine in use: exit status of gate $bisect" "$status" "$([ "$bisect" ] && echo 128 || echo 5)"
		like "machine in use: gate $bisect says why" "$err" "another sweep is running on this machine"
	done
	echo "$tap_n $tap_failed" >"$tmp/counts"
)
read -r tap_n tap_failed <"$tmp/counts"
run env IOGAP_ALLOW_PARALLEL=1 "$iogap" sweep "$tmp/p.yaml" --progress=lines
like "machine in use, on demand: says what that does" "$err" 'WARNING: another sweep is measuring .* is marked THROTTLED'
like "machine in use, on demand: goes on" "$err" '/there/is/no/vmlinuz'
kill $holder 2>/dev/null

# A store in use, from the future, or not ours.
rm -f "$IOGAP_STORE"*
mkdir -p "$tmp/store"
(flock 9; echo 4711 >&9; sleep 60) 9>"$IOGAP_STORE.lock" &
holder=$!
at_exit "kill $holder 2>/dev/null"
sleep 0.5
run "$iogap" sweep "$tmp/p.yaml"
is "store in use: exit status" "$status" 5
like "store in use: message" "$err" 'another sweep is running into this store \(process 4711\)'
is "store in use: nothing stored" "$(sqlite3 "$IOGAP_STORE" 'select count(*) from sweep')" 0
kill $holder
pkill -P $holder 2>/dev/null
sqlite3 "$IOGAP_STORE" 'update store_meta set version = 4711'
rm -f "$IOGAP_STORE.lock"
run "$iogap" sweep "$tmp/p.yaml"
is "store from the future: exit status" "$status" 5
like "store from the future: message" "$err" '4711'
profile "$file" "$good" 'bus: virtio'
mkdir -p "$tmp/store"
rm -f "$IOGAP_STORE"*
printf 'this is no database, only a text of some length' >"$IOGAP_STORE"
run "$iogap" sweep "$tmp/p.yaml"
is "not a store: exit status" "$status" 5
like "not a store: message" "$err" 'iogap.sqlite'
is "not a store: untouched" "$(cat "$IOGAP_STORE")" 'this is no database, only a text of some length'
done_testing
