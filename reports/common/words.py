# SPDX-License-Identifier: GPL-2.0-or-later
"""What every format says in the same words: the head, axes, flags, and what was not measured."""

from common import figures

EMULATED = (
    "EMULATED: the guest's CPU was emulated (TCG), not virtualised (KVM). "
    "Guest figures describe the emulator and say nothing about a real guest."
)
UNITS = (
    "MB = 10^6 bytes; block sizes are binary (8k = 8192). Rates: geometric mean over the blocks in which both "
    "sides were measured; ratio = guest/host; [lo, hi]: two-sided 95 % Student t interval of the ratio from the "
    "paired blocks, which needs two of them. Latency: the whole I/O as the load saw it, all runs merged; a "
    "percentile needs 10 I/Os beyond it. \"-\": not measured."
)


def axes(report, section=None, varies=None):
    """The axes of a report, in order; only those of SECTION and those that vary or do not."""
    return [
        axis
        for axis in report["axes"]
        if section in (None, axis["section"]) and varies in (None, axis["varies"])
    ]


def value(axis, item):
    """The value of AXIS in a cell or leg, as text."""
    part = item.get(axis["section"]) or {}
    return figures.of_kind(axis["kind"], part.get(axis["key"]))


def settings(report, section, items):
    """"cache none, io native": the axes of SECTION that do not vary among ITEMS."""
    everywhere, somewhere = [], []
    for axis in axes(report, section, False):
        texts = {value(axis, item) for item in items}
        said = [f"{axis['title']} {text}" for text in sorted(texts - {figures.NOTHING})]
        (somewhere if figures.NOTHING in texts else everywhere).extend(said)
    text = ", ".join(everywhere)
    if somewhere:
        text += f"; where the bus has it: {', '.join(somewhere)}"
    return text


def letters(report, flags):
    """The letters of a cell's FLAGS."""
    own = {flag["flag"] for flag in flags}
    return "".join(flag["letter"] for flag in report["flags"] if flag["flag"] in own)


def target(item):
    """One line about a target."""
    facts = [
        figures.clean(item[key]) for key in ("type", "filesystem") if item.get(key) is not None
    ]
    if item.get("size") is not None:
        facts.append(figures.size(item["size"]))
    name = figures.clean(item["name"])
    return f"{name} ({', '.join(facts)})" if facts else name


def title(report):
    """The sweep in one line."""
    sweep = report["sweep"]
    parts = [f"sweep {sweep['id']}"]
    if sweep.get("name"):
        parts.append(f'"{figures.clean(sweep["name"])}"')
    if sweep.get("uuid"):
        parts.append(f"({figures.clean(sweep['uuid'])})")
    return " ".join(parts)


def heading(report):
    """The sweep in few words: its name, else its profile."""
    sweep = report["sweep"]
    name = sweep.get("name") or sweep.get("profile")
    return f"sweep {sweep['id']}" + (f" \"{figures.clean(name)}\"" if name else "")


def percent(half_width):
    return f"{100 * half_width:.2g} %"


def stopped(sweep):
    """Why the sweep has the blocks that it has, when that was left to its intervals."""
    stopping = sweep["stopping"]
    asked = f"every interval within {percent(stopping['precision'])}"
    most = stopping["most_blocks"]
    widest = stopping["half_width"]
    if stopping["stopped"] == "reached":
        return f"{asked} after {sweep['blocks']} of at most {most} blocks (widest {percent(widest)})"
    if stopping["stopped"] == "ceiling":
        text = f"at the ceiling of {most} blocks; {stopping['wide_cells']} cell(s) without an interval within {percent(stopping['precision'])}"
        return text + ("" if widest is None else f" (widest {percent(widest)})")
    return f"not yet; asked for {asked}, at most {most} blocks"


def facts(report):
    """What was swept, as (name, text) pairs."""
    sweep = report["sweep"]
    summary = report["summary"]
    pairs = []
    if sweep.get("started"):
        when = sweep["started"]
        if sweep.get("ended"):
            when += f" to {sweep['ended']}"
        pairs.append(("when", when))
    if sweep.get("status"):
        pairs.append(("status", figures.clean(sweep["status"])))
    if sweep.get("profile"):
        pairs.append(("profile", figures.clean(sweep["profile"])))
    pairs.append(("targets", "; ".join(target(item) for item in report["targets"]) or "none"))
    pairs.append(("accelerator", figures.clean(sweep.get("accel"))))
    pairs.append(("blocks", figures.clean(sweep.get("blocks"))))
    if sweep.get("stopping"):
        pairs.append(("stopped", stopped(sweep)))
    pairs.append(("seed", figures.clean(sweep.get("seed"))))
    pairs.append(
        (
            "cells",
            f"{summary['cells']}, of these {summary['cells_compared']} compared; "
            f"runs: {summary['runs_ok']} good, {summary['runs_failed']} failed",
        )
    )
    return pairs


def interval(cell):
    """The interval of a cell's ratio; a ratio without one says so."""
    if cell["ratio"] is not None and cell["low"] is None:
        return "no interval"
    return figures.interval(cell["low"], cell["high"])


def extreme(report, index):
    """The worst or best cell in one line."""
    cell = report["cells"][index]
    text = f"{figures.ratio(cell['ratio'])} {interval(cell)}, {figures.clean(cell['label'])}"
    if len(report["targets"]) > 1:
        text += f" on {figures.clean(cell['target'])}"
    if cell["flags"]:
        text += ", flags " + letters(report, cell["flags"])
    return text


def flag_meaning(flag):
    """What a flag of the legend means, how many cells have it, and the first cell's evidence."""
    text = f"{figures.clean(flag['meaning'])} ({flag['cells']} {'cell' if flag['cells'] == 1 else 'cells'}"
    if flag["example"] is not None:
        text += f"; {figures.clean(flag['example']['what'])}: {figures.clean(flag['example']['evidence'])}"
    return text + ")"


def missing(report):
    """What was not measured, as (kind, [what], reason) texts: what has the same reason stands together."""
    together = {}
    for item in report["not_measured"]:
        what = figures.clean(item["what"])
        if item.get("block") is not None:
            what += f", block {item['block'] + 1}"
        reason = figures.clean(item.get("reason") or "no reason was stored")
        together.setdefault((item["kind"], reason), []).append(what)
    return [(kind, whats, reason) for (kind, reason), whats in together.items()]


def because(whats, reason):
    """One thing and why; of many things the reason first."""
    return f"{whats[0]}: {reason}" if len(whats) == 1 else f"{reason}: {'; '.join(whats)}"
