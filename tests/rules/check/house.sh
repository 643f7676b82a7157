#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# house.sh ROOT: prints "file:line: what is wrong; what to do" for each break of the house rules.
# Patterns that would match themselves are written with a bracket: [T]ODO.
cd "$1" || exit 2
export LC_ALL=C
tracked() { # tracked or new files, when ROOT is a git tree; else all
	if [ -e .git ]; then git ls-files --cached --others --exclude-standard; else find . -type f | sed 's|^\./||'; fi |
		sort | while IFS= read -r f; do [ -f "$f" ] && printf '%s\n' "$f"; done
}
all=$(tracked | grep -v '^tests/data/\|^tests/golden/\|^LICENSE$')
c=$(printf '%s\n' "$all" | grep '\.[ch]$')
product=$(printf '%s\n' "$c" | grep -v '^tests/')
scripts=$(printf '%s\n' "$all" | grep -E '\.(c|h|sh|py|sql|awk)$|(^|/)Makefile$')

# forbid FILES PATTERN ADVICE: every line that matches is reported
forbid() {
	[ -z "$1" ] || printf '%s\n' "$1" | xargs -d '\n' grep -HnE -- "$2" /dev/null | cut -d: -f1,2 | sed "s|\$|: $3|"
}

forbid "$(printf '%s\n' "$c" | grep -v 'common/banned.h$')" \
	'(^|[^A-Za-z0-9_])(strcpy|strcat|v?sprintf|gets|ato[ilf]|atoll|strtok|system|popen)[ \t]*\(' \
	'banned function; see guest-agent/common/banned.h for what to use'
forbid "$all" '(^|[^A-Za-z0-9_])([T]ODO|[F]IXME|[X]XX|[H]ACK)([^A-Za-z0-9_]|$)' \
	'leftover marker; do it now or file an issue'
forbid "$product" '"(/bin/|/usr/bin/)?(ba|da)?sh"|g_spawn_command_line|g_shell_parse' \
	'a shell from C; pass an argument vector to harness/base/subprocess.h'
forbid "$(printf '%s\n' "$product" | grep -v -e '-main\.c$')" '(^|[^A-Za-z0-9_.>])exit[ \t]*\(' \
	'exit() outside a *-main.c; return an error'
forbid "$(printf '%s\n' "$product" | grep -E '^(harness|results)/' | grep -v -e '^harness/cli/' -e '^harness/base/progress' -e '-main\.c$')" \
	'(^|[^A-Za-z0-9_])(printf|puts|putchar|perror|g_print|g_printerr)[ \t]*\(' \
	'prints outside harness/cli and a *-main.c; return the text or an error'
forbid "$all" '[ 	]+$' 'white space at the end of the line; remove it'
forbid "$all" "$(printf '\r')" 'carriage return; use plain newlines'
forbid "$product" '"/[a-z][a-z0-9_-]*/' 'path' | sed 's/: path$//' | while IFS=: read -r file line; do
	sed -n "${line}p" "$file" | grep -oE '"/[a-z][a-z0-9_-]*/' |
		grep -vE '^"/(bin|boot|dev|etc|init|lib|media|mnt|proc|root|run|sbin|sys|tmp|usr|var)/' |
		sed "s|^\"|$file:$line: the path |; s|\$|... is no standard folder; take it from harness/base/paths.h or an option|"
done
# Tests quote messages of other programs, with whatever paths those have.
forbid "$(printf '%s\n' "$all" | grep -v '^tests/unit/')" '(^|[^A-Za-z0-9_/])/(home|Users)/[a-z]' \
	'a path of one machine; make it relative or an option'

[ -z "$scripts" ] || printf '%s\n' "$scripts" | xargs -d '\n' awk '
	function end() {
		if (file == "") return
		if (!spdx) print file ":1: no SPDX line on top; add SPDX-License-Identifier: GPL-2.0-or-later"
		if (lines > 900) print file ":901: more than 900 lines; split it by subject"
		if (file ~ /\.h$/ && !guard) print file ":1: no include guard IOGAP_...; add it"
	}
	FNR == 1 { end(); file = FILENAME; spdx = guard = 0 }
	FNR <= 2 && /SPDX-License-Identifier: GPL-2.0-or-later/ { spdx = 1 }
	/^#ifndef IOGAP_/ { guard = 1 }
	{ lines = FNR }
	END { end() }
'
printf '%s\n' "$all" | grep '\.sh$' | while IFS= read -r file; do
	sh -n "$file" 2>&1 | sed "s|^|$file:1: not a valid script: |"
done
printf '%s\n' "$all" | grep -E '^tests/(rules|cli|guest)/[^/]*\.sh$' | while IFS= read -r file; do
	[ -x "$file" ] || echo "$file:1: not executable; chmod +x"
done
exit 0
