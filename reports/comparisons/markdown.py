# SPDX-License-Identifier: GPL-2.0-or-later
"""Sweeps side by side for an issue or a pull request, within the size that those take."""

from common import beside
from formats.markdown import MOST, escape, line, size, with_rows


def environment(comparison):
    groups = beside.environment(comparison)
    lines = ["", "## Environments", ""]
    if not groups:
        return lines + ["The environments do not differ."]
    letters = [beside.letter(number) for number in range(len(beside.sweeps(comparison)))]
    for heading, rows in groups:
        head = ["", line(["key"] + letters), "| --- " * (1 + len(letters)) + "|"]
        lines += ["", f"**{heading}**"] + with_rows(head, [line([key] + values) for key, _, values in rows], MOST // 6, "keys")
    return lines


def only(comparison):
    lines = []
    for heading, labels in beside.only(comparison):
        head = ["", f"## {heading}", ""]
        lines += with_rows(head, [f"- {escape(label)}" for label in labels], MOST // 10, "legs")
    return lines


def figures_of(comparison, room):
    rows = beside.cells(comparison)
    if not rows:
        return []
    names = beside.headings(comparison)
    head = ["", "## Legs", "", escape(beside.INTERVALS), "", line(["leg"] + names), "| --- " + "| ---: " * (len(names) - 1) + "| --- |"]
    return with_rows(head, [line([beside.leg(first)] + beside.row(first, found)[0]) for first, found in rows], room, "legs")


def render(comparison):
    lines = ["# iogap compare", ""]
    lines += [f"- {beside.letter(number)}: {escape(beside.sweep(own))}" for number, own in enumerate(beside.sweeps(comparison))]
    for text in beside.warnings(comparison):
        lines += ["", f"> **{escape(text)}**"]
    lines += environment(comparison)
    last = only(comparison)
    return "\n".join(lines + figures_of(comparison, MOST - size(lines) - size(last)) + last) + "\n"
