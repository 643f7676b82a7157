#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The doctor: what it says here, as another user, and with parts missing; and its exit status.
. "${IOGAP_SRC:-.}/tests/tap.sh"
export IOGAP_CACHE="${IOGAP_CACHE:-$tmp/cache}" IOGAP_STORE="$tmp/store/iogap.sqlite"
IOGAP_RUNTIME=$(mktemp -d /tmp/igd.XXXXXX)
export IOGAP_RUNTIME
at_exit 'rm -rf "$IOGAP_RUNTIME"'
space='  *'

run "$iogap" doctor
is "here a sweep can run: exit status" "$status" 0
like "here a sweep can run: last line" "$out" '^A sweep can run here\.$'
is "every line has its form" "$(printf '%s\n' "$out" | sed '/^A sweep can run here\.$/d; /^$/d' |
	grep -vE '^(ok|warn|missing) +[^ ].*[^ ]$|^ +mend: ')" ""
for what in agent kernel emulator libvirt kvm io_uring libaio fio gnuplot Jinja2 'direct I/O' 'store folder' governor 'file systems' device-mapper LVM null_blk; do
	like "there is a line for $what" "$out" "^(ok|warn|missing)$space$what "
done
like "the agent is static" "$out" "^ok${space}agent${space}.*, static; one timed I/O costs [0-9]+ ns"
ok "the store's folder was not made" test ! -e "$tmp/store"

run "$iogap" doctor --format json
is "json: exit status" "$status" 0
is "json: the same verdict and as many checks" "$(printf '%s' "$out" | /usr/bin/python3 -c '
import json, sys
d = json.load(sys.stdin)
assert all(c["level"] in ("ok", "warn", "missing") and c["detail"] for c in d["checks"])
print(d["can_sweep"], len(d["checks"]) > 20)')" "True True"

# Parts missing. libvirt's test driver opens faster than QEMU's.
run env IOGAP_AGENT="$tmp/none" "$iogap" doctor --connect test:///default
is "no agent: exit status" "$status" 5
like "no agent: message" "$out" "^missing${space}agent${space}$tmp/none: No such file"
like "no agent: verdict" "$out" '^A sweep cannot run here: [0-9]+ of what it needs are missing\.$'
cp /bin/true "$tmp/dynamic"
run env IOGAP_AGENT="$tmp/dynamic" "$iogap" doctor --connect test:///default
is "an agent that does not answer: exit status" "$status" 5
like "an agent that does not answer: message" "$out" "^missing${space}agent${space}$tmp/dynamic does not answer: "

mkdir "$tmp/bin"
run env PATH="$tmp/bin" "$iogap" doctor --connect test:///default
is "no programs: exit status" "$status" 5
like "no emulator: message" "$out" "^missing${space}emulator${space}there is no qemu-system-x86_64 in PATH .qemu-system-x86: "
like "no emulator: mend" "$out" 'mend: (sudo )?apt-get install --no-install-recommends qemu-system-x86$'
like "no mkfs: what it is for" "$out" "^missing${space}file systems${space}no mkfs.ext4: targets with filesystem: ext4 are refused\$"
like "no fio: optional, with its package" "$out" "^missing${space}fio${space}"
like "no fio: mend" "$out" 'mend: .*apt-get install --no-install-recommends fio$'

# A program that fails is not taken at its word.
mkdir "$tmp/broken"
printf '#!/bin/sh\necho "cannot start" >&2\nexit 1\n' >"$tmp/broken/fio"
cp "$tmp/broken/fio" "$tmp/broken/bonnie++"
chmod 755 "$tmp/broken/fio" "$tmp/broken/bonnie++"
run env PATH="$tmp/broken:$PATH" "$iogap" doctor --connect test:///default
like "a fio that fails" "$out" "^missing${space}fio${space}"
like "a bonnie++ that prints no version" "$out" "^warn${space}bonnie\+\+${space}$tmp/broken/bonnie\+\+ is there and does not"
printf '#!/bin/sh\nprintf "wrong option\\nusage:\\n\\nVersion: 9.99z\\n" >&2\nexit 1\n' >"$tmp/broken/bonnie++"
run env PATH="$tmp/broken:$PATH" "$iogap" doctor --connect test:///default
like "the version of bonnie++" "$out" "^ok${space}bonnie\+\+${space}version 9\.99z\$"

long=$IOGAP_RUNTIME/$(printf '%070d' 0)
run env IOGAP_RUNTIME="$long" "$iogap" doctor --connect test:///nonsense
is "too long a runtime folder: exit status" "$status" 5
like "too long a runtime folder: message" "$out" "^missing${space}runtime folder${space}.* has [0-9]+ bytes, .* allow 60"
like "too long a runtime folder: mend" "$out" 'mend: export IOGAP_RUNTIME='
run "$iogap" doctor --connect nonsense:///
is "no such hypervisor: exit status" "$status" 5
like "no such hypervisor: message" "$out" "^missing${space}libvirt${space}."

if [ "$(id -u)" = 0 ]; then
	chmod 755 "$tmp"
	mkdir -m 755 "$tmp/prog"
	cp "$iogap" "$agent" "$tmp/prog/"
	cp -r "$IOGAP_BUILD/share" "$tmp/prog/share"
	mkdir -m 700 "$tmp/locked"
	user() { (cd "$tmp" && setpriv --reuid=65534 --regid=65534 --clear-groups env HOME="$tmp" "$@"); }
	run user env IOGAP_RUNTIME="$tmp/locked" IOGAP_CACHE="$tmp/locked/c" IOGAP_STORE="$tmp/locked/s/x" "$tmp/prog/iogap" doctor --connect test:///default
	is "a user who may do nothing: exit status" "$status" 5
	like "a user who may do nothing: runtime folder" "$out" "^missing${space}runtime folder${space}.*belongs to user 0"
	like "a user who may do nothing: store" "$out" "^missing${space}store folder${space}.*may not (write to|pass through)"
	like "a user who may do nothing: mend" "$out" 'mend: export IOGAP_STORE='
	run user env IOGAP_RUNTIME="$tmp/elsewhere" XDG_CACHE_HOME= HOME="$tmp/locked" IOGAP_CACHE="$tmp/locked/c" \
		IOGAP_STORE="$tmp/locked/s/x" "$tmp/prog/iogap" doctor
	like "a user without a home: cache folder" "$out" "^missing${space}cache folder${space}"
	mkdir -m 777 "$tmp/own"
	chmod 777 "$tmp/own"
	short=$(mktemp -u /tmp/igd.XXXXXX)
	at_exit "rm -rf $short"
	run user env HOME="$tmp/own" IOGAP_RUNTIME="$short" IOGAP_CACHE="$tmp/own/c" IOGAP_STORE="$tmp/own/s/x" "$tmp/prog/iogap" doctor
	is "an ordinary user can sweep: exit status" "$status" 0
	like "an ordinary user: what is lacking" "$out" "^warn${space}loop devices${space}"
else
	tap_result 0 "as another user # SKIP needs root"
fi
done_testing
