#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# How long `iogap import` takes for a large output of fio, and the memory that it needs at most: JSON+ with bins, IMPORT_MB
# megabytes (100). Read from memory-backed storage where there is any, so that the parser is measured and not the disk.
: "${IOGAP_BUILD:=$PWD/build}" "${IMPORT_MB:=100}" "${IMPORT_ROUNDS:=3}"
dir=$(mktemp -d "${TMPDIR:-/dev/shm}/iogap-bench.XXXXXX") || exit 1
trap 'rm -rf "$dir"' EXIT
awk -v size="$IMPORT_MB" 'BEGIN {
	print "{ \"fio version\": \"fio-3.33\", \"timestamp\": 1700000000, \"global options\": {\"ioengine\": \"libaio\", \"iodepth\": \"16\"},"
	print "\"jobs\": ["
	for (job = 0; made < size * 1e6; job++) {
		text = sprintf("%s{\"jobname\": \"j%d\", \"groupid\": %d, \"error\": 0, \"job options\": {\"rw\": \"randread\", \"bs\": \"4k\"},\n",
			job ? ",\n" : "", job, job)
		bins = ""
		ops = 0
		for (i = 0; i < 2000; i++) {
			count = 1 + (i * 7919 + job * 104729) % 997
			ops += count
			bins = bins sprintf("%s\n    \"%d\" : %d", i ? "," : "", 50000 + i * 512, count)
		}
		text = text sprintf("\"read\": {\"io_bytes\": %d, \"bw_bytes\": %d, \"iops\": %.6f, \"runtime\": 10000, \"total_ios\": %d,\n",
			ops * 4096, ops * 409.6, ops / 10, ops)
		text = text sprintf("\"clat_ns\": {\"min\": 50000, \"max\": 1100000, \"mean\": 500000.5, \"stddev\": 1000.5, \"N\": %d, \"bins\": {%s}}}}",
			ops, bins)
		made += length(text)
		printf "%s", text
	}
	print "\n]}"
}' >"$dir/big.json" || exit 1
echo "import of $(wc -c <"$dir/big.json") bytes of JSON+, $(grep -c jobname "$dir/big.json") jobs of 2000 bins:"
round=0
while [ "$round" -lt "$IMPORT_ROUNDS" ]; do
	round=$((round + 1))
	rm -f "$dir"/store*
	# The largest resident set of the child, as the kernel counted it.
	python3 - "$IOGAP_BUILD/iogap" import --store "$dir/store.sqlite" --side host "$dir/big.json" <<'PY' || exit 1
import resource, subprocess, sys, time
start = time.monotonic()
out = subprocess.run(sys.argv[1:], capture_output=True, text=True)
seconds = time.monotonic() - start
used = resource.getrusage(resource.RUSAGE_CHILDREN)
if out.returncode:
    sys.exit(f"import failed with {out.returncode}: {out.stderr[:2000]}")
print(f"  {seconds:.2f} s, {used.ru_utime + used.ru_stime:.2f} s of CPU, {used.ru_maxrss / 1024:.0f} MiB at most; {out.stdout.strip()}")
PY
done
