#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A distribution from packages to a measurement: a small Debian is made, prepared with libguestfs, booted, swept in, removed.
. "${IOGAP_SRC:-.}/tests/tap.sh"
. "$IOGAP_SRC/tests/guest/image.inc"

disk=$tmp/debian.raw
image_debian "$disk" systemd-sysv,udev,kmod /lib/systemd/systemd
# Somebody's data beside the system, encrypted.
truncate -s +8M "$disk"
echo 'type=83' | sfdisk -q --append "$disk"
# The first words of a LUKS header are what tells.
printf 'LUKS\272\276\000\001' | dd of="$disk" bs=512 conv=notrunc status=none \
	seek="$(sfdisk -J "$disk" | jq '.partitiontable.partitions[1].start')"
before=$(sha256sum <"$disk")

# ---- prepared
run "$iogap" image prepare --name deb "$disk"
is "the image is prepared" "$status" 0
[ "$status" = 0 ] || tap_show stderr "$err"
like "its distribution is told" "$out" '^system +debian 12\.[0-9]+, x86_64, started by systemd'
like "its kernel is told" "$out" "^kernel +$version, with its initrd"
like "its command line is that of its boot loader, by UUID" "$out" "^command line root=UUID=$uuid ro quiet iogap.test=1\$"
like "and so is the file" "$out" '^from +/boot/extlinux/extlinux.conf'
is "what it holds is known, the encrypted too" "$(jq -c .filesystems "$IOGAP_CACHE/images/deb/image.json")" \
	'{"/dev/sda1":"ext4","/dev/sda2":"crypto_LUKS"}'
is "the original is untouched" "$(sha256sum <"$disk")" "$before"
folder=$IOGAP_CACHE/images/deb
ok "the kernel is the image's own" cmp -s "$folder/kernel" "/boot/vmlinuz-$version"
ok "the initrd is the image's own" cmp -s "$folder/initrd" "/boot/initrd.img-$version"
is "what was written is recorded" "$(jq -r '.wrote | sort | join(" ")' "$folder/image.json")" \
	"/etc/modules-load.d/iogap.conf /etc/systemd/system/iogap-agent.service /etc/udev/rules.d/60-iogap-agent.rules /usr/local/sbin/iogap-agent"
is "with the agent's digest" "$(jq -r .agent_sha256 "$folder/image.json")" "$(sha256sum <"$agent" | cut -d' ' -f1)"
run "$iogap" image list
like "it is listed" "$out" "^deb +debian +12\.[0-9]+ +systemd +$version +yes +$disk"
run "$iogap" image check deb
is "it can be booted" "$status" 0
overlay=$(sha256sum <"$folder/overlay.qcow2")

# ---- booted and measured, on a bus that is plugged in and one that is there from the boot
cat >"$tmp/p.yaml" <<-EOF
	name: image
	accel: auto
	targets: [{name: scratch, type: file, size: 64M}]
	workload: {rw: read, block_size: 64k, direct: true}
	guest: {bus: [virtio, ide], cache: none, io: native, image: deb}
	measure: {settle: 0.1s, run: 0.5s, blocks: 1}
	EOF
run "$iogap" sweep "$tmp/p.yaml" --progress=lines
is "a sweep in it succeeds" "$status" 0
[ "$status" = 0 ] || tap_show stderr "$err"
is "every leg was measured" "$(sql 'select count(*) from run where status = "ok" and bytes_read > 0')" 3
is "one boot has both buses" "$(sql 'select count(*) from boot')" 1
is "guest legs name the image, host legs do not" "$(sql 'select side, kernel from leg group by 1, 2' | tr '\n' ' ')" \
	"guest|image deb host| "
is "the guest ran the image's kernel" "$(sql 'select guest_kernel from boot')" "$version"
like "with its own words and ours after them" "$(sql 'select cmdline from boot')" \
	"^root=UUID=$uuid ro quiet iogap.test=1 console=ttyS0 panic=-1"
like "and says so itself" "$(sql 'select environment_json from boot')" 'iogap\.test=1'
like "the sweep keeps what was prepared" "$(sql 'select environment_json from sweep')" \
	'"image\.deb\.cmdline_from": ?"/boot/extlinux/extlinux.conf"'
like "the boot disk has a place of its own" "$(sql 'select domain_xml from boot')" '<serial>iogap-boot</serial>'
is "the prepared image is as it was" "$(sha256sum <"$folder/overlay.qcow2")" "$overlay"
is "the original is untouched still" "$(sha256sum <"$disk")" "$before"
is "the boot's own overlay is gone" "$(find "$IOGAP_RUNTIME" -name '*.boot.qcow2')" ""

# ---- what spoils it
touch "$disk"
run "$iogap" image check deb
is "a changed original: exit 5" "$status" 5
like "a changed original is told, with the mend" "$err" 'changed since it was prepared; prepare it again: iogap image prepare --name deb '
run "$iogap" sweep "$tmp/p.yaml" --progress=lines
is "no sweep boots it: exit 5" "$status" 5
like "no sweep boots it: the reason" "$err" 'image deb: the image below its overlay was changed'
run "$iogap" image remove deb
is "it is removed" "$status" 0
is "nothing is left of it" "$(find "$IOGAP_CACHE/images" -mindepth 1)" ""
is "the original stays" "$(sha256sum <"$disk")" "$before"
done_testing
