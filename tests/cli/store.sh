#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# iogap list and iogap show, on a store that another program (sqlite3) filled from the shipped schema.
. "${IOGAP_SRC:-.}/tests/tap.sh"
command -v sqlite3 >/dev/null || skip_all "sqlite3 is missing: make DEPS=test deps"
db="$tmp/s.sqlite"
export IOGAP_STORE="$db"

sql() { sqlite3 -bail "$db" "$@"; }
json() { # json PATH: a value of $out
	printf '%s' "$out" >"$tmp/json"
	sqlite3 :memory: "SELECT coalesce(json_extract(readfile('$tmp/json'), '$1'), 'null')"
}

run "$iogap" list
is "list: no store is exit 4" "$status" 4
like "list: the message names the store and the way out" "$err" "cannot read the store $db: No such file.*iogap sweep.*--store"
is "list: nothing is made" "$(ls "$tmp")" ""
run "$iogap" show
is "show: no store is exit 4" "$status" 4

sql >/dev/null <<SQL
.read $IOGAP_BUILD/share/schema/001-first.sql
PRAGMA application_id = 0x696f6770;
PRAGMA journal_mode = WAL;
INSERT INTO store_meta VALUES (1);
SQL
run "$iogap" list
is "list: an empty store is no failure" "$status $out" "0 "
like "list: but it is said" "$err" "no sweep in the store $db yet"
run "$iogap" show
is "show: an empty store is exit 4" "$status" 4
like "show: and says how to fill it" "$err" "no sweep in the store $db yet; .iogap sweep"

sql <<'SQL'
INSERT INTO sweep (uuid, label, status, error, started_unix_ns, finished_unix_ns, wall_ns, measured_ns, profile, profile_text,
	seed, blocks, settle_ns, run_ns, accel, accel_remark, iogap_version, qemu_version, host_kernel, cpus, memory,
	environment_json, plan_json, store_version) VALUES
('11112222-0000-4000-8000-000000000001', 'before', 'finished', NULL, 1700000000000000000, 1700000125000000000,
	125000000000, 100000000000, 'quick', 'name: quick' || char(10) || 'accel: auto' || char(10),
	-2, 2, 250000000, 1000000000, 'tcg', 'no guest runs in /dev/kvm', '0.1.0', '7.2.1', '6.1.0', 2, 8589934592,
	'{"host.cpu.governor":"performance","host.load.1":0.5}', '{"stages":[1,2]}', 1),
('11113333-0000-4000-8000-000000000002', 'after' || char(10) || 'midnight', 'interrupted', 'SIGINT', 1700000200000000000, NULL,
	NULL, NULL, 'full', NULL, NULL, NULL, NULL, NULL, 'kvm', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1);
INSERT INTO leg (sweep_id, label, side, rw, block_size) VALUES (1, 'host read 8k', 'host', 'read', 8192);
INSERT INTO leg (sweep_id, label, side, host_leg_id, rw, block_size, bus) VALUES
	(1, 'guest virtio read 8k', 'guest', 1, 'read', 8192, 'virtio');
INSERT INTO refusal (sweep_id, line, column_no, combination, reason, legs) VALUES
	(1, 12, 5, 'bus=ide logical_block_size=4096', 'QEMU refuses it', 3);
INSERT INTO boot (sweep_id, block, boot_no, status, hello_ns, accel, guest_kernel, error) VALUES
	(1, 0, 0, 'failed', NULL, 'tcg', NULL, 'no hello');
INSERT INTO boot (sweep_id, block, boot_no, status, hello_ns, accel, guest_kernel, domain_xml, qemu_cmdline) VALUES
	(1, 0, 0, 'finished', 5250000000, 'tcg', '6.1.0-57', '<domain/>' || char(10), 'qemu -name guest=a'),
	(1, 1, 0, 'finished', 61000000000, 'tcg', '6.1.0-57', '<domain n="2"/>' || char(10), 'qemu -name guest=b');
INSERT INTO run (sweep_id, leg_id, boot_id, block, status, reason, bytes_per_s) VALUES
	(1, 1, NULL, 0, 'ok', NULL, 1e8), (1, 1, NULL, 1, 'ok', NULL, 1.1e8),
	(1, 2, 2, 0, 'ok', NULL, 5e7), (1, 2, 3, 1, 'failed', 'the guest died', NULL);
