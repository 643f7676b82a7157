# SPDX-License-Identifier: GPL-2.0-or-later
"""Comma-separated values (RFC 4180, lines ended by a line feed): one row per cell, then one per run, figures as they are in report.json.

The first column says which of both a row is; what a kind does not have stays empty. Every setting is a column whether it varies
or not, so that tables of several sweeps can be put below each other. Names end with their unit: bytes, bytes_per_s, ns, percent
(of one processor), per_io; an empty field was not measured.
"""

import csv
import io

from common import figures

SIDE = ["runs", "bytes_per_s", "bytes_per_s_low", "bytes_per_s_high", "iops", "cpu_percent", "load_cpu_percent",
        "host_switches_per_io", "qemu_switches_per_io"]
LATENCY = ["mean_ns", "p50_ns", "p90_ns", "p99_ns", "p999_ns", "p9999_ns", "max_ns", "submit_mean_ns"]
CPU = ["host", "machine", "load", "qemu", "qemu_vcpu", "qemu_iothread", "qemu_worker", "qemu_main", "qemu_other", "qemu_unseen"]
COST = ["device_requests_per_io", "device_request_bytes", "device_merges_per_io", "qemu_requests_per_io",
        "qemu_request_bytes", "host_requests_per_io", "host_request_bytes", "host_merges_per_io", "host_device_depth",
        "device_interrupts_per_io", "machine_interrupts_per_io", "host_interrupts_per_io", "kvm_exits_per_io",
        "machine_steal_percent", "host_steal_percent"]
DIRECTIONS = [(own, key) for own in ("read", "write") for key in ("bytes_per_s", "iops")]
RUN = ["id", "block", "position", "status", "started_s", "ns", "bytes_per_s", "iops", "bytes_read", "bytes_written",
       "ops_read", "ops_write", "ops_sync", "submit_mean_ns", "complete_mean_ns", "complete_p50_ns", "complete_p99_ns",
       "complete_max_ns", "depth_mean"]
BYTES = ("block_size", "memory", "logical_block_size")


def unit(key):
    return f"{key}_bytes" if key in BYTES else key


def settings(report):
    """Keys of the workload and of the guest, in the report's order: every leg has every one."""
    for item in report["cells"] + report["legs"]:
        if item["guest"]:
            return list(item["workload"]), list(item["guest"])
    return list(report["legs"][0]["workload"]) if report["legs"] else [], []


def header(report):
    workload, guest = settings(report)
    names = ["row", "sweep", "label", "target", "side"] + [unit(key) for key in workload]
    names += [f"guest_{unit(key)}" for key in guest] + ["pairs", "ratio", "low", "high"]
    for side in ("host", "guest"):
        names += [f"{side}_{key}" for key in SIDE] + [f"{side}_latency_{key}" for key in LATENCY]
        names += [f"{side}_{own}_{key}" for own, key in DIRECTIONS]
        names += [f"{side}_cpu_ns_per_io_{key}" for key in CPU] + [f"{side}_{key}" for key in COST]
    return names + [f"run_{key}" for key in RUN + report["run_columns"]] + ["flags", "reason", "sweep_stopped"]


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
    values = [summary.get(key) for key in SIDE] + [latency.get(key) for key in LATENCY]
    values += [(summary.get(own) or {}).get(key) for own, key in DIRECTIONS]
    return values + [(summary.get(of) or {}).get(key) for of, keys in (("cpu_ns_per_io", CPU), ("accounting", COST)) for key in keys]


def about(report, kind, item, side):
    """The first columns, which both kinds of rows have."""
    workload, guest = settings(report)
    return ([kind, report["sweep"]["uuid"], item["label"], item["target"], side]
            + [item["workload"].get(key) for key in workload] + [(item["guest"] or {}).get(key) for key in guest])


def stopped(report):
    """Why the sweep has no more blocks, where that was left to its intervals: reached, ceiling."""
    return (report["sweep"].get("stopping") or {}).get("stopped")


def of_cell(report, cell):
    values = about(report, "cell", cell, None) + [cell[key] for key in ("pairs", "ratio", "low", "high")]
    values += of_side(cell["measured"]["host"]) + of_side(cell["measured"]["guest"]) + [None] * len(RUN + report["run_columns"])
    return values + [" ".join(flag["flag"] for flag in cell["flags"]), cell["reason"], stopped(report)]


def of_run(report, leg, run):
    nothing = [None] * (4 + 2 * len(of_side(None)))
    return (about(report, "run", leg, leg["side"]) + nothing + [run[key] for key in RUN]
            + [run["accounting"].get(key) for key in report["run_columns"]]
            + [" ".join(flag["flag"] for flag in run["flags"]), run["reason"], stopped(report)])


def render(report):
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(header(report))
    rows = [of_cell(report, cell) for cell in report["cells"]]
    rows += [of_run(report, leg, run) for leg in report["legs"] for run in leg["runs"]]
    writer.writerows([text(value) for value in row] for row in rows)
    return out.getvalue()
