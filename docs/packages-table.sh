#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Prints PAGE with its table of packages made anew from LIST (docs/packages.list).
# usage: packages-table.sh PAGE LIST      `make docs` writes the README with it.
set -eu
awk -F' [|] ' -v list="$2" '
	!inside { print }
	/^<!-- packages -->$/ {
		inside = 1
		print "| package | for | why |"
		print "| --- | --- | --- |"
		while ((getline line < list) > 0)
			if (line !~ /^(#|$)/ && split(line, field, " [|] ") == 3)
				print "| " field[1] " | " field[2] " | " field[3] " |"
	}
	/^<!-- end of packages -->$/ { inside = 0; print }
' "$1"
