# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# In the VM: the same work without probes and with each group of them.  What the
# shell says about killed jobs depends on when it looks.
work() {
	(
		dd if=/dev/zero bs=1000 count=300 2>/dev/null | md5sum
		i=0
		while [ $i -lt 500 ]; do echo "line $((i * 7919 % 1000))"; i=$((i + 1)); done |
			sort -rn | tee /tmp/sorted | md5sum
		mkdir -p /tmp/m && mount -t tmpfs none /tmp/m && cp /tmp/sorted /tmp/m/a
		ln /tmp/m/a /tmp/m/b && ln -s a /tmp/m/c && mv /tmp/m/b /tmp/m/d
		ls /tmp/m && wc -c /tmp/m/c && rm /tmp/m/d && umount /tmp/m
		cat /proc/self/maps /proc/stat /proc/meminfo /proc/interrupts >/dev/null
		cat /proc/cmdline /proc/version
		ls /proc/sys/kernel /sys/kernel | md5sum
		sh -c 'exit 3'
		echo $?
		sh -c 'kill -9 $$'
		echo $?
		sleep 5 & kill $!
		wait $!
		echo $?
		mkfifo /tmp/f
		echo through a fifo >/tmp/f & cat /tmp/f
		rm /tmp/f
		sleep 0.2
		find /sys/devices -name uevent >/dev/null
	) 2>/dev/null
}
base=0x$(awk '$3 == "_text" { print $1 }' /proc/kallsyms)
end=0x$(awk '$3 == "_etext" { print $1 }' /proc/kallsyms)
insmod kprobes.ko || exit 1
work >/tmp/expected
for group in groups/*; do
	echo "KP-GROUP ${group#groups/}"
	insmod kp_sample.ko offsets=/test/$group base=$base length=$((end - base)) || exit 1
	work >/tmp/got
	cat /proc/kp_sample
	rmmod kp_sample
	dmesg | sed -n 's/.*KP-SAMPLE //p' | tail -n 1
	if ! cmp /tmp/expected /tmp/got; then
		echo "output differs"
		diff /tmp/expected /tmp/got
	fi
done
rmmod kprobes
