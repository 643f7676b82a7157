# SPDX-License-Identifier: GPL-2.0-or-later
"""What is plotted: charts with their series, made of report.json alone. No figure is computed here but units.

A chart is drawn only of series that have two points or more; what is left out is said with its reason, and a chart
without a series says only that.
"""

from common import figures, series

MOST_GUESTS = 6  # series of guests in one chart; more make further charts
PERCENTILES = (("p50_ns", "50"), ("p90_ns", "90"), ("p99_ns", "99"), ("p999_ns", "99.9"), ("p9999_ns", "99.99"))
KINDS = (("qemu_vcpu", "vCPU"), ("qemu_iothread", "iothread"), ("qemu_worker", "worker"), ("qemu_main", "main loop"),
         ("qemu_other", "other"), ("qemu_unseen", "exited unseen"))


class Series:
    """NAME, its place among the colours, whether it is dashed, and rows of x, y, low, high (all or none None)."""

    def __init__(self, name, colour, dashed, rows):
        self.name = name
        self.colour = colour
        self.dashed = dashed
        self.rows = rows


class Chart:
    """One plot. XTICS: (label, x) pairs, or None for plain numbers; MARKS: x of vertical lines; BANDS: (low, high) of shaded
    stretches of x, None where one leaves the frame; TOLD: marks and bands in words, for who does not see them."""

    def __init__(self, slug, title, xlabel, ylabel, style="lines"):
        self.slug = slug
        self.title = title
        self.xlabel = xlabel
        self.ylabel = ylabel
        self.style = style
        self.series = []
        self.notes = []
        self.left = {}  # reason: names of the series that were left out
        self.xtics = None
        self.marks = []
        self.bands = []
        self.told = []
        self.logx = False
        self.logy = False
        self.stack = []  # names of what is stacked, for style "stack"

    def add(self, name, colour, dashed, rows):
        """A series, or why there is none."""
        rows = [row for row in rows if row[1] is not None and (row[1] > 0 or not self.logy)]
        if len(rows) >= 2:
            self.series.append(Series(name, colour, dashed, rows))
        else:
            self.leave_out(name, "a single point" if rows else "not measured")

    def leave_out(self, name, reason):
        self.left.setdefault(reason, []).append(name)

    def left_out(self):
        """Lines about what was left out, one per reason."""
        return [f"{reason}: {'; '.join(names)}" for reason, names in self.left.items()]


def scaled(value, scale):
    return None if value is None else value / scale


def bounds(summary, scale):
    return scaled(summary.get("bytes_per_s_low"), scale), scaled(summary.get("bytes_per_s_high"), scale)


def throughput(leg):
    summary = leg["summary"] or {}
    return (scaled(summary.get("bytes_per_s"), 1e6),) + bounds(summary, 1e6)


def iops(leg):
    summary = leg["summary"] or {}
    low, high = bounds(summary, leg["workload"]["block_size"])
    value = summary.get("iops")
    return (value, low, high) if value is not None else (None, None, None)


def per_io(key):
    def value(leg):
        summary = leg["summary"] or {}
        if key == "cpu":
            kind = "machine" if leg["side"] == "host" else "host"
            return scaled((summary.get("cpu_ns_per_io") or {}).get(kind), 1e3), None, None
        return summary.get(key), None, None
    return value


# slug, title, y axis, figure of a leg, logarithmic
OVER_SIZE = (
    ("throughput", "Throughput", "MB/s", throughput, True),
    ("iops", "I/O per second", "IOPS", iops, True),
    ("cpu", "CPU of the whole host per I/O", "us", per_io("cpu"), True),
    ("switches", "Context switches of the host per I/O", "switches", per_io("host_switches_per_io"), True),
)


def titled(title, group):
    return f"{title}: {group.name}" if group.name else title


class Group:
    """Legs that are drawn together, with the colours of their series."""

    def __init__(self, report, name, number, part, parts, legs):
        self.report = report
        self.name = (name + (f" ({part} of {parts})" if parts > 1 else "")).strip()
        self.slug = f"{number:02d}" + (f"-{part}" if parts > 1 else "")
        self.legs = legs
        self.series = series.by_name(report, legs)
        self.colours = {}
        for leg in legs:
            self.colours.setdefault(self.who(leg), len(self.colours))

    def who(self, leg):
        """A series without "direct": both kinds have one colour."""
        return "host" if leg["side"] == "host" else series.guest_name(self.report, leg)

    def look(self, leg):
        return self.colours[self.who(leg)], leg["workload"]["direct"] is False


def split(report):
    """The groups of a report: one per target and kind of load, in parts where there are many guests."""
    made = []
    for number, (name, legs) in enumerate(series.groups(report, report["legs"])):
        hosts = [leg for leg in legs if leg["side"] == "host"]
        guests = {}
        for leg in legs:
            if leg["side"] == "guest":
                guests.setdefault(series.guest_name(report, leg), []).append(leg)
        names = list(guests)
        parts = [names[i:i + MOST_GUESTS] for i in range(0, len(names), MOST_GUESTS)] or [[]]
        for part, own in enumerate(parts):
            made.append(Group(report, name, number + 1, part + 1, len(parts), hosts + sum((guests[n] for n in own), [])))
    return made


def size_tics(legs):
    sizes = sorted({leg["workload"]["block_size"] for leg in legs if leg["workload"]["block_size"]})
    return [(figures.size(size), size) for size in sizes]


