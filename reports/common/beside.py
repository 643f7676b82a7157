# SPDX-License-Identifier: GPL-2.0-or-later
"""Several sweeps as one table: what the comparisons of a base with each of the others say together."""

import json

from common import figures

WEIGHTS = (("must", "Must be equal, and are not"), ("fingerprint", "Measured under other conditions"), ("note", "Differ too"))
INTERVALS = (
    "B/A: how many times as fast, from the geometric means over blocks; [low, high]: two-sided 95 % interval (Welch) from the blocks of "
    "either sweep, which needs two of each. It knows nothing of what differs from one day to another. MB = 10^6 bytes. "
    "\"-\": not measured, or only one of the two has it.")
# (key of a cell, heading)
CHANGES = (("rates", "rate"), ("host", "its host"), ("ratio", "guest/host"))


def letter(number):
    """A, B ... Z, then S27."""
    return chr(ord("A") + number) if number < 26 else f"S{number + 1}"


def sweeps(comparison):
    return [comparison["base"]] + [pair["sweep"] for pair in comparison["with"]]


def sweep(own):
    """A sweep in a line."""
    parts = [f"sweep {own['id']}"]
    if own["name"]:
        parts[0] += f" ({figures.clean(own['name'])})"
    return ", ".join(parts + [figures.clean(own[key]) for key in ("profile", "started", "status") if own[key]])


def warnings(comparison):
    """What the figures must not be read without."""
    lines = []
    for number, pair in enumerate(comparison["with"], 1):
        own = letter(number)
        unlike = ", ".join(figures.clean(key) for key in pair["unlike"])
        if pair["forced"]:
            lines.append(f"FORCED: {own} is unlike A ({unlike}); the figures do not say what made the difference.")
        elif pair["cells"] is None:
            lines.append(f"NOT COMPARABLE: {own} is unlike A ({unlike} must be equal); its figures are withheld without --force.")
        elif not pair["cells"]:
            lines.append(f"{own} has no leg in common with A.")
    return lines


def environment(comparison):
    """[(heading, [(key, meaning, [value of each sweep])])]; a value that is A's is "same"."""
    rows = {}
    for number, pair in enumerate(comparison["with"]):
        for found in pair["differences"]:
            row = rows.setdefault(found["key"], {"weight": found["weight"], "meaning": found["meaning"], "base": found["base"],
                                                 "others": ["same"] * len(comparison["with"])})
            row["others"][number] = figures.clean(found["other"] if found["other"] is not None else "not known")
            if found["weight"] == "must":
                row["weight"] = "must"
    groups = []
    for weight, heading in WEIGHTS:
        own = [(figures.clean(key), figures.clean(row["meaning"]),
                [figures.clean(row["base"] if row["base"] is not None else "not known")] + row["others"])
               for key, row in rows.items() if row["weight"] == weight]
        if own:
            groups.append((heading, own))
    return groups


def identity(cell):
    return json.dumps([cell["side"], cell["target"], cell["label"], cell["workload"], cell["guest"]], sort_keys=True)


def cells(comparison):
    """[(cell of the first pair that has it, [cell of each pair or None])], in the order of the base."""
    rows = {}
    for number, pair in enumerate(comparison["with"]):
        for cell in pair["cells"] or ():
            rows.setdefault(identity(cell), (cell, [None] * len(comparison["with"])))[1][number] = cell
    return list(rows.values())


def change(value):
    """"0.950 [0.941, 0.959]"."""
    if not value or value["change"] is None:
        return figures.NOTHING
    if value["low"] is None:
        return f"{figures.ratio(value['change'])} [no interval]"
    return f"{figures.ratio(value['change'])} [{figures.ratio(value['low'])}, {figures.ratio(value['high'])}]"


def apart(value):
    """Whether the interval of a change leaves out 1: "slower", "faster", or None where the blocks do not tell."""
    if not value or value["low"] is None:
        return None
    return "slower" if value["high"] < 1 else "faster" if value["low"] > 1 else None


def flags(found):
    """"A: CACHED; B: CACHED, MIXED" of a row of cells()."""
    own = {}
    for number, cell in enumerate(found, 1):
        if cell:
            own.setdefault("A", cell["flags"]["base"])
            own[letter(number)] = cell["flags"]["other"]
    return "; ".join(f"{name}: {', '.join(figures.clean(flag) for flag in names)}" for name, names in own.items() if names)


def only(comparison):
    """[(heading, [label])] of what one sweep of a pair lacks."""
    lists = []
    for number, pair in enumerate(comparison["with"], 1):
        for key, text in (("only_base", f"In A, not in {letter(number)}"), ("only_other", f"In {letter(number)}, not in A")):
            if pair[key]:
                lists.append((text, [figures.clean(label) for label in pair[key]]))
    return lists


def headings(comparison):
    """Of the columns behind the leg."""
    names = ["A MB/s"]
    for number in range(1, len(comparison["with"]) + 1):
        own = letter(number)
        names += [f"{own} MB/s", f"{own}/A", f"host {own}/A", f"guest/host {own}/A"]
    return names + ["flags"]


def row(first, found):
    """Texts under headings(), and for each which way a change points."""
    texts, ways = [figures.megabytes((first["rates"] or {}).get("base"))], [None]
    for cell in found:
        texts.append(figures.megabytes(cell["rates"]["other"]) if cell else figures.NOTHING)
        ways.append(None)
        for key, _ in CHANGES:
            texts.append(change(cell[key]) if cell else figures.NOTHING)
            ways.append(apart(cell[key]) if cell else None)
    return texts + [flags(found)], ways + [None]


def leg(cell):
    return f"{figures.clean(cell['label'])}, {figures.clean(cell['target'])}"
