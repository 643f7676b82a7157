#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The agent by hand: options, one job on the command line, commands on files, and what each refusal says.
. "${IOGAP_SRC:-.}/tests/tap.sh"

file=$tmp/data
head -c 1048576 /dev/urandom >"$file"
job() { printf '{"path":"%s","size":1048576,"block_size":4096,"run_ns":30000000,%s}' "$file" "$1"; }
ask() { out=$(printf '%s\n' "$@" | "$agent" --stdio | sed 1d); }

run "$agent" --version
like "version" "$out" '^iogap-agent [0-9]+\.[0-9]+\.[0-9]+$'
run "$agent" --help
is "help succeeds" "$status" 0
for word in --stdio --port --run --probe find_disk schedule queue_depth rate_iops psync io_uring; do
	like "help names $word" "$out" "^ +$word"
done
run "$agent"
is "no option: status" "$status" 2
like "no option: message" "$err" 'an option is needed'
run "$agent" --stdin
is "unknown option: status" "$status" 2
like "unknown option: message" "$err" 'unknown or incomplete option "--stdin"'
run "$agent" --run
is "option without its argument" "$status" 2

run "$agent" --run "$(job '"rw":"read"')"
is "a job on the command line" "$status" 0
like "prints the result" "$out" '"ops": [1-9][0-9]*'
out=$(job '"rw":"randwrite","direct":false' | "$agent" --run - | tr -d '\n')
like "a job on standard input, buffered writes: the final sync is told" "$out" '"final_sync_ns": [1-9]'
run "$agent" --run '{"path":'
is "no JSON: status" "$status" 1
like "no JSON: message" "$err" 'iogap-agent: not JSON: .*line 1, column'
run "$agent" --run '[]'
like "no object" "$err" 'a job must be an object'
run "$agent" --run "$(job '"rw":"read","qd":4')"
like "unknown key" "$err" 'unknown key "qd" \(EINVAL: qd\)'
run "$agent" --run "$(job '"rw":"read","queue_depth":4')"
like "psync has no queue" "$err" 'queue_depth is 4, but engine psync has one request in flight'
run "$agent" --run "$(job '"rw":"read","queue_depth":4,"engine":"libaio"')"
like "libaio is direct only" "$err" 'engine libaio on a buffered file waits inside every call'
run "$agent" --run '{"path":"/nowhere/at/all","size":4096,"block_size":4096,"run_ns":30000000,"rw":"read"}'
is "missing file: status" "$status" 1
like "missing file: message" "$err" '/nowhere/at/all cannot be opened for reading: No such file or directory \(ENOENT: path\)'
run "$agent" --run "$(job '"rw":"read"' | sed 's/1048576/2097152/')"
like "file too small" "$err" 'has 1048576 bytes, the job needs 2097152'
ok "nothing was left behind in place of a result" test -z "$out"

run "$agent" --probe
like "probe: cost of the clock" "$out" '"clock_read_ns": [0-9.]+'
like "probe: cost of one operation" "$out" '"null_io_ns": [0-9.]+'
like "probe: engines" "$out" '"psync": null'

ask "{\"id\":1,\"cmd\":\"inspect\",\"path\":\"$file\"}"
like "inspect a file" "$out" '"size":1048576,.*"kind":"file"'
ask '{"id":1,"cmd":"inspect","path":"/nowhere"}'
like "inspect nothing" "$out" '"code":"ENOENT","what":"path","message":"/nowhere cannot be opened: No such'
ask "{\"id\":1,\"cmd\":\"fill\",\"path\":\"$tmp/new\",\"size\":4096}"
like "fill makes no file" "$out" '"ENOENT".*cannot be opened for writing'
ok "really none" test ! -e "$tmp/new"
: >"$tmp/new"
ask "{\"id\":1,\"cmd\":\"fill\",\"path\":\"$tmp/new\",\"offset\":0,\"size\":3000000,\"seed\":9}"
like "fill" "$out" '"result":\{"bytes":3000000,"ns":[0-9]+\}'
is "as many bytes" "$(stat -c %s "$tmp/new")" 3000000
packed=$(gzip -1 <"$tmp/new" | wc -c)
ok "that cannot be compressed ($packed of 3000000)" test "$packed" -ge 2990000
ask "{\"id\":1,\"cmd\":\"drop\",\"path\":\"$tmp/new\"}"
like "drop" "$out" '"result":\{"dropped":(true,"resident_bytes":0,"reason":null|false,"resident_bytes":[0-9null]+,"reason":".+")\}'
ask "{\"id\":1,\"cmd\":\"schedule\",\"path\":\"$file\",\"scheduler\":\"none\"}"
like "a file has no scheduler" "$out" '"ENOTBLK".*is no block device'
ask '{"id":1,"cmd":"find_disk","serial":"nobody","size":512,"timeout_ns":20000000}'
like "a disk that is not there" "$out" '"ENOENT","what":"serial","message":"no disk with serial nobody and 512 bytes; seen: '

if [ "$(id -u)" = 0 ] && loop=$(losetup -f --show "$file" 2>/dev/null); then
	at_exit "losetup -d $loop"
	ask "{\"id\":1,\"cmd\":\"inspect\",\"path\":\"$loop\"}"
	like "inspect a block device" "$out" '"kind":"block"|"bus":"loop".*"kind":"block"'
	run "$agent" --run "{\"path\":\"$loop\",\"size\":1048576,\"block_size\":4096,\"rw\":\"randread\",\"run_ns\":50000000}"
	is "a job on a block device" "$status" 0
	like "its own counters are told" "$(printf '%s' "$out" | tr -d '\n ')" '"device":\{"flushes":'
	blockdev --setro "$loop"
	run "$agent" --run "{\"path\":\"$loop\",\"size\":1048576,\"block_size\":4096,\"rw\":\"write\",\"run_ns\":50000000}"
	like "a device that is read-only" "$err" "$loop is a read-only device .*EROFS: path"
	# The mark outlives the file, and the next user of the device would have it.
	blockdev --setrw "$loop"
	run "$agent" --run "{\"path\":\"$loop\",\"size\":1048576,\"block_size\":100,\"direct\":true,\"rw\":\"read\",\"run_ns\":50000000}"
	like "a block smaller than the sector" "$err" 'block_size 100 is not a multiple of 512'
else
	for what in inspect job counters read-only sector; do
		tap_n=$((tap_n + 1))
		echo "ok $tap_n # SKIP $what of a loop device: needs root and a free one"
	done
fi
done_testing
