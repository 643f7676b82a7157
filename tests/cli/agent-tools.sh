#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# dd, ioping and bonnie++ as engines of the agent, for real: what they are told, what comes back, what is refused, and how they fail.
. "${IOGAP_SRC:-.}/tests/tap.sh"

for program in dd ioping bonnie++ jq; do command -v $program >/dev/null || skip_all "$program is not installed"; done
file=$tmp/data
head -c 6291456 /dev/urandom >"$file"
job() { printf '{"path":"%s","size":4194304,"block_size":4096,"run_ns":200000000,%s}' "$file" "$1"; }
good() { # WHAT JOB FILTER: a run that succeeds, and a filter of jq over its result that is true
	run "$agent" --run "$(job "$2")"
	is "$1" "$status$err" 0
	is "  its result" "$(printf '%s' "$out" | jq -c "$3")" true
	[ "$(printf '%s' "$out" | jq -c "$3")" = true ] || tap_show result "$out"
}
arguments='(.tool.arguments | join(" "))'
good "dd reads" '"rw":"read","direct":true,"engine":"dd"' \
	"$arguments == \"dd if=$file of=/dev/null bs=4096 count=1024 iflag=direct\" and (.tool.output | test(\"bytes.*copied\")) and
	.effective.engine == \"dd\" and (.tool.version | startswith(\"dd (coreutils)\")) and .read == null and .settle_ns == 0"
good "dd writes, each one through" '"rw":"write","direct":true,"sync":"dsync","engine":"dd"' \
	"$arguments == \"dd if=/dev/zero of=$file bs=4096 count=1024 oflag=direct,dsync conv=notrunc,nocreat\" and
	.effective.direct and .effective.sync_flags == \"dsync\""
good "dd writes into the cache: a whole pass, synced at its end" '"rw":"write","engine":"dd"' \
	"($arguments | endswith(\"conv=notrunc,nocreat,fsync\")) and (.tool.output | test(\"1024.0 records out\"))"
