#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Other connections than the embedded driver, each to a daemon that this test starts and ends: the system's, an ordinary
# user's, and the system's over ssh to this very machine. In each a real guest is measured.
. "${IOGAP_SRC:-.}/tests/tap.sh"
[ "$(id -u)" = 0 ] || skip_all "starts libvirt's system daemon, which needs root"

# Short: sockets have at most 107 bytes.
work=$(mktemp -d /tmp/igu.XXXXXX)
at_exit "rm -rf $work"
chmod 755 "$work"
export IOGAP_RUNTIME="$work/r" IOGAP_STORE="$work/s.sqlite"
: "${IOGAP_CACHE:=${XDG_CACHE_HOME:-$HOME/.cache}/iogap}"
export IOGAP_CACHE
cat >"$work/p.yaml" <<'EOF2'
name: uri
accel: auto
targets: [{name: scratch, type: file, size: 32M}]
workload: {rw: randread, block_size: 4k, direct: true}
guest: {bus: virtio, cache: none, io: threads}
measure: {settle: 0.1s, run: 0.5s, blocks: 1}
EOF2
sql() { sqlite3 -readonly "$IOGAP_STORE" "$1"; }
end() { # PIDFILE: ends the daemon and waits for it
	pid=$(cat "$1" 2>/dev/null) || return 0
	kill "$pid" 2>/dev/null
	n=0
	while kill -0 "$pid" 2>/dev/null && [ $n -lt 100 ]; do
		sleep 0.1
		n=$((n + 1))
	done
}
wait_for() {
	n=0
	while ! [ -S "$1" ] && [ $n -lt 300 ]; do
		sleep 0.1
		n=$((n + 1))
	done
	[ -S "$1" ]
}
measured() { # NAME URI: what every connection has to give
	is "$1: exit status" "$status" 0
	[ "$status" = 0 ] || tap_show stderr "$err"
	is "$1: both sides were measured" "$(sql "select group_concat(side) from (select l.side from run r join leg l on l.id = r.leg_id
		where r.status = 'ok' and l.sweep_id = (select max(id) from sweep) order by l.side)")" "guest,host"
	is "$1: the connection is on record" "$(sql 'select uri from sweep order by id desc limit 1')" "$2"
	is "$1: QEMU is found and counted" "$(sql "select qemu_reads > 0 and qemu_vcpu_ns > 0 and seen_host_direct from run r
		join leg l on l.id = r.leg_id where l.side = 'guest' and l.sweep_id = (select max(id) from sweep)")" 1
	is "$1: no target file is left" "$(find "$work" -maxdepth 2 -name 'iogap-*.raw' | wc -l)" 0
}

# ---- the system's daemon; one that runs already is used and left alone ----
libvirtd=$(command -v libvirtd || echo /usr/sbin/libvirtd)
virtlogd=$(command -v virtlogd || echo /usr/sbin/virtlogd)
socket=/run/libvirt/libvirt-sock
system=qemu:///system
if ! [ -S $socket ]; then
	run "$iogap" sweep "$work/p.yaml" --connect $system
	is "no daemon: exit status" "$status" 5
	like "no daemon: message" "$err" "cannot open the hypervisor qemu:///system.*daemon is not running: systemctl start libvirtd, or leave out --connect"
	cat >"$work/libvirtd.conf" <<EOF2
unix_sock_dir = "/run/libvirt"
unix_sock_group = "root"
auth_unix_rw = "none"
auth_unix_ro = "none"
log_outputs = "3:file:$work/libvirtd.log"
EOF2
	at_exit "end $work/libvirtd.pid; rm -f $socket $socket-ro /run/libvirt/libvirt-admin-sock"
	"$libvirtd" -d --config "$work/libvirtd.conf" -p "$work/libvirtd.pid" 2>"$work/start" || tap_show libvirtd "$(cat "$work/start")"
	ok "the system's daemon starts" wait_for $socket
