# SPDX-License-Identifier: GPL-2.0-or-later
"""The tables that people paste in mailing-list threads: host first, then for each target guest writes and reads.

A row is one leg over all its good runs. Four axes stand in the first column; what else varies makes a table of its
own, named above it. Host cache in the words of those threads: off = none, on = writeback, on with O_DSYNC =
writethrough, off with O_DSYNC = directsync; "unsafe" stands for itself.
"""

from common import figures, table, words

FIRST = 27
WIDEST = 35  # 80 columns with the figures
FIGURES = "| bandw | % CPU | ave submit   | ave compl  |", "| MB/s  | usage | latency usec | latency ms |"
RULE = "+-------+-------+--------------+------------+"
CACHE = {
    "none": "off,none",
    "writeback": "on ,none",
    "writethrough": "on ,O_DSYNC",
    "directsync": "off,O_DSYNC",
    "unsafe": "on ,unsafe",
}
# Axes that the first column says, by side.
SAID = {
    "host": {"rw", "block_size", "block_sizes", "direct"},
    "guest": {"rw", "block_size", "block_sizes", "bus", "cache"},
}


def number(text, value, nothing):
    """VALUE by the printf format TEXT, or NOTHING in the same width."""
    return nothing if value is None else text % value


def scaled(value, scale):
    return None if value is None else value / scale


def figures_of(leg):
    """The part of a row behind the first column."""
    summary = leg["summary"] or {}
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
    size = figures.size(workload["block_size"])
    if workload["block_size"] is None and workload.get("block_sizes"):
        size = figures.clean(workload["block_sizes"])
    if leg["side"] == "host":
        rw = figures.clean(workload["rw"])
        direct = {None: figures.NOTHING, True: "1", False: "0"}[workload["direct"]]
        room = WIDEST - table.width(f"{rw}, {size}, , direct={direct}")
        return f"{rw}, {size}, {table.cut(figures.clean(leg['target']), room)}, direct={direct}"
    cache = guest.get("cache")
    bus = figures.clean(guest.get("bus"))
    return f"{size},{bus},{CACHE.get(cache) or figures.clean(cache) + ',none'}"


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


def flags_of(report, leg):
    """What a row must not be read without: flags of its runs and of its cell, and why it has no figures."""
    said = {}
    for flag in leg["flags"]:
        count = f" ({flag['runs']} of {leg['runs_good']} runs)" if flag["runs"] else ""
        said[flag["flag"]] = figures.clean(flag["flag"]) + count
    for cell in report["cells"]:
        if cell["guest_leg"] != leg["id"]:
            continue
        for flag in cell["flags"]:
            if flag["guest"] and flag["flag"] not in said:
                said[flag["flag"]] = f"{figures.clean(flag['flag'])} ({figures.clean(flag['evidence'])})"
    texts = [said[flag] for flag in sorted(said)]
    if not leg["runs_good"]:
        texts.append(f"not measured: {figures.clean(leg['reason'])}")
    return texts


def notes(report, legs):
    """Flags, and what failed, below a table: no figure goes without its warning."""
    flags = [flags_of(report, leg) for leg in legs]
    every = [flag for flag in flags[0] if len(legs) > 1 and all(flag in others for others in flags)]
    lines = table.wrap(", ".join(every), 80, "  every row: ", "      ") if every else []
    for leg, own in zip(legs, flags):
        texts = [flag for flag in own if flag not in every]
        if texts:
            lines += table.wrap(", ".join(texts), 80, f"  {table.cut(name(leg), WIDEST)}: ", "      ")
    return lines


def one_table(report, heading_text, legs):
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
        lines.append(table.pad(names[number_of], wide) + figures_of(leg))
        if number_of + 1 == len(legs) or group(legs[number_of + 1]) != group(leg):
            lines.append(rule)
    return lines + notes(report, legs) + [""]


def legs_of(report, side):
    """The legs of SIDE by heading, targets and writes first in the order of the thread."""
    tables = {}
    order = {target["name"]: number_of for number_of, target in enumerate(report["targets"])}
    legs = [leg for leg in report["legs"] if leg["side"] == side]
    writes = {"write": 0, "randwrite": 0}
    # sorted() keeps the report's own order among equals.
    for leg in sorted(legs, key=lambda leg: (order[leg["target"]], writes.get(leg["workload"]["rw"], 1))):
        tables.setdefault(heading(report, leg), []).append(leg)
    return tables


def preamble(report):
    """What the tables are about."""
    lines = [words.title(report)]
    for key, text in words.facts(report):
        lines += table.wrap(text, 80, f"{key}: ")
    if report["legs"]:
        text = words.settings(report, "workload", report["legs"])
        lines += table.wrap(text, 80, "every workload: ") if text else []
        guests = [leg for leg in report["legs"] if leg["side"] == "guest"]
        text = words.settings(report, "guest", guests)
        lines += table.wrap(text, 80, "every guest: ") if text else []
    if report["sweep"]["emulated"]:
        lines += table.wrap(words.EMULATED, 80, "*** ")
    lines += table.wrap(
        "MB = 10^6 bytes. " + figures.clean(report["cpu_meaning"]) + " Completion latency is the whole I/O, "
        "submission included. cache off = none or directsync, on = writeback, writethrough or unsafe; "
        "sync O_DSYNC = the host's open flag. \"-\": not measured.", 80)
    return lines + [""]


def left_out(report):
    """What no table shows."""
    lines = []
    for kind, whats, reason in words.missing(report):
        lines += table.wrap(f"{kind} {words.because(whats, reason)}", 80, "  ", "      ")
    return ["not measured:"] + lines if lines else []


def render(report):
    lines = preamble(report)
    for side in ("host", "guest"):
        for text, legs in legs_of(report, side).items():
            lines += one_table(report, text, legs)
    return "\n".join(lines + left_out(report)).rstrip("\n") + "\n"
