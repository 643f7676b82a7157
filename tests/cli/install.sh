#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# `make install` puts everything in place, and what is installed needs nothing of the source tree.
. "${IOGAP_SRC:-.}/tests/tap.sh"

run make -s -C "$IOGAP_SRC" BUILD="$IOGAP_BUILD" DESTDIR="$tmp/root" PREFIX=/usr install
is "make install: exit status" "$status" 0
root=$tmp/root/usr
for file in bin/iogap bin/iogap-agent bin/iogap-image share/iogap/packages.list share/iogap/profiles/quick.yaml share/man/man1/iogap.1 \
	share/man/man1/iogap-agent.1 share/man/man5/iogap-profile.5 share/bash-completion/completions/iogap; do
	ok "installed: $file" test -s "$root/$file"
done
ok "the programs can be executed" test -x "$root/bin/iogap" -a -x "$root/bin/iogap-agent" -a -x "$root/bin/iogap-image"
is "every shipped file is installed" "$(cd "$root/share/iogap" && find . -type f | LC_ALL=C sort)" \
	"$(cd "$IOGAP_BUILD/share" && find . -type f | LC_ALL=C sort)"
is "nothing is writable for others" "$(find "$root" -type f -perm /022)" ""

# The source tree is covered by an empty folder while the installed program works in another one.
if [ "$(id -u)" = 0 ]; then spaces=-m; else spaces=-rm; fi
cover() {
	unshare $spaces sh -c '
		for dir in "$1" "$2"; do [ ! -d "$dir" ] || mount -t tmpfs none "$dir" || exit 99; done
		[ ! -e "$1/Makefile" ] || exit 98
		cd "$3" && shift 3 && exec env -i PATH="$PATH" HOME="$PWD" IOGAP_RUNTIME="$PWD/run" LC_ALL=C.UTF-8 "$@"' \
		cover "$IOGAP_SRC" "$IOGAP_BUILD" "$tmp" "$@"
}
run cover true
if [ "$status" != 0 ]; then
	tap_result 0 "the installed program works without the source # SKIP mount namespaces are not permitted here"
	done_testing
	exit
fi
run cover "$root/bin/iogap" --version
is "the installed program runs" "$out$err" "$("$iogap" --version)"
run cover "$root/bin/iogap-agent" --help
is "the installed agent runs" "$status" 0
run cover "$root/bin/iogap-image" --version
like "the installed program that calls libguestfs runs" "$status: $out" '^0: [0-9]+\.[0-9]+\.[0-9]+$'
run cover "$root/bin/iogap-image"
is "and is no program for people" "$status: $err" '2: iogap-image is started by `iogap image`; see `iogap image --help`'
run cover "$root/bin/iogap" doctor --format json --connect test:///nonsense
like "the doctor finds the agent beside the program" "$out" "\"$root/bin/iogap-agent, static"
if "$iogap" --help | grep -q '^  plan '; then
	run cover "$root/bin/iogap" plan quick
	is "the shipped profile is planned: exit status" "$status" 0
fi
done_testing
