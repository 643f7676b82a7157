#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The agent's protocol over its standard streams: answers, bad requests, cancel, end of input.
. "${IOGAP_SRC:-.}/tests/tap.sh"

file=$tmp/data
head -c 262144 /dev/urandom >"$file"

# ask LINE...: sends the lines and ends the input; $out is all that came.
ask() {
	status=0
	out=$(printf '%s\n' "$@" | "$agent" --stdio) || status=$?
}
# line N: the Nth line of $out; the hello is line 1
line() { printf '%s\n' "$out" | sed -n "$1p"; }
run_request() { # ID NS
	printf '{"id":%s,"cmd":"run","job":{"path":"%s","size":262144,"rw":"randread","block_size":4096,"run_ns":%s}}\n' "$1" "$file" "$2"
}
milliseconds() { echo $(($(date +%s%N) / 1000000)); }

ask '{"id":1,"cmd":"ping"}' '{"id":2,"cmd":"poweroff"}' '{"id":3,"cmd":"ping"}'
like "hello names protocol and limits" "$(line 1)" \
	'^\{"type":"hello","protocol":1,"agent":"[0-9.]+","pid":[0-9]+,"max_request":65536,"max_answer":1048576\}$'
like "ping tells two clocks" "$(line 2)" '^\{"id":1,"type":"result","result":\{"boot_ns":[0-9]+,"real_ns":[0-9]+\}\}$'
is "poweroff answers, then ends" "$(line 3)|$(line 4)" '{"id":2,"type":"result","result":{}}|'
is "exit status" "$status" 0

ask 'garbage' '[1]' '{}' '{"id":"x","cmd":"ping"}' '{"id":4,"cmd":"reboot"}' '{"id":5,"cmd":"ping","loud":true}' \
	'{"id":6,"id":6,"cmd":"ping"}' '{"id":7,"cmd":"cancel"}' '{"id":8,"cmd":"run"}' '{"id":9,"cmd":"inspect","path":7}' \
	'{"id":10,"cmd":"ping"}'
like "no JSON" "$(line 2)" '^\{"id":null,"type":"error","error":\{"code":"EPROTO","what":"line","message":"not JSON'
like "no object" "$(line 3)" '"id":null.*"EPROTO".*must be an object'
like "no command" "$(line 4)" '"id":null.*"EINVAL","what":"cmd","message":"cmd is missing"'
like "id of another type" "$(line 5)" '"EINVAL","what":"id"'
like "unknown command" "$(line 6)" '"id":4,.*"ENOSYS".*unknown command \\"reboot\\"'
like "unknown argument" "$(line 7)" '"id":5,.*"EINVAL","what":"loud","message":"unknown key'
like "duplicate key" "$(line 8)" '"id":null.*duplicate object key'
like "nothing to cancel" "$(line 9)" '"id":7,.*"ESRCH".*no run is under way'
like "run without a job" "$(line 10)" '"id":8,.*"what":"job","message":"job is missing"'
like "argument of another type" "$(line 11)" '"id":9,.*"what":"path","message":"path must be a text"'
like "the agent goes on after each of them" "$(line 12)" '^\{"id":10,"type":"result"'

long=$(head -c 70000 /dev/zero | tr '\0' x)
ask "$long" '{"id":1,"cmd":"ping"}'
like "a line that is too long" "$(line 2)" '"id":null,.*"EMSGSIZE".*longer than 65536 bytes'
like "the next line is read again" "$(line 3)" '^\{"id":1,"type":"result"'

out=$({ printf '{"id":1,"c'; sleep 0.1; printf 'md":"ping"}\n{"id":2,"cmd":"ping"}\n'; } | "$agent" --stdio)
is "requests in pieces, and two in one" "$(printf '%s\n' "$out" | grep -c '"type":"result"')" 2

out=$({ run_request 1 300000000; echo '{"id":2,"cmd":"ping"}'; echo nonsense; sleep 1.5; } | "$agent" --stdio)
like "a run tells its phases" "$out" '^\{"id":1,"type":"phase","phase":"measure","boot_ns":[0-9]+,"real_ns":[0-9]+\}$'
like "another request during a run is refused" "$out" '"id":2,"type":"error".*"EBUSY".*only cancel'
like "and the run goes on to its result" "$(line '$')" '^\{"id":1,"type":"result","result":\{"read":\{"ops":[1-9]'

begin=$(milliseconds)
out=$({ run_request 1 60000000000; sleep 0.3; echo '{"id":2,"cmd":"cancel"}'; sleep 0.3; echo '{"id":3,"cmd":"ping"}'; } |
	"$agent" --stdio)
like "cancel ends a run" "$(line 3)" '^\{"id":1,"type":"error","error":\{"code":"ECANCELED","what":"run","message":"the run was cancelled"'
like "after a cancel the agent goes on" "$(line 4)" '^\{"id":3,"type":"result"'
ok "cancel does not wait for the end of the run" test $(($(milliseconds) - begin)) -lt 10000

begin=$(milliseconds)
out=$({ run_request 1 60000000000; sleep 0.3; } | "$agent" --stdio)
took=$(($(milliseconds) - begin - 300))
ok "the end of the input ends the agent during a run (after $took ms)" test "$took" -lt 2000
is "and nobody is answered" "$(printf '%s\n' "$out" | grep -c '"id":1,"type":"\(result\|error\)"')" 0
done_testing
