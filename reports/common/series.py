# SPDX-License-Identifier: GPL-2.0-or-later
"""Legs as series over block size: what belongs into one plot or heat map, and what a series is called."""

from common import figures, words

# Settings that make series of one group; everything else of the workload makes a group.
INSIDE = ("block_size", "direct")


def group_of(report, item):
    """What the legs and cells of one group share, as texts: target, then the settings that vary."""
    parts = [figures.clean(item["target"])] if len(report["targets"]) > 1 else []
    for axis in words.axes(report, "workload", True):
        if axis["key"] in INSIDE:
            continue
        text = words.value(axis, item)
        parts.append(text if axis["key"] == "rw" else f"{axis['title']} {text}")
    return ", ".join(parts)


def groups(report, items):
    """ITEMS by group, in the order of the report."""
    found = {}
    for item in items:
        found.setdefault((item["target"], group_of(report, item)), []).append(item)
    return [(name, own) for (_, name), own in found.items()]


def direct_word(item):
    return {True: "direct", False: "buffered", None: None}[item["workload"]["direct"]]


def guest_name(report, item):
    """The guest's settings that vary: "virtio none", "ide"."""
    parts = []
    for axis in words.axes(report, "guest", True):
        text = words.value(axis, item)
        if text != figures.NOTHING:
            parts.append(text if axis["kind"] == "text" else f"{axis['title']} {text}")
    return " ".join(parts) or "guest"


def name(report, leg):
    """What a leg is called among those of its group, its block size left out."""
    parts = ["host" if leg["side"] == "host" else guest_name(report, leg)]
    if any(axis["key"] == "direct" and axis["varies"] for axis in report["axes"]):
        parts.append(direct_word(leg) or "not told")
    return ", ".join(parts)


def by_name(report, legs):
    """LEGS of a group as {name: legs by ascending block size}."""
    found = {}
    for leg in legs:
        if leg["workload"]["block_size"]:
            found.setdefault(name(report, leg), []).append(leg)
    return found


def axis_of(report, key):
    for axis in report["axes"]:
        if axis["key"] == key:
            return axis
    return {"key": key, "kind": "text", "title": key, "section": "workload"}


def rival(report, key, value):
    """A value of an axis as people say it: direct, buffered, virtio, iothread on."""
    if key == "direct":
        return "direct I/O" if value else "buffered I/O"
    if key == "side":
        return f"the {value}"
    axis = axis_of(report, key)
    text = figures.of_kind(axis["kind"], value)
    return text if key == "bus" else f"{axis['title']} {text}"


def place(report, pair):
    """Where a crossover was looked for, in words."""
    parts = []
    if pair["axis"] != "side":
        parts.append("host" if pair["side"] == "host" else guest_without(report, pair))
    else:
        parts.append(guest_without(report, pair))
    parts.append(group_of(report, pair))
    if pair["axis"] != "direct" and direct_word(pair):
        parts.append(direct_word(pair))
    return ", ".join(part for part in parts if part)


def guest_without(report, pair):
    """The guest's settings, without the one that is compared."""
    parts = []
    for axis in words.axes(report, "guest", True):
        text = words.value(axis, pair)
        if axis["key"] != pair["axis"] and text != figures.NOTHING:
            parts.append(text if axis["kind"] == "text" else f"{axis['title']} {text}")
    return " ".join(["guest"] + parts)


def about(size):
    """A block size that was computed: three digits at most."""
    for suffix, scale in (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)):
        if size >= scale:
            return f"{figures.significant(size / scale, 3 if size / scale < 100 else 2)} {suffix}"
    return f"{size:.0f} bytes"


def crossing(report, pair, found):
    """One crossing in words."""
    first, second = (pair["a"], pair["b"]) if found["leader"] == "a" else (pair["b"], pair["a"])
    text = (f"{rival(report, pair['axis'], first)} overtakes {rival(report, pair['axis'], second)} "
            f"at about {about(found['block_size'])}")
    if not found["has_interval"]:
        return text + " (no interval: under two blocks)"
    if found["open_low"] and found["open_high"]:
        return text + " (the blocks scatter too much to tell where, or whether they cross at all)"
    low = "under " + about(pair["from"]) if found["open_low"] else about(found["low"])
    high = "over " + about(pair["to"]) if found["open_high"] else about(found["high"])
    return f"{text} (95 % interval: {low} to {high})"


def no_crossing(report, pair):
    """Why there is none, in words."""
    span = f"{about(pair['from'])} to {about(pair['to'])}"
    if pair["leader"] is None:
        return f"none in the range {span}"
    ahead, behind = (pair["a"], pair["b"]) if pair["leader"] == "a" else (pair["b"], pair["a"])
    return (f"none in the range {span}: {rival(report, pair['axis'], ahead)} is ahead of "
            f"{rival(report, pair['axis'], behind)} throughout")


def told(pair):
    """Whether the blocks tell of a crossing where it is, at one end at least."""
    return any(not (found["open_low"] and found["open_high"]) for found in pair["crossings"])


def crossovers(report):
    """[(where, [texts], letters, told)]: first those that the blocks can place, then all others."""
    lines = []
    for pair in report["crossovers"]:
        letters = words.letters(report, [{"flag": flag} for flag in pair["flags"]])
        texts = [crossing(report, pair, found) for found in pair["crossings"]] or [no_crossing(report, pair)]
        lines.append((place(report, pair), texts, letters, told(pair)))
    return sorted(lines, key=lambda line: not line[3])


def placed(report, most):
    """Lines about the crossovers that the blocks can place, at most MOST, with what was left out."""
    lines = crossovers(report)
    found = [line for line in lines if line[3]]
    shown = [f"{where}: {'; '.join(texts)}{', flags ' + letters if letters else ''}"
             for where, texts, letters, _ in found[:most]]
    if lines and len(lines) > len(shown):
        left = len(lines) - len(shown)
        shown.append(f"{left} {'other comparison' if left == 1 else 'other comparisons'}: none in the range, or not to be placed "
                     "from these blocks (the page and report.json have them)")
    return shown