UPDATE boot SET environment_json = '{"guest.clocksource":"tsc","guest.cpu.microcode":"0x1"}' WHERE id = 2;
UPDATE boot SET environment_json = '{"guest.clocksource":"acpi_pm","guest.cpu.microcode":"0x1"}' WHERE id = 3;
UPDATE sweep SET absent_json = '{"kvm_exits":["no KVM","no tracing"]}' WHERE id = 1;
INSERT INTO flag (run_id, flag, evidence) VALUES (3, 'EMULATED', 'accel=tcg'), (3, 'CACHED', '2 of 9 MB'), (1, 'CACHED', '0 of 9 MB');
SQL
cat >"$tmp/expected" <<'TEXT'
ID  STARTED (UTC)        STATUS       PROFILE  ACCEL  LEGS  OK  FAILED  SKIPPED  REFUSED  UUID      LABEL
 1  2023-11-14 22:13:20  finished     quick    tcg       2   3       1        0        1  11112222  before
 2  2023-11-14 22:16:40  interrupted  full     kvm       0   0       0        0        0  11113333  after midnight
TEXT
run "$iogap" list
is "list: one line for each sweep" "$out" "$(cat "$tmp/expected")"
is "list: says nothing else" "$status $err" "0 "
run env LC_ALL=de_DE.UTF-8 "$iogap" list --store "$db"
is "list: no locale changes it" "$out" "$(cat "$tmp/expected")"
run "$iogap" list --format json
is "list: JSON holds the same" "$(json '$.sweeps[0].runs_ok') $(json '$.sweeps[1].profile') $(json '$.version')" "3 full 1"
is "list: JSON keeps the label as it is" "$(json '$.sweeps[1].label')" "after
midnight"

cat >"$tmp/expected" <<'TEXT'
Sweep 1: quick, finished
  uuid         11112222-0000-4000-8000-000000000001
  label        before
  started      2023-11-14 22:13:20
  finished     2023-11-14 22:15:25
  took         2m05s, measuring 1m40s (80 %)
  profile      quick, 2 blocks, settle 250ms, run 1s, seed 18446744073709551614
  accelerator  tcg: no guest runs in /dev/kvm
  versions     iogap 0.1.0, QEMU 7.2.1
  host         2 CPUs, memory 8G
  host kernel  6.1.0

Refused combinations
  line 12: bus=ide logical_block_size=4096: QEMU refuses it (3 legs)

Boots
  BOOT  BLOCK  GROUP  STATUS    HELLO  ACCEL  MACHINE  GUEST KERNEL  CLOCK  ERROR
     1      0      0  failed        -  tcg    -        -             -      no hello
     2      0      0  finished  5.25s  tcg    -        6.1.0-57      -      -
     3      1      0  finished  1m01s  tcg    -        6.1.0-57      -      -

Legs and their runs
  LEG  OK  FAILED  SKIPPED  LABEL                 FLAGS
    1   2       0        0  host read 8k          CACHED
    2   1       1        0  guest virtio read 8k  EMULATED CACHED

Runs without a result
  block 1, guest virtio read 8k: failed: the guest died

Flags
  EMULATED: 1 runs; first: accel=tcg
  CACHED: 2 runs; first: 2 of 9 MB

Environment
  host.cpu.governor performance
  host.load.1       0.5

Guest of boot 2
  guest.clocksource   tsc
  guest.cpu.microcode 0x1

Guest of boot 3, where it differs from the first
  guest.clocksource acpi_pm

Not measured, and why
  kvm_exits                  no KVM
                             no tracing
TEXT
for ref in 1 before 11112; do
	run "$iogap" show "$ref"
	is "show $ref: all of the sweep" "$out" "$(cat "$tmp/expected")"
done
run "$iogap" show
like "show: the default is the sweep started last" "$out" "^Sweep 2: full, interrupted"
like "show: an error is shown" "$out" "error +SIGINT"
run "$iogap" show 1 --format json
is "show: JSON holds every column" \
	"$(json '$.runs[3].reason'), $(json '$.runs[3].bytes_per_s'), $(json '$.legs[1].host_leg_id'), $(json '$.sweep.plan_json.stages[1]')" \
	"the guest died, null, 1, 2"
run "$iogap" show 1 --xml
is "show --xml: the first boot that has one" "$out" "<domain/>"
run "$iogap" show 1 --xml --boot 3
is "show --xml --boot: that boot" "$out" '<domain n="2"/>'
run "$iogap" show 1 --cmdline
is "show --cmdline" "$out" "qemu -name guest=a"
"$iogap" show 1 --profile >"$tmp/profile"
printf 'name: quick\naccel: auto\n' >"$tmp/expected"
ok "show --profile: byte for byte" cmp "$tmp/profile" "$tmp/expected"

