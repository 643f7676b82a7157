#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# iogap image: what is refused before anything is written or libguestfs is asked, and what is left behind: nothing.
. "$(dirname "$0")/../tap.sh"
export IOGAP_CACHE="$tmp/cache"
disk="$tmp/disk.raw"
truncate -s 64M "$disk"
left() { find "$tmp/cache/images" -mindepth 1 2>/dev/null | wc -l; }
# refuse WHAT REGEX ARG...: prepare and check say the same, exit 2, and nothing is left.
refuse() {
	what=$1 regex=$2
	shift 2
	run "$iogap" image prepare "$@"
	is "$what: prepare exits 2" "$status" 2
	like "$what: prepare says why" "$err" "$regex"
	is "$what: one line of error and nothing else" "$(printf '%s\n' "$err" | wc -l)" 1
	is "$what: nothing is left" "$(left)" 0
	run "$iogap" image check "$@"
	is "$what: check exits 2" "$status" 2
	like "$what: check says why" "$err" "$regex"
}

run "$iogap" image list
is "an empty list is no error" "$status" 0
like "it says how to make one" "$err" 'iogap image prepare IMAGE'

refuse "not there" 'nowhere.raw: it cannot be read: No such file' "$tmp/nowhere.raw"
refuse "a folder" 'neither a file nor a block device' "$tmp"
refuse "wrong format" 'declared to be qcow2, and its content is raw' --image-format qcow2 "$disk"
refuse "unknown format" 'format vdi is not raw or qcow2' --image-format vdi "$disk"
qemu-img create -q -f qcow2 "$tmp/q.qcow2" 64M
refuse "wrong format, the other way" 'declared to be raw, and its content is qcow2' --image-format raw "$tmp/q.qcow2"
qemu-img create -q -f vdi "$tmp/v.vdi" 64M
refuse "another format" 'its format is vdi; convert it' "$tmp/v.vdi"
qemu-img create -q --object secret,id=s,data=x -f luks -o key-secret=s,iter-time=10 "$tmp/l.img" 16M
refuse "encrypted" 'it is encrypted' "$tmp/l.img"
qemu-img create -q --object secret,id=s,data=x -f qcow2 -o encrypt.format=luks,encrypt.key-secret=s,encrypt.iter-time=10 "$tmp/lq.qcow2" 16M
refuse "encrypted qcow2" 'it is encrypted' "$tmp/lq.qcow2"
head -c 20000001 /dev/zero >"$tmp/odd.raw"
refuse "odd size" '20000001 bytes, is no multiple of 512' "$tmp/odd.raw"
truncate -s 1M "$tmp/small.raw"
refuse "too small" 'too small for a Linux distribution: 1048576 bytes' "$tmp/small.raw"
qemu-img create -q -f qcow2 -b q.qcow2 -F qcow2 "$tmp/over.qcow2"
mv "$tmp/q.qcow2" "$tmp/gone.qcow2"
refuse "a backing file that is gone" '/over\.qcow2: its backing file .*/q\.qcow2: it cannot be read: No such file' "$tmp/over.qcow2"
qemu-img create -q -f qcow2 -b over.qcow2 -F qcow2 -u "$tmp/third.qcow2" 64M
refuse "one further down" '/third\.qcow2: its backing file .*/q\.qcow2: it cannot be read: No such file' "$tmp/third.qcow2"
qemu-img rebase -u -b third.qcow2 -F qcow2 "$tmp/over.qcow2"
refuse "a circle of backing files" 'its backing file has no end: it lies below itself' "$tmp/over.qcow2"
qemu-img create -q -f qcow2 -b disk.raw -F raw "$tmp/above.qcow2"

# Another QEMU holds its lock: a guest that never runs.
qemu-system-x86_64 -S -accel tcg -m 16 -display none -nodefaults -monitor "unix:$tmp/monitor,server=on,wait=off" \
	-drive "if=none,id=d,format=raw,file=$disk" -device virtio-blk-pci,drive=d >/dev/null 2>&1 &
holder=$!
at_exit "kill $holder 2>/dev/null"
n=0
# It opens its image before its monitor takes calls.
until [ -S "$tmp/monitor" ] && ! qemu-io -f raw -c quit "$disk" >/dev/null 2>&1 || [ $n -ge 100 ]; do
	n=$((n + 1))
	sleep 0.1
done
refuse "in use" 'it is in use: another QEMU has it open' "$disk"
refuse "a backing file in use" '/above\.qcow2: its backing file .*/disk\.raw: it is in use: another QEMU' "$tmp/above.qcow2"
kill $holder
wait $holder 2>/dev/null

