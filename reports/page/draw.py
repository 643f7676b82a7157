# SPDX-License-Identifier: GPL-2.0-or-later
"""Small drawings of one cell: distribution of latencies, rate over time. Sheets of them would be slow through gnuplot."""

import math

from common import figures

WIDTH, HEIGHT = 320, 90


def scale(value, low, high, length):
    return round((value - low) / (high - low) * length, 1) if high > low else round(length / 2, 1)


def distribution(sides):
    """SIDES: (class, distribution). Shares of all I/Os over a logarithmic axis, one step line per side."""
    sides = [(name, own) for name, own in sides if own and own["counts"]]
    if not sides:
        return None
    low = math.log(min(own["edges_ns"][0] for _, own in sides))
    high = math.log(max(own["edges_ns"][-1] for _, own in sides))
    shares = [[count / sum(own["counts"]) for count in own["counts"]] for _, own in sides]
    top = max(max(share) for share in shares)
    paths = []
    for (name, own), share in zip(sides, shares):
        points = [f"M{scale(math.log(own['edges_ns'][0]), low, high, WIDTH)},{HEIGHT}"]
        for i, part in enumerate(share):
            points.append(f"V{round(HEIGHT - part / top * (HEIGHT - 2), 1)}"
                          f"H{scale(math.log(own['edges_ns'][i + 1]), low, high, WIDTH)}")
        paths.append((name, "".join(points) + f"V{HEIGHT}"))
    return {
        "paths": paths,
        "low": figures.latency(min(own["edges_ns"][0] for _, own in sides)),
        "high": figures.latency(max(own["edges_ns"][-1] for _, own in sides)),
        "top": f"{100 * top:.0f} % of the I/Os",
    }


def over_time(sides):
    """SIDES: (class, runs). The rate of every good run, from 0."""
    lines = [(name, run["series"]) for name, runs in sides for run in runs if run["status"] == "ok" and run["series"]]
    lines = [(name, own) for name, own in lines if len(own["bytes_per_s"]) > 1]
    if not lines:
        return None
    end = max(len(own["bytes_per_s"]) * own["step_ns"] for _, own in lines)
    top = max(max(own["bytes_per_s"]) for _, own in lines)
    paths = []
    for name, own in lines:
        points = [f"{scale((i + 0.5) * own['step_ns'], 0, end, WIDTH)},{round(HEIGHT - value / (top or 1) * (HEIGHT - 2), 1)}"
                  for i, value in enumerate(own["bytes_per_s"])]
        paths.append((name, "M" + "L".join(points)))
    return {"paths": paths, "low": "0 s", "high": figures.latency(end), "top": f"{figures.megabytes(top)} MB/s"}
