# SPDX-License-Identifier: GPL-2.0-or-later
"""The answer on top of the page: what was swept, where guests lose most and least, what is doubtful."""

from common import figures, series, words

SHOWN = 3


def cell_line(report, index):
    """A cell in words, with where it is on the page."""
    cell = report["cells"][index]
    parts = [series.guest_name(report, cell), series.group_of(report, cell)]
    if cell["workload"]["block_size"]:
        parts.append(figures.size(cell["workload"]["block_size"]))
    parts.append(series.direct_word(cell))
    return {
        "anchor": f"cell-{index}",
        "ratio": figures.ratio(cell["ratio"]),
        "interval": words.interval(cell),
        "what": ", ".join(part for part in parts if part),
        "letters": words.letters(report, cell["flags"]),
    }


def extremes(report):
    """(the cells that lose most, those that lose least): no cell in both."""
    order = [i for i, cell in enumerate(report["cells"]) if cell["ratio"] is not None]
    order.sort(key=lambda i: report["cells"][i]["ratio"])
    shown = min(SHOWN, (len(order) + 1) // 2)
    return ([cell_line(report, i) for i in order[:shown]],
            [cell_line(report, i) for i in reversed(order[max(shown, len(order) - shown):])])


def doubts(report):
    """What the figures must not be read without, the most frequent first."""
    own = [(flag["cells"], figures.clean(flag["flag"]), flag["letter"], words.flag_meaning(flag)) for flag in report["flags"]]
    return sorted(own, key=lambda doubt: (-doubt[0], doubt[1]))


def swept(report):
    """One sentence about the whole."""
    counts = report["summary"]
    n = lambda key, what: f"{counts[key]} {what}{'' if counts[key] == 1 else 's'}"
    text = f"{n('cells', 'cell')}, {counts['cells_compared']} of them with a ratio, from {n('runs_ok', 'good run')}"
    if counts["runs_failed"]:
        text += f"; {n('runs_failed', 'run')} failed"
    if report["not_measured"]:
        text += f"; {len(report['not_measured'])} entries under “Not measured”"
    varying = [axis["title"] for axis in report["axes"] if axis["varies"]]
    return text + (f". What varied: {', '.join(varying)}." if varying else ".")
