#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Real guests: all buses, the facts, what bad input gets, and that each end leaves nothing.
. "${IOGAP_SRC:-.}/tests/tap.sh"
. "${IOGAP_SRC:-.}/tests/guest/probe.inc"

for i in 1 2 3 4; do truncate -s 16M "$tmp/disk$i"; done

# ---- one guest, four disks on three buses ------------------------------------------------------
run "$probe" cold ide "$tmp/disk1" cold ide "$tmp/disk2" boot \
	disk virtio "$tmp/disk3" write 1 disk virtio-scsi "$tmp/disk4" read 1 \
	disk ide "$tmp/disk2" read 1 disk ide "$tmp/disk1" disk virtio "$tmp/disk3" facts stop
is "a guest boots and measures on virtio, virtio-scsi and IDE" "$status $err" "0 "
like "virtio is found by its serial" "$out" '^disk virtio /dev/vd[a-z]$'
like "virtio-scsi is found" "$out" '^disk virtio-scsi /dev/sd[a-z]$'
like "IDE is found" "$out" '^disk ide /dev/sd[a-z]$'
like "it wrote" "$out" '^write [1-9]'
like "it read" "$out" '^read [1-9]'
is "both IDE disks are told apart" "$(printf '%s\n' "$out" | grep '^disk ide' | sort -u | wc -l | tr -d ' ')" 2
is "a disk asked for again is the same one" "$(printf '%s\n' "$out" | grep '^disk virtio ' | sort -u | wc -l | tr -d ' ')" 1
like "the time to hello is known" "$out" '^hello_ns=[0-9]{9,}$'
like "the domain is kept" "$out" "^domain_xml=<domain type='qemu' id="
like "QEMU's command line is kept" "$out" '^qemu_cmdline=.*-name guest=iogap-'
like "the kernel is named" "$out" '^kernel=/.*vmlinuz'
like "the initramfs has its sum" "$out" '^initramfs_sha256=[0-9a-f]{60}'
like "what was booted is said" "$out" '^unpacked=[01]$'
like "the accelerator is said" "$out" '^accel=tcg$'
like "the emulator's version is known" "$out" '^qemu_version=[0-9]'
is "what the guest wrote reached the image" "$(head -c 65536 "$tmp/disk3" | tr -d '\0' | wc -c | awk '{ print ($1 > 60000) }')" 1
is "nothing is left" "$(gone_within 3 leftovers)" ""

# ---- what bad input gets -----------------------------------------------------------------------
run "$probe" hello 1 boot
is "a guest that never says hello fails" "$status" 5
like "the message quotes the deadline and the console" "$out" '^error: the guest did not say hello within 1 s under tcg; its console ends with: '
like "and says how it gets longer" "$out" '; where emulation is slower than that, give it a longer boot_limit \(of measure\)$'
is "nothing is left of it" "$(gone_within 3 leftovers)" ""

# A static program that ends at once, as process 1.
run env IOGAP_AGENT=/sbin/ldconfig "$probe" boot
like "a guest whose kernel panics is lost at once, with the line of its console" "$out" \
	"^error: the guest's kernel panicked; its console says: .*Kernel panic - not syncing: Attempted to kill init"
is "nothing is left of it" "$(gone_within 3 leftovers)" ""

run "$probe" emulator /nowhere/qemu boot
is "a missing emulator is an error" "$status" 5
like "and is named, with the mend" "$out" '^error: the emulator /nowhere/qemu cannot be used: No such file.*qemu-system-x86'
run "$probe" emulator "$tmp/disk1" boot
like "so is one that is not a program" "$out" '^error: the emulator .*/disk1 cannot be used: Permission denied'
run "$probe" kernel /nowhere/vmlinuz boot
like "a missing kernel is named" "$out" '^error: the kernel /nowhere/vmlinuz cannot be used: No such file'
run "$probe" kernel "$tmp/disk1" boot
like "so is a file that is no kernel" "$out" '^error: .*/disk1'
run "$probe" cold ide "$tmp/nothing" boot
like "a missing image is named" "$out" '^error: the image .*/nothing cannot be used: No such file'
truncate -s 1000001 "$tmp/odd"
run "$probe" cold ide "$tmp/odd" boot
like "an odd size is named, with the mend" "$out" \
	'^error: the image .*/odd cannot be used: its size, 1000001 bytes, is no multiple of the 512 of the guest.s sectors; truncate --size=%512'
