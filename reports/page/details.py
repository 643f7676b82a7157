# SPDX-License-Identifier: GPL-2.0-or-later
"""Everything about one cell: blocks, latencies, CPU and switches per I/O, series, flags with their evidence."""

from common import figures, series, words
from page import draw

LATENCY = (("mean", "mean_ns"), ("p50", "p50_ns"), ("p90", "p90_ns"), ("p99", "p99_ns"), ("p99.9", "p999_ns"),
           ("p99.99", "p9999_ns"), ("max", "max_ns"), ("submit, mean", "submit_mean_ns"))
CPU = (("whole host", "host"), ("machine of the load", "machine"), ("the load itself", "load"), ("QEMU", "qemu"),
       ("QEMU vCPU threads", "qemu_vcpu"), ("QEMU iothreads", "qemu_iothread"), ("QEMU workers", "qemu_worker"),
       ("QEMU main loop", "qemu_main"), ("QEMU others", "qemu_other"), ("QEMU, exited unseen", "qemu_unseen"))
SWITCHES = (("whole host", "host_switches_per_io"), ("machine of the load", "machine_switches_per_io"),
            ("the load itself", "load_switches_per_io"), ("QEMU", "qemu_switches_per_io"))

COST = (("requests at the load's disk, per I/O", "device_requests_per_io"), ("their mean size", "device_request_bytes"),
        ("merges there, per I/O", "device_merges_per_io"), ("requests at QEMU, per I/O", "qemu_requests_per_io"),
        ("their mean size", "qemu_request_bytes"), ("requests at the host's device, per I/O", "host_requests_per_io"),
        ("their mean size", "host_request_bytes"), ("merges there, per I/O", "host_merges_per_io"),
        ("requests in flight there", "host_device_depth"), ("the disk's interrupts, per I/O", "device_interrupts_per_io"),
        ("interrupts of the load's machine, per I/O", "machine_interrupts_per_io"),
        ("interrupts of the host, per I/O", "host_interrupts_per_io"), ("KVM exits, per I/O", "kvm_exits_per_io"),
        ("steal from the load's machine, % of a processor", "machine_steal_percent"),
        ("steal from the host, % of a processor", "host_steal_percent"))


def both(cell, show):
    """(host, guest) of what SHOW makes of a side's summary."""
    return tuple(show(cell["measured"][side] or {}) for side in ("host", "guest"))


def rows_of(cell, table, show):
    """(name, host, guest), rows that neither side has left out."""
    rows = [(name,) + both(cell, lambda side, key=key: show(side, key)) for name, key in table]
    return [row for row in rows if row[1:] != (figures.NOTHING, figures.NOTHING)]


def cpu_of(side, key):
    split_up = side.get("cpu_ns_per_io") or {}
    value = split_up.get(key)
    # On the host side the machine of the load is the host.
    if value is None and key == "host" and split_up.get("qemu") is None:
        value = split_up.get("machine")
    return "0" if value == 0 else figures.latency(value)


def cost_of(side, key):
    value = (side.get("accounting") or {}).get(key)
    return figures.size(round(value)) if key.endswith("_bytes") and value is not None else figures.significant(value)


def in_effect(legs):
    """(setting, host, guest): what was read back during the runs."""
    seen = {leg["side"]: leg["seen"] for leg in legs}
    names = {name: None for own in seen.values() for name in own}
    return [(name.replace("_", " "),) + tuple(", ".join(figures.clean(str(value)) for value in seen.get(side, {}).get(name, []))
                                              or figures.NOTHING for side in ("host", "guest")) for name in names]


