# SPDX-License-Identifier: GPL-2.0-or-later
"""Charts through gnuplot: inline SVG for a page, or files.

Text that comes from a sweep never reaches gnuplot in a page: names of series are the page's own legend. In files they
stand in single quotes, where gnuplot expands nothing.
"""

import math
import os
import re
import subprocess
import tempfile

SIZE = 560, 330
# Colours of files. In a page, rgb(0, 0, N) is replaced by the page's own variable --pN, so that a plot is dark or light with it.
INK, GRID, MARK, FIRST = 1, 2, 3, 10
FILE_COLOURS = {INK: "#222222", GRID: "#bbbbbb", MARK: "#555555"}
PALETTE = ("#3b4cc0", "#c44601", "#1a7f37", "#8250df", "#b8860b", "#0f7b8a", "#bf3989", "#6e7781")
TIMEOUT_S = 90


class Missing(Exception):
    """There is no gnuplot, or it failed."""


def colour(number, inline):
    if inline:
        return f"'#0000{number:02x}'"
    return f"'{FILE_COLOURS.get(number) or PALETTE[(number - FIRST) % len(PALETTE)]}'"


def quoted(text):
    """A gnuplot string: nothing is special within single quotes but the quote."""
    return "'" + text.replace("'", "''") + "'"


def number(value):
    return "NaN" if value is None else f"{value:.6g}"


def data(chart):
    """Lines of the chart's data blocks: $s0 ... one per series."""
    lines = []
    for i, own in enumerate(chart.series):
        if chart.style == "stack":
            continue
        lines.append(f"$s{i} << EOD")
        for x, y, low, high in own.rows:
            bars = (y, y) if low is None or high is None else (low, high)
            lines.append(" ".join(number(value) for value in (x, y) + bars))
        lines.append("EOD")
    if chart.style == "stack":
        lines.append("$s0 << EOD")
        lines += [f"{i} " + " ".join(number(value) for value in own.rows) for i, own in enumerate(chart.series)]
        lines.append("EOD")
    return lines


def ticks(low, high):
    """gnuplot's tics of a logarithmic axis: powers of ten alone leave a short one with a single figure, or none."""
    decades = math.log10(high / low)
    steps = (1,) if decades > 3 else (1, 3) if decades > 2 else (1, 2, 5) if decades > 0.7 else (1, 1.5, 2, 3, 4, 5, 6, 7, 8, 9)
    exponents = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    places = [float(f"{step}e{exponent}") for exponent in exponents for step in steps]
    shown = ", ".join(f"'{place:.12g}' {place:.12g}" for place in places if low <= place <= high)
    return f"set ytics ({shown})" if shown else "set ytics autofreq"


def yrange(chart):
    """The points and some room: an interval may be as wide as it likes, and leaves the frame then."""
    if chart.style == "stack":
        return ["set yrange [0:*]"]
    values = [row[1] for own in chart.series for row in own.rows]
    ends = [end for own in chart.series for row in own.rows for end in row[2:] if end is not None and end > 0]
    low, high = min(values), max(values)
    if chart.logy:
        low = max(low / 3, min(ends + [low]) / 1.1)
        high = min(high * 3, max(ends + [high]) * 1.1)
        low, high = low / 1.1, high * 1.1
        return [f"set yrange [{number(low)}:{number(high)}]", ticks(low, high)]
    return [f"set yrange [0:{number(high * 1.1 or 1)}]"]


def bands(chart, mark):
    """The shaded stretches of the x axis, behind everything; an end that is open is the frame's."""
    return [f"set object rectangle from {'graph 0' if low is None else number(low)}, graph 0 "
            f"to {'graph 1' if high is None else number(high)}, graph 1 behind fillcolor rgb {mark} "
            "fillstyle solid 0.2 noborder" for low, high in chart.bands]


