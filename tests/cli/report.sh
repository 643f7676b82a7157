#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# iogap report: what it prints and writes, that it is the same everywhere, and what it says when it cannot.
. "${IOGAP_SRC:-.}/tests/tap.sh"
golden=$IOGAP_SRC/tests/data/report
formats="text thread markdown csv html json"
shapes="thread:integrity thread:bonnie thread:compact"
make_store() { "$IOGAP_BUILD/tests/test-report" --make "$1" "$tmp/$1.sqlite"; }
ok "a store is made" make_store quick
ok "another store is made" make_store hostile
export IOGAP_STORE="$tmp/quick.sqlite"

# ---- printing
run "$iogap" report
is "text is the default" "$out" "$(cat "$golden/quick.text")"
is "exit status" "$status" 0
is "nothing on stderr" "$err" ""
for format in $formats; do
	run "$iogap" report latest --format "$format"
	is "--format $format" "$out" "$(cat "$golden/quick.$format")"
done
run "$iogap" report --store "$IOGAP_STORE" 1 --format=thread
is "sweep by number, --store" "$out" "$(cat "$golden/quick.thread")"
ok "text fits 110 columns" sh -c '! grep -E "^.{111}" "$1"' - "$golden/quick.text"
ok "thread fits 80 columns" sh -c '! grep -E "^.{81}" "$1" "$2"' - "$golden/quick.thread" "$golden/integrity.thread"

# ---- the same bytes everywhere
comma() {
	sed '/^LC_NUMERIC/,/^END LC_NUMERIC/s/^decimal_point.*/decimal_point ","/' /usr/share/i18n/locales/C >"$tmp/comma" &&
		localedef -c -i "$tmp/comma" -f UTF-8 "$tmp/xx_XX.UTF-8" 2>/dev/null
}
ok "a locale with a decimal comma is made" comma
is "it has one" "$(LOCPATH=$tmp LC_ALL=xx_XX.UTF-8 locale decimal_point)" ","
# Without LOCPATH, so that the system's own locales are found where there are any.
same() {
	for name in $(printf 'quick.%s ' $formats $shapes) hostile.text; do
		run env "$@" "$iogap" report --store "$tmp/${name%.*}.sqlite" --format "${name#*.}"
		cmp -s "$tmp/.out" "$golden/$(echo "$name" | tr : -)" || echo "$name $*: $err"
	done
}
plots_of() { # NAME=VALUE...: sums of the scripts, figures and pictures of all plots
	rm -rf "$tmp/plots"
	env "$@" "$iogap" report --plots "$tmp/plots" >/dev/null 2>&1 && (cd "$tmp/plots" && sha256sum *)
}
cd "$tmp" || exit 1
echo 'raise SystemExit("this must not be imported")' >json.py
is "a decimal comma, another time zone, hash seed and width, Python's variables" "$(same LOCPATH="$tmp" \
	LC_ALL=xx_XX.UTF-8 TZ=Asia/Kathmandu PYTHONHASHSEED=1 COLUMNS=20 TERM=dumb NO_COLOR=1 PYTHONIOENCODING=ascii \
	PYTHONUTF8=0 PYTHONPATH="$tmp")" ""
is "a wide terminal with colours, the other end of the world, random hashes" "$(same LC_ALL=POSIX TZ=Pacific/Kiritimati \
	PYTHONHASHSEED=random COLUMNS=500 LINES=9 TERM=xterm-256color CLICOLOR_FORCE=1 FORCE_COLOR=1 GNUTERM=dumb)" ""
plots=$(plots_of LC_ALL=C TZ=UTC PYTHONHASHSEED=0)
like "plots are drawn" "$(printf '%s\n' "$plots" | grep -c '[.]png$')" "^[1-9]"
is "and are the same files everywhere" "$(plots_of LOCPATH="$tmp" LC_ALL=xx_XX.UTF-8 TZ=Asia/Kathmandu PYTHONHASHSEED=7 COLUMNS=20 \
	TERM=dumb GNUTERM=dumb)" "$plots"
is "no locale" "$(same LC_ALL=C LANG=C)" ""
is "Turkish, where it is installed" "$(formats=text same LC_ALL=tr_TR.UTF-8)" ""
rm json.py
on_terminal() { script -qec "$1" /dev/null >/dev/null; } # with a bar on it
ok "a terminal is there" on_terminal "$iogap report >$tmp/tty"
is "the same on a terminal" "$(cat "$tmp/tty")" "$(cat "$golden/quick.text")"

