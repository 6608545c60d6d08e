# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# A task that was interrupted in the engine keeps it from unloading; on x86-64 also on its
# way back into it, as functions return through a thunk in the kernel's text.  What a trap
# left on a stack long ago does not.
unload_beside() {
	engine_start
	# A slot: without any nobody is waited for.
	insmod own_kprobe.ko symbol=$(cat sample_symbol) && rmmod own_kprobe
	place=$(awk '$3 == "kp_core_on_trap" && $4 == "[kprobes]" { print $1 }' /proc/kallsyms)
	insmod kp_rests.ko place=0x$place "$@" || echo "not ok insmod kp_rests.ko $*"
	rm -f /tmp/unloaded
	(on_one rmmod kprobes; echo done >/tmp/unloaded) &
}
waits() {
	unload_beside "$@"
	sleep 3
	expect "$*: unloading waits" test ! -e /tmp/unloaded
	leave "$@"
}
goes() {
	unload_beside "$@"
	expect "$*: unloading does not wait" eventually test -e /tmp/unloaded
	leave "$@"
}
leave() {
	rmmod kp_rests
	wait
	expect "$*: the engine goes" sh -c "! lsmod | grep -q '^kprobes '"
}

waits left=0
goes moved=1
if [ $(uname -m) = aarch64 ]; then
	goes left=1
fi
if [ $(uname -m) = x86_64 ]; then
	waits at=0
	# The thunk has called another.
	waits at=1
	# What lies further up is some old word.
	goes at=2
fi
