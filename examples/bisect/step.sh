#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# One step of `git bisect run`: is the commit that is checked out slower than the good one?
#   git bisect run sh PATH/step.sh PROFILE GOOD COMMAND...
# PROFILE  what to measure, outside the checkout or the same in all of its commits
# GOOD     settings of the good arm, such as emulator=/opt/good/qemu-system-x86_64
# COMMAND  builds what is checked out and prints the settings of its arm on standard output
# IOGAP names the program, GATE_OPTIONS more options of `iogap gate`, separated by blanks. The store is that of $IOGAP_STORE;
# every step is a sweep of its own there, with its commit.
if [ $# -lt 3 ]; then
	echo "usage: git bisect run sh $0 PROFILE GOOD COMMAND..." >&2
	exit 128
fi
profile=$1 good=$2
shift 2
commit=$(git rev-parse HEAD) || exit 128
# What cannot be built says nothing about the commit.
settings=$("$@") || exit 125
exec "${IOGAP:-iogap}" gate "$profile" --arm "base:$good" --arm "new:$settings" --commit "$commit" --label bisect --bisect $GATE_OPTIONS
