# SPDX-License-Identifier: GPL-2.0-or-later
"""The table of a single finding, as in 2010: host and guest, direct and buffered side by side, rate and context switches per I/O.

A row is a block size of the host or of one guest; reads and writes of a mixed load stand below it. What else varies makes a table
of its own, named above it.
"""

from common import figures, series, table, words
from threads import parts

FEW = 8  # cells of a single finding
DIRECT = ((True, "direct"), (False, "buffered"), (None, "direct or not: not told"))
SWITCHES = "switch/IO"
ABOUT = ("MB = 10^6 bytes. switch/IO: context switches of the whole host for each I/O; for guest rows while the guest's load ran.")


def suits(report):
    """Both kinds of I/O, and either few cells or nothing that the larger tables would add."""
    kinds = {leg["workload"]["direct"] for leg in report["legs"]}
    timed = any(((leg["summary"] or {}).get("latency") or {}).get("mean_ns") is not None for leg in report["legs"])
    return {True, False} <= kinds and (len(report["cells"]) <= FEW or not timed)


def heading(report, leg):
    """What is the same in one table: target and every axis of the workload that varies, but block size and direct."""
    pieces = [figures.clean(leg["target"]), figures.clean(leg["workload"]["rw"])]
    for axis in words.axes(report, "workload", True):
        if axis["key"] not in ("rw", "direct", "block_size", "block_sizes"):
            pieces.append(f"{axis['title']} {words.value(axis, leg)}")
    return ", ".join(pieces)


def who(report, leg):
    return "host" if leg["side"] == "host" else series.guest_name(report, leg)


def rows_of(report, legs):
    """[(block size, who, {direct: leg})], by block size, host first; equal legs stand in rows of their own."""
    rows = {}
    sizes = []
    for leg in legs:
        size = leg["workload"]["block_size"], parts.block(leg)
        if size not in sizes:
            sizes.append(size)
        key, again = (size, leg["side"] != "host", who(report, leg)), 0
        while leg["workload"]["direct"] in rows.setdefault(key + (again,), {}):
            again += 1
        rows[key + (again,)][leg["workload"]["direct"]] = leg
    order = sorted(rows, key=lambda key: (key[0][0] is None, key[0][0] or 0, sizes.index(key[0]), key[1]))
    return [(key[0][1], key[2], rows[key]) for key in order]


def pair(summary, switches=True):
    """Rate and switches of one kind of I/O."""
    summary = summary or {}
    rate = parts.number("%.1f", parts.scaled(summary.get("bytes_per_s"), 1e6), figures.NOTHING)
    per_io = figures.per_io(summary.get("host_switches_per_io")) if switches else ""
    return f"| {rate:>8} {per_io:>9} "


def row_lines(kinds, wide, name, own):
    legs = {kind: own.get(kind) for kind in kinds}
    first = table.pad(table.cut(name, wide), wide)
    lines = [first + "".join(pair(leg["summary"]) if leg else pair({}) for leg in legs.values()) + "|"]
    for direction in ("reads", "writes"):
        found = {kind: dict(parts.directions(leg)).get(direction) if leg else None for kind, leg in legs.items()}
        if any(found.values()):
            lines.append(table.pad(f"  its {direction}", wide) + "".join(pair(part, False) for part in found.values()) + "|")
    return lines


def one_table(report, of_cells, text, legs):
    kinds = [kind for kind, _ in DIRECT if any(leg["workload"]["direct"] is kind for leg in legs)]
    rows = rows_of(report, legs)
    names = [f"{size}, {name}" for size, name, _ in rows]
    wide = min(max([20] + [table.width(name) + 1 for name in names]), parts.COLUMNS - 22 * len(kinds) - 1)
    rule = "-" * wide + "+---------------------" * len(kinds) + "+"
    titles = dict(DIRECT)
    lines = table.wrap(text + ":", parts.COLUMNS) + [
        rule,
        " " * wide + "".join(f"|{table.cut(titles[kind], 20):^21}" for kind in kinds) + "|",
        table.pad("block size, side", wide) + f"| {'MB/s':>8} {SWITCHES:>9} " * len(kinds) + "|",
        rule,
    ]
    named = []
    for number_of, (size, _, own) in enumerate(rows):
        lines += row_lines(kinds, wide, names[number_of], own)
        if number_of + 1 == len(rows) or rows[number_of + 1][0] != size:
            lines.append(rule)
        named += [(f"{names[number_of]}, {titles[kind]}", leg) for kind, leg in own.items()]
    return lines + parts.notes(named, of_cells) + [""]


def render(report):
    tables = {}
    for leg in parts.by_target(report, report["legs"]):
        tables.setdefault(heading(report, leg), []).append(leg)
    lines = parts.preamble(report, ABOUT)
    of_cells = parts.evidence(report)
    for text, own in tables.items():
        lines += one_table(report, of_cells, text, own)
    return parts.text(lines + parts.crossovers(report) + parts.left_out(report))
