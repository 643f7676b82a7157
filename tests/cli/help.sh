#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What the command line says to people who know nothing and to people who mistype.
. "${IOGAP_SRC:-.}/tests/tap.sh"

run "$iogap"
is "nothing given: exit status" "$status" 2
like "nothing given: usage on stderr" "$err" '^usage: iogap VERB'
is "nothing given: stdout is empty" "$out" ""
run "$iogap" --help
is "--help: exit status" "$status" 0
like "--help: usage on stdout" "$out" '^usage: iogap VERB'
like "--help: exit codes" "$out" '4 nothing comparable, 5 measurement failed'
is "--help: stderr is empty" "$err" ""
verbs=$(printf '%s\n' "$out" | sed -n 's/^  \([a-z][a-z]*\)  *[a-z].*/\1/p')
run "$iogap" --version
like "--version" "$out" '^iogap [0-9]+\.[0-9]+\.[0-9]+$'

for verb in $verbs; do
	run "$iogap" "$verb" --help
	is "$verb --help: exit status" "$status" 0
	like "$verb --help: usage" "$out" "iogap $verb"
	is "$verb --help: stderr is empty" "$err" ""
	run "$iogap" "$verb" --no-such-option
	is "$verb, unknown option: exit status" "$status" 2
	like "$verb, unknown option: message" "$err" "^iogap $verb: .*--no-such-option.*; see .iogap $verb --help.$"
	is "$verb, unknown option: stdout is empty" "$out" ""
done

# Into a full disk nothing was said.
for what in --help --version "doctor --help" "plan quick" "plan --skeleton" "manual iogap.1" "doctor --connect test:///default"; do
	status=0
	# shellcheck disable=SC2086
	"$iogap" $what >/dev/full 2>"$tmp/full" || status=$?
	is "$what into a full disk: exit status" "$status" 5
	like "$what into a full disk: message" "$(cat "$tmp/full")" 'No space left on device'
done

run "$iogap" docter
is "a typo: exit status" "$status" 2
is "a typo: near miss" "$err" 'iogap: there is no verb "docter"; did you mean "doctor"?'
run "$iogap" frobnicate
is "an unknown verb: exit status" "$status" 2
is "an unknown verb: message" "$err" 'iogap: there is no verb "frobnicate"; see `iogap --help`'
run "$iogap" doctor surplus
is "one argument too many: exit status" "$status" 2
like "one argument too many: message" "$err" '^iogap doctor: "surplus" is one argument too many'
run "$iogap" manual
is "an argument is missing: exit status" "$status" 2
like "an argument is missing: message" "$err" '^iogap manual: an argument is missing'
run "$iogap" doctor --format yaml
is "an unknown format: exit status" "$status" 2
is "an unknown format: message" "$err" 'iogap doctor: there is no format "yaml"; use text or json'
done_testing
