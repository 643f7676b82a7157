#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The other init systems, from packages to a measurement: a Debian that sysvinit starts and one that OpenRC starts are made, prepared,
# booted, swept in. INITS (sysvinit openrc) narrows them down.
. "${IOGAP_SRC:-.}/tests/tap.sh"
. "$IOGAP_SRC/tests/guest/image.inc"
# Without fsck of its root (e2fsprogs) either goes no further than a shell for repairs.
base=sysvinit-core,initscripts,udev,kmod,e2fsprogs

measured() { # INIT PACKAGES FILE PATHS
	disk=$tmp/$1.raw
	image_debian "$disk" "$2" "$3"
	before=$(sha256sum <"$disk")

	run "$iogap" image prepare --name "$1" "$disk"
	is "$1: the image is prepared" "$status" 0
	[ "$status" = 0 ] || tap_show stderr "$err"
	like "$1: what starts it is told" "$out" "^system +debian 12\.[0-9]+, x86_64, started by $1\$"
	folder=$IOGAP_CACHE/images/$1
	is "$1: what was written is recorded" "$(jq -r '.wrote | sort | join(" ")' "$folder/image.json")" "$4"
	overlay=$(sha256sum <"$folder/overlay.qcow2")

	cat >"$tmp/$1.yaml" <<-EOF2
		name: $1
		accel: auto
		targets: [{name: scratch, type: file, size: 64M}]
		workload: {rw: read, block_size: 64k, direct: true}
		guest: {bus: [virtio, ide], cache: none, io: native, image: $1}
		measure: {settle: 0.1s, run: 0.5s, blocks: 1}
		EOF2
	rm -f "$IOGAP_STORE"
	run "$iogap" sweep "$tmp/$1.yaml" --progress=lines
	is "$1: a sweep in it succeeds" "$status" 0
	[ "$status" = 0 ] || tap_show stderr "$err"
	is "$1: every leg was measured" "$(sql 'select count(*) from run where status = "ok" and bytes_read > 0')" 3
	is "$1: one boot has both buses" "$(sql 'select count(*) from boot')" 1
	is "$1: the guest ran the image's kernel" "$(sql 'select guest_kernel from boot')" "$version"
	like "$1: with its own words" "$(sql 'select cmdline from boot')" "^root=UUID=$uuid ro quiet iogap.test=1 console=ttyS0"
	is "$1: the prepared image is as it was" "$(sha256sum <"$folder/overlay.qcow2")" "$overlay"
	is "$1: the original is untouched" "$(sha256sum <"$disk")" "$before"
	run "$iogap" image remove "$1"
	is "$1: nothing is left of it" "$status $(find "$IOGAP_CACHE/images" -mindepth 1)" "0 "
	rm -f "$disk"
}

agent_files="/usr/local/sbin/iogap-agent /usr/local/sbin/iogap-agent-start"
for init in ${INITS:-sysvinit openrc}; do
	case $init in
	sysvinit) measured sysvinit "$base" /sbin/init "/etc/inittab $agent_files" ;;
	openrc) measured openrc "openrc,$base" /sbin/openrc-run "/etc/init.d/iogap-agent /etc/runlevels/default/iogap-agent $agent_files" ;;
	esac
done
done_testing
