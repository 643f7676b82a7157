#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# includes.sh ROOT LIST: prints one line for each include that breaks the law of LIST (rooms.list).
cd "$1" || exit 2
find guest-agent harness results -name '*.[ch]' | LC_ALL=C sort | xargs awk -v LIST="$2" '
	function dir(path) { sub("/[^/]*$", "", path); return path }
	function has(list, word) { return index(" " list " ", " " word " ") > 0 }
	BEGIN {
		while ((getline line < LIST) > 0) {
			if (line ~ /^#/ || line == "") continue
			kind = name = line
			sub(" .*", "", kind)
			sub("^[a-z]+ ", "", name); sub(":.*", "", name)
			sub("^[^:]*: *", "", line)
			if (kind == "room") rooms[name] = line " "
			else if (kind == "only") only[name] = line
			else { print LIST ": no such kind of row: " kind; bad = 1 }
		}
	}
	FNR == 1 {
		room = dir(FILENAME)
		if (!(room in rooms)) print FILENAME ": the folder " room " is no room; add its row to rooms.list"
	}
	/^[ \t]*#[ \t]*include[ \t]*"/ {
		split($0, part, "\"")
		of = dir(part[2])
		if ((getline x < part[2]) < 0) print FILENAME ":" FNR ": there is no " part[2] "; name it from the top folder"
		else if (of != room && !has(rooms[room], of))
			print FILENAME ":" FNR ": " room " may not include " part[2] "; it may call:" (rooms[room] == " " ? " nobody" : " " rooms[room])
		close(part[2])
	}
	/^[ \t]*#[ \t]*include[ \t]*</ {
		header = $0
		sub("^[^<]*<", "", header); sub(">.*", "", header)
		for (prefix in only)
			if (index(header, prefix) == 1 && !has(only[prefix], room))
				print FILENAME ":" FNR ": " room " may not include <" header ">; only " only[prefix] " may"
	}
'
