# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads a document of this version or an older one: a report.json, a comparison of sweeps."""

import json

VERSION = 3

SUMMARY = ("bytes_per_s_low", "bytes_per_s_high", "qemu_switches_per_io", "read", "write")
RUN = ("complete_p50_ns", "complete_max_ns", "bytes_read", "bytes_written", "ops_read", "ops_write", "ops_sync",
       "started_s", "series")


class Problem(Exception):
    """A message for the user."""


def fill(item, keys):
    for key in keys:
        item.setdefault(key, None)


def from_1(report):
    """Version 1 lacked what version 2 may leave unmeasured."""
    report["crossovers"] = []
    for boot in report["boots"]:
        fill(boot, ("domain_xml",))
    sides = [side for cell in report["cells"] for side in cell["measured"].values()]
    for leg in report["legs"]:
        leg["distribution"] = None
        sides.append(leg["summary"])
        for run in leg["runs"]:
            fill(run, RUN)
    for side in sides:
        if side is not None:
            fill(side, SUMMARY)
            side["cpu_ns_per_io"] = {}


def from_2(report):
    """Version 2 did not say what a run cost beside CPU and switches, nor which settings were in effect, nor what a source calls a leg."""
    report["absent"] = {}
    report["run_columns"] = []
    sides = [side for cell in report["cells"] for side in cell["measured"].values()]
    for leg in report["legs"]:
        leg["seen"] = {}
        fill(leg, ("imported_as",))
        sides.append(leg["summary"])
        for run in leg["runs"]:
            run["accounting"] = {}
    for side in sides:
        if side is not None:
            side["accounting"] = {}


UPGRADES = {1: from_1, 2: from_2}


class Kind:
    """A kind of document: in which folder its formats are, its newest version, and the steps up to it."""

    def __init__(self, folder, what, version, upgrades):
        self.folder = folder
        self.what = what
        self.version = version
        self.upgrades = upgrades


# By the document's "format". A new kind of document is a new row.
KINDS = {
    "iogap-report": Kind("formats", "report", VERSION, UPGRADES),
    "iogap-compare": Kind("comparisons", "comparison", 1, {}),
}


def kind_of(document):
    return KINDS[document["format"]]


def load(path):
    """The document in PATH, brought up to the newest version of its kind."""
    try:
        with open(path, encoding="utf-8") as file:
            document = json.load(file)
    except OSError as error:
        raise Problem(f"cannot read {path}: {error.strerror}") from error
    except ValueError as error:
        raise Problem(f"{path} is not JSON: {error}") from error
    kind = KINDS.get(document.get("format")) if isinstance(document, dict) else None
    if not kind:
        raise Problem(f"{path} is not a report of iogap")
    version = document.get("version")
    if type(version) is not int or not 1 <= version <= kind.version:
        raise Problem(f"{path} has version {version}, this program reads versions 1 to {kind.version}")
    for step in range(version, kind.version):
        kind.upgrades[step](document)
    document["version"] = kind.version
    return document
