#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The include law (rooms.list) holds; and a tree that breaks it is caught.
. "${IOGAP_SRC:-.}/tests/tap.sh"
check=$IOGAP_SRC/tests/rules/check/includes.sh
list=$IOGAP_SRC/tests/rules/rooms.list

is "every include keeps to rooms.list" "$(sh "$check" "$IOGAP_SRC" "$list")" ""

plant() {
	mkdir -p "$tmp/tree/$(dirname "$1")"
	printf '%s\n' "$2" >"$tmp/tree/$1"
}
mkdir -p "$tmp/tree/guest-agent" "$tmp/tree/results"
plant harness/base/good.h '/* */'
plant harness/plan/plan.h '#include "harness/base/good.h"'
is "a lawful tree passes" "$(sh "$check" "$tmp/tree" "$list")" ""

plant harness/base/back.c '#include "harness/plan/plan.h"'
like "an arrow that points back" "$(sh "$check" "$tmp/tree" "$list")" \
	'^harness/base/back.c:1: harness/base may not include harness/plan/plan.h'
rm "$tmp/tree/harness/base/back.c"

plant harness/cli/sql.c '# include <sqlite3.h>'
like "a foreign library outside its owner" "$(sh "$check" "$tmp/tree" "$list")" \
	'^harness/cli/sql.c:1: .*only results may'
rm "$tmp/tree/harness/cli/sql.c"

plant guest-agent/engine/glib.c '#include <glib.h>'
like "GLib in the agent" "$(sh "$check" "$tmp/tree" "$list")" '^guest-agent/engine/glib.c:1: '
rm "$tmp/tree/guest-agent/engine/glib.c"

plant harness/new/x.c ''
like "a folder without a row" "$(sh "$check" "$tmp/tree" "$list")" 'harness/new is no room'
rm "$tmp/tree/harness/new/x.c"

plant harness/plan/near.c '#include "plan.h"'
like "a header not named from the top" "$(sh "$check" "$tmp/tree" "$list")" 'harness/plan/near.c:1: there is no plan.h'
done_testing
