#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What the store costs: adding a run against a bare commit, reading runs against a bare loop; on the
# disk that holds the build, and in memory when there is a tmpfs at /dev/shm.
set -e
cd "${IOGAP_SRC:-.}"
build=${IOGAP_BUILD:-$PWD/build}
make -s BUILD="$build" "$build/share" "$build/bench/store-bench"
for parent in "$build" /dev/shm; do
	[ "$(stat -f -c %T "$parent" 2>/dev/null)" ] && [ -w "$parent" ] || continue
	folder=$(mktemp -d "$parent/iogap-bench.XXXXXX")
	trap 'rm -rf "$folder"' EXIT
	echo "store on $(stat -f -c %T "$folder")"
	IOGAP_SHARE="$build/share" "$build/bench/store-bench" "$folder/s.sqlite" "${ADDED:-500}" 10000 100000 | sed 's/^/  /'
	rm -rf "$folder"
done