def over_size(group, slug, title, ylabel, figure, log):
    chart = Chart(f"{slug}-{group.slug}", titled(title, group), "block size", ylabel)
    chart.logx, chart.logy, chart.xtics = True, log, size_tics(group.legs)
    for name, legs in group.series.items():
        chart.add(name, *group.look(legs[0]), [(leg["workload"]["block_size"],) + figure(leg) for leg in legs])
    return chart


def mark_crossings(group, chart):
    """Where series cross, and the interval of each such place. What the blocks cannot place at either end is no mark."""
    own = {leg["id"] for leg in group.legs}
    marks, bands = set(), []
    for pair in group.report["crossovers"]:
        if not set(pair["a_legs"]) | set(pair["b_legs"]) <= own:
            continue
        for found in pair["crossings"]:
            if found["open_low"] and found["open_high"]:
                continue
            marks.add(found["block_size"])
            band = found["low"], found["high"]
            if found["has_interval"] and band not in bands:
                bands.append(band)
            chart.told.append(f"{series.place(group.report, pair)}: {series.crossing(group.report, pair, found)}")
    chart.marks = sorted(marks)
    chart.bands = sorted(bands, key=lambda band: (band[0] or 0, band[1] or 0))
    if marks:
        chart.notes.append("dotted lines: crossovers" + (", shaded: their 95 % intervals" if bands else "")
                           + " (the answer says them in words); rates are interpolated, not their logarithms, so lines on this "
                           "axis may cross beside them")


def ratio(group):
    chart = Chart(f"ratio-{group.slug}", titled("Ratio guest / host", group), "block size", "guest / host", "ratio")
    chart.logx, chart.logy, chart.xtics = True, True, size_tics(group.legs)
    cells = group.report["by_leg"]
    for name, legs in group.series.items():
        if legs[0]["side"] == "guest":
            own = [(leg["workload"]["block_size"], cells[leg["id"]]) for leg in legs if leg["id"] in cells]
            chart.add(name, *group.look(legs[0]), [(x, c["ratio"], c["low"], c["high"]) for x, c in own])
    return chart


def smallest(group):
    """(size in words, {name: leg}) of the smallest block size of a group."""
    sizes = size_tics(group.legs)
    if not sizes:
        return "-", {}
    found = {name: [leg for leg in legs if leg["workload"]["block_size"] == sizes[0][1]]
             for name, legs in group.series.items()}
    return sizes[0][0], {name: legs[0] for name, legs in found.items() if legs}


def percentiles(group):
    size, legs = smallest(group)
    chart = Chart(f"latency-{group.slug}", titled(f"Latency percentiles, {size}", group), "percentile", "us")
    chart.logy = True
    chart.xtics = [(label, i) for i, (_, label) in enumerate(PERCENTILES)]
    for name, leg in legs.items():
        latency = (leg["summary"] or {}).get("latency") or {}
        chart.add(name, *group.look(leg),
                  [(i, scaled(latency.get(key), 1e3), None, None) for i, (key, _) in enumerate(PERCENTILES)])
    return chart


def over_time(group):
    size, legs = smallest(group)
    chart = Chart(f"time-{group.slug}", titled(f"Mean latency over time, {size}, first good run", group), "s", "us", "plain")
    chart.logy = True
    for name, leg in legs.items():
        runs = [run for run in leg["runs"] if run["status"] == "ok" and run["series"]]
        rows = []
        if runs:
            step = runs[0]["series"]["step_ns"] / 1e9
            rows = [((i + 0.5) * step, scaled(value, 1e3), None, None)
                    for i, value in enumerate(runs[0]["series"]["latency_ns"])]
        chart.add(name, *group.look(leg), rows)
    if chart.series:
        chart.notes.append("by Little's law from the operations of each step; a gap: nothing finished in that step")
    return chart


def threads(group):
    """QEMU's CPU per I/O by kind of thread, one bar per guest series."""
    size, legs = smallest(group)
    chart = Chart(f"threads-{group.slug}", titled(f"QEMU's CPU per I/O by kind of thread, {size}", group), "", "us", "stack")
    chart.stack = [label for _, label in KINDS]
    for name, leg in legs.items():
        if leg["side"] == "host":
            continue
        split_up = (leg["summary"] or {}).get("cpu_ns_per_io") or {}
        values = [scaled(split_up.get(key), 1e3) for key, _ in KINDS]
        if all(value is None for value in values):
            chart.leave_out(name, "not measured")
        else:
            chart.series.append(Series(name, 0, False, [max(0, value or 0) for value in values]))
    chart.xtics = [(str(i + 1), i) for i in range(len(chart.series))]
    return chart


def agent_cost(report):
    chart = Chart("agent", "What the agent itself costs in the guest, by boot", "boot", "ns")
    boots = [boot for boot in report["boots"] if boot["null_io_ns"] is not None or boot["clock_read_ns"] is not None]
    chart.xtics = [(str(i + 1), i) for i in range(len(boots))]
    for colour, (key, name) in enumerate((("null_io_ns", "one I/O of the null engine"), ("clock_read_ns", "one look at the clock"))):
        chart.add(name, colour, False, [(i, boot[key], None, None) for i, boot in enumerate(boots)])
    return chart


def of_group(group):
    charts = [over_size(group, *row) for row in OVER_SIZE]
    mark_crossings(group, charts[0])
    return charts[:2] + [ratio(group), percentiles(group), over_time(group)] + charts[2:] + [threads(group)]


def of_report(report):
    """[(heading, [Chart])]: by group, then what belongs to none. No heading where one group is all there is."""
    report["by_leg"] = {cell["guest_leg"]: cell for cell in report["cells"]}
    made = [(group.name, of_group(group)) for group in split(report)]
    if report["boots"]:
        made.append(("Agent", [agent_cost(report)]))
    return made