# This host has it mounted, which no lock shows.
truncate -s 64M "$tmp/mounted.raw"
mke2fs -q -F -t ext4 "$tmp/mounted.raw"
mkdir "$tmp/mnt"
if [ "$(id -u)" = 0 ] && mount -o loop "$tmp/mounted.raw" "$tmp/mnt" 2>"$tmp/mount"; then
	at_exit 'umount "$tmp/mnt" 2>/dev/null'
	loop=$(losetup -n -O NAME -j "$tmp/mounted.raw")
	ln "$tmp/mounted.raw" "$tmp/linked.raw"
	refuse "mounted" "mounted.raw: it is in use: it is attached to $loop of this host; unmount that" "$tmp/mounted.raw"
	refuse "mounted under another name" "linked.raw: it is in use: it is attached to $loop of this host" "$tmp/linked.raw"
	refuse "a mounted device" "$loop: it is in use: $loop is mounted at $tmp/mnt; unmount it" "$loop"
	umount "$tmp/mnt"
	n=0
	until [ -z "$(losetup -n -j "$tmp/mounted.raw")" ] || [ $n -ge 100 ]; do
		n=$((n + 1))
		sleep 0.1
	done
	reader=$(losetup -r -f --show "$tmp/mounted.raw")
	run "$iogap" image check --timeout 1 "$tmp/mounted.raw"
	like "one that can only read is in nobody's way" "$err" 'libguestfs \(under (kvm|tcg)\): .*took longer than 1 s'
	losetup -d "$reader"
else
	tap_result 0 "mounted # SKIP no loop mount here: $(head -1 "$tmp/mount" 2>/dev/null)"
fi

run "$iogap" image prepare --name 'a/b' "$disk"
is "a name with a slash: exit 2" "$status" 2
like "a name with a slash is told" "$err" '"a/b" is no name for an image'
run "$iogap" image prepare -o "$disk" "$disk"
is "the overlay over the image itself: exit 2" "$status" 2
like "the overlay over the image itself is told" "$err" 'would replace the image itself'
run "$iogap" image prepare -o "$tmp/cache/images/disk/overlay.qcow2" "$disk"
is "a place in the cache: exit 2" "$status" 2
like "a place in the cache is told" "$err" 'lies among what iogap itself keeps in its cache'
run "$iogap" image prepare -o "$tmp/cache/images-too/o.qcow2" "$disk"
like "a neighbour of the cache's folder is none of it" "$err" 'nothing can be written to .*/images-too: No such file'
run "$iogap" image prepare -o "$tmp/no/such/o.qcow2" "$disk"
is "a folder that is not there: exit 2" "$status" 2
like "a folder that is not there is named" "$err" 'nothing can be written to .*/no/such: No such file'
run "$iogap" image prepare -o /proc/o.qcow2 "$disk"
is "a folder that takes no files: exit 2 or 5" "$(case $status in 2 | 5) echo yes ;; esac)" yes
is "a folder that takes no files: nothing is left" "$(left)" 0

# libguestfs can be ended at any moment, by its deadline and by Ctrl-C.
run "$iogap" image prepare --timeout 1 "$disk"
is "the deadline: exit 5" "$status" 5
like "that libguestfs is started is told when it is" "$err" '^iogap: libguestfs starts its own guest under (kvm|tcg)'
like "the deadline is told" "$err" 'libguestfs \(under (kvm|tcg)\): .*took longer than 1 s'
is "the deadline: nothing is left" "$(left)" 0
"$iogap" image prepare "$disk" >/dev/null 2>"$tmp/err" &
pid=$!
n=0
until [ "$(left)" -gt 0 ] || [ $n -ge 100 ]; do
	n=$((n + 1))
	sleep 0.1
done
kill -TERM $pid
status=0
wait $pid || status=$?
is "a signal: its exit status" "$status" 143
is "a signal: nothing is left" "$(left)" 0
ok "the image was never written to" cmp -n 67108864 "$disk" /dev/zero

run "$iogap" image remove nobody
is "removing what is not there: exit 2" "$status" 2
like "removing what is not there is told" "$err" 'there is no prepared image nobody \(there is none\)'
run "$iogap" image remove
is "no image named: exit 2" "$status" 2
like "no image named is told" "$err" 'image remove: an image is missing'
run "$iogap" image list "$disk"
is "list takes none: exit 2" "$status" 2
run "$iogap" image mend "$disk"
like "an unknown word lists the known ones" "$err" '"mend" is none of prepare, list, check, remove'
# ---- where what was prepared is put: libguestfs's part is played by a script, beside a copy of iogap
mkdir "$tmp/bin"
cp "$iogap" "$tmp/bin/iogap"
cat >"$tmp/bin/iogap-image" <<-'EOF'
	#!/bin/sh
	# IMAGE DISK FORMAT ACCEL AGENT FOLDER; $MEANWHILE is what somebody else does in the minutes that it takes.
	[ -z "$6" ] || touch "$6/kernel" "$6/initrd"
	eval "$MEANWHILE"
	echo '{"cmdline": "ro", "kernel": {"version": "6", "initrd": "/i"}, "system": {"distro": "debian"}}'