def frame(chart, inline):
    ink, grid, mark = (colour(n, inline) for n in (INK, GRID, MARK))
    lines = [
        f"set border 3 lc rgb {ink}",
        f"set tics nomirror out scale 0.5 textcolor rgb {ink}",
        f"set grid ytics lt 1 lc rgb {grid} lw 0.5, lc rgb {grid}",
        f"set xlabel {quoted(chart.xlabel)} textcolor rgb {ink}" if chart.xlabel else "unset xlabel",
        f"set ylabel {quoted(chart.ylabel)} textcolor rgb {ink} offset 1,0",
        "unset mytics" if chart.style != "ratio" else "set mytics default",
        *yrange(chart),
        *bands(chart, mark),
    ]
    if chart.xtics is not None:
        xs = [x for _, x in chart.xtics]
        tics = ", ".join(f"{quoted(label)} {x}" for label, x in chart.xtics)
        lines.append(f"set xtics ({tics})")
        if chart.logx:
            lines += ["set logscale x 2", f"set xrange [{number(min(xs) / 1.4)}:{number(max(xs) * 1.4)}]"]
        else:
            lines.append(f"set xrange [{min(xs) - 0.5}:{max(xs) + 0.5}]")
    if chart.logy:
        lines.append("set logscale y 10")
    for x in chart.marks:
        lines.append(f"set arrow from {number(x)}, graph 0 to {number(x)}, graph 1 nohead dt 3 lw 1.5 lc rgb {mark}")
    if chart.style == "ratio":
        lines.append(f"set arrow from graph 0, first 1 to graph 1, first 1 nohead lw 1 lc rgb {mark}")
    return lines


def curves(chart, inline):
    if chart.style == "stack":
        lines = ["set style data histograms", "set style histogram rowstacked", "set boxwidth 0.6",
                 "set style fill solid 1.0 noborder"]
        parts = [f"$s0 using {i + 2} lc rgb {colour(FIRST + i, inline)} title {quoted(name)}"
                 for i, name in enumerate(chart.stack)]
        return lines + ["plot " + ", \\\n  ".join(parts)]
    bars, parts = [], []
    for i, own in enumerate(chart.series):
        look = f"lc rgb {colour(FIRST + own.colour % len(PALETTE), inline)} lw 1.8 dt {2 if own.dashed else 1}"
        if chart.style == "plain":
            parts.append(f"$s{i} using 1:2 with lines {look} title {quoted(own.name)}")
        else:
            point = 6 if own.dashed else 7
            parts.append(f"$s{i} using 1:2 with linespoints {look} pt {point} ps 0.6 title {quoted(own.name)}")
            bars.append(f"$s{i} using 1:2:3:4 with yerrorbars lc rgb "
                        f"{colour(FIRST + own.colour % len(PALETTE), inline)} lw 1 pt {point} ps 0.1 notitle")
    # Bars first: they clear a box around their points, which would hide those of the lines.
    return ["plot " + ", \\\n  ".join(bars + parts)]


def body(chart, inline):
    key = ["set key off"] if inline else ["set key outside below noenhanced", "set xlabel offset 0,0.6"]
    return ["set encoding utf8", *data(chart), *frame(chart, inline), *key, *curves(chart, inline)]


def script(chart):
    """A .gp of its own, for people: change the terminal and go on."""
    lines = [f"# {chart.title}", "# gnuplot FILE: draws it as a PNG beside this file", "set terminal pngcairo size 900,560",
             f"set output {quoted(chart.slug + '.png')}", f"set title {quoted(chart.title)} noenhanced"]
    return "\n".join(lines + body(chart, False)) + "\n"


