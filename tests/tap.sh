# SPDX-License-Identifier: GPL-2.0-or-later
# Sourced by every shell test: TAP output, a folder of its own, cleanup on every exit.
#   ok "what" CMD ARG...      passes when CMD succeeds
#   is "what" GOT EXPECTED    passes when both texts are equal
#   like "what" TEXT REGEX    passes when TEXT matches the extended regular expression
#   skip_all "reason"         ends the test as skipped
#   run CMD ARG...            runs CMD; $status, $out, $err are what came of it
#   at_exit 'code'            runs code when the test ends, latest first
#   done_testing              last line of every test
: "${IOGAP_BUILD:=$PWD/build}" "${IOGAP_SRC:=$PWD}"
export LC_ALL=C.UTF-8
iogap=$IOGAP_BUILD/iogap
agent=$IOGAP_BUILD/iogap-agent
tap_n=0
tap_failed=0
tap_cleanup=
tmp=$(mktemp -d "${TMPDIR:-/tmp}/iogap-test.XXXXXX")
tap_exit() {
	tap_status=$?
	eval "$tap_cleanup"
	rm -rf "$tmp"
	exit $tap_status
}
trap tap_exit EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
at_exit() { tap_cleanup="$1; $tap_cleanup"; }
tap_result() {
	tap_n=$((tap_n + 1))
	if [ "$1" = 0 ]; then
		echo "ok $tap_n - $2"
	else
		tap_failed=$((tap_failed + 1))
		echo "not ok $tap_n - $2"
	fi
}
tap_show() { printf '%s\n' "$2" | sed "s/^/#   $1: /"; }
ok() {
	tap_what=$1
	shift
	if "$@"; then tap_result 0 "$tap_what"; else
		tap_result 1 "$tap_what"
		tap_show command "$*"
		return 0
	fi
}
is() {
	if [ "$2" = "$3" ]; then tap_result 0 "$1"; else
		tap_result 1 "$1"
		tap_show got "$2"
		tap_show expected "$3"
	fi
}
like() {
	if printf '%s\n' "$2" | grep -qE -- "$3"; then tap_result 0 "$1"; else
		tap_result 1 "$1"
		tap_show got "$2"
		tap_show "no match" "$3"
	fi
}
skip_all() {
	echo "1..0 # SKIP $1"
	exit 0
}
run() {
	status=0
	"$@" >"$tmp/.out" 2>"$tmp/.err" </dev/null || status=$?
	out=$(cat "$tmp/.out")
	err=$(cat "$tmp/.err")
}
done_testing() {
	echo "1..$tap_n"
	[ "$tap_failed" = 0 ]
}
