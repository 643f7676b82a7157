# SPDX-License-Identifier: GPL-2.0-or-later
"""The heat map: ratio over block size and guest configuration, one table per kind of load."""

from common import figures, series, words

# Upper ends of the shades, from "a tenth of the host" to "as fast as the host"; what lies above is no gain but a doubt.
SHADES = (0.1, 0.2, 0.35, 0.5, 0.7, 0.9, 1.05)
LEGEND = [f"up to {end:g}" for end in SHADES] + ["faster than its host: doubtful"]


def shade(ratio):
    if ratio is None:
        return "none"
    return next((str(i) for i, end in enumerate(SHADES) if ratio <= end), str(len(SHADES)))


def row_name(report, cell):
    parts = [series.guest_name(report, cell)]
    if any(axis["key"] == "direct" and axis["varies"] for axis in report["axes"]):
        parts.append(series.direct_word(cell) or "not told")
    return ", ".join(parts)


def one(report, name, cells):
    sizes = sorted({cell["workload"]["block_size"] for _, cell in cells}, key=lambda size: (size is None, size))
    rows = {}
    for index, cell in cells:
        rows.setdefault(row_name(report, cell), {})[cell["workload"]["block_size"]] = (index, cell)

    def square(found):
        if not found:
            return None
        index, cell = found
        return {
            "anchor": f"cell-{index}",
            "text": figures.ratio(cell["ratio"]),
            "shade": shade(cell["ratio"]),
            "letters": words.letters(report, cell["flags"]),
            "title": figures.clean(cell["reason"]) if cell["reason"] else f"95 % interval {words.interval(cell)}",
        }

    return {
        "name": name,
        "sizes": [figures.size(size) for size in sizes],
        "rows": [(own, [square(found.get(size)) for size in sizes]) for own, found in rows.items()],
    }


def maps(report):
    indexed = list(enumerate(report["cells"]))
    groups = {}
    for index, cell in indexed:
        groups.setdefault((cell["target"], series.group_of(report, cell)), []).append((index, cell))
    return [one(report, name, cells) for (_, name), cells in groups.items()]
