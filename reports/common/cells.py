# SPDX-License-Identifier: GPL-2.0-or-later
"""The comparison table: its columns and what a cell puts into them, for every format that has one."""

from common import figures, words


class Column:
    """A column: its header in lines for narrow tables and in words, how it stands, and its text for a cell."""

    def __init__(self, header, name, text, right=True):
        self.header = header
        self.name = name
        self.text = text
        self.right = right


def measured(side, key, show):
    """A figure of one side."""
    return lambda report, cell: show((cell["measured"][side] or {}).get(key))


def latency(side, key):
    return lambda report, cell: figures.latency(((cell["measured"][side] or {}).get("latency") or {}).get(key))


def axis(own):
    return Column(
        (own["title"],), own["title"], lambda report, cell: words.value(own, cell), own["kind"] in ("size", "count"))


FIGURES = [
    Column(("host", "MB/s"), "host MB/s", measured("host", "bytes_per_s", figures.megabytes)),
    Column(("guest", "MB/s"), "guest MB/s", measured("guest", "bytes_per_s", figures.megabytes)),
    Column(("ratio",), "ratio", lambda report, cell: figures.ratio(cell["ratio"])),
    Column(("[lo, hi]",), "[lo, hi]", lambda report, cell: words.interval(cell), False),
    Column(("guest", "IOPS"), "guest IOPS", measured("guest", "iops", figures.count)),
    Column(("mean", "host"), "host mean latency", latency("host", "mean_ns")),
    Column(("lat.", "guest"), "guest mean latency", latency("guest", "mean_ns")),
    Column(("p99", "host"), "host p99 latency", latency("host", "p99_ns")),
    Column(("lat.", "guest"), "guest p99 latency", latency("guest", "p99_ns")),
    Column(("CPU%", "host"), "host CPU %", measured("host", "cpu_percent", figures.percent)),
    Column(("", "guest"), "guest CPU %", measured("guest", "cpu_percent", figures.percent)),
    Column(("flags",), "flags", lambda report, cell: words.letters(report, cell["flags"]), False),
]


def columns(report):
    """The axes that vary, then the figures."""
    return [axis(own) for own in words.axes(report, varies=True)] + FIGURES


def row(report, cell):
    return [column.text(report, cell) for column in columns(report)]


def of_target(report, target):
    return [cell for cell in report["cells"] if cell["target"] == target["name"]]


def group(report, cell):
    """Rows of one workload apart from its block size stand together."""
    return [
        words.value(own, cell)
        for own in words.axes(report, "workload", True)
        if own["key"] != "block_size"
    ]


def breaks(report, cells):
    """Indexes of the cells before which a new group begins."""
    groups = [group(report, cell) for cell in cells]
    return [i for i in range(1, len(cells)) if groups[i] != groups[i - 1]]


def constants(report, cells):
    """Settings that are the same in all CELLS, as (name, text) pairs."""
    if not cells:
        return []
    pairs = [(f"every {name}", words.settings(report, name, cells)) for name in ("workload", "guest")]
    return [(name, text) for name, text in pairs if text]


def unmeasured(report):
    """(kind, [what], reason) of all that was not measured, and of cells without a ratio although both of their legs were."""
    lines = words.missing(report)
    own = {}
    good = {leg["id"] for leg in report["legs"] if leg["runs_good"]}
    for cell in report["cells"]:
        # What a leg lacks is said by itself.
        if cell["ratio"] is None and cell["guest_leg"] in good and cell["host_leg"] in good | {None}:
            own.setdefault(figures.clean(cell["reason"]), []).append(figures.clean(cell["label"]))
    return lines + [("no ratio", whats, reason) for reason, whats in own.items()]