# ---- writing
run "$iogap" report -o "$tmp/a/b"
for format in $formats; do
	case $format in
	text) file=report.txt ;;
	thread) file=report-thread.txt ;;
	markdown) file=report.md ;;
	*) file=report.$format ;;
	esac
	ok "-o writes $file" cmp "$tmp/a/b/$file" "$golden/quick.$format"
done
is "nothing is printed" "$out$err" ""
is "nothing else is written" "$(find "$tmp/a/b" -type f | wc -l)" "$(echo $formats | wc -w)"
run "$iogap" report -o "$tmp/c/" --format text
is "one format, beside the JSON" "$(cd "$tmp/c" && echo *)" "report.json report.txt"
run "$iogap" report -o "$tmp/one.txt" --format thread
ok "one file" cmp "$tmp/one.txt" "$golden/quick.thread"
: >"$tmp/file"
run "$iogap" report -o "$tmp/file"
is "a file for a folder: status" "$status" 5
like "a file for a folder" "$err" "^iogap: cannot make the folder .*/file"
run "$iogap" report -o /proc/x.txt --format text
is "where nothing can be written: status" "$status" 5
like "where nothing can be written" "$err" "^iogap: cannot write the report: .*/proc/x.txt"
run sh -c '"$1" report >/dev/full' - "$iogap"
is "a full device: status" "$status" 5
like "a full device" "$err" "cannot print the report: No space left on device"

# ---- markup
ok "every row of the CSV has as many fields as its header" /usr/bin/python3 -c '
import csv, sys
rows = list(csv.reader(open(sys.argv[1], encoding="utf-8", newline="")))
assert [row[0] for row in rows].count("cell") == 24 and [row[0] for row in rows].count("run") == 72, rows[0]
assert {len(row) for row in rows} == {len(rows[0])} and len(set(rows[0])) == len(rows[0]), rows[0]' "$golden/quick.csv"
is "labels are no markup in the page: one script, which is its own" \
	"$(grep -oiE '<script[^>]*>|<b>|<(img|iframe|object)|(src|url)[=(]' "$golden/hostile.html")" "<script>"
ok "the page is well-formed" /usr/bin/python3 -c '
import html.parser, sys
open_tags = []
class Check(html.parser.HTMLParser):
    def handle_starttag(self, tag, attributes):
        if tag not in ("meta",):
            open_tags.append(tag)
        assert len(attributes) == len({name for name, value in attributes}), (tag, self.getpos())
    def handle_endtag(self, tag):
        assert open_tags.pop() == tag, (tag, self.getpos())
for path in sys.argv[1:]:
    Check().feed(open(path, encoding="utf-8").read())
    assert not open_tags, open_tags' "$golden/hostile.html" "$golden/quick.html" "$golden/empty.html"
run env IOGAP_PYTHON="$tmp/no-jinja2" "$iogap" report --format html
like "a Python that is not there" "$status $err" "^5 .*no-jinja2"
# A Python without Jinja2: -S leaves out the folder in which the distribution keeps it.
printf '#!/bin/sh\nexec /usr/bin/python3 -S "$@"\n' >"$tmp/no-jinja2"
chmod +x "$tmp/no-jinja2"
run env IOGAP_PYTHON="$tmp/no-jinja2" "$iogap" report --format html
is "a Python without Jinja2: status" "$status" 5
like "a Python without Jinja2" "$err" "no Python can render the html report .*lacks the module (jinja2|markupsafe).*python3-jinja2"
run env IOGAP_PYTHON="$tmp/no-jinja2" "$iogap" report
is "text needs no Jinja2" "$out" "$(cat "$golden/quick.text")"

# ---- large sweeps
ok "a store of 2 000 runs is made" "$IOGAP_BUILD/tests/test-report" --make-many 2000 "$tmp/many.sqlite"
run "$iogap" report --store "$tmp/many.sqlite" --format markdown -o "$tmp/many.md"
ok "Markdown has 60 000 bytes at most" test "$(wc -c <"$tmp/many.md")" -le 60000
like "and says what did not fit" "$(cat "$tmp/many.md")" "^\*[0-9]+ cells did not fit: .iogap report --format csv. has them all"
is "long tables are folded, every fold is closed" "$(grep -c '^<details>' "$tmp/many.md")" "$(grep -c '^</details>' "$tmp/many.md")"
like "short ones are not" "$(grep -c details "$golden/quick.markdown")" "^0$"

