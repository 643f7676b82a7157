#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The agent against fio and against a bare pread loop, at the same settings on the same file, in turns.
#
#   tests/bench/agent.sh [FOLDER|DEVICE...]     default: /dev/shm (where direct I/O works there) and /tmp
# A block device is only read; it must hold 64 MiB.
#
# BENCH_ROUNDS (default 5) turns of BENCH_SECONDS (default 1) each. Printed are medians over the turns, of the figures and
# of the ratios within a turn. On a busy machine the IOPS of a whole turn say little; the CPU per operation, and the
# best 1 ms of a turn, are disturbed least.
# The aims are printed beside the figures; a bench does not fail when a busy machine misses them.
set -u
: "${IOGAP_BUILD:=$PWD/build}"
export LC_ALL=C
agent=$IOGAP_BUILD/iogap-agent
bare=$IOGAP_BUILD/bench/bare-loop
rounds=${BENCH_ROUNDS:-5}
seconds=${BENCH_SECONDS:-1}
size=67108864
work=$(mktemp -d "${TMPDIR:-/tmp}/iogap-bench.XXXXXX")
file=
trap 'rm -rf "$work"; [ ! -f "$file" ] || rm -f "$file"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# Each prints "IOPS USER_NS SYSTEM_NS", the agent and the bare loop also the IOPS of their best 1 ms.
run_agent() { # ENGINE DEPTH
	printf '{"path":"%s","size":%s,"rw":"randread","block_size":4096,"direct":true,"engine":"%s","queue_depth":%s,"settle_ns":100000000,"run_ns":%s000000000,"interval_ns":1000000}' \
		"$file" $size "$1" "$2" "$seconds" | "$agent" --run - | awk '
		/^  "load_user_ns"/ { user = $2 + 0 } /^  "load_system_ns"/ { sys = $2 + 0 }
		/^ "ns"/ { ns = $2 + 0 } /^  "ops"/ { ops += $2 }
		/^  "read_bytes"/ { series = 1 } /^  \]/ { series = 0 }
		series && $1 + 0 > peak { peak = $1 + 0 }
		END { if (!ops) exit 1; printf "%.0f %.1f %.1f %.0f\n", ops * 1e9 / ns, user / ops, sys / ops, peak / 4096 * 1000 }'
}
run_fio() { # ENGINE DEPTH
	extra=
	[ "$1" = io_uring ] && extra="--fixedbufs --registerfiles"
	# shellcheck disable=SC2086
	fio --name=bench --filename="$file" --size=$size --rw=randread --bs=4k --direct=1 --ioengine="$1" --iodepth="$2" $extra \
		--time_based --ramp_time=100ms --runtime="${seconds}s" --output-format=terse --terse-version=3 </dev/null | awk -F';' '
		$1 == 3 { ops = $8 * $9 / 1000; if (!ops) exit 1
			printf "%.0f %.1f %.1f\n", $8, $88 / 100 * $9 * 1e6 / ops, $89 / 100 * $9 * 1e6 / ops }'
}
run_bare() { "$bare" "$file" 4k "${seconds}s"; }

median() { sort -g | awk '{ v[NR] = $1 } END { print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'; }
column() { awk -v n="$2" '{ print $n }' "$work/$1" | median; }
# ratio OTHER COLUMN: median of the agent's ratios to it, turn by turn
ratio() { paste "$work/agent" "$work/$1" | awk -v n="$2" '$(n + 4) > 0 { print $n / $(n + 4) }' | median; }

turns() { # ENGINE DEPTH OTHER...
	engine=$1 depth=$2
	shift 2
	rm -f "$work"/*
	for i in $(seq "$rounds"); do
		run_agent "$engine" "$depth" >>"$work/agent"
		for other in "$@"; do "run_$other" "$engine" "$depth" >>"$work/$other"; done
	done
	printf '  %-9s depth %-3s agent %8.0f IOPS, user %6.1f ns, system %7.1f ns per operation\n' "$engine" "$depth" \
		"$(column agent 1)" "$(column agent 2)" "$(column agent 3)"
	for other in "$@"; do
		printf '  %-19s %-5s %8.0f IOPS, user %6.1f ns, system %7.1f ns; agent/%s: IOPS %.2f, user CPU %.2f\n' '' "$other" \
			"$(column "$other" 1)" "$(column "$other" 2)" "$(column "$other" 3)" "$other" "$(ratio "$other" 1)" "$(ratio "$other" 2)"
		if [ "$other" = bare ]; then
			printf '  %-25s best 1 ms: agent %.0f IOPS, bare %.0f IOPS, agent/bare %.2f\n' '' "$(column agent 4)" "$(column bare 4)" \
				"$(ratio bare 4)"
		fi
	done
}

command -v fio >/dev/null || { echo "fio is missing: make DEPS=bench deps" >&2; exit 1; }
direct_works() { dd if="$1" of=/dev/null bs=4k count=1 iflag=direct 2>/dev/null; }

[ $# -gt 0 ] || set -- /dev/shm "${TMPDIR:-/tmp}"
echo "one operation of the null engine and one reading of the clock, ns:"
"$agent" --probe | grep _ns
for folder in "$@"; do
	if [ -b "$folder" ]; then
		file=$folder
	else
		file=$folder/iogap-bench.$$
		head -c $size /dev/urandom >"$file"
		sync
	fi
	if direct_works "$file"; then
		echo "$folder ($(stat -f -c %T "$folder")), 4k direct random reads, $rounds turns of $seconds s:"
		turns psync 1 fio bare
		echo "      aims: IOPS at least 1.25 of fio and 0.95 of the bare loop"
		turns io_uring 32 fio
		turns libaio 32 fio
		echo "      aims: IOPS at least 1.00 of fio, user CPU at most 0.50"
	else
		echo "$folder ($(stat -f -c %T "$folder")): this kernel refuses direct I/O there"
	fi
	[ -b "$file" ] || rm -f "$file"
	file=
done
file=/nonexistent
run_fio() { # the null engine reads no file
	fio --name=bench --size=$size --rw=randread --bs=4k --ioengine=null --iodepth=1 --time_based --ramp_time=100ms --runtime="${seconds}s" \
		--output-format=terse --terse-version=3 </dev/null | awk -F';' '
		$1 == 3 { ops = $8 * $9 / 1000; if (!ops) exit 1
			printf "%.0f %.1f %.1f\n", $8, $88 / 100 * $9 * 1e6 / ops, $89 / 100 * $9 * 1e6 / ops }'
}
echo "null engine, everything timed:"
turns null 1 fio
file=
echo "      aim: IOPS at least 2.00 of fio"
