#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The manual pages hold every verb, option and key, and groff has nothing to complain about.
. "${IOGAP_SRC:-.}/tests/tap.sh"
man=$IOGAP_BUILD/man

# roff without its escapes, for comparisons of plain words
plain() {
	sed -e 's/\\f[BIR]//g' -e 's/\\-/-/g' -e 's/\\&//g' -e 's/\\(ga/`/g' -e "s/\\\\(aq/'/g" "$1"
}

plain "$man/iogap.1" >"$tmp/iogap.1"
verbs=$("$iogap" --help | sed -n 's/^  \([a-z][a-z]*\)  *[a-z].*/\1/p')
ok "there are verbs" test -n "$verbs"
for verb in $verbs; do
	sed -n "/^\.SS \"$verb - /,/^\.S/p" "$tmp/iogap.1" | sed 1d >"$tmp/section"
	ok "iogap(1) has the verb $verb" test -s "$tmp/section"
	missing=
	for option in $("$iogap" "$verb" --help | sed -n 's/^  \(-[a-z], \)\{0,1\}\(--[a-z][a-z-]*\).*/\2/p' | sort -u); do
		[ "$option" = --help ] || grep -q -- "^$option\|, $option" "$tmp/section" || missing="$missing $option"
	done
	is "iogap(1) has every option of $verb" "$missing" ""
done
missing=
for name in $(cat "$IOGAP_SRC"/harness/*/*.c | grep -oE '"IOGAP_[A-Z]+"' | tr -d '"' | sort -u); do
	grep -qxF ".B $name" "$tmp/iogap.1" || [ "$name" = IOGAP_VERSION ] || missing="$missing $name"
done
is "iogap(1) has every environment variable" "$missing" ""
ok "internal verbs are left out" sh -c "! grep -q '^.SS \"keeper' '$tmp/iogap.1'"

plain "$man/iogap-profile.5" >"$tmp/iogap-profile.5"
missing=
for key in block_size direct queue_depth bus cache logical_block_size blocks settle size consent; do
	grep -qxF ".B $key" "$tmp/iogap-profile.5" || missing="$missing $key"
done
is "iogap-profile(5) has keys of every section" "$missing" ""
missing=
for profile in "$IOGAP_BUILD"/share/profiles/*.yaml "$IOGAP_BUILD"/share/profiles/*/*.yaml; do
	for key in $(sed -n 's/^[ -]*\([a-z_]*\):\( .*\)*$/\1/p' "$profile" | sort -u); do
		grep -qxF ".B $key" "$tmp/iogap-profile.5" || missing="$missing $key"
	done
done
is "iogap-profile(5) has every key of the shipped profiles" "$missing" ""

"$agent" --help | sed '/^ *$/d' >"$tmp/agent-help"
plain "$man/iogap-agent.1" >"$tmp/iogap-agent.1"
ok "the agent has a help text" test -s "$tmp/agent-help"
ok "iogap-agent(1) holds the agent's help" sh -c "! grep -vxFf '$tmp/iogap-agent.1' '$tmp/agent-help'"

if command -v groff >/dev/null; then
	for page in iogap.1 iogap-agent.1 iogap-profile.5; do
		is "groff renders $page without a warning" "$(groff -man -ww -Tutf8 -z "$man/$page" 2>&1)" ""
	done
	printf '.TH X 1\n.SH NAME\n.nosuchrequest\n' >"$tmp/bad.1"
	like "groff would complain" "$(groff -man -ww -Tutf8 -z "$tmp/bad.1" 2>&1)" nosuchrequest
else
	tap_result 0 "groff renders the pages # SKIP no groff here"
fi

if command -v bash >/dev/null; then
	complete() {
		bash -c '. "$1"; COMP_WORDS=(iogap "${@:2}"); COMP_CWORD=$(($# - 1)); _iogap; echo "${COMPREPLY[*]}"' \
			complete "$man/iogap.bash" "$@"
	}
	is "bash completes a verb" "$(complete doc)" doctor
	is "bash completes an option" "$(complete doctor --pro)" --probe
else
	tap_result 0 "bash completes # SKIP no bash here"
fi
run "$iogap" manual nothing.9
is "an unknown page: exit status" "$status" 2
is "an unknown page: message" "$err" 'iogap manual: there is no page "nothing.9"'
run env IOGAP_AGENT=/nonexistent "$iogap" manual iogap-agent.1
is "no agent to ask: exit status" "$status" 5
like "no agent to ask: message" "$err" '^iogap: cannot start /nonexistent'
done_testing
