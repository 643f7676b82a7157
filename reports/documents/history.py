# SPDX-License-Identifier: GPL-2.0-or-later
"""The history of cells as one page without scripts, and as plots in files."""

import os
import re
import tempfile

import markupsafe

from common import figures
from common.load import Problem
from documents import common
from plots import gnuplot

FORMAT = "iogap-history"
VERSION = 1
MOST_PLOTS = 60  # of one page
SCALES = {"bytes/s": (1e6, "MB/s"), "1/s": (1, "1/s"), "ns": (1e3, "\u00b5s"), "guest/host": (1, "guest/host")}
WIDTH, HEIGHT = 760, 300


def scale(document):
    unit = document["metric"]["unit"]
    return SCALES.get(unit, (1, unit))


def sweep_name(sweep):
    return figures.clean(sweep["commit_id"][:12]) if sweep["commit_id"] else f"#{sweep['id']}"


def shown(document, value):
    factor, unit = scale(document)
    return figures.NOTHING if value is None else f"{figures.significant(value / factor, 4)} {unit}"


def signed(value):
    return figures.NOTHING if value is None else f"{100 * value:+.1f} %"


def slug(number, cell):
    return f"{number:03d}-" + re.sub(r"[^a-z0-9]+", "-", cell["name"].lower()).strip("-")[:60].strip("-")


def series(document, cell):
    """(environment, [(sweep, value)]) of every environment that the cell was measured in."""
    found = {}
    for i, point in enumerate(cell["points"]):
        if point is not None and point["value"] is not None:
            found.setdefault(document["sweeps"][i]["environment"], []).append((i, point["value"]))
    return sorted(found.items())


