#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The HTML page in a real browser: no error, no request to anywhere, filter and sort work, hostile names do nothing. And its plots as files.
. "${IOGAP_SRC:-.}/tests/tap.sh"
golden=$IOGAP_SRC/tests/data/report
make_store() { "$IOGAP_BUILD/tests/test-report" --make "$1" "$tmp/$1.sqlite"; }
for name in quick hostile rich nothing; do
	ok "store $name" make_store $name
	run "$iogap" report --store "$tmp/$name.sqlite" --format html -o "$tmp/$name.html"
	is "page $name" "$status$err" 0
done

# ---- without a browser
like "the policy names the script's hash" "$(grep -o "script-src '[^']*'" "$tmp/rich.html")" "script-src 'sha256-[A-Za-z0-9+/]{43}='"
is "nothing is fetched by any page" \
	"$(grep -oiE '(src|srcset|action|data|poster)=.{20}|url\(.{20}|@import|<(iframe|object|embed|base|form|img)' "$tmp"/*.html)" ""
is "every link stays in its page" "$(grep -ohE 'href=.[^"]' "$tmp"/*.html | tr -d "\"'" | sort -u)" "href=#"
ok "ids are unique, every link has its target, headings come in order" /usr/bin/python3 -c '
import html.parser, sys
class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.ids, self.links, self.headings, self.unnamed = [], [], [], []
    def handle_starttag(self, tag, attributes):
        own = dict(attributes)
        if "id" in own:
            self.ids.append(own["id"])
        if own.get("href", "").startswith("#"):
            self.links.append(own["href"][1:])
        if tag in ("h1", "h2", "h3", "h4"):
            self.headings.append(int(tag[1]))
        if tag == "svg" and not ({"aria-label", "aria-hidden"} & set(own)):
            self.unnamed.append(own)
for path in sys.argv[1:]:
    page = Page()
    page.feed(open(path, encoding="utf-8").read())
    assert len(page.ids) == len(set(page.ids)), "id twice in " + path
    lost = set(page.links) - set(page.ids)
    assert not lost, (path, lost)
    assert page.headings[0] == 1 and page.headings.count(1) == 1, path
    assert not page.unnamed, (path, page.unnamed)
    for before, after in zip(page.headings, page.headings[1:]):
        assert after <= before + 1, (path, before, after)' "$tmp/quick.html" "$tmp/hostile.html" "$tmp/rich.html" "$tmp/nothing.html"