def run(text, folder):
    """Runs gnuplot in FOLDER."""
    environment = {"PATH": os.environ.get("PATH", "/usr/bin:/bin"), "LC_ALL": "C", "HOME": folder}
    try:
        done = subprocess.run(["gnuplot", "-d", "-"], input=text.encode("utf-8"), cwd=folder, env=environment,
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=TIMEOUT_S, check=False)
    except FileNotFoundError as error:
        raise Missing("gnuplot is not installed: install the package gnuplot-nox") from error
    except subprocess.TimeoutExpired as error:
        raise Missing(f"gnuplot took over {TIMEOUT_S} s") from error
    if done.returncode != 0:
        lines = done.stderr.decode("utf-8", "replace").strip().splitlines() or ["no message"]
        raise Missing(f"gnuplot failed: {lines[-1].strip()}")


def shorten(svg):
    """The drawing alone: no header, no shared symbols (SYMBOLS has them once), the page's colours."""
    svg = svg[svg.index("<g id=\"gnuplot_canvas\">") + len("<g id=\"gnuplot_canvas\">"):svg.rindex("</g>")]
    svg = re.sub(r"<defs>.*?</defs>", "", svg, flags=re.S)
    svg = re.sub(r"<title>.*?</title>", "", svg, flags=re.S)
    svg = re.sub(r"<rect x=\"0\" y=\"0\"[^>]*/>", "", svg)
    svg = re.sub(r"rgb\(\s*0,\s*0,\s*(\d+)\)", r"var(--p\1)", svg)
    svg = re.sub(r"<tspan[^>]*>|</tspan>", "", svg)
    svg = re.sub(r" font-family=\"[^\"]*\"| id=\"[^\"]*\"| class=\"gridline\"| stroke-linecap=\"butt\" stroke-linejoin=\"miter\"", "", svg)
    svg = re.sub(r"xlink:href", "href", svg)
    # A halo in the colour of paper, which a dark page does not have.
    svg = re.sub(r"<use [^>]*color='white'/>", "", svg)
    svg = re.sub(r"\s+", " ", svg)
    empty = re.compile(r"<g[^>]*> ?</g>")
    while empty.search(svg):
        svg = empty.sub("", svg)
    return svg.replace("> <", "><").strip()


def inline(charts):
    """{slug: SVG content} of all CHARTS with a series, through one gnuplot."""
    charts = [chart for chart in charts if chart.series]
    if not charts:
        return {}
    with tempfile.TemporaryDirectory(prefix="iogap-plots-") as folder:
        text = []
        for i, chart in enumerate(charts):
            text += ["reset session", f"set terminal svg size {SIZE[0]},{SIZE[1]} dynamic font 'sans-serif,13'",
                     f"set output '{i}.svg'", *body(chart, True), "unset output"]
        run("\n".join(text) + "\n", folder)
        made = {}
        for i, chart in enumerate(charts):
            with open(os.path.join(folder, f"{i}.svg"), encoding="utf-8") as file:
                made[chart.slug] = shorten(file.read())
        return made


def table(chart):
    """The chart's figures as text, one line per point."""
    lines = [f"# {chart.title}", f"# {chart.xlabel or 'bar'}, {chart.ylabel}, low, high; NaN: no interval"]
    for own in chart.series:
        lines.append(f"# {own.name}")
        if chart.style == "stack":
            lines += [f"{name}\t{number(value)}" for name, value in zip(chart.stack, own.rows)]
        else:
            lines += ["\t".join(number(value) for value in row) for row in own.rows]
        lines.append("")
    return "\n".join(lines) + "\n"


def write(charts, folder):
    """SLUG.gp, SLUG.dat and SLUG.png of every chart with a series into FOLDER."""
    charts = [chart for chart in charts if chart.series]
    os.makedirs(folder, exist_ok=True)
    for chart in charts:
        for suffix, text in (("gp", script(chart)), ("dat", table(chart))):
            with open(os.path.join(folder, f"{chart.slug}.{suffix}"), "w", encoding="utf-8") as file:
                file.write(text)
    if charts:
        run("".join("reset session\n" + script(chart) + "unset output\n" for chart in charts), os.path.abspath(folder))
