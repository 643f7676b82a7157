#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# packages.sh ROOT: prints what is wrong with the rows of docs/packages.list.
cd "$1" || exit 2
list=docs/packages.list
awk -F' [|] ' '
	/^#/ || /^$/ { next }
	NF != 3 { print FILENAME ":" FNR ": not of the form: package | what | reason"; next }
	$1 !~ /^[a-z0-9][a-z0-9+.-]+$/ { print FILENAME ":" FNR ": \"" $1 "\" is no name of a package" }
	$2 !~ /^(build|run|test|bench|fuzz)$/ { print FILENAME ":" FNR ": \"" $2 "\" is none of build, run, test, bench, fuzz" }
	length($3) < 9 { print FILENAME ":" FNR ": no reason for " $1 }
	seen[$1]++ { print FILENAME ":" FNR ": " $1 " stands twice" }
' "$list"

# A row is used when one of the package's pkg-config names, headers, programs, Python modules or its own name is
# named outside the list. Packages that are not installed cannot be looked into: they are taken by name only.
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
find Makefile .ci docs/*.sh docs/protocol.md tests harness results guest-agent reports profiles -type f ! -path "$list" \
	! -path 'tests/rules/*' -exec cat {} + >"$scratch/text" 2>/dev/null
sed -n 's/^\([a-z0-9][^ |]*\) | .*/\1/p' "$list" | while IFS= read -r package; do
	{
		echo "$package"
		dpkg -L "$package" 2>/dev/null | sed -nE \
			-e 's|.*/pkgconfig/([^/]*)\.pc$|\1|p' -e 's|^/usr/include/(x86_64-linux-gnu/)?(.*\.h)$|<\2>|p' \
			-e 's|^/(usr/)?s?bin/([^/]+)$|\2|p' -e 's|.*/dist-packages/([a-z0-9_]+)$|import \1|p'
	} >"$scratch/names"
	grep -qF -f "$scratch/names" "$scratch/text" || echo "$list: nothing names $package; remove the row or use it"
done
exit 0