truncate --size=%512 "$tmp/odd"
is "and the mend works" "$(stat -c %s "$tmp/odd")" 1000448
qemu-img create -q -f qcow2 "$tmp/q" 16M
run "$probe" cold ide "$tmp/q" boot
like "a qcow2 image declared to be raw" "$out" \
	'^error: the image .*/q cannot be used: it is declared to be raw, and its content is qcow2; name the true format, or use a fresh image$'
run "$probe" format qcow2 cold ide "$tmp/disk1" boot
like "and the other way round" "$out" '/disk1 cannot be used: it is declared to be qcow2, and its content is raw; name'
printf 'QFI\373\0\0\0\003' >"$tmp/short"
truncate -s 1M "$tmp/short"
run "$probe" format qcow2 cold ide "$tmp/short" boot
like "a header that is none" "$out" '^error: .*/short: qemu-img cannot read it: '
qemu-system-x86_64 -S -display none -nodefaults -accel tcg -daemonize -pidfile "$tmp/holder.pid" \
	-drive "file=$tmp/disk1,format=raw,if=ide"
holder=$(cat "$tmp/holder.pid")
at_exit "kill $holder 2>/dev/null"
run "$probe" cold ide "$tmp/disk1" boot
like "an image in use is named, with the mend" "$out" \
	'/disk1 cannot be used: another QEMU has it open and shares it with nobody; shut that guest down first, or use a copy$'
kill "$holder"
if [ "$(id -u)" = 0 ] && mkdir "$tmp/ro" && mount -t tmpfs -o ro,size=1M none "$tmp/ro" 2>/dev/null; then
	at_exit "umount $tmp/ro 2>/dev/null"
	mount -o remount,rw "$tmp/ro" && truncate -s 64k "$tmp/ro/image" && mount -o remount,ro "$tmp/ro"
	run "$probe" cold ide "$tmp/ro/image" boot
	like "a read-only image is named, with the mend" "$out" \
		'/ro/image cannot be used: its file system is mounted read-only; remount it read-write or use another folder$'
	umount "$tmp/ro"
else
	tap_result 0 "a read-only image # SKIP mounting needs root"
fi
run env IOGAP_AGENT=/nowhere/agent "$probe" boot
like "a missing agent is named" "$out" '^error: the agent /nowhere/agent cannot be used'
for uri in qemu+ssh://host/system qemu+tcp://host/system qemu://host/system xen:///system 'not a uri'; do
	run "$probe" connect "$uri" boot
	like "hypervisor \"$uri\" is refused" "$out" '^error: cannot use the hypervisor .*: (its? |iogap measures QEMU|guests of Xen)'
done
run env IOGAP_RUNTIME="$tmp/a-folder-whose-name-is-far-too-long-for-the-sockets-of-libvirt" "$probe" boot
like "a runtime folder that is too long is refused" "$out" '^error: .*too long.*IOGAP_RUNTIME'
run "$probe" accel hvf boot
like "an unknown accelerator is refused" "$out" '^error: accel: "hvf" is not kvm, auto or tcg'
is "nothing is left of all these" "$(gone_within 3 leftovers)" ""

if [ ! -e /dev/kvm ]; then
	run "$probe" accel kvm boot
	like "kvm fails at once where there is none, with the mend" "$out" '^error: accel: kvm was asked for and does not work: /dev/kvm does not exist.*accel: auto or tcg'
	run "$probe" accel auto hello 1 boot
	like "auto says loudly that this is emulation" "$out" '^remark: .*figures describe emulation'
fi

# ---- a guest that dies, two at once, a hung one ------------------------------------------------
start_probe machine q35 cold sata "$tmp/disk1" boot disk sata "$tmp/disk1" disk virtio "$tmp/disk3" \
	disk virtio-scsi "$tmp/disk4" events 60
like "a q35 guest boots and finds SATA and hot-plugged disks" "$(await_line waiting 120)" '^waiting'
run "$probe" boot
like "another harness is told who is there" "$status $out" 'another sweep is running \(process '"$probe_pid"' '
kill -KILL "$(qemu_pid)"
like "a guest whose QEMU was killed is lost, with the reason" "$(await_line lost: 10)" "^lost: the guest's QEMU (died|or its kernel crashed)"
wait "$probe_pid"
is "nothing is left of it" "$(gone_within 3 leftovers)" ""

start_probe boot disk virtio "$tmp/disk3" until "$tmp/go" disk virtio "$tmp/disk4" stop
await_line waiting 120 >/dev/null
kill -STOP "$(qemu_pid)"
: >"$tmp/go"
like "a guest that hangs is given up after its deadline" "$(await_line error: 40)" '^error: plugging in a disk: QEMU did not answer within 15 s'
wait "$probe_pid"
is "nothing is left of it" "$(gone_within 3 leftovers)" ""
done_testing
