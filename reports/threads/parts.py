# SPDX-License-Identifier: GPL-2.0-or-later
"""What the shapes of the thread format share: the words above and below the tables, and the rows of a leg."""

from common import figures, series, table, words

COLUMNS = 80
# Host cache in the words of the threads; "unsafe" stands for itself.
CACHE = {
    "none": "off,none",
    "writeback": "on ,none",
    "writethrough": "on ,O_DSYNC",
    "directsync": "off,O_DSYNC",
    "unsafe": "on ,unsafe",
}


def number(text, value, nothing):
    """VALUE by the printf format TEXT, or NOTHING in the same width."""
    return nothing if value is None else text % value


def scaled(value, scale):
    return None if value is None else value / scale


def block(leg):
    """The block size of a leg, or what its source calls its blocks."""
    workload = leg["workload"]
    if workload["block_size"] is None and workload.get("block_sizes"):
        return figures.clean(workload["block_sizes"])
    return figures.size(workload["block_size"])


def directions(leg):
    """[(direction, its part of the summary)] of a mixed load; empty for others."""
    summary = leg["summary"] or {}
    return [(own + "s", summary[own]) for own in ("read", "write") if summary.get(own)]


def evidence(report):
    """{id of a guest leg: flags of its cell}."""
    return {cell["guest_leg"]: cell["flags"] for cell in report["cells"]}


def flags_of(leg, of_cells):
    """What a row must not be read without: flags of its runs and of its cell, and why it has no figures."""
    said = {}
    for flag in leg["flags"]:
        count = f" ({flag['runs']} of {leg['runs_good']} runs)" if 0 < flag["runs"] < leg["runs_good"] else ""
        said[flag["flag"]] = figures.clean(flag["flag"]) + count
    for flag in of_cells.get(leg["id"], ()):
        if flag["guest"] and flag["flag"] not in said:
            said[flag["flag"]] = f"{figures.clean(flag['flag'])} ({figures.clean(flag['evidence'])})"
    texts = [said[flag] for flag in sorted(said)]
    if not leg["runs_good"]:
        texts.append(f"not measured: {figures.clean(leg['reason'])}")
    return texts


def common_to(flags):
    """What is in every list of FLAGS, if there are several."""
    return [flag for flag in flags[0] if all(flag in others for others in flags)] if len(flags) > 1 else []


def notes(named, of_cells):
    """Flags, and what failed, below a table of NAMED, (name, leg) pairs: no figure goes without its warning."""
    flags = [flags_of(leg, of_cells) for _, leg in named]
    guests = [own for (_, leg), own in zip(named, flags) if leg["side"] == "guest"]
    one_side = len(guests) in (0, len(named))
    every = common_to(flags if one_side else guests)
    lines = table.wrap(", ".join(every), COLUMNS, f"  every {'' if one_side else 'guest '}row: ", "      ") if every else []
    for (name, leg), own in zip(named, flags):
        texts = own if leg["side"] == "host" and not one_side else [flag for flag in own if flag not in every]
        if texts:
            lines += table.wrap(", ".join(texts), COLUMNS, f"  {name}: ", "      ")
    return lines


def by_target(report, legs):
    """LEGS with the targets in their order, writes first as in the threads; sorted() keeps the report's own order among equals."""
    order = {target["name"]: number_of for number_of, target in enumerate(report["targets"])}
    first = {"write": 0, "randwrite": 0}
    return sorted(legs, key=lambda leg: (order[leg["target"]], first.get(leg["workload"]["rw"], 1)))


def preamble(report, about):
    """What the tables are about; ABOUT: what their columns mean."""
    lines = [words.title(report)]
    for key, text in words.facts(report):
        lines += table.wrap(text, COLUMNS, f"{key}: ")
    if report["legs"]:
        text = words.settings(report, "workload", report["legs"])
        lines += table.wrap(text, COLUMNS, "every workload: ") if text else []
        guests = [leg for leg in report["legs"] if leg["side"] == "guest"]
        text = words.settings(report, "guest", guests)
        lines += table.wrap(text, COLUMNS, "every guest: ") if text else []
    if report["sweep"]["emulated"]:
        lines += table.wrap(words.EMULATED, COLUMNS, "*** ")
    return lines + table.wrap(about + " \"-\": not measured.", COLUMNS) + [""]


def crossovers(report):
    """Those that the blocks can place, or that a single block shows."""
    lines = []
    for text in series.placed(report, 6):
        lines += table.wrap(text, COLUMNS, "  ", "      ")
    return ["crossovers:"] + lines + [""] if lines else []


def left_out(report):
    """What no table shows."""
    lines = []
    for kind, whats, reason in words.missing(report):
        lines += table.wrap(f"{kind} {words.because(whats, reason)}", COLUMNS, "  ", "      ")
    return ["not measured:"] + lines if lines else []


def text(lines):
    return "\n".join(lines).rstrip("\n") + "\n"
