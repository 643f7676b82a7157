# SPDX-License-Identifier: GPL-2.0-or-later
"""Plain text for a terminal: what was swept, one table per target, what is missing, the legend."""

from common import cells, figures, series, table, words

COLUMNS = 110


def head(report):
    lines = [f"iogap report: {words.title(report)}"]
    for name, text in words.facts(report):
        lines += table.wrap(text, COLUMNS, f"{name:<12}")
    if report["sweep"]["emulated"]:
        lines += [""] + table.wrap(words.EMULATED, COLUMNS, "*** ")
        lines[-1] += " ***"
    summary = report["summary"]
    if summary["worst"] is not None:
        lines.append("")
        for name in ("worst", "best"):
            lines += table.wrap(words.extreme(report, summary[name]), COLUMNS, f"{name:<12}")
    return lines


def one_table(report, columns, own):
    """A table of OWN, which are cells, or legs alone; what is the same in all of them stands above it."""
    lines = []
    for name, text in cells.constants(report, own):
        lines += table.wrap(text, COLUMNS, f"{name}: ")
    rows = [[column.text(report, item) for column in columns] for item in own]
    lines += [""] + table.aligned(columns, rows, cells.breaks(report, own))
    apart = [text for text in (cells.directions(report, item) for item in own) if text]
    if apart:
        lines += ["", "reads and writes of mixed loads:"]
        for text in apart:
            lines += table.wrap(text, COLUMNS, "  ", "      ")
    return lines


def target_table(report, target):
    own, alone = cells.of_target(report, target), cells.alone(report, target)
    lines = ["", f"target {words.target(target)}"]
    if own:
        lines += one_table(report, cells.columns(report), own)
    if alone:
        lines += ([""] if own else []) + [cells.ALONE] + one_table(report, cells.leg_columns(report, alone), alone)
    return lines if own or alone else lines + ["no cell"]


def crossovers(report):
    lines = []
    for text in series.placed(report, 12):
        lines += table.wrap(text, COLUMNS, "  ", "      ")
    return ["", "crossovers:"] + lines if lines else []


def unmeasured(report):
    lines = []
    for kind, whats, reason in cells.unmeasured(report):
        lines += table.wrap(words.because(whats, reason), COLUMNS, f"  {kind:<9} ")
    return ["", "not measured:"] + lines if lines else []


def legend(report):
    lines = [""] + table.wrap(words.UNITS, COLUMNS)
    lines += table.wrap(figures.clean(report["cpu_meaning"]), COLUMNS)
    if report["flags"]:
        lines.append("flags:")
    for flag in report["flags"]:
        text = f"{flag['letter']} {figures.clean(flag['flag'])}: {words.flag_meaning(flag)}"
        lines += table.wrap(text, COLUMNS, "  ", "      ")
    return lines


def render(report):
    lines = head(report)
    for target in report["targets"]:
        lines += target_table(report, target)
    lines += crossovers(report) + unmeasured(report) + legend(report)
    return "\n".join(lines) + "\n"
