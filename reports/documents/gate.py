# SPDX-License-Identifier: GPL-2.0-or-later
"""The verdict of the gate as one page without scripts: the verdict first, rows with bars of their intervals, then what it rests on."""

from common import figures
from documents import common

FORMAT = "iogap-gate"
VERSION = 1
GROUPS = (
    ("Regressed, missing or invalid", ("REGRESSED", "MISSING", "INVALID"), True),
    ("Not decided", ("INCONCLUSIVE", "TOO_NOISY", "WITHHELD"), True),
    ("Improved", ("IMPROVED",), True),
    ("All others", None, False),
)
BAR = 144, 18  # width and height of a bar
MOST = 0.25    # a bar ends at this slowdown, however wide the interval is
SETTINGS = (("alpha", "chance of a false alarm per sweep"), ("detect", "a cell this much slower must not be called OK"),
            ("group_detect", "the same of a group"), ("least", "slowdown below which no cell is REGRESSED"),
            ("group_least", "the same of a group"))
COUNTS = (("screen_blocks", "blocks of the screen"), ("min_blocks", "fewest blocks of a confirmed row"), ("seed", "seed"))


def percent(value, sign=False):
    return figures.NOTHING if value is None else f"{100 * value:{'+' if sign else ''}.1f} %"


def reach(report):
    """The slowdown at the end of every bar, the same for all of them."""
    ends = [abs(row[key]) for row in report["rows"] for key in ("low", "high", "slowdown") if row[key] is not None]
    return min(MOST, max(ends + [report["settings"]["detect"] * 1.2])) if report["rows"] else MOST


def bar(row, most, detect):
    """Places of a bar's parts, in its own units; None without an interval."""
    if row["slowdown"] is None or row["low"] is None or row["high"] is None:
        return None
    width, height = BAR

    def place(value):
        return round(width / 2 + max(-1, min(1, value / most)) * (width / 2 - 3), 1)

    return {"low": place(row["low"]), "width": round(max(1, place(row["high"]) - place(row["low"])), 1), "at": place(row["slowdown"]),
            "zero": place(0), "detect": place(detect), "w": width, "h": height}


def flags_of(row):
    """As the text has them. A report made earlier has no flags of its rows."""
    lists = [", ".join(row.get("flags", [])), ", ".join(row.get("flags_left_out", []))]
    words = [lists[0]] * bool(lists[0]) + [lists[1] + " (left out)"] * bool(lists[1])
    return "flagged: " + "; ".join(words) if words else ""


def row_of(report, row, most):
    settings = report["settings"]
    detect = settings["group_detect" if row["group"] else "detect"]
    p = row["p_improved"] if row["verdict"] == "IMPROVED" else row["p_adjusted"]
    marks = [word for key, word in (("waived", "waived"), ("required", "required")) if row[key]]
    return {
        "verdict": row["verdict"] + (f" ({', '.join(marks)})" if marks else ""),
        "bad": row["verdict"] in GROUPS[0][1] and not row["waived"],
        "name": figures.clean(row["name"]),
        "reason": figures.clean(row["reason"]) if row["reason"] else "",
        "flags": figures.clean(flags_of(row)),
        "slowdown": percent(row["slowdown"], True),
        "interval": figures.NOTHING if row["low"] is None else f"{percent(row['low'], True)} to {percent(row['high'], True)}",
        "p": figures.NOTHING if p is None else f"{p:.2g}",
        "n": row["n"],
        "spread": percent(row["spread"]),
        "sees": percent(row["detectable"]),
        "bar": bar(row, most, detect),
    }


def sections(report):
    known = {verdict for _, verdicts, _ in GROUPS if verdicts for verdict in verdicts}
    most = reach(report)
    for title, verdicts, opened in GROUPS:
        rows = [row for row in report["rows"] if (row["verdict"] in verdicts if verdicts else row["verdict"] not in known)]
        if rows:
            yield {"title": title, "open": opened, "rows": [row_of(report, row, most) for row in rows]}


def settings_of(report):
    settings = report.get("settings")
    if settings is None:
        return []
    pairs = [(meaning, percent(settings[key])) for key, meaning in SETTINGS]
    pairs += [(meaning, str(settings[key])) for key, meaning in COUNTS]
    return pairs + [("flags accepted by the user", figures.clean(", ".join(settings["accepted_flags"])) or "none")]


def render(report):
    environment = [(key.replace("_", " "), figures.clean(value)) for key, value in report["sweep"].items() if value is not None]
    return common.page(
        "gate.html", verdict=report["verdict"], bad=report["exit"] in (1, 5), headline=figures.clean(report["headline"]),
        baseline=figures.clean(report["baseline"]), candidate=figures.clean(report["candidate"]), exit=report["exit"],
        sections=list(sections(report)), statements=[figures.clean(text) for text in report["statements"]],
        settings=settings_of(report), waivers=[figures.clean(text) for text in report["waivers"]],
        differences=[figures.clean(text) for text in report["differences"]], forced=report["forced"], environment=environment,
        reach=percent(reach(report)))
