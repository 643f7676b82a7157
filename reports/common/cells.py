# SPDX-License-Identifier: GPL-2.0-or-later
"""The comparison table: its columns and what a cell puts into them, for every format that has one."""

from common import figures, words


class Column:
    """A column: its header in lines for narrow tables and in words, how it stands, and its text for a cell.

    VALUE is the figure behind the text, for sorting; None where the text is all there is.
    """

    def __init__(self, header, name, text, right=True, value=None):
        self.header = header
        self.name = name
        self.text = text
        self.right = right
        self.value = value or (lambda cell: None)


def figure(header, name, show, value):
    """A column of figures: SHOW makes the text of the VALUE of a cell."""
    return Column(header, name, lambda report, cell: show(value(cell)), value=value)


def measured(side, key):
    """A figure of one side."""
    return lambda cell: (cell["measured"][side] or {}).get(key)


def latency(side, key):
    return lambda cell: ((cell["measured"][side] or {}).get("latency") or {}).get(key)


def axis(own):
    number = own["kind"] in ("size", "count")
    return Column(
        (own["title"],), own["title"], lambda report, cell: words.value(own, cell), number,
        (lambda cell: (cell.get(own["section"]) or {}).get(own["key"])) if number else None)


FIGURES = [
    figure(("host", "MB/s"), "host MB/s", figures.megabytes, measured("host", "bytes_per_s")),
    figure(("guest", "MB/s"), "guest MB/s", figures.megabytes, measured("guest", "bytes_per_s")),
    figure(("ratio",), "ratio", figures.ratio, lambda cell: cell["ratio"]),
    Column(("[lo, hi]",), "[lo, hi]", lambda report, cell: words.interval(cell), False, lambda cell: cell["low"]),
    figure(("guest", "IOPS"), "guest IOPS", figures.count, measured("guest", "iops")),
    figure(("mean", "host"), "host mean latency", figures.latency, latency("host", "mean_ns")),
    figure(("lat.", "guest"), "guest mean latency", figures.latency, latency("guest", "mean_ns")),
    figure(("p99", "host"), "host p99 latency", figures.latency, latency("host", "p99_ns")),
    figure(("lat.", "guest"), "guest p99 latency", figures.latency, latency("guest", "p99_ns")),
    figure(("CPU%", "host"), "host CPU %", figures.percent, measured("host", "cpu_percent")),
    figure(("", "guest"), "guest CPU %", figures.percent, measured("guest", "cpu_percent")),
    Column(("flags",), "flags", lambda report, cell: words.letters(report, cell["flags"]), False),
]


def of_leg(key):
    """A figure of a leg."""
    return lambda leg: (leg["summary"] or {}).get(key)


def latency_of_leg(key):
    return lambda leg: ((leg["summary"] or {}).get("latency") or {}).get(key)


LEG_FIGURES = [
    figure(("MB/s",), "MB/s", figures.megabytes, of_leg("bytes_per_s")),
    figure(("IOPS",), "IOPS", figures.count, of_leg("iops")),
    figure(("mean", "lat."), "mean latency", figures.latency, latency_of_leg("mean_ns")),
    figure(("p99", "lat."), "p99 latency", figures.latency, latency_of_leg("p99_ns")),
    figure(("CPU%",), "CPU %", figures.percent, of_leg("cpu_percent")),
    Column(("flags",), "flags", lambda report, leg: words.letters(report, leg["flags"]), False),
]
ALONE = "measured on one side alone, so without a ratio; all good runs of it:"


def columns(report):
    """The axes that vary, then the figures."""
    return [axis(own) for own in words.axes(report, varies=True)] + FIGURES


def leg_columns(report, legs):
    """As columns(), of LEGS: a host has no axes of a guest."""
    section = None if any(leg["guest"] for leg in legs) else "workload"
    side = Column(("side",), "side", lambda report, leg: leg["side"], False)
    return [side] + [axis(own) for own in words.axes(report, section, True)] + LEG_FIGURES


def row(report, cell):
    return [column.text(report, cell) for column in columns(report)]


def has_figures(cell):
    return any(cell["measured"].values())


def alone(report, target):
    """Legs of TARGET that were measured and that no row of a cell shows: a sweep of the host alone has no others."""
    shown = {cell[f"{side}_leg"] for cell in report["cells"] for side in ("host", "guest") if cell["measured"][side]}
    return [leg for leg in report["legs"]
            if leg["target"] == target["name"] and leg["runs_good"] and leg["id"] not in shown]


def of_target(report, target):
    """The rows of TARGET's table; none where not one has a figure, but legs have."""
    own = [cell for cell in report["cells"] if cell["target"] == target["name"]]
    return own if any(map(has_figures, own)) or not alone(report, target) else []


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


def constants(report, items):
    """Settings that are the same in all ITEMS (cells or legs; of a host none is a guest's), as (name, text) pairs."""
    guests = [item for item in items if item["guest"]]
    pairs = [(f"every {name}", words.settings(report, name, own)) for name, own in (("workload", items), ("guest", guests)) if own]
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


def directions(report, item):
    """A mixed load's reads and writes apart, one line; None for other loads. ITEM: a cell, or a leg alone."""
    parts = []
    measured_sides = item["measured"] if "measured" in item else {item["side"]: item["summary"]}
    for own in ("read", "write"):
        sides = {name: (summary or {}).get(own) for name, summary in measured_sides.items()}
        if all(side is None for side in sides.values()):
            continue
        rates = " and ".join(
            f"{name} {figures.megabytes((side or {}).get('bytes_per_s'))} MB/s, mean "
            f"{figures.latency(((side or {}).get('latency') or {}).get('mean_ns'))}"
            for name, side in sides.items())
        parts.append(f"{own}s: {rates}")
    return f"{figures.clean(item['label'])}: {'; '.join(parts)}" if parts else None
