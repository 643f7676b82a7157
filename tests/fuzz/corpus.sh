#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# corpus.sh TARGET: the inputs that a fuzz target starts from, one a line; without TARGET: the targets and formats, one a line.
cd "${IOGAP_SRC:-.}" || exit 1
case $1 in
'') # an importer is a target of its own: fuzz-import:FORMAT
	for target in tests/fuzz/fuzz-*.c; do
		target=${target##*/}
		[ "$target" = fuzz-import.c ] || echo "${target%.c}"
	done
	sed -n 's/^\t\.name = "\(.*\)",$/fuzz-import:\1/p' harness/import/*.c | LC_ALL=C sort
	;;
fuzz-import*) find tests/data/import tests/fuzz/seeds/import-* -type f 2>/dev/null ;;
fuzz-profile) find profiles tests/data -name '*.yaml' ;;
*) find tests/fuzz/seeds -name "${1#fuzz-}-*" ;;
esac
