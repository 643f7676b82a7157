#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Every header compiles alone, so that the order of includes never matters.
. "${IOGAP_SRC:-.}/tests/tap.sh"
cd "$IOGAP_SRC" || exit 1
flags=$(pkg-config --cflags glib-2.0 gio-unix-2.0 jansson yaml-0.1 libvirt libvirt-glib-1.0 libxml-2.0 libarchive libkmod \
	blkid mount sqlite3 gsl) || skip_all "development packages are missing: make deps"
compile() {
	# shellcheck disable=SC2086
	cc -std=gnu11 -D_GNU_SOURCE -I. -Wall -Wextra -Wno-unused-parameter -Werror -fsyntax-only $flags \
		-DIOGAP_VERSION='"0"' -x c -include "$1" /dev/null
}
for header in $(find guest-agent harness results -name '*.h' | LC_ALL=C sort); do
	run compile "$header"
	is "$header" "$err" ""
done
echo 'int f(gint x);' >"$tmp/bad.h"
run compile "$tmp/bad.h"
like "a header that needs another is caught" "$err" "unknown type name .gint"
done_testing
