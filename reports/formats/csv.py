# SPDX-License-Identifier: GPL-2.0-or-later
"""Comma-separated values (RFC 4180, lines ended by a line feed): one row per cell, figures as they are in report.json.

Every setting is a column whether it varies or not, so that tables of several sweeps can be put below each other.
Bytes per second, nanoseconds, percent of one processor; an empty field was not measured.
"""

import csv
import io

from common import figures

SIDE = ["runs", "bytes_per_s", "iops", "cpu_percent", "load_cpu_percent", "host_switches_per_io"]
LATENCY = ["mean_ns", "p50_ns", "p90_ns", "p99_ns", "p999_ns", "p9999_ns", "max_ns", "submit_mean_ns"]


def header(report):
    """Every cell has every axis, in one order."""
    cell = report["cells"][0] if report["cells"] else {"workload": {}, "guest": {}}
    names = ["sweep", "label", "target"] + list(cell["workload"]) + [f"guest_{key}" for key in cell["guest"]]
    names += ["pairs", "ratio", "low", "high"]
    for side in ("host", "guest"):
        names += [f"{side}_{key}" for key in SIDE] + [f"{side}_latency_{key}" for key in LATENCY]
    return names + ["flags", "reason"]


def text(value):
    """A value as it stands in report.json."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "1" if value else "0"
    return figures.clean(value) if isinstance(value, str) else repr(value)


def of_side(summary):
    summary = summary or {}
    latency = summary.get("latency") or {}
    return [summary.get(key) for key in SIDE] + [latency.get(key) for key in LATENCY]


def row(report, cell):
    values = [report["sweep"]["uuid"], cell["label"], cell["target"]]
    values += list(cell["workload"].values()) + list(cell["guest"].values())
    values += [cell[key] for key in ("pairs", "ratio", "low", "high")]
    values += of_side(cell["measured"]["host"]) + of_side(cell["measured"]["guest"])
    values += [" ".join(flag["flag"] for flag in cell["flags"]), cell["reason"]]
    return [text(value) for value in values]


def render(report):
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(header(report))
    writer.writerows(row(report, cell) for cell in report["cells"])
    return out.getvalue()
