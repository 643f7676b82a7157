#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# iogap plan --xml: the guests of a plan as libvirt's XML, for QEMU and for Xen, held against libvirt's own schema.
. "${IOGAP_SRC:-.}/tests/tap.sh"
export IOGAP_STORE="$tmp/store/iogap.sqlite" IOGAP_RUNTIME="$tmp/r"
: "${IOGAP_CACHE:=${XDG_CACHE_HOME:-$HOME/.cache}/iogap}"
export IOGAP_CACHE

xml() { printf '%s\n' "$out" | xmllint --xpath "$1" - 2>&1; }
valid() { printf "%s\n" "$out" >"$tmp/d.xml" && xmllint --noout --relaxng /usr/share/libvirt/schemas/domain.rng "$tmp/d.xml" 2>"$tmp/invalid"; }

cat >"$tmp/p.yaml" <<'YAML'
name: x
accel: tcg
targets:
  - {name: t, size: 64M}
  - {name: zero, type: nbd, size: 16M, nbd_plugin: 'null'}
guest: {bus: [virtio, virtio-scsi], machine: q35, iothread: true, vcpus: 2, logical_block_size: 512}
YAML
run "$iogap" plan "$tmp/p.yaml" --xml --data "$tmp/data"
is "a plan with one boot is one document" "$status" 0
ok "which fits libvirt's schema" valid
is "every disk of the boot is in it" "$(xml 'count(//disk)')" 4
is "with its settings" "$(xml 'string(//disk[target/@bus="virtio"]/driver/@iothread)') $(xml 'string(//controller[@type="scsi"]/driver/@iothread)') $(xml 'string(//iothreads)')" "1 1 1"
is "where a sweep would make it" "$(xml 'string(//disk[1]/source/@file)')" "$tmp/iogap-RUN-t.raw"
like "a network block device by its socket" "$(xml 'string(//disk/source[@protocol="nbd"]/host/@socket)')" "^$tmp/r/RUN/iogap-RUN-zero.sock\$"
ok "the kernel is there" test -r "$(xml 'string(//kernel)')"
ok "and so is the initramfs" test -r "$(xml 'string(//initrd)')"
is "emulated, as the profile says" "$(xml 'string(/domain/@type)')" qemu
is "the embedded driver changes no owner" "$(xml 'count(//seclabel)')" 0
ok "no run has begun" [ ! -e "$tmp/store" ]

run "$iogap" plan "$tmp/p.yaml" --xml --connect qemu:///system
ok "for a daemon: fits the schema" valid
is "QEMU gets this user's rights" "$(xml 'string(//seclabel/label)')" "+$(id -u):+$(id -g)"

run "$iogap" plan "$tmp/p.yaml" --xml --connect xen:///system
is "for Xen" "$status $(xml 'string(/domain/@type)') $(xml 'string(//os/type/@machine)')" "0 xen xenfv"
ok "fits the schema" valid
is "disks are paravirtual, in order" "$(xml '//disk/target/@dev' | tr -d ' \n') $(xml 'count(//disk/target[@bus="xen"])')" 'dev="xvda"dev="xvdb"dev="xvdc"dev="xvdd" 4'
like "and what cannot be told is named" "$(xml '//comment()')" 'never run a guest of Xen.*: bus \(xen in its place\), cache, io, serial, iothread, queues, machine'

run "$iogap" sweep "$tmp/p.yaml" --connect xen:///system --progress=none
is "a sweep under Xen is refused" "$status" 2
like "with the reason" "$err" '^iogap: cannot use the hypervisor xen:///system: guests of Xen have never been run by iogap; .iogap plan --xml --connect. prints their domains, and a sweep needs a qemu: URI$'

sed -i 's/iothread: true/iothread: false/; s/machine: q35/machine: [q35, pc]/' "$tmp/p.yaml"
run "$iogap" plan "$tmp/p.yaml" --xml
is "two boots are two documents, told apart" "$(printf '%s\n' "$out" | grep -c '^<!-- boot [12] of 2 -->$')" 2
run "$iogap" plan "$tmp/p.yaml" --xml --boot 2
ok "one of them alone" valid
run "$iogap" plan "$tmp/p.yaml" --xml --boot 3
is "a boot that is not there" "$status:$err" '2:iogap: --boot takes the number of a boot, 1 to 2, not "3"'
run "$iogap" plan "$tmp/p.yaml" --connect xen:///system
is "a connection without --xml" "$status:$err" '2:iogap: --connect goes with --xml only'
run "$iogap" plan "$tmp/p.yaml" --xml --connect lxc:///
is "another hypervisor" "$status" 2
like "another hypervisor: message" "$err" '^iogap: cannot use the hypervisor lxc:///: iogap measures QEMU guests; give a qemu: URI$'
done_testing
