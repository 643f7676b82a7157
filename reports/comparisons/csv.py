# SPDX-License-Identifier: GPL-2.0-or-later
"""Sweeps side by side as comma-separated values: a row per difference of an environment, one per leg that both of a pair have, one
per leg that only one has. Names end with their unit as in the report's CSV; an empty field was not measured."""

import csv
import io

from common import beside
from formats.csv import text

ABOUT = ["row", "base_sweep", "other_sweep", "forced", "key", "weight", "base_value", "other_value", "label", "target", "side"]
CHANGE = ["n_base", "n_other", "base", "other", "change", "low", "high"]
PREFIX = {"rates": "rate", "host": "host_rate", "ratio": "ratio"}


def header():
    names = list(ABOUT)
    for key, _ in beside.CHANGES:
        unit = "" if key == "ratio" else "_bytes_per_s"
        names += [f"{PREFIX[key]}_{name}{unit if name in ('base', 'other') else ''}" for name in CHANGE]
    return names + ["base_flags", "other_flags"]


def rows_of(comparison, pair):
    common = [comparison["base"]["uuid"], pair["sweep"]["uuid"], pair["forced"]]
    empty = [None] * (len(header()) - len(ABOUT))
    for found in pair["differences"]:
        yield ["environment"] + common + [found[key] for key in ("key", "weight", "base", "other")] + [None] * 3 + empty
    for cell in pair["cells"] or ():
        own = ["cell"] + common + [None] * 4 + [cell["label"], cell["target"], cell["side"]]
        for key, _ in beside.CHANGES:
            own += [(cell[key] or {}).get(name) for name in CHANGE]
        yield own + [" ".join(cell["flags"]["base"]), " ".join(cell["flags"]["other"])]
    for key in ("only_base", "only_other"):
        for label in pair[key]:
            yield [key] + common + [None] * 4 + [label, None, None] + empty


def render(comparison):
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(header())
    for pair in comparison["with"]:
        writer.writerows([text(value) for value in row] for row in rows_of(comparison, pair))
    return out.getvalue()
