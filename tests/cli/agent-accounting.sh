#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The agent's counts against the kernel's: psync against rchar and syscr of its own /proc/PID/io, direct I/O of every engine
# against read_bytes and write_bytes. From before the job to its answer is counted: what it does beside the load (answers,
# small files of /proc and /sys) is a few hundred calls and some 100 KiB.
. "${IOGAP_SRC:-.}/tests/tap.sh"

command -v sqlite3 >/dev/null || skip_all "needs sqlite3 to read JSON"
size=8388608
mkdir -p "$IOGAP_BUILD"
file=$(mktemp "$IOGAP_BUILD/accounting.XXXXXX")
at_exit "rm -f $file"
head -c $size /dev/urandom >"$file"
sync "$file"
[ -r /proc/self/io ] || skip_all "the kernel counts no I/O of processes (/proc/self/io)"

# measure JOB: runs it in one agent that is asked over a pipe, and leaves its result in $result and its /proc/PID/io in $io.
mkfifo "$tmp/in" "$tmp/out"
measure() {
	"$agent" --stdio <"$tmp/in" >"$tmp/out" &
	pid=$!
	exec 3>"$tmp/in" 4<"$tmp/out"
	read -r result <&4 # the hello
	cat "/proc/$pid/io" >"$tmp/io-before"
	printf '{"id":1,"cmd":"run","job":{"path":"%s","size":%s,"settle_ns":0,"run_ns":300000000,%s}}\n' "$file" "$size" "$1" >&3
	while read -r result <&4; do
		case $result in *'"type":"phase"'*) ;; *) break ;; esac
	done
	cat "/proc/$pid/io" >"$tmp/io-after"
	exec 3>&- 4<&-
	wait $pid || true
}
grown() { echo $(($(sed -n "s/^$1: //p" "$tmp/io-after") - $(sed -n "s/^$1: //p" "$tmp/io-before"))); }
value() {
	printf '%s' "$result" >"$tmp/result"
	sqlite3 :memory: "select json_extract(readfile('$tmp/result'), '\$.result.$1')"
}
# near WHAT GOT EXPECTED SLACK: GOT lies between EXPECTED and EXPECTED + SLACK
near() {
	if [ "$2" -ge "$3" ] && [ "$2" -le $(($3 + $4)) ]; then tap_result 0 "$1 ($2 for $3)"; else
		tap_result 1 "$1"
		tap_show got "$2"
		tap_show "at least" "$3"
		tap_show slack "$4"
	fi
}

# In flight at the end, waited for and not counted: one a job. Beside the load: some tens of reads and writes, some 100 KiB.
for rw in read randread; do
	measure "\"rw\":\"$rw\",\"block_size\":4096,\"engine\":\"psync\",\"direct\":false"
	ops=$(value read.ops) bytes=$(value read.bytes)
	is "psync $rw: bytes are operations times size" "$bytes" $((ops * 4096))
	near "psync $rw: syscr" "$(grown syscr)" "$ops" 400
	near "psync $rw: rchar" "$(grown rchar)" "$bytes" 1000000
done
measure '"rw":"randwrite","block_size":4096,"engine":"psync","direct":true'
near "psync randwrite: syscw" "$(grown syscw)" "$(value write.ops)" 400
near "psync randwrite: wchar" "$(grown wchar)" "$(value write.bytes)" 1000000

fs=$(stat -f -c %T "$file")
case $fs in
ext2/ext3 | xfs | btrfs) counted=1 ;;
*) counted= ;;
esac
for engine in psync libaio io_uring; do
	depth=8
	[ $engine = psync ] && depth=1
	for rw in randread randwrite; do
		what="$engine $rw, direct"
		if [ -z "$counted" ]; then
			tap_n=$((tap_n + 1))
			echo "ok $tap_n - $what # SKIP the kernel does not count direct I/O on $fs"
			continue
		fi
		measure "\"rw\":\"$rw\",\"block_size\":16384,\"engine\":\"$engine\",\"queue_depth\":$depth,\"direct\":true"
		case $result in *'"type":"error"'*)
			case $result in
			*does?not?work?here*)
				tap_n=$((tap_n + 1))
				echo "ok $tap_n - $what # SKIP $(printf '%s' "$result" | sed 's/.*"message":"//; s/".*//')"
				;;
			*) is "$what" "$result" "a result" ;;
			esac
			continue
			;;
		esac
		column=read_bytes side=read
		[ $rw = randwrite ] && column=write_bytes side=write
		# What is in flight at the end is not counted by the agent; the file's own blocks may be read once more.
		near "$what: $column" "$(grown $column)" "$(value $side.bytes)" $((2 * depth * 16384 + 262144))
		other=$([ $side = read ] && echo write || echo read)
		is "$what: nothing the other way" "$(value $other.ops)" 0
	done
done
# A small buffered read twice over comes from the page cache: the load counts it, the device does not.
measure '"rw":"read","block_size":65536,"engine":"psync","direct":false'
measure '"rw":"read","block_size":65536,"engine":"psync","direct":false'
near "cached reads: rchar has them" "$(grown rchar)" "$(value read.bytes)" 1000000
[ -n "$counted" ] && near "cached reads: read_bytes has not" "$(grown read_bytes)" 0 1000000
done_testing
