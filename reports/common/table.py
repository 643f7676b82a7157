# SPDX-License-Identifier: GPL-2.0-or-later
"""Plain text in columns and paragraphs. Widths are those of a terminal: wide letters count two, marks none."""

import unicodedata


def width(text):
    """Columns that TEXT takes."""
    total = 0
    for letter in text:
        if unicodedata.combining(letter):
            continue
        total += 2 if unicodedata.east_asian_width(letter) in "WF" else 1
    return total


def pad(text, columns, right=False):
    """TEXT filled up to COLUMNS; longer text stays whole."""
    space = " " * max(0, columns - width(text))
    return space + text if right else text + space


def cut(text, columns):
    """TEXT shortened to COLUMNS, the cut marked by "~"."""
    if width(text) <= columns:
        return text
    kept = ""
    for letter in text:
        if width(kept + letter) > columns - 1:
            break
        kept += letter
    return kept + "~"


def aligned(columns, rows, breaks=()):
    """Lines of a table: headers at the bottom of the head, a rule, rows; an empty line before those of BREAKS.

    COLUMNS have `header`, lines from top to bottom, and `right`.
    """
    depth = max(len(column.header) for column in columns)
    head = []
    for level in range(depth):
        cells = []
        for column in columns:
            missing = depth - len(column.header)
            cells.append(column.header[level - missing] if level >= missing else "")
        head.append(cells)
    widths = [
        max(width(line[i]) for line in head + rows) for i in range(len(columns))
    ]

    def line(cells):
        parts = [pad(cell, w, column.right) for cell, w, column in zip(cells, widths, columns)]
        return " ".join(parts).rstrip()

    rule = "-" * (sum(widths) + len(widths) - 1)
    lines = [line(cells) for cells in head] + [rule]
    for number, cells in enumerate(rows):
        if number in breaks:
            lines.append("")
        lines.append(line(cells))
    return lines


def wrap(text, columns, first="", rest=None):
    """Lines of at most COLUMNS where words allow it, the first after FIRST, others after REST (default: spaces)."""
    rest = " " * width(first) if rest is None else rest
    lines = []
    line = first
    empty = True
    for word in text.split():
        if not empty and width(line) + 1 + width(word) > columns:
            lines.append(line)
            line = rest
            empty = True
        line += word if empty else " " + word
        empty = False
    return lines + [line.rstrip()]