good "dd from the middle on" '"rw":"read","offset":1048576,"engine":"dd"' "$arguments | endswith(\"count=1024 skip=256\")"
is "the file kept its size" "$(stat -c %s "$file")" 6291456
good "ioping reads at random" '"rw":"randread","direct":true,"engine":"ioping"' \
	"$arguments == \"ioping -B -i 0 -w 200ms -s 4096 -S 4194304 -o 0 -D -- $file\" and .effective.direct and
	(.tool.output | test(\"^([0-9]+ ){9}[0-9]+\\n\$\")) and .cpu.load_voluntary_switches > 0"
good "ioping writes in order, through" '"rw":"write","sync":"sync","engine":"ioping"' \
	"($arguments | test(\" -C -L -WWW -Y -- \")) and .effective.sync_flags == \"sync\""
is "the file still has its size" "$(stat -c %s "$file")" 6291456

refused() { # WHAT JOB MESSAGE
	run "$agent" --run "$(job "$2")"
	is "$1: status" "$status" 1
	like "$1: message" "$err" "$3"
}
refused "dd has no random" '"rw":"randread","engine":"dd"' 'dd goes from the first byte to the last; use rw read or write \(EINVAL: rw\)'
refused "one process" '"rw":"read","jobs":2,"engine":"ioping"' 'ioping is one process; use jobs 1'
refused "one request" '"rw":"read","queue_depth":2,"engine":"dd"' 'engine dd has one request in flight'
refused "no rate" '"rw":"read","rate_iops":5,"engine":"dd"' 'dd has no rate here'
refused "no mix" '"rw":"rw","mix_read":50,"engine":"ioping"' 'ioping either reads or writes'
refused "no fsync in between" '"rw":"write","sync":"fsync","fsync_every":2,"engine":"dd"' 'dd has no fsync between its writes'
refused "nothing left in the cache" '"rw":"write","engine":"ioping"' 'ioping leaves buffered writes in the page cache'

# bonnie++ works in a folder of its own beside the file, on files of three quarters of the size.
file=$tmp/large
head -c 67108864 /dev/zero | tr '\0' x >"$file"
large() { printf '{"path":"%s","size":67108864,"block_size":8192,"run_ns":200000000,%s}' "$file" "$1"; }
run "$agent" --run "$(large '"rw":"rw","mix_read":50,"direct":true,"engine":"bonnie++"')"
is "bonnie++ runs" "$status$err" 0
is "  its arguments" "$(printf '%s' "$out" | jq -c "$arguments | test(\"^bonnie[+][+] -q -d $tmp/iogap-bonnie-[^ ]+ -m iogap -s 48:8192 -r 24 -n 16 -f -z 1 -D\")")" true
is "  its CSV, its table, its version" "$(printf '%s' "$out" | jq -c '(.tool.output | test("^1[.]9[78],.*,iogap,1,.*48M,")) and
	(.tool.said | test("Sequential Output")) and (.tool.version | test("^bonnie[+][+] [12][.]"))')" true
is "  how it had its files open" "$(printf '%s' "$out" | jq -c '.effective.direct and .effective.engine == "bonnie++" and .cpu == null and .device == null')" true
is "  nothing is left of its files" "$(ls "$tmp" | grep -c iogap-bonnie)" 0
lacks() { # WHAT JOB MESSAGE
	run "$agent" --run "$(large "$2")"
	is "$1: status" "$status" 1
	like "$1: message" "$err" "$3"
}
lacks "bonnie++ does not sync on the way" '"rw":"write","sync":"dsync","engine":"bonnie++"' 'bonnie\+\+ syncs at the end of its tests only; use sync none'
lacks "bonnie++ has no direct bytes" '"rw":"write","direct":true,"engine":"bonnie++:char"' 'bonnie\+\+:char cannot do direct I/O; use direct false'
lacks "bonnie++ is one process" '"rw":"write","jobs":2,"engine":"bonnie++"' 'bonnie\+\+ is one process; use jobs 1'
run "$agent" --run "$(large '"rw":"write","engine":"bonnie++"' | sed 's/8192/12288/')"
like "bonnie++ has blocks in powers of two" "$err" 'takes blocks of 256 bytes to 1 MiB, in powers of two'
run "$agent" --run "$(large '"rw":"write","engine":"bonnie++"' | sed 's/"size":67108864/"size":33554432/')"
like "bonnie++ needs room" "$err" 'needs a target of 64 MiB or more'
if device=$(losetup -f --show "$file" 2>/dev/null); then
	run "$agent" --run "$(printf '{"path":"%s","size":67108864,"block_size":8192,"run_ns":200000000,"rw":"read","engine":"bonnie++"}' "$device")"
	losetup -d "$device"
	like "a device of the host is left alone" "$err" "$device is a device, and bonnie\+\+ needs a folder: on a host no file system is made"
else
	ok "a device of the host is left alone # SKIP no loop device can be set up" true
fi
mkdir "$tmp/fake"
printf '#!/bin/sh\n[ "$1" = --version ] && { echo "Version: 9" >&2; exit 1; }\ntouch "$3/Bonnie.1"; mkdir "$3/sub"; echo "Can'"'"'t write - disk full?" >&2; exit 1\n' >"$tmp/fake/bonnie++"
chmod +x "$tmp/fake/bonnie++"
run env PATH="$tmp/fake:$PATH" "$agent" --run "$(large '"rw":"write","engine":"bonnie++"')"
like "a bonnie++ that fails" "$status $err" "^1 .*bonnie\+\+ failed with status 1: Can't write - disk full\? \(EIO: tool\)"
is "  leaves nothing either" "$(ls "$tmp" | grep -c iogap-bonnie)" 0
file=$tmp/data

# Programs of these names that go wrong.
mkdir "$tmp/bin"
bad() { # WHAT SCRIPT MESSAGE
	printf '#!/bin/sh\n%s\n' "$2" >"$tmp/bin/dd"
	chmod +x "$tmp/bin/dd"
	run env PATH="$tmp/bin:$PATH" "$agent" --run "$(job '"rw":"read","engine":"dd"')"
	is "$1: status" "$status" 1
	like "$1: message" "$err" "$3"
}
version='[ "$1" = --version ] && { echo "dd (coreutils) 99"; exit; }'
# One that goes on for long is asked to end when the time is over, and prints its figures then.
long="$version
exec 3<$file
trap 'echo \"8192 bytes (8.2 kB, 8.0 KiB) copied, 0.2 s, 41 kB/s\" >&2; trap - INT; kill -INT \$\$' INT
while :; do sleep 0.05; done"
printf '#!/bin/sh\n%s\n' "$long" >"$tmp/bin/dd"
chmod +x "$tmp/bin/dd"
run env PATH="$tmp/bin:$PATH" "$agent" --run "$(job '"rw":"read","engine":"dd"')"
is "a dd that goes on is stopped: status" "$status$err" 0
is "a dd that goes on is stopped: its figures" "$(printf '%s' "$out" | jq -r .tool.output)" "8192 bytes (8.2 kB, 8.0 KiB) copied, 0.2 s, 41 kB/s"
bad "a dd that was stopped before it began" "$version
exec 3<$file
while :; do sleep 0.05; done" 'dd was stopped before it had anything to tell; measure longer'
bad "another dd" 'echo "BusyBox v1.35"' 'engine dd does not work here: .*/bin/dd is another program of that name: BusyBox v1.35'
bad "a dd that fails" "$version
echo 'dd: this is why' >&2; exit 3" 'dd failed with status 3: dd: this is why \(EIO: tool\)'
bad "a dd that is killed" "$version
kill -9 \$\$" 'dd was killed by signal 9 \(EIO: tool\)'
bad "a dd that prints too much" "$version
head -c 100000 /dev/zero | tr '\\0' x >&2" 'dd printed more than 65536 bytes'
bad "a dd that prints something else than text" "$version
printf '\\377\\376' >&2" 'what dd printed is not UTF-8'
run env PATH="$tmp" "$agent" --run "$(job '"rw":"read","engine":"ioping"')"
like "no ioping" "$err" 'there is no ioping in PATH; install the package ioping'
run env PATH="$tmp" "$agent" --run "$(job '"rw":"read","engine":"dd"')"
like "no dd" "$err" 'there is no dd in PATH; install the package coreutils'
done_testing
