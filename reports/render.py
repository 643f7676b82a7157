#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Renders a report.json, or a comparison, as one of its formats: render.py FORMAT FILE, text on standard output.

render.py plots FILE DIR writes every plot as files into DIR instead, and prints one line about it.
render.py history FILE, history-plots FILE DIR and gate FILE do the same with the documents of `iogap history` and `iogap gate`.

Every figure is in report.json already (docs/report-json.md): this program rounds and lays out, it computes no
statistic, opens no store and no network. The output depends on the file alone, not on the locale, the time
zone, the terminal or the environment.

What kind of document FILE is, it says itself (KINDS in common/load.py). A format is one module in the folder of its kind (formats/
for reports, comparisons/ for sweeps side by side) with `render(report) -> str`; nothing else names it. One with a tuple SHAPES takes one of them as
second argument; FORMAT:SHAPE asks for it.

Exit status: 0 rendered; 1 the file or the format is wrong; 3 this Python lacks a module that the format
needs (another Python may have it).
"""

import gc
import importlib
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from common.load import Problem, kind_of, load  # noqa: E402

EXIT_WRONG = 1
EXIT_LACKING = 3
DOCUMENTS = ("history", "history-plots", "gate")  # outputs of documents that are not a report: modules of documents/


def formats(folder):
    """Names of the formats in FOLDER, in order."""
    names = os.listdir(os.path.join(HERE, folder))
    return sorted(name[:-3] for name in names if name.endswith(".py") and not name.startswith("_"))


def write_plots(report, folder):
    """Every plot as files; returns a line about them."""
    from plots import charts, gnuplot
    all_charts = [chart for _, own in charts.of_report(report) for chart in own]
    try:
        gnuplot.write(all_charts, folder)
    except gnuplot.Missing as missing:
        raise Problem(f"cannot draw plots: {missing}") from missing
    except OSError as error:
        raise Problem(f"cannot write plots into {folder}: {error.strerror}") from error
    drawn = sum(1 for chart in all_charts if chart.series)
    return f"{drawn} plots in {folder}; left out, since no series has two points: {len(all_charts) - drawn}\n"


def other_document(name, rest):
    """The output NAME of a document that is not a report."""
    try:
        from documents import common
        module = importlib.import_module(f"documents.{name.removesuffix('-plots')}")
    except ModuleNotFoundError as error:
        print(f"{sys.executable} lacks the module {error.name}", file=sys.stderr)
        return EXIT_LACKING
    document = common.load(rest[0], module)
    text = module.write_plots(document, rest[1]) if name.endswith("-plots") else module.render(document)
    sys.stdout.buffer.write(text.encode("utf-8"))
    sys.stdout.buffer.flush()
    return 0


def main(arguments):
    if arguments and arguments[0] in DOCUMENTS and len(arguments) == 2 + arguments[0].endswith("-plots"):
        return other_document(arguments[0], arguments[1:])
    if len(arguments) == 3 and arguments[0] == "plots":
        sys.stdout.write(write_plots(load(arguments[1]), arguments[2]))
        return 0
    if len(arguments) != 2:
        raise Problem("usage: render.py FORMAT FILE, or render.py plots FILE DIR")
    name, path = arguments
    name, _, shape = name.partition(":")
    # What is read lives until the end: looking for garbage in millions of values would take a third of the time.
    gc.disable()
    report = load(path)
    folder = kind_of(report).folder
    if name not in formats(folder):
        raise Problem(f"there is no format \"{name}\"; there are {', '.join(formats(folder))}")
    try:
        module = importlib.import_module(f"{folder}.{name}")
    except ModuleNotFoundError as error:
        print(f"{sys.executable} lacks the module {error.name}", file=sys.stderr)
        return EXIT_LACKING
    if shape and shape not in getattr(module, "SHAPES", ()):
        raise Problem(f"the format \"{name}\" has no shape \"{shape}\"")
    text = module.render(report, shape) if shape else module.render(report)
    sys.stdout.buffer.write(text.encode("utf-8"))
    sys.stdout.buffer.flush()
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except Problem as problem:
        print(problem, file=sys.stderr)
        sys.exit(EXIT_WRONG)
