#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Guests that fall silent: the reason tells what could be seen of them, so that it need not happen twice to be understood.
. "${IOGAP_SRC:-.}/tests/tap.sh"
. "${IOGAP_SRC:-.}/tests/guest/probe.inc"

truncate -s 16M "$tmp/disk"

# ---- the answer is missing, everything else works
run env IOGAP_AGENT="$IOGAP_BUILD/tests/odd-agent" "$probe" boot disk virtio "$tmp/disk" patience 5 read 1
is "a guest that owes an answer fails" "$status" 5
like "the message says which, and what was heard last" "$out" \
	"^error: the guest's agent did not answer run within 6 s; its last message \(phase measure\) came [0-9]+\.[0-9] s ago; "
like "that the agent answers when it is asked again" "$out" "; asked again, it answers: the agent and its channel work, and the command is what hangs; "
like "what libvirt knows" "$out" "; for libvirt the guest is running; "
like "what QEMU's processors did" "$out" "; in [0-9.]+ s QEMU's vCPUs used [0-9]+\.[0-9]{2} s of processor time and its other threads [0-9.]+ s; "
like "what its disk did" "$out" "; QEMU finished 0 operations on vd[a-z] in this time"
version=$("${QEMU:-qemu-system-x86_64}" --version | sed -n 's/.*version \([0-9]*\)\.\([0-9]*\).*/\1 \2/p')
if [ "${version% *}" -gt 7 ] || [ "$version" = "7 2" ]; then
	like "that nothing is missing in its queue, where all counts are the same" "$out" \
		"; the disk's queue is empty: no request is missing between the guest and QEMU \(offered ([0-9]+), taken \1, returned \1, interrupt wanted after \1\); "
else
	tap_result 0 "that nothing is missing in its queue # SKIP x-query-virtio-queue-status is there from QEMU 7.2 on"
fi
like "and how the console ends" "$out" "; its console ends with: ."
is "nothing is left of it" "$(gone_within 3 leftovers)" ""

# ---- nothing works
start_probe boot disk virtio "$tmp/disk" patience 5 read 3
await_line measuring 120 >/dev/null
kill -STOP "$(qemu_pid)"
got=$(await_line error: 60)
like "a guest that is stopped is given up" "$got" "^error: the guest's agent did not answer run within 8 s; "
like "with what it is" "$got" "QEMU's process is stopped by a signal or a debugger; looking at a silent guest: QEMU did not answer within 10 s and was killed"
wait "$probe_pid"
is "nothing is left of it either" "$(gone_within 3 leftovers)" ""
done_testing
