#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The gate on real guests whose rate is known, since QEMU limits it: the base to a quarter of what an unlimited guest does here, candidates
# to 0.95 and 0.99 of that; and two unlimited arms that are the same. One sweep, five arms, eleven blocks: half an hour under emulation.
. "${IOGAP_SRC:-.}/tests/tap.sh"
export IOGAP_RUNTIME="$tmp/r" IOGAP_STORE="$tmp/store/iogap.sqlite"
: "${IOGAP_CACHE:=${XDG_CACHE_HOME:-$HOME/.cache}/iogap}"
export IOGAP_CACHE
cat >"$tmp/real.yaml" <<-EOF
name: gate-real
accel: auto
targets: [{name: scratch, type: file, size: 64M}]
workload: {rw: randread, block_size: 4k, direct: true}
guest: {bus: virtio, cache: none, io: native}
measure: {settle: 0.3s, run: 3s, extend: false, blocks: 11}
gate: {screen_blocks: 3, min_blocks: 6}
EOF
sed 's/blocks: 11/blocks: 2/' "$tmp/real.yaml" >"$tmp/free.yaml"
"$iogap" sweep "$tmp/free.yaml" --progress=none >/dev/null 2>&1
free=$(sqlite3 -readonly "$IOGAP_STORE" "select avg(iops) from run where boot_id is not null")
# A multiple of 100, so that 0.95 and 0.99 of it are whole numbers.
base=$(awk -v f="$free" 'BEGIN {b = int(f / 400) * 100; print b < 100 ? 100 : b}')
echo "# an unlimited guest does $free operations per second; the base is limited to $base"
limit() { echo "iops_limit=$((base * $1 / 100))"; }
run "$iogap" sweep "$tmp/real.yaml" --progress=none --arm "base:$(limit 100)" --arm "loss5:$(limit 95)" --arm "loss1:$(limit 99)" \
	--arm free1: --arm free2:
is "the sweep" "$status" 0
# What a busy or emulated machine does to single runs is part of what is judged here.
gate() {
	run "$iogap" gate --base-arm "$1" --new-arm "$2" --accept-flag NOT_STEADY --accept-flag CACHED --accept-flag MIXED \
		--accept-flag INCONSISTENT -o "$tmp/$2"
	printf '%s\n' "$out" | sed 's/^/# /'
	slowdown=$(jq -r '.rows[0].slowdown' "$tmp/$2/gate.json")
}
gate base loss5
is "a loss of 5 % is REGRESSED" "$status" 1
ok "and it is 4.5 to 5.5 % ($slowdown)" awk -v s="$slowdown" 'BEGIN {exit !(s >= 0.045 && s <= 0.055)}'
gate base loss1
is "a loss of 1 % is not" "$(printf '%s\n' "$out" | grep -c '^REGRESSED ')" 0
gate free1 free2
is "two arms that are the same raise no alarm" "$(jq '[.rows[] | select(.reason // "" | test("otherwise this would be REGRESSED"))] | length' "$tmp/free2/gate.json")" 0
echo "# spread between runs and smallest detectable effect: $(jq -c '.rows[0] | {spread, detectable, verdict}' "$tmp/free2/gate.json")"
done_testing
