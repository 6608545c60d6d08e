# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# On a kernel that is locked down only signed modules are loaded, and at the highest level
# not even root reads its memory.  It cannot be undone, so this case is the last one; a
# kernel without it has nothing to show.
engine_start
insmod kprobes_trace.ko
mount -t securityfs none /sys/kernel/security 2>/dev/null
lockdown=/sys/kernel/security/lockdown
is_signed() { tail -c 28 $1 | grep -q "Module signature appended"; }
# Where a signature ends is its last line: without it there is none.
unsigned() {
	cp own_kprobe.ko /tmp/unsigned.ko &&
		truncate -s $(($(stat -c %s own_kprobe.ko) - 28)) /tmp/unsigned.ko
}

if [ "$(cat /sys/module/module/parameters/sig_enforce 2>/dev/null)" = Y ]; then
	unsigned
	expect "a module without signature is refused" \
		sh -c 'insmod /tmp/unsigned.ko 2>&1 | grep -E "rejected|not permitted|Required key"'
fi
if [ -w $lockdown ]; then
	expect "original is read before" test "$(dd if=$control/original bs=1 count=0 2>&1 | grep -c 'denied\|permitted')" = 0
	expect "the kernel is traced before" sh -c "true <>/proc/kprobes_trace"
	echo integrity >$lockdown
	if is_signed kprobes.ko; then
		rmmod kprobes_trace
		engine_stop
		echo KP-LOCKED >/dev/kmsg
		engine_start
		insmod kprobes_trace.ko
		expect "the kernel's integrity is kept: the signed module is loaded, and all works" \
			sh -c "! dmesg | sed '1,/KP-LOCKED/d' | grep -E 'kprobes: (self-test|.*(cannot|long way))'"
	else
		expect "the kernel's integrity is kept: a module without signature is refused" \
			sh -c '! insmod own_kprobe.ko && dmesg | grep "unsigned module loading is restricted"'
	fi
	expect "the list is read" cat $control/list
	expect "what would change something is not opened, as the kernel's debugfs has it" \
		sh -c "! cat $control/enabled"
	echo confidentiality >$lockdown
	for file in original memory check; do
		expect "$file is not opened on a kernel that is locked down" sh -c \
			"! true <$control/$file"
	done
	expect "nor is the kernel traced" sh -c "! true <>/proc/kprobes_trace"
fi
rmmod kprobes_trace
engine_stop
