#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The agent against fio and against a bare pread loop inside a guest: boots the appliance's kernel and modules with these
# three programs beside the agent, and runs tests/bench/agent.sh there on a virtio disk.
#
# Aims under emulation: IOPS at least 0.95 of the bare loop, user CPU per operation at most half of fio's.
set -eu
: "${IOGAP_BUILD:=$PWD/build}" "${IOGAP_SRC:=$PWD}"
tmp=$(mktemp -d "${TMPDIR:-/tmp}/iogap-bench.XXXXXX")
trap 'rm -rf "$tmp"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# The doctor builds the appliance and names it and its kernel.
line=$("$IOGAP_BUILD/iogap" doctor 2>/dev/null | sed -n 's/^ok  *kernel  *//p')
kernel=${line%%;*}
appliance=${line##*appliance }
[ -f "$kernel" ] && [ -f "$appliance" ] || { echo "no appliance: see iogap doctor" >&2; exit 1; }

# A second archive behind the appliance's own: the kernel unpacks both, one over the other.
root=$tmp/root
mkdir -p "$root/bin" "$root/bench" "$root/build/bench" "$root/proc" "$root/sys" "$root/dev" "$root/tmp"
cp /bin/busybox "$root/bin/busybox"
cp "$IOGAP_BUILD/bench/bare-loop" "$root/build/bench/"
cp "$IOGAP_BUILD/iogap-agent" "$root/build/iogap-agent"
cp "$IOGAP_SRC/tests/bench/agent.sh" "$root/bench/"
for file in "$(command -v fio)" $(ldd "$(command -v fio)" "$root/build/bench/bare-loop" | grep -o '/[^ ]*\.so[^ ]*' | sort -u); do
	mkdir -p "$root$(dirname "$file")"
	cp -L "$file" "$root$file"
done
cat >"$root/bench-init" <<EOF
#!/bin/busybox sh
export PATH=/bin:/usr/bin IOGAP_BUILD=/build BENCH_ROUNDS=${BENCH_ROUNDS:-5} BENCH_SECONDS=${BENCH_SECONDS:-1}
/bin/busybox --install -s /bin
mount -t proc proc /proc; mount -t sysfs sys /sys; mount -t devtmpfs dev /dev; mount -t tmpfs tmp /tmp
while read -r module; do insmod "/\${module#/}" 2>/dev/null; done </modules.list
for i in 1 2 3 4 5 6 7 8 9 10; do [ -b /dev/vda ] && break; sleep 1; done
echo none >/sys/block/vda/queue/scheduler
sh /bench/agent.sh /dev/vda 2>&1 | sed 's/^/BENCH /'
poweroff -f
EOF
chmod +x "$root/bench-init"
(cd "$root" && find . | busybox cpio -o -H newc 2>/dev/null) >"$tmp/extra.cpio"
# Each archive begins on a multiple of 4 bytes.
truncate -s %4 "$tmp/extra.cpio"
cat "$appliance" "$tmp/extra.cpio" >"$tmp/initrd"
head -c 67108864 /dev/urandom >"$tmp/disk"

echo "in a guest (TCG, virtio, cache none, aio native):"
qemu-system-x86_64 -machine pc -accel tcg -cpu max -m 1024 -nodefaults -display none -no-reboot -serial stdio \
	-kernel "$kernel" -initrd "$tmp/initrd" -append "console=ttyS0 quiet panic=-1 cryptomgr.notests no_timer_check rdinit=/bench-init" \
	-drive "file=$tmp/disk,format=raw,if=none,id=d,cache=none,aio=native" -device virtio-blk-pci,drive=d </dev/null |
	tr -d '\r' | sed -n 's/^BENCH //p'
