# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# On a kernel that is locked down not even root reads its memory.  It cannot be
# undone, so this case is the last one; a kernel without it has nothing to show.
engine_start
insmod kprobes_trace.ko
mount -t securityfs none /sys/kernel/security 2>/dev/null
if [ -w /sys/kernel/security/lockdown ]; then
	expect "original is read before" test "$(dd if=$control/original bs=1 count=0 2>&1 | grep -c 'denied\|permitted')" = 0
	expect "the kernel is traced before" sh -c "true <>/proc/kprobes_trace"
	echo confidentiality >/sys/kernel/security/lockdown
	for file in original memory check; do
		expect "$file is not opened on a kernel that is locked down" sh -c \
			"! true <$control/$file"
	done
	expect "nor is the kernel traced" sh -c "! true <>/proc/kprobes_trace"
fi
rmmod kprobes_trace
engine_stop
