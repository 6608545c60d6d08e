# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# In the virtual machine: loads kprobes.ko, watches a few places of the kernel
# with hotspots.ko while a small workload runs, unloads both, and prints the
# report. kernel.py reads it, and the line that starts with "guest:".

fail() { echo "guest: $*" >&2; dmesg | tail -n 20; exit 1; }

# The entry of a function, or where ftrace keeps that, the instruction behind it.
entry() {
	for place in "$1" "$1+1" "$1+5"; do
		insmod hotspots.ko "probes=$place" 2>/dev/null || continue
		rmmod hotspots
		echo "$place"
		return
	done
	fail "$1 cannot be probed"
}

# Reads, forks, opens, page faults, and output that makes the serial line interrupt.
workload() {
	dd if=/dev/zero of=/tmp/zeros bs=4k count=2000 2>/dev/null
	cat /tmp/zeros /tmp/zeros >/tmp/copy
	round=0
	while [ $round -lt 40 ]; do
		ls -l /bin >/tmp/list
		cat /proc/self/stat /tmp/list >/dev/null
		(exit 0)
		echo "working, $round"
		round=$((round + 1))
	done
}

insmod kprobes.ko || fail "insmod kprobes.ko failed"
probes=vfs_read+0x30,handle_mm_fault+0x40
for symbol in vfs_read kernel_clone do_sys_openat2 serial8250_interrupt update_process_times; do
	probes=$(entry $symbol),$probes || exit 1
done
insmod hotspots.ko "probes=$probes" || fail "insmod hotspots.ko failed"
workload
rmmod hotspots || fail "rmmod hotspots failed"
rmmod kprobes || fail "rmmod kprobes failed"
workload >/dev/null
dmesg | sed -n 's/^\[[^]]*\] hotspots: /hotspots: /p'
grep -qE '^(kprobes|hotspots) ' /proc/modules && fail "a module stayed"
echo "guest: both modules are unloaded, and the same work runs again without them"
