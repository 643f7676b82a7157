# SPDX-License-Identifier: GPL-2.0-or-later
"""Markdown with tables, as GitHub and GitLab show it: for issues, commits and wikis."""

from common import cells, figures, words

SPECIAL = "\\`*_{}[]#|~!$@"


def escape(text):
    """TEXT as text: nothing in it is markup, a link, a mention or a cell's end."""
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return "".join("\\" + letter if letter in SPECIAL else letter for letter in text)


def line(texts):
    return "| " + " | ".join(escape(text) for text in texts) + " |"


def target_table(report, target):
    own = cells.of_target(report, target)
    columns = cells.columns(report)
    lines = ["", f"## Target {escape(words.target(target))}", ""]
    if not own:
        return lines + ["No cell."]
    for name, text in cells.constants(report, own):
        lines.append(f"- {name}: {escape(text)}")
    lines += ["", line(column.name for column in columns)]
    lines.append("| " + " | ".join("---:" if column.right else "---" for column in columns) + " |")
    return lines + [line(cells.row(report, cell)) for cell in own]


def render(report):
    lines = [f"# iogap report: {escape(words.title(report))}", ""]
    if report["sweep"]["emulated"]:
        lines += [f"> **{words.EMULATED}**", ""]
    lines += [f"- {name}: {escape(text)}" for name, text in words.facts(report)]
    for name in ("worst", "best"):
        if report["summary"][name] is not None:
            lines.append(f"- {name}: {escape(words.extreme(report, report['summary'][name]))}")
    for target in report["targets"]:
        lines += target_table(report, target)
    missing = cells.unmeasured(report)
    if missing:
        lines += ["", "## Not measured", "", line(("", "what", "reason")), "| --- | --- | --- |"]
        lines += [line((kind, "; ".join(whats), reason)) for kind, whats, reason in missing]
    lines += ["", "## Legend", "", escape(words.UNITS), escape(figures.clean(report["cpu_meaning"]))]
    if report["flags"]:
        lines.append("")
    for flag in report["flags"]:
        text = f"{figures.clean(flag['flag'])}: {words.flag_meaning(flag)}"
        lines.append(f"- **{escape(flag['letter'])}** {escape(text)}")
    return "\n".join(lines) + "\n"