ok "contrast of text is 4.5 or more, light and dark" /usr/bin/python3 -c '
import re, sys
css = open(sys.argv[1]).read()
def luminance(text):
    text = text if len(text) == 6 else "".join(c * 2 for c in text)
    parts = [int(text[i:i + 2], 16) / 255 for i in (0, 2, 4)]
    parts = [p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
def contrast(a, b):
    a, b = sorted((luminance(a), luminance(b)))
    return (b + 0.05) / (a + 0.05)
roots = re.findall(r":root \{(.*?)\}", css, re.S)
light, dark = (dict(re.findall(r"--([a-z0-9]+): #([0-9a-f]{3,6})", root)) for root in roots[:2])
for theme in (light, dict(light, **dark)):
    for ink, paper in (("ink", "paper"), ("ink", "panel"), ("soft", "paper"), ("soft", "panel"), ("link", "paper"), ("link", "panel"),
                       ("warn", "paper"), ("warn", "panel"), ("ink", "warnpaper"), ("host", "paper"), ("guest", "paper")):
        assert contrast(theme[ink], theme[paper]) >= 4.5, (ink, paper, contrast(theme[ink], theme[paper]))
    for shade in range(8):
        own = contrast(theme["h%d" % shade], "ffffff" if shade < 2 else "111111")
        assert own >= 4.5, (shade, own)' "$IOGAP_SRC/reports/templates/page.css"

# ---- plots as files
run "$iogap" report --store "$tmp/rich.sqlite" --plots "$tmp/plots"
like "--plots says what it did" "$status $out$err" "^0 [0-9]+ plots in $tmp/plots; left out, since no series has two points: [0-9]+$"
is "a picture, a script and data of each" "$(ls "$tmp/plots" | sed 's/.*\.//' | sort | uniq -c | awk '{print $1}' | sort -u | wc -l)" 1
ok "pictures are PNG" sh -c 'head -c 8 "$1"/throughput-01.png | grep -q PNG' - "$tmp/plots"
rm "$tmp/plots/throughput-01.png"
ok "a script draws its picture again" sh -c 'cd "$1" && gnuplot throughput-01.gp && test -s throughput-01.png' - "$tmp/plots"
# No figure at all; one point of each series; nothing but failures: notes instead of broken pictures.
few() { # NAME PLOTS LEFT_OUT REASON: the plots of a store as files and in the page
	run "$iogap" report --store "$tmp/$1.sqlite" --plots "$tmp/plots-$1"
	is "$1: --plots" "$status $out$err" "0 $2 plots in $tmp/plots-$1; left out, since no series has two points: $3"
	is "$1: files of what was drawn, no other" "$(find "$tmp/plots-$1" -type f | wc -l)" $(($2 * 3))
	run "$iogap" report --store "$tmp/$1.sqlite" --format html
	is "$1: pictures in the page" "$status$err $(grep -c '<figure' "$tmp/.out") $(grep -c '<svg[^>]*role="img" aria-label="[^"]*the figures' "$tmp/.out")" "0 $2 $2"
	like "$1: the page says why there are no others" "$out" "$4"
	is "$1: nothing unknown is drawn" "$(grep -ciE "(d|points|transform) *= *['\"][^'\"]*(nan|inf)" "$tmp/.out")" 0
}
ok "store one-leg" make_store one-leg
ok "store failed" make_store failed
ok "store empty" make_store empty
few empty 0 0 "There are none: no series has two points"
few one-leg 1 7 "<li>Throughput \(a single point: host\)</li>"
few failed 0 17 "<li>Throughput: read \(not measured: host; guest\)</li>"
few nothing 0 8 "<li>Latency percentiles, 4k \(not measured: host; guest\)</li>"
run "$iogap" report --store "$tmp/hostile.sqlite" --plots "$tmp/plots2"
is "names mean nothing to gnuplot" "$status" 0
is "the interval of a crossover is a band from its low to its high end" \
	"$(sed -n 's/^set object rectangle from \([0-9.]*\), graph 0 to \([0-9.]*\), graph 1 behind .*/\1 \2/p' "$tmp/plots/throughput-01.gp" | tr '\n' ' ')" \
	"$(/usr/bin/python3 -c '
import json, sys
report = json.load(open(sys.argv[1]))
kind = {leg["id"]: leg["workload"]["rw"] for leg in report["legs"]}
found = {(c["low"], c["high"]) for pair in report["crossovers"] if kind[pair["a_legs"][0]] == "read"
         for c in pair["crossings"] if c["has_interval"] and not (c["open_low"] or c["open_high"])}
print(*("%.6g %.6g" % band for band in sorted(found)))' "$golden/rich.json") "
is "the page has the bands too" "$(grep -c "<polygon[^>]*fill-opacity *= *.0.2" "$tmp/rich.html")" "$(grep -lc "^set object" "$tmp/plots"/*.gp | wc -l)"
like "and says them to who does not see them" "$(cat "$tmp/rich.html")" \
	'aria-label="Throughput: read; crossovers: host, read: direct I/O overtakes buffered I/O at about [0-9.]+ KiB \(95 % interval: '
like "and in the picture's note" "$(cat "$tmp/rich.html")" 'dotted lines: crossovers, shaded: their 95 % intervals'
# A logarithmic axis with one figure on it, or none, says nothing.
is "every logarithmic axis of rates has two figures or more" "$(for name in "$tmp/plots"/*.gp; do
	if grep -q '^set logscale y' "$name" && ! grep -qE "^set ytics \(.*,.*\)" "$name"; then echo "$name"; fi
done)" ""
run "$iogap" report --store "$tmp/rich.sqlite" --plots /proc/none
like "where nothing can be written" "$status $err" "^5 iogap: .*cannot write plots into /proc/none"
mkdir "$tmp/bin"
ln -s /usr/bin/python3 "$tmp/bin/python3"
run env PATH="$tmp/bin" "$iogap" report --store "$tmp/rich.sqlite" --plots "$tmp/plots3"
like "without gnuplot" "$status $err" "^5 iogap: .*gnuplot is not installed: install the package gnuplot-nox"
run env PATH="$tmp/bin" "$iogap" report --store "$tmp/rich.sqlite" --format html
like "a page without gnuplot says so" "$status $out" "There are none: gnuplot is not installed"

# ---- in the browser
browser=$(command -v chromium || command -v chromium-browser || true)
[ -n "$browser" ] || {
	echo "# no browser: install the package chromium to test the page in one"
	ok "a browser is there (package chromium)" false
	done_testing
	exit
}
# The pages in frames of one driver page, which looks at them from outside; it reports in its own text.
cat >"$tmp/driver.html" <<'EOF'
<!DOCTYPE html><title>driver</title><pre id="log"></pre>
<script>
const lines = [];
function say(what, got) { lines.push(what + ": " + got); }
function frame(name, width) {
	return new Promise(function (done) {
		const own = document.createElement("iframe");
		own.style.width = width + "px";
		own.onload = function () { done(own); };
		own.src = name + ".html";
		document.body.append(own);
	});
}
function column(table, n) { return Array.from(table.tBodies[0].rows).filter(r => !r.hidden).map(r => r.cells[n].textContent); }
async function main() {
	for (const name of ["quick", "hostile", "rich", "nothing"]) {
		for (const width of [390, 1280]) {
			const page = (await frame(name, width)).contentDocument.documentElement;
			if (page.scrollWidth > width)
				say(name + " at " + width, "is " + page.scrollWidth + " wide");
		}
	}
	const own = document.querySelectorAll("iframe");
	say("wide", own.length);
	const quick = own[1].contentDocument, table = quick.querySelector("table.figures");
	const heads = Array.from(table.tHead.rows[0].cells).map(h => h.textContent);
	const ratio = heads.indexOf("ratio"), size = heads.indexOf("block");
	table.tHead.rows[0].cells[ratio].querySelector("button").click();
	say("sorted", column(table, ratio).join(" "));
	say("aria-sort", table.tHead.rows[0].cells[ratio].getAttribute("aria-sort"));
	table.tHead.rows[0].cells[ratio].querySelector("button").click();
	say("falling", column(table, ratio).slice(0, 2).join(" ") + " ... " + column(table, ratio).slice(-2).join(" "));
	table.tHead.rows[0].cells[size].querySelector("button").click();
	say("sizes", Array.from(new Set(column(table, size))).join(" "));
	const filter = quick.querySelector("input[type=search]");
	filter.value = "IDE  1m";
	filter.dispatchEvent(new Event("input"));
	say("filtered", column(table, size).length + " " + quick.querySelector("[role=status]").textContent);
	filter.value = "";
	filter.dispatchEvent(new Event("input"));
	say("all again", column(table, size).length);
	own[1].contentWindow.location.hash = "#cell-3";
	await new Promise(done => setTimeout(done, 200));
	say("opened", quick.getElementById("cell-3").open);
	say("requests", own[1].contentWindow.performance.getEntriesByType("resource").length);
	const bad = own[3].contentDocument;
	say("hostile elements", bad.querySelectorAll("b, script:not(:last-of-type), img, iframe").length);
	say("hostile title", bad.title.includes("<script>"));
	say("scripts", bad.scripts.length);
	// An injected script must not run: the policy knows one hash only.
	const evil = bad.createElement("script");
	evil.textContent = "parent.pwned = true";
	bad.body.append(evil);
	say("pwned", window.pwned === true);
	document.getElementById("log").textContent = "BEGIN\n" + lines.join("\n") + "\nEND";
	document.querySelectorAll("iframe").forEach(f => f.remove());
}
main().catch(function (error) { document.getElementById("log").textContent = "BEGIN\nfailed: " + error + "\nEND"; });
</script>
EOF
mkdir "$tmp/profile"
browse() { # DOM of a page on stdout, console and errors in $tmp/console
	timeout 60 "$browser" --headless=new --no-sandbox --disable-gpu --no-first-run --disable-background-networking \
		--disable-component-update --disable-sync --disable-extensions --user-data-dir="$tmp/profile" \
		--allow-file-access-from-files --enable-logging=stderr --log-level=0 --virtual-time-budget=10000 \
		"$@" 2>"$tmp/console"
}
browse --dump-dom "file://$tmp/driver.html" >"$tmp/dom"
said=$(sed -n '/BEGIN$/,/^END/p' "$tmp/dom" | sed '1d;$d')
line() { printf '%s\n' "$said" | sed -n "s/^$1: //p"; }
is "no page is wider than its window, at 390 and 1280 pixels" "$(printf '%s\n' "$said" | grep ' wide$')" ""
is "all pages were looked at" "$(line wide)" 8
rising=$(line sorted | tr ' ' '\n' | grep -v '^-$')
is "sorted by ratio" "$rising" "$(printf '%s\n' "$rising" | sort -n)"
is "what was not measured comes last" "$(line sorted | tr ' ' '\n' | tail -2 | tr -d '\n')" "--"
is "the header says how" "$(line aria-sort)" ascending
like "sorted the other way" "$(line falling)" '^0.489 0.489 \.\.\. - -$'
is "sizes sort as sizes" "$(line sizes)" "8k 64k 1M"
is "two words filter" "$(line filtered)" "4 4 of 24 shown"
is "no word shows all" "$(line 'all again')" 24
is "a link opens the cell" "$(line opened)" true
is "no request" "$(line requests)" 0
is "hostile names are no elements" "$(line 'hostile elements')" 0
is "hostile names are text" "$(line 'hostile title')" true
is "one script" "$(line scripts)" 1
is "another script does not run" "$(line pwned)" false
# The script that the test itself put in is the one refusal there must be; pages of the browser's own talk of a slow network there.
is "the console says nothing else" \
	"$(grep CONSOLE "$tmp/console" | grep -ve "Executing inline script violates" -e "source: chrome://")" ""
is "the refusal is there" "$(grep CONSOLE "$tmp/console" | grep -c "Executing inline script violates")" 1
done_testing
