# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads a report.json of this version or an older one."""

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


def load(path):
    """The report in PATH, brought up to this version."""
    try:
        with open(path, encoding="utf-8") as file:
            report = json.load(file)
    except OSError as error:
        raise Problem(f"cannot read {path}: {error.strerror}") from error
    except ValueError as error:
        raise Problem(f"{path} is not JSON: {error}") from error
    if not isinstance(report, dict) or report.get("format") != "iogap-report":
        raise Problem(f"{path} is not a report of iogap")
    version = report.get("version")
    if type(version) is not int or not 1 <= version <= VERSION:
        raise Problem(f"{path} has version {version}, this program reads versions 1 to {VERSION}")
    for step in range(version, VERSION):
        UPGRADES[step](report)
    report["version"] = VERSION
    return report
