# SPDX-License-Identifier: GPL-2.0-or-later
"""Plain text for a terminal: what was swept, one table per target, what is missing, the legend."""

from common import figures, table, words
from common.table import Column

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


def columns(report):
    """The columns: their headers, and how a cell fills them."""
    axes = words.axes(report, varies=True)
    made = [Column(axis["title"], right=axis["kind"] in ("size", "count")) for axis in axes]
    made += [
        Column("host", "MB/s"),
        Column("guest", "MB/s"),
        Column("ratio"),
        Column("[lo, hi]", right=False),
        Column("guest", "IOPS"),
        Column("mean", "host"),
        Column("lat.", "guest"),
        Column("p99", "host"),
        Column("lat.", "guest"),
        Column("CPU%", "host"),
        Column("", "guest"),
        Column("flags", right=False),
    ]
    return axes, made


def row(report, axes, cell):
    host, guest = cell["measured"]["host"] or {}, cell["measured"]["guest"] or {}
    own, other = host.get("latency") or {}, guest.get("latency") or {}
    return [words.value(axis, cell) for axis in axes] + [
        figures.megabytes(host.get("bytes_per_s")),
        figures.megabytes(guest.get("bytes_per_s")),
        figures.ratio(cell["ratio"]),
        words.interval(cell),
        figures.count(guest.get("iops")),
        figures.latency(own.get("mean_ns")),
        figures.latency(other.get("mean_ns")),
        figures.latency(own.get("p99_ns")),
        figures.latency(other.get("p99_ns")),
        figures.percent(host.get("cpu_percent")),
        figures.percent(guest.get("cpu_percent")),
        words.letters(report, cell["flags"]),
    ]


def group(axes, cell):
    """Rows of one workload apart from its block size stand together."""
    return [words.value(axis, cell) for axis in axes if axis["section"] == "workload" and axis["key"] != "block_size"]


def target_table(report, target):
    cells = [cell for cell in report["cells"] if cell["target"] == target["name"]]
    lines = ["", f"target {words.target(target)}"]
    if not cells:
        return lines + ["no cell"]
    for section, name in (("workload", "workload"), ("guest", "guest")):
        text = words.settings(report, section, cells[0])
        if text:
            lines += table.wrap(text, COLUMNS, f"every {name}: ")
    axes, made = columns(report)
    rows = [row(report, axes, cell) for cell in cells]
    breaks = [i for i in range(1, len(cells)) if group(axes, cells[i]) != group(axes, cells[i - 1])]
    return lines + [""] + table.aligned(made, rows, breaks)


def reasons(report):
    """What was not measured, and cells without a ratio although both of their legs were."""
    lines = []
    good = {leg["id"] for leg in report["legs"] if leg["runs_good"]}
    for kind, what, reason in words.missing(report):
        lines += table.wrap(f"{what}: {reason}", COLUMNS, f"  {kind:<9} ")
    for cell in report["cells"]:
        # What a leg lacks is said above.
        if cell["ratio"] is None and cell["guest_leg"] in good and cell["host_leg"] in good | {None}:
            text = f"{figures.clean(cell['label'])}: {figures.clean(cell['reason'])}"
            lines += table.wrap(text, COLUMNS, "  no ratio  ")
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
    lines += reasons(report) + legend(report)
    return "\n".join(lines) + "\n"