EOF
chmod +x "$tmp/bin/iogap-image"
# prepare MEANWHILE ARG...
prepare() {
	meanwhile=$1
	shift
	run env MEANWHILE="$meanwhile" IOGAP_SHARE="$IOGAP_BUILD/share" IOGAP_AGENT="$agent" "$tmp/bin/iogap" image prepare "$@"
}
precious() { cat "$tmp/user/precious"; }
mkdir "$tmp/user"
echo mine >"$tmp/user/precious"
prepare '' -o "$tmp/user/precious" "$disk"
is "a file where the overlay shall go: exit 2" "$status" 2
like "a file where the overlay shall go is told" "$err" 'user/precious is there already, and is no overlay .*name another file'
is "a file where the overlay shall go stays" "$(precious)" mine
is "a file where the overlay shall go: nothing is left" "$(left) $(ls "$tmp/user")" "0 precious"
ln -s nowhere "$tmp/user/link"
prepare '' -o "$tmp/user/link" "$disk"
is "a link to nowhere there: exit 2" "$status" 2
rm "$tmp/user/link" "$tmp/user/precious"
prepare "echo mine >'$tmp/user/precious'" -o "$tmp/user/precious" "$disk"
is "a file that comes while it is prepared: exit 2" "$status" 2
is "a file that comes while it is prepared stays" "$(precious)" mine
is "a file that comes while it is prepared: nothing is left" "$(left) $(ls "$tmp/user")" "0 precious"
prepare '' -o "$tmp/user/o.qcow2" "$disk"
is "a free place is taken" "$status" 0
is "the overlay is there" "$(qemu-img info --output=json "$tmp/user/o.qcow2" | jq -r '."backing-filename"')" "$disk"
is "the record says so" "$(jq -r .overlay "$tmp/cache/images/disk/image.json")" "$tmp/user/o.qcow2"
first=$(stat -c %i "$tmp/user/o.qcow2")
prepare '' -o "$tmp/user/o.qcow2" "$disk"
is "its own overlay is replaced" "$status $(test "$(stat -c %i "$tmp/user/o.qcow2")" != "$first" && echo new)" "0 new"
is "and nothing else is left there" "$(ls "$tmp/user" | tr '\n' ' ')" "o.qcow2 precious "
mv "$tmp/user/precious" "$tmp/user/o.qcow2"
prepare '' -o "$tmp/user/o.qcow2" "$disk"
is "a file in the place of its own overlay: exit 2" "$status" 2
run "$iogap" image remove disk
is "remove leaves such a file: exit 5" "$status" 5
like "remove says so" "$err" 'o.qcow2 is not the overlay of .*/disk.raw that was made there, and stays; move it away'
is "such a file stays" "$(cat "$tmp/user/o.qcow2")" mine
rm "$tmp/user/o.qcow2"
run "$iogap" image remove disk
is "without it remove goes on" "$status $(left)" "0 0"

prepare '' -o "$tmp/user/o.qcow2" "$disk"
mkdir "$tmp/other"
truncate -s 64M "$tmp/other/disk.raw"
prepare '' "$tmp/other/disk.raw"
is "another image of that name: exit 2" "$status" 2
like "another image of that name: both ways out" "$err" \
	"the name disk is taken by $disk; choose another with --name, or remove that one first: iogap image remove disk\$"
is "the first is still prepared" "$(jq -r .image "$tmp/cache/images/disk/image.json")" "$disk"
prepare '' --name other "$tmp/other/disk.raw"
is "another name is free" "$status" 0
prepare "mv '$tmp/cache/images/other' '$tmp/cache/images/late'" --name late "$disk"
is "a name that is taken meanwhile: exit 2" "$status" 2
is "a name that is taken meanwhile stays with the other" "$(jq -r .image "$tmp/cache/images/late/image.json")" "$tmp/other/disk.raw"
prepare '' "$disk"
is "the same image again" "$status" 0
is "its old overlay is gone with its record" "$(ls "$tmp/user")" ""
run "$iogap" image list
is "two are prepared" "$(printf '%s\n' "$out" | awk 'NR > 1 {print $1}' | tr '\n' ' ')" "disk late "
for name in disk late; do run "$iogap" image remove $name; done
is "both are removed" "$(left)" 0

printf 'workload: {rw: read}\ntargets: [{name: t, type: file, size: 64M}]\nguest: {image: nobody}\nname: n\n' >"$tmp/p.yaml"
run "$iogap" plan "$tmp/p.yaml"
is "plan of an image that is not prepared: exit 2" "$status" 2
like "plan of an image that is not prepared: the reason" "$err" '^iogap: there is no prepared image .*nobody'
printf 'workload: {rw: read}\ntargets: [{name: t, type: file, size: 64M}]\nguest: {image: nobody, kernel: /boot/k}\nname: n\n' >"$tmp/p.yaml"
run "$iogap" plan "$tmp/p.yaml"
is "an image and a kernel: refused" "$status" 2
like "an image and a kernel: the reason" "$err" 'a distribution image boots its own kernel'
mkdir -p "$tmp/cache/images/broken"
echo '{}' >"$tmp/cache/images/broken/image.json"
run "$iogap" image list
is "a damaged record does not hide the others" "$status" 0
like "a damaged record is told" "$err" 'broken/image.json: it is no record of a prepared image'
done_testing
