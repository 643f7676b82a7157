# SPDX-License-Identifier: GPL-2.0-or-later
"""The tables that bonnie++ 1.03 prints, one row per machine; K = 1024 bytes. Legs that are none of its tests follow in tables of
their own."""

from common import figures, series, table
from threads import integrity, parts

WIDEST = 14
# rw and blocks of bonnie's six tests, in the order of its columns
TESTS = (("write", "per char"), ("write", "block"), ("rewrite", "block"), ("read", "per char"), ("read", "block"),
         ("randread", "seeks"))
HEADS = ("-Per Chr-", "--Block--", "-Rewrite-", "-Per Chr-", "--Block--", "--Seeks--")
ABOUT = ("K = 1024 bytes; /sec of seeks: operations per second. %CP is CPU as bonnie++ printed it, 100 = one processor, of the machine "
         "that it ran in.")


# The same of legs whose blocks are told by their engine
ENGINES = (("write", "bonnie++:char"), ("write", "bonnie++"), ("rw", "bonnie++"), ("read", "bonnie++:char"), ("read", "bonnie++"),
           ("randrw", "bonnie++"))
FILES = ("seq_create_per_s", "seq_stat_per_s", "seq_delete_per_s", "ran_create_per_s", "ran_stat_per_s", "ran_delete_per_s")


def test_of(leg):
    """Which of bonnie's tests a leg is, or None."""
    own, engine = leg["workload"], leg["workload"].get("engine")
    if engine == "bonnie++" and (own["rw"], own.get("block_sizes")) in TESTS:
        return TESTS.index((own["rw"], own.get("block_sizes")))
    return ENGINES.index((own["rw"], engine)) if (own["rw"], engine) in ENGINES else None


def suits(report):
    return bool(report["legs"]) and all(test_of(leg) is not None for leg in report["legs"])


def machine(report, leg):
    """What stands in the first column."""
    if leg["imported_as"]:
        return figures.clean(leg["imported_as"])
    return "host" if leg["side"] == "host" else series.guest_name(report, leg)


def data_size(leg):
    """The data set that bonnie++ made on a target, where that is told; that of its tests by single bytes is another."""
    data = (leg["summary"] or {}).get("data_bytes")
    return None if leg["workload"].get("engine") == "bonnie++:char" else data


def rows_of(report, legs):
    """[(machine, size, [leg of each test or None])]: a machine that ran a test twice has a second row."""
    sizes = {target["name"]: figures.size(target["size"]) for target in report["targets"]}
    rows, data = {}, {}
    for leg in sorted(legs, key=lambda leg: leg["side"] != "host"):
        name, test, again = machine(report, leg), test_of(leg), 0
        while rows.setdefault((name, leg["target"], again), [None] * len(TESTS))[test]:
            again += 1
        rows[name, leg["target"], again][test] = leg
        if data_size(leg):
            data[leg["target"]] = figures.size(data_size(leg))
    return [(name, data.get(target, sizes[target]), own) for (name, target, _), own in rows.items()]


def files_of(own):
    """Files per second of the first of a row's legs that tells them, or None: they all are from one run of bonnie++."""
    for leg in own:
        if leg and (leg["summary"] or {}).get("files"):
            return leg["summary"]["files"]
    return None


def file_lines(rows):
    """The table of files; empty where nothing is told of them."""
    told = [(name, files_of(own)) for name, _, own in rows if files_of(own)]
    if not told:
        return []
    lines = ["", " " * WIDEST + " " + ruled("Sequential Create", 26) + " " + ruled("Random Create", 26),
             f"{'Machine':<{WIDEST}}" + " {:>8} {:>8} {:>8}".format("/create", "/stat", "/delete") * 2]
    for name, files in told:
        lines.append(table.pad(table.cut(name, WIDEST), WIDEST) + "".join(
            f" {parts.number('%.0f', files[key], figures.NOTHING):>8}" for key in FILES))
    return lines


def texts(test, leg):
    """(rate, %CP) of a test."""
    summary = (leg["summary"] if leg else None) or {}
    if test == len(TESTS) - 1:
        rate = parts.number("%.1f", summary.get("iops"), figures.NOTHING)
    else:
        rate = parts.number("%.0f", parts.scaled(summary.get("bytes_per_s"), 1024), figures.NOTHING)
    return rate, figures.percent(summary.get("cpu_percent"))


def ruled(text, size):
    """TEXT in the middle of a rule, the odd dash in front."""
    room = max(0, size - len(text))
    return "-" * (room - room // 2) + text + "-" * (room // 2)


def head(widths):
    """Three lines over columns of WIDTHS; each test's column is as wide as its figures."""
    wide = [rate + share + 1 for rate, share in widths]
    groups = (("Sequential Output", sum(wide[:3]) + 2), ("Sequential Input", sum(wide[3:5]) + 1), ("Random", wide[5]))
    indent = " " * (WIDEST + 5)
    return [
        indent + " " + " ".join(ruled(text, size) for text, size in groups),
        indent + " " + " ".join(ruled(text, size) for text, size in zip(HEADS, wide)),
        f"{'Machine':<{WIDEST}} {'Size':>4} " + " ".join(
            f"{'/sec' if i == len(TESTS) - 1 else 'K/sec':>{rate}} {'%CP':>{share}}" for i, (rate, share) in enumerate(widths)),
    ]


def lines_of(report, legs):
    """The table of LEGS and what must be said below it."""
    rows = [(name, size, [texts(test, leg) for test, leg in enumerate(own)]) for name, size, own in rows_of(report, legs)]
    widths = [(max([5] + [len(own[test][0]) for _, _, own in rows]), max([3] + [len(own[test][1]) for _, _, own in rows]))
              for test in range(len(TESTS))]
    lines = head(widths)
    for name, size, own in rows:
        lines.append(f"{table.pad(table.cut(name, WIDEST), WIDEST)} {size:>4} " + " ".join(
            f"{rate:>{widths[test][0]}} {share:>{widths[test][1]}}" for test, (rate, share) in enumerate(own)))
    lines += file_lines(rows_of(report, legs))
    named = [(f"{machine(report, leg)}, {figures.clean(leg['workload']['rw'])} {parts.block(leg)}", leg) for leg in legs]
    return lines + parts.notes(named, parts.evidence(report)) + [""]


def render(report):
    own = [leg for leg in report["legs"] if test_of(leg) is not None]
    others = [leg for leg in report["legs"] if test_of(leg) is None]
    lines = parts.preamble(report, ABOUT if own else integrity.about(report))
    lines += lines_of(report, own) if own else ["No leg is one of the tests of bonnie++.", ""]
    if own and others:
        lines += table.wrap("Legs that are none of its tests: " + integrity.about(report), parts.COLUMNS) + [""]
    return parts.text(lines + integrity.tables(report, others) + parts.left_out(report))
