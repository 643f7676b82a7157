# SPDX-License-Identifier: GPL-2.0-or-later
"""One HTML page that needs nothing else: no network, no other file; a small script of its own makes tables sort and filter.

Everything from the sweep is escaped by the template. A policy in the page's head lets only this page's own script run, by its
hash, and lets nothing be fetched: were an escape ever missed, the browser would still refuse.
"""

import markupsafe

from common import cells, figures, series, words
from page import answer, details, heat, shell
from plots import charts, gnuplot

MOST_PLOTS = 48  # of one page; the rest goes to files on request


def environment(report):
    """What the sweep ran on, as (name, text) pairs."""
    pairs = [(name, value) for name, value in report["environment"].items() if name != "more"]
    return [(name.replace("_", " "), figures.clean(value)) for name, value in pairs if value is not None]


def flat(value, path=()):
    """What else is known of the environment, as (path, text) pairs."""
    if isinstance(value, dict):
        return [pair for key, own in value.items() for pair in flat(own, path + (str(key),))]
    if isinstance(value, list):
        return [pair for i, own in enumerate(value) for pair in flat(own, path + (str(i + 1),))]
    return [(figures.clean(" / ".join(path)), figures.clean(value))] if value is not None else []




def targets(report):
    index = {id(cell): i for i, cell in enumerate(report["cells"])}
    columns = cells.columns(report)
    for target in report["targets"]:
        own, alone = cells.of_target(report, target), cells.alone(report, target)
        leg_columns = cells.leg_columns(report, alone)
        yield {
            "name": words.target(target),
            "constants": cells.constants(report, own),
            "rows": [(f"cell-{index[id(cell)]}",
                      [(column.text(report, cell), column.value(cell)) for column in columns]) for cell in own],
            "breaks": cells.breaks(report, own),
            "alone": cells.ALONE,
            "leg_columns": leg_columns,
            "leg_constants": cells.constants(report, alone),
            "legs": [[(column.text(report, leg), column.value(leg)) for column in leg_columns] for leg in alone],
            "leg_breaks": cells.breaks(report, alone),
        }


def plots(report):
    """(why there are none, how many did not fit, [(heading, [plot], [(title, why it is not drawn)])])."""
    groups = charts.of_report(report)
    wanted, left = [], 0
    for _, own in groups:
        for chart in own:
            if chart.series and len(wanted) < MOST_PLOTS:
                wanted.append(chart)
            elif chart.series:
                left += 1
    problem, drawn = None, {}
    try:
        drawn = gnuplot.inline(wanted)
    except gnuplot.Missing as missing:
        problem = str(missing)
    made = []
    for heading, own in groups:
        entries = [plot(chart, drawn[chart.slug]) for chart in own if chart.slug in drawn]
        empty = [(chart.title, chart.left_out()) for chart in own if chart.left and not chart.series]
        if (entries or empty) and not problem:
            made.append((heading, entries, empty))
    return problem, left, made


def plot(chart, svg):
    """A chart for the template. Its drawing holds nothing but gnuplot's own lines and our own labels."""
    if chart.style == "stack":
        legend = [(gnuplot.FIRST + i, False, name) for i, name in enumerate(chart.stack)]
        bars = [own.name for own in chart.series]
    else:
        legend = [(gnuplot.FIRST + own.colour % len(gnuplot.PALETTE), own.dashed, own.name) for own in chart.series]
        bars = []
    return {"slug": chart.slug, "title": chart.title, "svg": markupsafe.Markup(svg), "legend": legend, "told": chart.told,
            "bars": bars, "notes": chart.notes + [f"left out, {line}" for line in chart.left_out()],
            "y": chart.ylabel, "x": chart.xlabel}


def boots(report):
    """Guests as they were booted: one entry per different domain XML and command line."""
    found = {}
    for boot in report["boots"]:
        if boot["domain_xml"] or boot["qemu_cmdline"]:
            what = f"block {boot['block'] + 1 if boot['block'] is not None else '-'}, guest {(boot['boot_no'] or 0) + 1}"
            found.setdefault((boot["domain_xml"], boot["qemu_cmdline"]), []).append(what)
    return [("; ".join(what), xml, command) for (xml, command), what in found.items()]


def absent(report):
    """Columns of runs that could not be had, those with one reason together: (kind, what, reason)."""
    found = {}
    for column, reasons in report["absent"].items():
        for reason in reasons:
            found.setdefault(figures.clean(reason), []).append(figures.clean(column))
    return [("figure", columns, reason) for reason, columns in found.items()]


def guest_facts(report):
    """(name, text) of the guests, what differs between boots side by side."""
    names = ("accel", "machine", "guest_kernel", "cmdline", "clocksource", "clock_read_ns", "null_io_ns", "hello_ns")
    pairs = []
    for name in names:
        texts = []
        for boot in report["boots"]:
            value = boot[name]
            text = figures.latency(value) if name.endswith("_ns") else figures.clean(value)
            if value is not None and text not in texts:
                texts.append(text)
        if texts:
            pairs.append((name.removesuffix("_ns").replace("_", " "), ", ".join(texts)))
    return pairs


def render(report):
    most, least = answer.extremes(report)
    problem, left, drawn = plots(report)
    return shell.render(
        "report.html",
        title=words.title(report),
        heading=words.heading(report),
        emulated=words.EMULATED if report["sweep"]["emulated"] else None,
        accel_remark=figures.clean(report["sweep"]["accel_remark"]) if report["sweep"]["accel_remark"] else None,
        facts=words.facts(report),
        swept=answer.swept(report),
        most=most,
        least=least,
        doubts=answer.doubts(report),
        crossovers=series.crossovers(report),
        heat=heat.maps(report),
        heat_legend=heat.LEGEND,
        problem=problem,
        plots_left=left,
        plots=drawn,
        columns=cells.columns(report),
        targets=list(targets(report)),
        details=details.all_of(report),
        missing=cells.unmeasured(report) + absent(report),
        units=words.UNITS,
        cpu=figures.clean(report["cpu_meaning"]),
        flags=[(f["letter"], figures.clean(f["flag"]), words.flag_meaning(f)) for f in report["flags"]],
        environment=environment(report) + flat(report["environment"]["more"]),
        guests=guest_facts(report),
        boots=boots(report),
        profile=report["sweep"]["profile_text"],
        profile_name=figures.clean(report["sweep"]["profile"]) if report["sweep"]["profile"] else "PROFILE",
        version=figures.clean(report["made_by"]),
        store_ref=figures.clean(report["sweep"]["uuid"]),
    )
