# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Functions return through a thunk in the kernel's text: a task that was
# interrupted there, on its way back into the engine, keeps it from unloading.
unload_beside() {
	engine_start
	# A slot: without any nobody is waited for.
	insmod own_kprobe.ko symbol=$(cat sample_symbol) && rmmod own_kprobe
	place=$(awk '$3 == "kp_core_on_trap" && $4 == "[kprobes]" { print $1 }' /proc/kallsyms)
	insmod kp_rests.ko place=0x$place at=$1 || echo "not ok insmod kp_rests.ko at=$1"
	rm -f /tmp/unloaded
	(rmmod kprobes; echo done >/tmp/unloaded) &
}
leave() {
	rmmod kp_rests
	wait
	expect "$1 the engine goes" sh -c "! lsmod | grep -q '^kprobes '"
}

unload_beside 0
sleep 3
expect "it returns into the engine: unloading waits" test ! -e /tmp/unloaded
leave "it has returned:"
unload_beside 1
sleep 3
expect "the thunk has called another: unloading waits" test ! -e /tmp/unloaded
leave "both have returned:"
unload_beside 2
expect "what lies further up is some old word" eventually test -e /tmp/unloaded
leave "nobody was there:"
