#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# How reports grow: seconds (by the clock, and of CPU, which others on the machine do not stretch), bytes and memory of each format for sweeps of 100, 1 000 and 10 000 runs (RUNS).
set -e
cd "${IOGAP_SRC:-.}"
build=${IOGAP_BUILD:-$PWD/build}
make -s BUILD="$build" all "$build/tests/test-report"
folder=$(mktemp -d "${TMPDIR:-/tmp}/iogap-bench.XXXXXX")
trap 'rm -rf "$folder"' EXIT
printf '%7s %9s %9s %9s %12s %7s\n' runs format seconds CPU bytes MiB
for runs in ${RUNS:-100 1000 10000}; do
	IOGAP_SHARE="$build/share" "$build/tests/test-report" --make-many "$runs" "$folder/s.sqlite"
	for format in json text thread markdown csv html; do
		# Memory is that of the largest process, Python's or ours.
		/usr/bin/python3 - "$runs" $format "$build/iogap" report --store "$folder/s.sqlite" --format $format -o "$folder/out" <<-'EOF'
			import os, resource, subprocess, sys, time
			start = time.monotonic()
			subprocess.run(sys.argv[3:], check=True)
			used = time.monotonic() - start
			own = resource.getrusage(resource.RUSAGE_CHILDREN)
			cpu, memory = own.ru_utime + own.ru_stime, own.ru_maxrss / 1024
			print(f"{sys.argv[1]:>7} {sys.argv[2]:>9} {used:9.2f} {cpu:9.2f} {os.path.getsize(sys.argv[-1]):12} {memory:7.0f}")
		EOF
	done
	rm -f "$folder"/s.sqlite*
done