def ticks(document):
    """At most ten names of sweeps below the axis."""
    sweeps = document["sweeps"]
    step = max(1, -(-len(sweeps) // 10))
    return [(i, sweep_name(sweeps[i])[:8]) for i in range(0, len(sweeps), step)]


def drawing(document, cell, inline):
    """gnuplot's commands but for the terminal. Nothing that a sweep named but its commit, cleaned and quoted, is in them."""
    factor, unit = scale(document)
    ink, grid, mark = (gnuplot.colour(n, inline) for n in (gnuplot.INK, gnuplot.GRID, gnuplot.MARK))
    groups = series(document, cell)
    lines, parts = [], []
    for k, (environment, points) in enumerate(groups):
        # One colour for an environment in all plots.
        look = gnuplot.colour(gnuplot.FIRST + (environment - 1) % len(gnuplot.PALETTE), inline)
        lines += [f"$p{k} << EOD"] + [f"{i + 1} {gnuplot.number(value / factor)}" for i, value in points] + ["EOD"]
        name = f"environment {environment}" if environment else "environment not known"
        parts.append(f"$p{k} using 1:2 with points lc rgb {look} pt 7 ps 0.6 title {gnuplot.quoted(name)}")
        levels = [level for level in cell["levels"] if level["environment"] == environment]
        if levels:
            lines.append(f"$l{k} << EOD")
            for level in levels:
                value = gnuplot.number(level["value"] / factor)
                lines += [f"{level['from'] + 1} {value}", f"{level['to'] + 1} {value}", ""]
            lines.append("EOD")
            parts.append(f"$l{k} using 1:2 with lines lc rgb {look} lw 2 notitle")
    for change in cell["changes"]:
        x = change["sweep"] + 0.5
        lines.append(f"set arrow from {x}, graph 0 to {x}, graph 1 nohead dt 2 lw 1.5 lc rgb {mark}")
    for one in document["breaks"]:
        x = one["sweep"] + 0.5
        lines.append(f"set arrow from {x}, graph 0 to {x}, graph 1 nohead dt 3 lw 1 lc rgb {grid}")
    names = ", ".join(f"{gnuplot.quoted(name)} {i + 1}" for i, name in ticks(document))
    lines += ["set encoding utf8", "set key off" if inline else "set key outside below noenhanced",
              f"set border 3 lc rgb {ink}", f"set tics nomirror out scale 0.5 textcolor rgb {ink}",
              f"set grid ytics lt 1 lc rgb {grid} lw 0.5", f"set ylabel {gnuplot.quoted(unit)} textcolor rgb {ink}",
              f"set xrange [0.5:{len(document['sweeps']) + 0.5}]", f"set xtics ({names}) rotate by 40 right noenhanced",
              "set offsets 0, 0, graph 0.1, graph 0.1"]
    return lines + ["plot " + ", \\\n  ".join(parts)]


def drawable(document):
    return [(slug(i + 1, cell), cell) for i, cell in enumerate(document["cells"]) if series(document, cell)]


def inline(document, cells):
    """{slug: SVG} through one gnuplot."""
    if not cells:
        return {}
    with tempfile.TemporaryDirectory(prefix="iogap-plots-") as folder:
        text = []
        for i, (_, cell) in enumerate(cells):
            text += ["reset session", f"set terminal svg size {WIDTH},{HEIGHT} dynamic font 'sans-serif,13'",
                     f"set output '{i}.svg'", *drawing(document, cell, True), "unset output"]
        gnuplot.run("\n".join(text) + "\n", folder)
        made = {}
        for i, (name, _) in enumerate(cells):
            with open(os.path.join(folder, f"{i}.svg"), encoding="utf-8") as file:
                # gnuplot's marks are shared symbols of each drawing: here they become circles of their own.
                svg = re.sub(r"<use xlink:href='#gpPt6' transform='translate\(([\d.]+),([\d.]+)\) scale\([\d.]+\)' color='([^']*)'/>",
                             r"<circle cx='\1' cy='\2' r='2.6' fill='\3'/>", file.read())
                made[name] = markupsafe.Markup(gnuplot.shorten(svg))
        return made


def script(document, name, cell):
    """A .gp of its own: draws the SVG and the PNG beside it."""
    title = figures.clean(f"{document['metric']['name']}: {cell['name']}")
    head = [f"# {title}", "# gnuplot FILE: draws the SVG and the PNG beside this file",
            f"set title {gnuplot.quoted(title)} noenhanced"]
    into = [[f"set terminal {terminal} size 900,420", f"set output {gnuplot.quoted(name + '.' + suffix)}"]
            for terminal, suffix in (("svg dynamic font 'sans-serif,13'", "svg"), ("pngcairo", "png"))]
    lines = head + into[0] + drawing(document, cell, False) + ["unset output"] + into[1] + ["replot", "unset output"]
    return "\n".join(lines) + "\n"


def write_plots(document, folder):
    """SLUG.gp, SLUG.dat, SLUG.svg and SLUG.png of every cell; returns a line about them."""
    cells = drawable(document)
    try:
        os.makedirs(folder, exist_ok=True)
        for name, cell in cells:
            rows = [f"# {figures.clean(cell['name'])}", f"# sweep, commit, environment, {document['metric']['unit']}"]
            rows += [f"{i + 1}\t{sweep_name(document['sweeps'][i])}\t{environment}\t{value!r}"
                     for environment, points in series(document, cell) for i, value in points]
            for suffix, text in (("gp", script(document, name, cell)), ("dat", "\n".join(rows) + "\n")):
                with open(os.path.join(folder, f"{name}.{suffix}"), "w", encoding="utf-8") as file:
                    file.write(text)
        if cells:
            gnuplot.run("".join("reset session\n" + script(document, name, cell) for name, cell in cells), os.path.abspath(folder))
    except gnuplot.Missing as missing:
        raise Problem(f"cannot draw plots: {missing}") from missing
    except OSError as error:
        raise Problem(f"cannot write plots into {folder}: {error.strerror}") from error
    return f"{len(cells)} plot{'' if len(cells) == 1 else 's'} in {folder}\n"


def change_row(document, cell, change):
    sweeps = document["sweeps"]
    return {
        "cell": figures.clean(cell["name"]),
        "better": change["better"],
        "step": signed(change["step"]),
        "interval": f"{signed(change['low'])} to {signed(change['high'])}" if change["low"] is not None else figures.NOTHING,
        "before": sweep_name(sweeps[change["before"]]),
        "now": sweep_name(sweeps[change["sweep"]]),
        "started": sweeps[change["sweep"]]["started"],
        "p": f"{change['p']:.2g}",
    }


def level_now(document, cell):
    last = max(cell["levels"], key=lambda level: level["to"], default=None)
    if last is None:
        return figures.NOTHING
    since = sweep_name(document["sweeps"][last["from"]])
    return f"{shown(document, last['value'])}, {last['n']} sweep{'' if last['n'] == 1 else 's'} since {since}"


def break_rows(document):
    for one in document["breaks"]:
        texts = [figures.clean(f"{d['name']}: {d['before'] or 'not known'} \u2192 {d['after'] or 'not known'}") for d in one["differences"]]
        yield {"sweep": sweep_name(document["sweeps"][one["sweep"]]),
               "what": texts or ["one of the sweeps has no fingerprint: nobody can tell what differs"]}


def render(document):
    cells = drawable(document)
    problem, drawn = None, {}
    try:
        drawn = inline(document, cells[:MOST_PLOTS])
    except gnuplot.Missing as missing:
        problem = str(missing)
    slugs = {id(cell): name for name, cell in cells}
    changes = [change_row(document, cell, change) for cell in document["cells"] for change in cell["changes"]]
    rows = []
    for cell in document["cells"]:
        rows.append({
            "name": figures.clean(cell["name"]),
            "svg": drawn.get(slugs.get(id(cell))),
            "now": level_now(document, cell),
            "changes": [change_row(document, cell, change) for change in cell["changes"]],
            "points": [(document["sweeps"][i]["started"], sweep_name(document["sweeps"][i]), document["sweeps"][i]["environment"],
                        shown(document, point["value"]), point["runs"], point["left_out"])
                       for i, point in enumerate(cell["points"]) if point is not None],
        })
    return common.page(
        "history.html", metric=document["metric"], branch=document["branch"], profile=document["profile"], order=document["order"],
        why_time=document["why_time"], sweeps=len(document["sweeps"]), changes=changes, breaks=list(break_rows(document)), cells=rows,
        problem=problem, left=max(0, len(cells) - MOST_PLOTS), width=WIDTH, height=HEIGHT,
        alpha=f"{100 * document['alpha']:.3g}", least=f"{100 * document['least']:.3g}", length=document["length"],
        tested=document["tested"], blind=document["blind"], unfinished=document["unfinished"], environments=document["environments"])
