#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# How often the history shows a change that is not there, and finds one that is (docs/history.md).
set -e
cd "${IOGAP_SRC:-.}"
build=${IOGAP_BUILD:-$PWD/build}
make -s BUILD="$build" "$build/bench/history-sim"
"$build/bench/history-sim" "${HISTORIES:-200}"
