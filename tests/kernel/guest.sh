# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# In the VM: runs every case in cases/ and prints "ok NAME" or "not ok NAME",
# after the case's own lines, each prefixed with the case's name.
#
# A case is a shell file.  It may use what is defined here, loads kprobes.ko
# itself, and fails by its status, by a "not ok" line, or when the kernel log
# holds a report afterwards, but for a trace that a test asked for, between lines
# "KP-TRACE begin" and "KP-TRACE end", and for what known.list says is the kernel's own:
# then a line "known NAME: [TIME] ..." says so.  "KP-TEST ok RULE words" in the log are
# its lines.

SUSPICIOUS='BUG|WARNING|Oops|Call Trace|cut here|general protection|unable to handle|stall|blocked for more|scheduling while atomic|sleeping function|suspicious RCU|possible .* lock|inconsistent lock|KASAN: |int3:'

case $(uname -r) in *kp-*) control=/sys/kernel/debug/kprobes ;; *) control=/sys/kernel/debug/kp ;; esac

# Of an address; and what a kernel's begins with.
case $(uname -m) in i?86 | arm* | mips) digits=8 ;; *) digits=16 ;; esac
case $(uname -m) in mips) high=8 ;; *) high=9c-f ;; esac

# A parameter of modules that look at all text.
etext=etext=0x$(sed -n 's/ [TD] _etext$//p' /proc/kallsyms)
# unnamed: parameters that say where is what the kernel's table of names leaves out.
unnamed() {
	grep -qw panic_timeout /proc/kallsyms && return
	sed -n 's/^\(.*\) . __\(start\|stop\)___\(jump_table\|ex_table\)$/\3_\2=0x\1/p' unnamed
}

# expect WORDS COMMAND...: one line for one condition.
expect() {
	words=$1
	shift
	if "$@" >/tmp/out 2>&1; then echo "ok $words"; else echo "not ok $words"; sed 's/^/# /' /tmp/out; fi
}

# status N COMMAND...: it ends with this status; its words are in /tmp/said.
status() {
	wanted=$1
	shift
	"$@" >/tmp/said 2>&1
	got=$?
	[ "$got" = "$wanted" ] && return 0
	echo "status $got, not $wanted: $*"
	cat /tmp/said
	return 1
}
# says WORDS: the last command said so.
says() { grep -qE -- "$1" /tmp/said || { echo "does not say: $1"; cat /tmp/said; return 1; }; }

# eventually COMMAND...: within a minute, as a busy machine is slow; or $patience
# fifths of a second.
eventually() {
	tries=${patience:-300}
	until "$@"; do
		[ $((tries -= 1)) -gt 0 ] || return 1
		usleep 200000
	done
}

# run_program NAME [breakpoints]: a test of processes, its lines, and that it came
# to its end.
run_program() {
	name=${1##*/}${2:+, $2}
	env ${2:+T_BREAKPOINTS=1} KPROBES_STRICT=1 "with/tests/$1" >/tmp/said 2>&1
	ended=$?
	sed -n "s/^ok /ok $name: /p; s/^not ok /not ok $name: /p" /tmp/said
	[ $ended = 0 ] && grep -q '^ok ' /tmp/said && return
	echo "not ok $name: status $ended"
	grep -v '^ok ' /tmp/said | tail -n 20 | sed 's/^/# /'
}

engine_start() { insmod kprobes.ko || { echo "not ok insmod kprobes.ko"; exit 1; }; }
engine_stop() { on_one rmmod kprobes || echo "not ok rmmod kprobes"; }

# on_one COMMAND...: for each page of a module that goes a riscv64 kernel has the firmware
# wait for the other processors, and QEMU's one thread lets these run after 100 ms.  So from
# the second time on there is but one meanwhile.
on_one() {
	second=/sys/devices/system/cpu/cpu1/online
	[ "$(uname -m)" != riscv64 ] || [ -e /tmp/on_all ] && [ -e $second ] || second=/dev/null
	: >/tmp/on_all
	echo 0 >$second
	"$@"
	ended=$?
	echo 1 >$second
	return $ended
}

failed=0
mark=0
for file in cases/*.sh; do
	name=${file#cases/}
	name=${name%.sh}
	echo "KP-CASE $name" >/dev/kmsg
	read -r begun _ </proc/uptime
	(. "./$file") >/tmp/lines 2>&1
	status=$?
	read -r ended _ </proc/uptime
	dmesg >/tmp/all
	# All of it when the beginning is gone: but then something may be missing.
	if grep -q "KP-CASE $name" /tmp/all; then
		awk -v mark="KP-CASE $name" 'found; index($0, mark) { found = 1 }' /tmp/all >/tmp/log
	else
		cp /tmp/all /tmp/log
		echo "not ok the kernel log reaches back to the beginning" >>/tmp/lines
	fi
	sed -n 's/.*KP-TEST \(ok\|not ok\) /\1 /p' /tmp/log >>/tmp/lines
	rm -f /tmp/known
	awk -v test="$name" -v release="$(uname -r)" -v known=/tmp/known -f known.awk known.list /tmp/log >/tmp/unknown
	[ ! -e /tmp/known ] || sed "s|^|known $name: |" /tmp/known
	if sed '/KP-TRACE begin/,/KP-TRACE end/d' /tmp/unknown | grep -qE "$SUSPICIOUS"; then
		echo "not ok the kernel log is clean" >>/tmp/lines
	fi
	sed -n "s|^ok |ok $name: |p; s|^not ok |not ok $name: |p; s|^#|#|p" /tmp/lines
	# Where a boot's time goes.
	echo "# $name: $((${ended%.*} - ${begun%.*})) s"
	if [ $status = 0 ] && ! grep -q '^not ok' /tmp/lines; then
		echo "ok $name"
	else
		failed=1
		echo "not ok $name (status $status)"
		tail -n 60 /tmp/log /tmp/lines | sed 's/^/# /'
	fi
done
exit $failed