def directions(cell):
    """Reads and writes of a mixed load apart: (name, host, guest)."""
    rows = []
    for own in ("read", "write"):
        for name, show in ((f"{own} MB/s", lambda part: figures.megabytes(part.get("bytes_per_s"))),
                           (f"{own} IOPS", lambda part: figures.count(part.get("iops"))),
                           (f"{own} mean latency", lambda part: figures.latency((part.get("latency") or {}).get("mean_ns"))),
                           (f"{own} p99 latency", lambda part: figures.latency((part.get("latency") or {}).get("p99_ns")))):
            rows.append((name,) + both(cell, lambda side, show=show: show(side.get(own) or {})))
    return [row for row in rows if row[1:] != (figures.NOTHING, figures.NOTHING)]


def flags(report, cell):
    letters = {flag["flag"]: (flag["letter"], flag["meaning"]) for flag in report["flags"]}
    rows = []
    for flag in cell["flags"]:
        letter, meaning = letters[flag["flag"]]
        runs = f"{flag['host']} host, {flag['guest']} guest" if flag["host"] + flag["guest"] else "by its accelerator"
        rows.append((letter, figures.clean(flag["flag"]), figures.clean(meaning), runs, figures.clean(flag["evidence"])))
    return rows


def runs_of(legs):
    """Each run that is not good, with its reason: (side, block, status, reason)."""
    rows = []
    for leg in legs:
        for run in leg["runs"]:
            if run["status"] != "ok":
                rows.append((leg["side"], run["block"] + 1, run["status"], figures.clean(run["reason"])))
    return rows


def flagged_runs(legs):
    """Evidence of single runs: (side, block, flag, evidence)."""
    return [(leg["side"], run["block"] + 1, figures.clean(flag["flag"]), figures.clean(flag["evidence"]))
            for leg in legs for run in leg["runs"] for flag in run["flags"]]


def title(report, cell):
    parts = [series.guest_name(report, cell), series.group_of(report, cell)]
    if cell["workload"]["block_size"]:
        parts.append(figures.size(cell["workload"]["block_size"]))
    parts.append(series.direct_word(cell))
    return ", ".join(part for part in parts if part)


def one(report, legs, index, cell):
    guest = legs[cell["guest_leg"]]
    host = legs.get(cell["host_leg"])
    own = [leg for leg in (host, guest) if leg]
    sides = [(leg["side"], leg) for leg in own]
    return {
        "anchor": f"cell-{index}",
        "title": title(report, cell),
        "label": figures.clean(cell["label"]),
        "ratio": figures.ratio(cell["ratio"]),
        "interval": words.interval(cell),
        "letters": words.letters(report, cell["flags"]),
        "reason": figures.clean(cell["reason"]) if cell["reason"] else None,
        "blocks": [(block["block"] + 1, figures.megabytes(block["host_bytes_per_s"]),
                    figures.megabytes(block["guest_bytes_per_s"]), figures.ratio(block["ratio"]))
                   for block in cell["blocks"]],
        "rates": rows_of(cell, (("MB/s", "bytes_per_s"),), lambda side, key: figures.megabytes(side.get(key)))
        + rows_of(cell, (("IOPS", "iops"),), lambda side, key: figures.count(side.get(key)))
        + rows_of(cell, (("CPU % (as in the table)", "cpu_percent"),), lambda side, key: figures.percent(side.get(key)))
        + directions(cell),
        "latency": rows_of(cell, LATENCY, lambda side, key: figures.latency((side.get("latency") or {}).get(key))),
        "cpu": rows_of(cell, CPU, cpu_of),
        "switches": rows_of(cell, SWITCHES, lambda side, key: figures.per_io(side.get(key))),
        "cost": rows_of(cell, COST, cost_of),
        "in_effect": in_effect(own),
        "distribution": draw.distribution([(side, leg["distribution"]) for side, leg in sides]),
        "over_time": draw.over_time([(side, leg["runs"]) for side, leg in sides]),
        "flags": flags(report, cell),
        "flagged": flagged_runs(own),
        "bad": runs_of(own),
    }


def all_of(report):
    legs = {leg["id"]: leg for leg in report["legs"]}
    return [one(report, legs, index, cell) for index, cell in enumerate(report["cells"])]
