#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Installs the Debian packages of LIST that serve one of the WHATs and are missing.
# usage: install-packages.sh LIST [WHAT...]      (WHAT: build run test bench fuzz; default: build)
set -eu
list=$1
shift
[ $# -gt 0 ] || set -- build
missing=
for what in "$@"; do
	for package in $(sed -n "s/^\([^#| ][^| ]*\) *| *$what *|.*/\1/p" "$list"); do
		status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
		[ "$status" = installed ] || missing="$missing $package"
	done
done
[ -n "$missing" ] || exit 0
echo "installing:$missing" >&2
as_root=
if [ "$(id -u)" -ne 0 ]; then
	if ! command -v sudo >/dev/null; then
		echo "error: these packages are missing and neither root nor sudo is at hand." >&2
		echo "Install them as root: apt-get install --no-install-recommends$missing" >&2
		exit 1
	fi
	as_root=sudo
fi
export DEBIAN_FRONTEND=noninteractive
# sudo drops the environment, so the variable goes with the command.
install="$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends"
# shellcheck disable=SC2086
$as_root apt-get update -q >&2
# shellcheck disable=SC2086
$install $missing >&2
