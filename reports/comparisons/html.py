# SPDX-License-Identifier: GPL-2.0-or-later
"""Sweeps side by side as one page that needs nothing else, with the looks, the script and the policy of a report's page."""

from common import beside
from page import shell


def legs(comparison):
    """[(leg, [(text, figure behind it or None, way)])]."""
    rows = []
    for first, found in beside.cells(comparison):
        texts, ways = beside.row(first, found)
        values = [(first["rates"] or {}).get("base")]
        for cell in found:
            values.append(cell["rates"]["other"] if cell else None)
            values += [(cell[key] or {}).get("change") if cell else None for key, _ in beside.CHANGES]
        rows.append((beside.leg(first), list(zip(texts, values + [None], ways))))
    return rows


def render(comparison):
    own = beside.sweeps(comparison)
    return shell.render(
        "compare.html",
        title=" against ".join(f"sweep {sweep['id']}" for sweep in own),
        letters=[beside.letter(number) for number in range(len(own))],
        sweeps=[(beside.letter(number), beside.sweep(sweep), sweep["uuid"]) for number, sweep in enumerate(own)],
        warnings=beside.warnings(comparison),
        environment=beside.environment(comparison),
        headings=beside.headings(comparison),
        legs=legs(comparison),
        only=beside.only(comparison),
        units=beside.INTERVALS,
    )
