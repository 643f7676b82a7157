#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Every disk that a profile can ask for is what QEMU then has; what the planner refuses is refused by QEMU.
# The program prints TAP by itself.
. "${IOGAP_SRC:-.}/tests/tap.sh"
folder=$tmp
# tmpfs takes direct I/O from kernel 6.6 only.
if ! dd if=/dev/zero of="$tmp/probe" bs=4096 count=1 oflag=direct 2>/dev/null; then
	folder=$(mktemp -d /var/tmp/iogap-axes.XXXXXX)
	at_exit 'rm -rf "$folder"'
fi
IOGAP_RUNTIME=$tmp/run IOGAP_CACHE=$tmp/cache "$IOGAP_BUILD/tests/axes" "$folder"
