#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Renders a report.json as one of the formats: render.py FORMAT FILE, text on standard output.

Every figure is in report.json already (docs/report-json.md): this program rounds and lays out, it computes no
statistic, opens no store and no network. The output depends on the file alone, not on the locale, the time
zone, the terminal or the environment.

A format is one module in formats/ with `render(report) -> str`; nothing else names it.

Exit status: 0 rendered; 1 the file or the format is wrong; 3 this Python lacks a module that the format
needs (another Python may have it).
"""

import importlib
import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
VERSION = 1
EXIT_WRONG = 1
EXIT_LACKING = 3


class Problem(Exception):
    """A message for the user."""


def formats():
    """Names of the formats, in order."""
    names = os.listdir(os.path.join(HERE, "formats"))
    return sorted(name[:-3] for name in names if name.endswith(".py") and not name.startswith("_"))


def load(path):
    """The report in PATH, if it is one that this program understands."""
    try:
        with open(path, encoding="utf-8") as file:
            report = json.load(file)
    except OSError as error:
        raise Problem(f"cannot read {path}: {error.strerror}") from error
    except ValueError as error:
        raise Problem(f"{path} is not JSON: {error}") from error
    if not isinstance(report, dict) or report.get("format") != "iogap-report":
        raise Problem(f"{path} is not a report of iogap")
    if report.get("version") != VERSION:
        raise Problem(f"{path} has version {report.get('version')}, this program reads version {VERSION}")
    return report


def main(arguments):
    if len(arguments) != 2:
        raise Problem("usage: render.py FORMAT FILE")
    name, path = arguments
    if name not in formats():
        raise Problem(f"there is no format \"{name}\"; there are {', '.join(formats())}")
    report = load(path)
    sys.path.insert(0, HERE)
    try:
        module = importlib.import_module(f"formats.{name}")
    except ModuleNotFoundError as error:
        print(f"{sys.executable} lacks the module {error.name}", file=sys.stderr)
        return EXIT_LACKING
    sys.stdout.buffer.write(module.render(report).encode("utf-8"))
    sys.stdout.buffer.flush()
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except Problem as problem:
        print(problem, file=sys.stderr)
        sys.exit(EXIT_WRONG)
