# SPDX-License-Identifier: GPL-2.0-or-later
"""Markdown with tables, as GitHub and GitLab show it: for issues, commits and wikis."""

from common import cells, figures, series, words

MOST = 59_000  # bytes: what an issue takes is 65 536 characters, and people write something around it
FOLD = 40  # rows that stand open

SPECIAL = "\\`*_{}[]#|~!$@"


def escape(text):
    """TEXT as text: nothing in it is markup, a link, a mention or a cell's end."""
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return "".join("\\" + letter if letter in SPECIAL else letter for letter in text)


def line(texts):
    return "| " + " | ".join(escape(text) for text in texts) + " |"


def fold(name, lines):
    """LINES behind a click where there are many of them."""
    return ["", f"<details><summary>{escape(name)}</summary>", ""] + lines + ["", "</details>"]


def size(lines):
    """Bytes of LINES."""
    return sum(len(text.encode("utf-8")) + 1 for text in lines)


def fitting(rows, room):
    """As many ROWS as fit into ROOM bytes, and a line about the rest."""
    kept, used = [], 0
    for row in rows:
        used += size([row])
        if used > room:
            break
        kept.append(row)
    return kept, len(rows) - len(kept)


def with_rows(head, rows, room, what):
    """A table of HEAD and ROWS, folded when long, cut when it does not fit."""
    kept, left = fitting(rows, room - size(head) - 200)
    lines = head + kept
    if len(kept) > FOLD:
        lines = fold(f"{len(kept)} rows", lines)
    if left:
        lines += ["", f"*{left} {what} did not fit: `iogap report --format csv` has them all.*"]
    return lines


def one_table(report, columns, own, room, what):
    """A table of OWN, which are cells, or legs alone."""
    lines = [f"- {name}: {escape(text)}" for name, text in cells.constants(report, own)]
    head = ["", line(column.name for column in columns),
            "| " + " | ".join("---:" if column.right else "---" for column in columns) + " |"]
    rows = [line(column.text(report, item) for column in columns) for item in own]
    lines += with_rows(head, rows, room - size(lines), what)
    apart = [f"- {escape(text)}" for text in (cells.directions(report, item) for item in own) if text]
    if apart:
        kept, left = fitting(apart, room - size(lines) - 200)
        lines += ["", "Reads and writes of mixed loads:", ""] + kept + ([f"- {left} more"] if left else [])
    return lines


def target_table(report, target, room):
    own, alone = cells.of_target(report, target), cells.alone(report, target)
    lines = ["", f"## Target {escape(words.target(target))}", ""]
    if own:
        # What is read first has the room; half of it where another table follows.
        lines += one_table(report, cells.columns(report), own, (room // 2 if alone else room) - size(lines), "cells")
    if alone:
        lines += ([""] if own else []) + [f"{cells.ALONE.capitalize()}", ""]
        lines += one_table(report, cells.leg_columns(report, alone), alone, room - size(lines), "legs")
    return lines if own or alone else lines + ["No cell."]


def top(report):
    lines = [f"# iogap report: {escape(words.title(report))}", ""]
    if report["sweep"]["emulated"]:
        lines += [f"> **{words.EMULATED}**", ""]
    lines += [f"- {name}: {escape(text)}" for name, text in words.facts(report)]
    for name in ("worst", "best"):
        if report["summary"][name] is not None:
            lines.append(f"- {name}: {escape(words.extreme(report, report['summary'][name]))}")
    crossed = series.placed(report, 12)
    if crossed:
        lines += ["", "## Crossovers", ""] + [f"- {escape(text)}" for text in crossed]
    return lines


def legend(report):
    lines = ["", "## Legend", "", escape(words.UNITS), escape(figures.clean(report["cpu_meaning"]))]
    if report["flags"]:
        lines.append("")
    for flag in report["flags"]:
        text = f"{figures.clean(flag['flag'])}: {words.flag_meaning(flag)}"
        lines.append(f"- **{escape(flag['letter'])}** {escape(text)}")
    return lines


def render(report):
    """Head and legend always; then as much of the tables as MOST leaves room for."""
    lines, last = top(report), legend(report)
    missing = cells.unmeasured(report)
    gaps = []
    if missing:
        rows = [line((kind, "; ".join(whats), reason)) for kind, whats, reason in missing]
        gaps = ["", "## Not measured", ""] + with_rows([line(("", "what", "reason")), "| --- | --- | --- |"], rows,
                                                       MOST // 5, "entries")
    room = MOST - size(lines) - size(last) - size(gaps)
    tables = []
    for number, target in enumerate(report["targets"]):
        own = target_table(report, target, (room - size(tables)) // (len(report["targets"]) - number))
        if size(tables) + size(own) > room - 100:
            tables += ["", f"*{len(report['targets']) - number} targets did not fit: `iogap report --format csv` has them all.*"]
            break
        tables += own
    return "\n".join(lines + tables + gaps + last) + "\n"