fi
if ! [ -S /run/libvirt/virtlogd-sock ]; then
	run "$iogap" sweep "$work/p.yaml" --connect "$system"
	is "no log daemon: exit status" "$status" 5
	like "no log daemon: message" "$err" "log daemon is not running: systemctl start virtlogd"
	at_exit "end $work/virtlogd.pid; rm -f /run/libvirt/virtlogd-sock /run/libvirt/virtlogd-admin-sock"
	"$virtlogd" -d -p "$work/virtlogd.pid"
	ok "the log daemon starts" wait_for /run/libvirt/virtlogd-sock
fi
run "$iogap" sweep "$work/p.yaml" --connect "$system"
measured "system" "$system"
is "system: QEMU runs as the one who made the files" "$(sql "select instr(domain_xml, '<label>+0:+0</label>') > 0 from boot
	order by id desc limit 1")" 1
is "system: the daemon has no guest left" "$(find /run/libvirt/qemu -name 'iogap-*.xml' | wc -l)" 0

# ---- the same, over ssh to this machine ----
if command -v /usr/sbin/sshd >/dev/null && command -v virt-ssh-helper >/dev/null; then
	mkdir -p /run/sshd
	ssh-keygen -q -t ed25519 -N '' -f "$work/host-key"
	ssh-keygen -q -t ed25519 -N '' -f "$work/key"
	mv "$work/key.pub" "$work/authorized"
	port=$((20000 + $$ % 20000))
	/usr/sbin/sshd -f /dev/null -o Port=$port -o ListenAddress=127.0.0.1 -o HostKey="$work/host-key" \
		-o AuthorizedKeysFile="$work/authorized" -o PidFile="$work/sshd.pid" -o StrictModes=no \
		-o PermitRootLogin=prohibit-password -o PasswordAuthentication=no
	# Nothing is written to the user's list of known hosts.
	printf '#!/bin/sh\nexec ssh -F none -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR "$@"\n' >"$work/ssh"
	chmod +x "$work/ssh"
	at_exit "end $work/sshd.pid"
	ssh="qemu+ssh://root@localhost:$port/system?command=$work/ssh&keyfile=$work/key&no_verify=1"
	run "$iogap" sweep "$work/p.yaml" --connect "$ssh"
	measured "ssh" "$ssh"
else
	tap_result 1 "openssh-server and virt-ssh-helper are installed"
fi
run "$iogap" sweep "$work/p.yaml" --connect qemu+ssh://root@elsewhere.example/system
is "another machine: exit status" "$status" 2
like "another machine: message" "$err" "it is on another machine, .* run iogap there"
run "$iogap" sweep "$work/p.yaml" --connect qemu+ssh:///system
is "no machine: exit status" "$status" 2
like "no machine: message" "$err" "needs a host name, and only this machine's own"

# ---- an ordinary user's ----
mkdir -m 777 "$work/own" "$work/prog"
cp "$iogap" "$agent" "$work/prog/"
cp -r "$IOGAP_BUILD/share" "$work/prog/share"
chmod -R a+rX "$work/prog"
user() { # with a kernel that an ordinary user may read, and a home to start a daemon in
	setpriv --reuid=65534 --regid=65534 --clear-groups env HOME="$work/own" XDG_RUNTIME_DIR="$work/own" \
		IOGAP_RUNTIME="$work/own/r" IOGAP_CACHE="$work/own/c" IOGAP_STORE="$work/own/s.sqlite" "$@"
}
run user "$work/prog/iogap" sweep "$work/p.yaml" --connect qemu:///session
IOGAP_STORE=$work/own/s.sqlite
# The daemon that libvirt starts for a user ends by itself after two minutes; ours are in a hurry.
at_exit "end $work/own/libvirt/libvirtd.pid"
measured "session" qemu:///session
is "session: QEMU is left to run as its user" "$(sql "select instr(domain_xml, 'relabel=') from boot order by id desc limit 1")" 0
done_testing
