#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# docs/packages.list is well-formed and holds nothing that is not used; bad rows are caught.
. "${IOGAP_SRC:-.}/tests/tap.sh"
check=$IOGAP_SRC/tests/rules/check/packages.sh

is "every row is well-formed and used" "$(sh "$check" "$IOGAP_SRC")" ""
is "the README's table is that of the list (else: make docs)" \
	"$(cd "$IOGAP_SRC" && sh docs/packages-table.sh README.md docs/packages.list | diff README.md -)" ""
like "the table has its rows" "$(cat "$IOGAP_SRC/README.md")" '^[|] libvirt-dev [|] build [|] '

row() {
	rm -rf "$tmp/tree"
	mkdir -p "$tmp/tree/docs"
	mkdir -p "$tmp/tree/tests"; echo "perl is used" >"$tmp/tree/tests/x.md"
	printf 'perl | test | runs prove for the tests\n%s\n' "$2" >"$tmp/tree/docs/packages.list"
	like "$1" "$(sh "$check" "$tmp/tree")" "$3"
}
row "a missing field" 'fio | run' 'packages.list:2: not of the form'
row "an unknown use" 'perl-x | play | a reason that is long' '"play" is none of'
row "no reason" 'perl-x | run | x' 'no reason for perl-x'
row "a row twice" 'perl | run | runs prove once again' 'perl stands twice'
row "a bad name" 'Perl X | run | runs prove once again' 'no name of a package'
row "an unused row" 'zzz-unused | run | a reason that is long' 'nothing names zzz-unused'
done_testing
