# SPDX-License-Identifier: GPL-2.0-or-later
"""One HTML page that needs nothing else: no script, no network, no other file."""

import os

import jinja2

from common import cells, figures, words

TEMPLATES = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "templates")


def environment(report):
    """What the sweep ran on, as (name, text) pairs."""
    pairs = [(name, value) for name, value in report["environment"].items() if name != "more"]
    return [(name, figures.clean(value)) for name, value in pairs if value is not None]


def targets(report):
    for target in report["targets"]:
        own = cells.of_target(report, target)
        yield {
            "name": words.target(target),
            "constants": cells.constants(report, own),
            "rows": [cells.row(report, cell) for cell in own],
            "breaks": cells.breaks(report, own),
        }


def render(report):
    # Every value is escaped; a name that the template misspells is an error.
    loader = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES), autoescape=True, undefined=jinja2.StrictUndefined,
        trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True)
    summary = report["summary"]
    return loader.get_template("report.html").render(
        title=words.title(report),
        emulated=words.EMULATED if report["sweep"]["emulated"] else None,
        facts=words.facts(report),
        extremes=[(name, words.extreme(report, summary[name])) for name in ("worst", "best") if summary[name] is not None],
        columns=cells.columns(report),
        targets=list(targets(report)),
        missing=cells.unmeasured(report),
        units=words.UNITS,
        cpu=figures.clean(report["cpu_meaning"]),
        flags=[(f["letter"], figures.clean(f["flag"]), words.flag_meaning(f)) for f in report["flags"]],
        environment=environment(report),
        profile=report["sweep"]["profile_text"],
    )
