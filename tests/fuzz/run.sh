#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# run.sh DIR [TARGET...]: drives the fuzzers built in DIR, FUZZ_SECONDS each (default 20), and fails on findings, which stay
# in DIR/findings: DIR/fuzz-TARGET FILE (with FUZZ_FORMAT for an importer) replays one. What new inputs the fuzzers found stays in DIR/corpus.
dir=$1
shift
: "${FUZZ_SECONDS:=20}" "${IOGAP_SRC:=$PWD}"
export IOGAP_SRC IOGAP_SHARE="$dir/../share" G_SLICE=always-malloc G_DEBUG=fatal-criticals LC_ALL=C.UTF-8
export ASAN_OPTIONS="${ASAN_OPTIONS:-detect_leaks=1:allocator_may_return_null=1}"
export UBSAN_OPTIONS="${UBSAN_OPTIONS:-halt_on_error=1:print_stacktrace=1}"
targets=${*:-$(sh "$IOGAP_SRC/tests/fuzz/corpus.sh")}
mkdir -p "$dir/findings"
failed=0
for target in $targets; do
	program=${target%%:*}
	format=${target#"$program"}
	FUZZ_FORMAT=${format#:}
	name=$program${FUZZ_FORMAT:+-$FUZZ_FORMAT}
	if [ -n "$FUZZ_FORMAT" ]; then export FUZZ_FORMAT; else unset FUZZ_FORMAT; fi
	rm -rf "$dir/seeds"
	mkdir -p "$dir/corpus/$name" "$dir/seeds"
	sh "$IOGAP_SRC/tests/fuzz/corpus.sh" "$target" | while IFS= read -r file; do cp "$IOGAP_SRC/$file" "$dir/seeds/"; done
	if "$dir/$program" -max_total_time="$FUZZ_SECONDS" -timeout=10 -rss_limit_mb=1024 -max_len=65536 -print_final_stats=1 \
		-artifact_prefix="$dir/findings/$name-" "$dir/corpus/$name" "$dir/seeds" >"$dir/$name.log" 2>&1; then
		findings=none
	else
		findings="see $dir/$name.log and $dir/findings"
		failed=1
	fi
	runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$dir/$name.log")
	printf '%-28s %9s executions, findings: %s\n' "$name" "${runs:-0}" "$findings"
done
exit $failed
