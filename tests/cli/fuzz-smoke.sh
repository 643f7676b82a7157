#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Every fuzz target comes back from every input of its corpus, whole, cut and with bytes changed, as built by the ordinary compiler.
. "${IOGAP_SRC:-.}/tests/tap.sh"
corpus=$IOGAP_SRC/tests/fuzz/corpus.sh
export IOGAP_SHARE="$IOGAP_BUILD/share" G_DEBUG=fatal-criticals

targets=$(sh "$corpus")
like "there are targets" "$(echo "$targets" | tr '\n' ' ')" "fuzz-agent fuzz-collect fuzz-fio-file fuzz-labels fuzz-profile fuzz-transfer .*fuzz-import:bonnie .*fuzz-import:dd .*fuzz-import:fio-json .*fuzz-import:ioping "
is "every source is a target" "$(cd "$IOGAP_SRC/tests/fuzz" && ls fuzz-*.c | sed 's/\.c$//')" \
	"$(echo "$targets" | sed 's/:.*//' | LC_ALL=C sort -u)"
for target in $targets; do
	rm -rf "$tmp/inputs"
	mkdir "$tmp/inputs"
	(cd "$IOGAP_SRC" && sh "$corpus" "$target" | while IFS= read -r file; do
		size=$(wc -c <"$file")
		name=$tmp/inputs/$(echo "$file" | tr / _)
		cp "$file" "$name"
		head -c $((size / 2)) "$file" >"$name.half"
		head -c $((size - 1)) "$file" >"$name.cut"
		tail -c $((size / 3)) "$file" >"$name.tail"
		tr '0,' '9.' <"$file" >"$name.digits"
		tr '{":' '[\0-' <"$file" >"$name.marks"
	done)
	: >"$tmp/inputs/empty"
	program=${target%%:*}
	format=${target#"$program"}
	count=$(find "$tmp/inputs" -type f | wc -l)
	ok "$target: there is a corpus" test "$count" -gt 6
	run env ${format:+FUZZ_FORMAT="${format#:}"} "$IOGAP_BUILD/fuzz/$program" "$tmp"/inputs/*
	is "$target: comes back from $count inputs" "$status $out" "0 $count inputs"
	[ "$status" = 0 ] || tap_show stderr "$err"
done
run "$IOGAP_BUILD/fuzz/fuzz-profile" "$tmp/nosuch"
is "an input that is not there is no success" "$status $err" "2 cannot read $tmp/nosuch"
done_testing
