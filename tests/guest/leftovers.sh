#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The harness is killed with SIGKILL at every bad moment: nothing may be left, and what is left without a keeper goes at
# the next start.
. "${IOGAP_SRC:-.}/tests/tap.sh"
. "${IOGAP_SRC:-.}/tests/guest/probe.inc"

truncate -s 16M "$tmp/disk"

# ---- while libvirt asks QEMU what it can do (first opening) --------------------------------------
start_probe boot
like "the first opening runs QEMU" "$(come_within 20 processes '-qmp')" '-qmp'
kill_probe
is "killed in it, nothing is left" "$(gone_within 5 leftovers)" ""

# ---- while booting ---------------------------------------------------------------------------------
start_probe boot
like "a guest boots" "$(come_within 60 processes 'guest=')" 'guest='
kill_probe
is "killed while it boots, nothing is left" "$(gone_within 5 leftovers)" ""

# ---- while measuring -------------------------------------------------------------------------------
start_probe boot disk virtio "$tmp/disk" write 60
like "a guest measures" "$(await_line measuring 120)" '^measuring'
kill_probe
is "killed while it measures, nothing is left" "$(gone_within 5 leftovers)" ""
ok "the image, which was not announced, is still there" test -f "$tmp/disk"

# ---- with a guest that hangs, and a whole process group killed ------------------------------------------
start_probe boot
like "another guest boots" "$(come_within 60 processes 'guest=')" 'guest='
kill -STOP "$(qemu_pid)"
kill_probe
is "killed with a guest that hangs, nothing is left" "$(gone_within 5 leftovers)" ""

# ---- the keeper is killed too --------------------------------------------------------------------------
start_probe boot
like "a last guest boots" "$(come_within 60 processes 'guest=')" 'guest='
kill -KILL "$(keeper_pid)"
kill_probe
like "without a keeper the guest stays" "$(leftovers)" 'guest='
run "$probe" recover
like "the next start says what it removes" "$status $out" '^0 recovered 1'
like "the guest" "$out" '^recovered: removed: domain qemu:///embed\?root='
is "then nothing is left" "$(gone_within 1 leftovers)" ""
run "$probe" recover
is "and there is nothing to remove" "$out" "recovered 0"

# ---- a guest paused by a full disk ----------------------------------------------------------------------
if [ "$(id -u)" -ne 0 ]; then
	tap_result 0 "killed with a guest paused by a full disk # SKIP mounting a small file system needs root"
	done_testing
	exit
fi
mkdir "$tmp/small"
mount -t tmpfs -o size=4m none "$tmp/small"
at_exit 'umount "$tmp/small"'
truncate -s 64M "$tmp/small/disk"
start_probe boot disk virtio "$tmp/small/disk" stay write 60
like "a full host pauses the guest, and the run fails with that reason" "$(await_line error: 150)" \
	'^error: the guest was paused: the host ran out of space behind '
ok "the guest is still there, paused" test -n "$(qemu_pid)"
kill_probe
is "killed with a paused guest, nothing is left" "$(gone_within 5 leftovers)" ""
done_testing