# ---- refusals
run "$iogap" report --format txet
is "unknown format: status" "$status" 2
is "unknown format" "$err" 'iogap: there is no report format "txet"; did you mean "text"?'
run "$iogap" report --format pdf
like "no format near it" "$err" 'there is no report format "pdf"; there are text, thread,'
run "$iogap" report 99
is "unknown sweep: status" "$status" 4
like "unknown sweep" "$err" "99"
run "$iogap" report --store "$tmp/none.sqlite"
is "no store: status" "$status" 4
like "no store" "$err" "none.sqlite"
ok "no store is made by asking" test ! -e "$tmp/none.sqlite"
run "$iogap" report a b
is "too many arguments" "$status" 2
run env IOGAP_PYTHON=/nonexistent/python "$iogap" report
is "no Python: status" "$status" 5
like "no Python" "$err" "no Python can render the text report .*/nonexistent/python.*python3-jinja2"
is "no Python, nothing printed" "$out" ""
run env IOGAP_PYTHON=/nonexistent/python "$iogap" report --format json
is "JSON needs no Python" "$status" 0
run env IOGAP_PYTHON=false "$iogap" report
is "a Python that fails: status" "$status" 5
mkdir "$tmp/share"
cp -r "$IOGAP_BUILD/share/schema" "$tmp/share/"
run env IOGAP_SHARE="$tmp/share" "$iogap" report
is "renderer missing: status" "$status" 5
like "renderer missing" "$err" "the renderer .*reports/render.py is missing"
render=$IOGAP_BUILD/share/reports/render.py
run /usr/bin/python3 "$render" text "$tmp/file"
like "render.py, not JSON" "$status $err" "^1 .* is not JSON"
echo '{"format":"iogap-report","version":4}' >"$tmp/newer.json"
run /usr/bin/python3 "$render" text "$tmp/newer.json"
like "render.py, a newer report" "$status $err" "^1 .* has version 4, this program reads versions 1 to 3"
for format in text thread markdown csv html; do
	for name in failed hostile; do
		run /usr/bin/python3 "$render" $format "$golden/v1/$name.json"
		like "render.py, $name of version 1 as $format" "$status $err" "^0 $"
	done
done
# A sample of version 2 as it was written then.
is "the sample has version 2" "$(grep -m1 '"version"' "$golden/v2/quick.json")" ' "version": 2,'
for format in text thread $shapes markdown csv html; do
	run /usr/bin/python3 "$render" $format "$golden/v2/quick.json"
	is "render.py, version 2 as $format" "$status$err" 0
	# Only the CSV has columns for what later versions know.
	[ $format = csv ] || ok "version 2 as $format says the same" cmp "$tmp/.out" "$golden/quick.$(echo $format | tr : -)"
	[ $format != csv ] || cp "$tmp/.out" "$tmp/old.csv"
done
ok "version 2 as csv says the same in the columns it has" /usr/bin/python3 -c '
import csv, sys
old, new = (list(csv.DictReader(open(path, encoding="utf-8", newline=""))) for path in sys.argv[1:])
assert len(old) == len(new) and len(old[0]) > 40, (len(old), len(new))
for a, b in zip(old, new):
    assert all(b[key] == value for key, value in a.items() if value), (a, b)' "$tmp/old.csv" "$golden/quick.csv"
run /usr/bin/python3 "$render" plots "$golden/v2/quick.json" "$tmp/plots2"
like "plots of version 2" "$status$err $out" "^0 [1-9][0-9]* plots in "
run /usr/bin/python3 "$render" text "$golden/v1/failed.json"
is "a report of version 1 says the same" "$out" "$(cat "$golden/failed.text")"

# ---- the schema
validate='
import json, sys, jsonschema
schema = json.load(open(sys.argv[1]))
jsonschema.Draft202012Validator.check_schema(schema)
for path in sys.argv[2:]:
    jsonschema.Draft202012Validator(schema).validate(json.load(open(path)))'
ok "every report.json keeps to docs/report.schema.json" \
	/usr/bin/python3 -c "$validate" "$IOGAP_SRC/docs/report.schema.json" "$golden"/*.json
sed 's/"pairs": 2/"pairs": "2"/' "$golden/quick.json" >"$tmp/bad.json"
run /usr/bin/python3 -c "$validate" "$IOGAP_SRC/docs/report.schema.json" "$tmp/bad.json"
like "the schema refuses a wrong one" "$status $err" "'2' is not of type 'integer'"
done_testing
