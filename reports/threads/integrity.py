# SPDX-License-Identifier: GPL-2.0-or-later
"""The tables of 2008: host first, then for each target guest writes and reads; rate, CPU, latencies.

A row is one leg over all its good runs, with the reads and the writes of a mixed load below it. Four axes stand in the first
column; what else varies makes a table of its own, named above it. Host cache in the words of those threads: off = none, on =
writeback, on with O_DSYNC = writethrough, off with O_DSYNC = directsync; "unsafe" stands for itself.
"""

from common import figures, table, words
from threads import parts
from threads.parts import number, scaled

FIRST = 27
WIDEST = 35  # 80 columns with the figures
FIGURES = "| bandw | % CPU | ave submit   | ave compl  |", "| MB/s  | usage | latency usec | latency ms |"
RULE = "+-------+-------+--------------+------------+"
# Axes that the first column says, by side.
SAID = {
    "host": {"rw", "block_size", "block_sizes", "direct"},
    "guest": {"rw", "block_size", "block_sizes", "bus", "cache"},
}


def suits(report):
    """It has a place for every leg."""
    return True


def figures_of(summary):
    """The part of a row behind the first column."""
    times = summary.get("latency") or {}
    return (
        "|"
        + number("%6.1f |", scaled(summary.get("bytes_per_s"), 1e6), "     - |")
        + number("%4.0f   |", summary.get("cpu_percent"), "   -   |")
        + number("%9.2f     |", scaled(times.get("submit_mean_ns"), 1e3), "        -     |")
        + number("%8.2f    |", scaled(times.get("mean_ns"), 1e6), "       -    |")
    )


def name(leg):
    """The first column of a row."""
    workload, guest = leg["workload"], leg["guest"] or {}
    size = parts.block(leg)
    if leg["side"] == "host":
        rw = figures.clean(workload["rw"])
        direct = {None: figures.NOTHING, True: "1", False: "0"}[workload["direct"]]
        room = WIDEST - table.width(f"{rw}, {size}, , direct={direct}")
        return f"{rw}, {size}, {table.cut(figures.clean(leg['target']), room)}, direct={direct}"
    cache = guest.get("cache")
    bus = figures.clean(guest.get("bus"))
    return f"{size},{bus},{parts.CACHE.get(cache) or figures.clean(cache) + ',none'}"


def heading(report, leg):
    """What is the same in one table: side, target, direction, and every other axis that varies."""
    parts = [leg["side"]]
    if leg["side"] == "guest":
        parts += [figures.clean(leg["target"]), figures.clean(leg["workload"]["rw"])]
    elif len(report["targets"]) > 1:
        parts.append(figures.clean(leg["target"]))
    for axis in words.axes(report, varies=True):
        if axis["key"] in SAID[leg["side"]] or (leg["side"] == "host" and axis["section"] == "guest"):
            continue
        parts.append(f"{axis['title']} {words.value(axis, leg)}")
    return ", ".join(parts)


def group(leg):
    """Rows between two rules: one block size in a guest's table, one direction in the host's."""
    workload = leg["workload"]
    return workload["rw"] if leg["side"] == "host" else (workload["block_size"], workload.get("block_sizes"))


def one_table(of_cells, heading_text, legs):
    """The lines of one table."""
    names = [table.cut(name(leg), WIDEST) for leg in legs]
    wide = max([FIRST] + [table.width(text) for text in names])
    rule = "-" * wide + RULE
    second = "block size,iface,cache,sync"
    if legs[0]["side"] == "host":
        direct = all(leg["workload"]["direct"] for leg in legs)
        second = "rw, bs, backend, direct=1" if direct else "rw, bs, backend, direct"
    lines = table.wrap(heading_text + ":", 80)
    lines += [rule]
    lines += [table.pad("Test scenarios", wide) + FIGURES[0], table.pad(second, wide) + FIGURES[1], rule]
    for number_of, leg in enumerate(legs):
        lines.append(table.pad(names[number_of], wide) + figures_of(leg["summary"] or {}))
        for direction, own in parts.directions(leg):
            lines.append(table.pad(f"  its {direction}", wide) + figures_of(own))
        if number_of + 1 == len(legs) or group(legs[number_of + 1]) != group(leg):
            lines.append(rule)
    return lines + parts.notes(list(zip(names, legs)), of_cells) + [""]


def tables(report, legs):
    """The tables of LEGS: host first."""
    lines = []
    of_cells = parts.evidence(report)
    for side in ("host", "guest"):
        found = {}
        for leg in parts.by_target(report, legs):
            if leg["side"] == side:
                found.setdefault(heading(report, leg), []).append(leg)
        for text, own in found.items():
            lines += one_table(of_cells, text, own)
    return lines


def about(report):
    return ("MB = 10^6 bytes. " + figures.clean(report["cpu_meaning"]) + " Completion latency is the whole I/O, "
            "submission included. cache off = none or directsync, on = writeback, writethrough or unsafe; "
            "sync O_DSYNC = the host's open flag.")


def render(report):
    return parts.text(parts.preamble(report, about(report)) + tables(report, report["legs"]) + parts.left_out(report))
