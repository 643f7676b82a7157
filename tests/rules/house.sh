#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The house rules hold; and each of them catches a file that breaks it.
. "${IOGAP_SRC:-.}/tests/tap.sh"
check=$IOGAP_SRC/tests/rules/check/house.sh
spdx='SPDX-License-Identifier: GPL-2.0-or-later'

is "the source keeps to the house rules" "$(sh "$check" "$IOGAP_SRC")" ""

# caught NAME FILE LINE EXPECTED: a tree with only this line under the SPDX line is reported as EXPECTED
caught() {
	rm -rf "$tmp/tree"
	mkdir -p "$tmp/tree/$(dirname "$2")"
	printf '/* %s */\n%s\n' "$spdx" "$3" >"$tmp/tree/$2"
	like "$1" "$(sh "$check" "$tmp/tree")" "$4"
}
clean() {
	rm -rf "$tmp/tree"
	mkdir -p "$tmp/tree/$(dirname "$2")"
	printf '/* %s */\n%s\n' "$spdx" "$3" >"$tmp/tree/$2"
	is "$1" "$(sh "$check" "$tmp/tree")" ""
}
caught "banned function" harness/run/x.c 'x = at''oi(y);' '^harness/run/x.c:2: banned function'
caught "banned function, spaced" guest-agent/x.c '	sys''tem ("x");' '^guest-agent/x.c:2: banned function'
clean "a longer name is not banned" harness/run/x.c 'x = my_str''cpy(y);'
caught "leftover marker" docs/x.md 'TO''DO: later' '^docs/x.md:2: leftover marker'
clean "a template of mkstemp is no marker" harness/run/x.c 'x = "a-XXXXXX";'
caught "shell from C" harness/run/x.c 'argv[0] = "/bin/sh";' '^harness/run/x.c:2: a shell from C'
caught "exit in a library" harness/run/x.c '	exit(1);' '^harness/run/x.c:2: exit'
clean "exit in a main file" harness/cli/x-main.c '	exit(1);'
caught "printing outside the command line" harness/run/x.c '	g_print("x");' '^harness/run/x.c:2: prints'
caught "trailing white space" docs/x.md 'text ' '^docs/x.md:2: white space'
caught "foreign path" harness/run/x.c 'x = "/scratch/me";' '^harness/run/x.c:2: the path /scratch/'
clean "standard path" harness/run/x.c 'x = "/proc/self";'
caught "home folder" docs/x.md 'see /ho''me/me' '^docs/x.md:2: a path of one machine'
caught "no include guard" harness/run/x.h 'int x;' '^harness/run/x.h:1: no include guard'

rm -rf "$tmp/tree"
mkdir -p "$tmp/tree/tests/cli"
printf '#!/bin/sh\n# %s\nif true; then\n' "$spdx" >"$tmp/tree/tests/cli/x.sh"
like "broken script" "$(sh "$check" "$tmp/tree")" '^tests/cli/x.sh:1: not a valid script'
like "script that cannot run" "$(sh "$check" "$tmp/tree")" '^tests/cli/x.sh:1: not executable'
printf '#!/bin/sh\ntrue\n' >"$tmp/tree/tests/cli/x.sh"
like "no SPDX line" "$(sh "$check" "$tmp/tree")" '^tests/cli/x.sh:1: no SPDX'
{ echo "# $spdx"; yes '#' | head -n 900; } >"$tmp/tree/tests/cli/x.sh"
like "too long a file" "$(sh "$check" "$tmp/tree")" '^tests/cli/x.sh:901: more than 900 lines'
done_testing