run "$iogap" show 1 --xml --boot 1
is "show: a boot without XML is exit 4" "$status $out" "4 "
like "show: and says so" "$err" "sweep 1 has no boot 1 with a domain XML"
run "$iogap" show latest --cmdline
is "show: a sweep without boots is exit 4" "$status $err" "4 iogap: sweep 2 has no boot with a QEMU command line"
run "$iogap" show 2 --profile
is "show: a sweep without its profile is exit 4" "$status" 4
run "$iogap" show nothing
is "show: an unknown sweep is exit 4" "$status" 4
like "show: and says where it looked" "$err" "no sweep \"nothing\" in the store $db"
run "$iogap" show 1111
is "show: an ambiguous uuid is exit 2" "$status" 2
like "show: and says so" "$err" "begins the uuid of 2 sweeps"
run "$iogap" list --format yaml
is "list: an unknown format is exit 2" "$status $err" '2 iogap: there is no format "yaml"; use text or json'
sql "UPDATE run SET ns = 1000000000, ops_read = 1000, qemu_vcpu_ns = 5000000, qemu_worker_ns = 250000, machine_steal_ns = 50000000,
	host_device_reads = 500, host_device_writes = 0, host_device_read_bytes = 8192000, host_device_write_bytes = 0, kvm_exits = 0,
	seen_bus = 'virtio', seen_aio = 'native' WHERE leg_id = 2 AND status = 'ok'"
run "$iogap" show 1 --accounting
is "show --accounting: status" "$status" 0
like "show --accounting: CPU by kind of thread, not measured is not 0" "$out" "^ +2 .* - +5.00 +- +0.25 +- .*guest virtio read 8k"
like "show --accounting: exits that were counted are 0" "$out" "^ +2( +-){7} +0 +5.00 +- +guest virtio"
like "show --accounting: requests on the host's device" "$out" "^ +2( +-){5} +0.50 +16.00 +- +- +guest virtio"
like "show --accounting: settings in effect" "$out" "^ +2 +bus virtio, aio native"
like "show --accounting: reasons" "$out" "^  kvm_exits: no tracing"
run "$iogap" show --xml --cmdline
is "show: options that exclude each other are exit 2" "$status" 2
run "$iogap" show --boot 1
is "show: --boot alone is exit 2" "$status" 2
run "$iogap" show 1 2
is "show: two sweeps are exit 2" "$status" 2

run "$iogap" show --dictionary --store "$tmp/nowhere"
is "show --dictionary is the page in docs" "$out" "$(cat "$IOGAP_SRC/docs/data-dictionary.md")"
run "$iogap" show --keys --store "$tmp/nowhere"
like "show --keys: what weighs most" "$out" "^host.cpu.model +must be equal +always +model of the processor"
like "show --keys: what is left out unasked" "$out" "^target\.\*\.stack\.\*\.serial +noted +--identify"
ok "show --dictionary needs no store" test ! -e "$tmp/nowhere"

# A sweep holds the lock while it writes; readers go on. The pipe keeps sqlite3 in its transaction.
mkfifo "$tmp/pipe"
sqlite3 "$db" <"$tmp/pipe" >"$tmp/locked" &
exec 3>"$tmp/pipe"
printf 'BEGIN IMMEDIATE; UPDATE sweep SET label = 1; SELECT 1;\n' >&3
for _ in 1 2 3 4 5 6 7 8 9 10; do [ -s "$tmp/locked" ] || sleep 0.1; done
run "$iogap" list
like "list: works while another program writes" "$status $out" "^0 ID.*"
like "list: and sees what was stored before" "$out" "before"
exec 3>&-
wait

printf 'PRAGMA wal_checkpoint(TRUNCATE); UPDATE store_meta SET version = 999;\n' | sql >/dev/null
before=$(cksum "$db")
run "$iogap" list
is "list: a newer store is exit 5" "$status $out" "5 "
like "list: both versions are named" "$err" "the store $db has version 999 and this iogap .* knows versions up to [0-9]+"
is "list: a newer store stays as it is" "$(cksum "$db")" "$before"
echo "this is a text and no database, whatever its name says" >"$db"
run "$iogap" list
is "list: no database is exit 5" "$status" 5
like "list: and says so" "$err" "$db: it is not a database"
is "nothing is left beside the store" "$(ls "$tmp" | grep -c 'sqlite-')" 0
done_testing
