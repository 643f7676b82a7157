#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The three threads: their files imported, reported, and every figure looked for in the table, one by one.
. "${IOGAP_SRC:-.}/tests/tap.sh"
export IOGAP_STORE="$tmp/s.sqlite"
examples=$IOGAP_BUILD/share/examples/threads
for name in disk-integrity-2008 odirect-small-blocks-2010 virtio-vs-ide-2008; do
	ok "$name is imported" "$iogap" import --name $name "$examples/$name.csv"
	run "$iogap" report $name --format thread
	is "$name: exit status" "$status" 0
	cp "$tmp/.out" "$tmp/$name"
	ok "$name fits 80 columns" sh -c '! grep -E "^.{81}" "$1"' - "$tmp/$name"
done
# compare FILE TABLE: prints how many figures of FILE there are and how many differ in TABLE
cat >"$tmp/compare.py" <<'END'
import csv, re, sys
rows = list(csv.DictReader(open(sys.argv[1])))
text = open(sys.argv[2]).read()
figures = differences = 0
def look(line, wanted):
    global figures, differences
    found = re.findall(line, text, re.M)
    figures += len(wanted)
    if len(found) != 1:
        print("lines like", line, len(found))
        differences += len(wanted)
        return
    for got, want in zip(found[0], wanted):
        if got != want:
            print(line, got, want)
            differences += 1
if "submit_latency_usec_mean" in rows[0]:
    sections = {}
    parts = re.split(r"^(host|guest).*?, (\S+?)(?:, (read|write))?:\n", text, flags=re.M)
    for side, target, rw, body in zip(*[iter(parts[1:])] * 4):
        sections[side, target, rw or ""] = body
    for row in rows:
        guest = row["side"] == "guest"
        text = sections[row["side"], row["backend"], row["rw"] if guest else ""]
        first = (f"{row['block_size']},{row['bus']},{row['host_cache']:<3},{row['sync']}" if guest
                 else f"{row['rw']}, {row['block_size']}, {row['backend']}, direct=1")
        look("^" + re.escape(first) + r" *\| *(\S+) \| *(\S+) +\| *(\S+) +\| *(\S+) +\|$",
             ["%.1f" % float(row["bandwidth_MBps"]), row["cpu_percent"], "%.2f" % float(row["submit_latency_usec_mean"]),
              "%.2f" % float(row["completion_latency_msec_mean"])])
elif "output_chr_KBps" in rows[0]:
    for row in rows:
        values = [value for key, value in row.items() if key != "machine"]
        look("^" + row["machine"] + r" +(\S+)" * len(values) + "$", values)
else:
    for size in ("8k", "550k"):
        for who, rates in (("host", ("host", "")), ("kvm virtio none", ("guest", "kvm")), ("xen xen", ("guest", "xen"))):
            own = [row for row in rows if (row["side"], row["hypervisor"], row["block_size"]) == rates + (size,)]
            if not own:
                continue
            wanted = []
            for direct in "10":
                row = next((row for row in own if row["direct"] == direct), None)
                rate = float(row["bandwidth_MBps"]) if row else None
                per_s = float(row["context_switches_per_s"] or "nan") if row else float("nan")
                per_io = per_s / (rate * 1e6 / (int(size[:-1]) * 1024)) if row else float("nan")
                wanted += ["%.1f" % rate if row else "-", "-" if per_io != per_io else "%.2f" % per_io if per_io > 1 else "%.4f" % per_io]
            look(f"^{size}, {who}" + r" *\| +(\S+) +(\S+) \| +(\S+) +(\S+) \|$", wanted)
print(f"{figures} figures, {differences} differences")
END
differences() { /usr/bin/python3 "$tmp/compare.py" "$examples/$1.csv" "${2:-$tmp/$1}"; }
is "2008, integrity" "$(differences disk-integrity-2008)" "132 figures, 0 differences"
is "2010, compact" "$(differences odirect-small-blocks-2010)" "16 figures, 0 differences"
is "2008, bonnie++" "$(differences virtio-vs-ide-2008)" "26 figures, 0 differences"
sed 's/66731/66730/' "$tmp/virtio-vs-ide-2008" >"$tmp/other"
like "another figure would be found" "$(differences virtio-vs-ide-2008 "$tmp/other")" "26 figures, 1 differences"
like "the crossover of 2010" "$(cat "$tmp/odirect-small-blocks-2010")" "direct I/O overtakes buffered I/O at about 187 KiB"
is "flagged rows of 2008" "$(grep -c FASTER_THAN_HOST "$tmp/disk-integrity-2008") $(grep -c INCONSISTENT "$tmp/disk-integrity-2008")" "14 2"

# ---- shapes
for shape in integrity bonnie compact; do
	run "$iogap" report virtio-vs-ide-2008 --shape $shape
	is "--shape $shape alone is the thread format" "$status$err" 0
	is "no leg is lost in the shape $shape" "$(grep -Ec 'ide|virtio' "$tmp/.out" | awk '{print ($1 >= 2)}')" 1
done
run "$iogap" report disk-integrity-2008 --format thread --shape bonnie
like "a shape that has no place for the legs says so" "$out" "^No leg is one of the tests of bonnie"
is "and shows them all the same" "$(differences disk-integrity-2008 "$tmp/.out")" "132 figures, 0 differences"
run "$iogap" report --shape compakt
like "no such shape" "$status $err" '^2 iogap: there is no shape of the thread report "compakt"; did you mean "compact"\?$'
run "$iogap" report --format csv --shape compact
like "a format without shapes" "$status $err" '^2 iogap: the csv report has no shapes$'

# ---- progress
run "$iogap" report --format thread --progress lines
like "progress in lines" "$err" "^\[2/2, 0:00 left\] thread: rendered$"
run "$iogap" report --format csv --progress json
like "progress as JSON" "$err" '^\{"event":"end","finished":2,"steps":2,.*"result":"rendered"\}$'
run "$iogap" report -o "$tmp/all" --progress lines
like "every format is a step" "$err" "^\[6/6, 0:00 left\] html: rendered$"
run "$iogap" report --format csv --progress maybe
like "no such progress" "$status $err" '^2 iogap: there is no progress "maybe"'
on_terminal() { script -qec "$1" "$tmp/typescript" >/dev/null; }
ok "a terminal is there" on_terminal "$iogap report --format csv >$tmp/csv"
like "a bar on a terminal" "$(tr '\r' '\n' <"$tmp/typescript")" '^\[#+\.+\] 1/2 '
ok "and nothing of it in the report" sh -c '"$1" report --format csv | cmp - "$2"' - "$iogap" "$tmp/csv"
done_testing
