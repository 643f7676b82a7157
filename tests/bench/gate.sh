#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# How often the gate cries wolf and what it finds, by simulation against its own code (docs/gate.md).
set -e
cd "${IOGAP_SRC:-.}"
build=${IOGAP_BUILD:-$PWD/build}
make -s BUILD="$build" "$build/bench/gate-sim"
"$build/bench/gate-sim" "${GATE_SWEEPS:-2000}" "${GATE_POWER_SWEEPS:-1000}"
