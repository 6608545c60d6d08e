# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# In a virtual machine: what bpftrace prints of each script, as text and as JSON.
export PATH=/bin:/usr/bin
mount -t tracefs tracing /sys/kernel/tracing
mkdir -p /etc
echo root:x:0:0:root:/root:/bin/sh >/etc/passwd
for script in /test/scripts/*.bt; do
	for format in text json; do
		echo "=== $(basename "$script" .bt) $format"
		timeout 100 bpftrace --unsafe -f $format "$script" >/tmp/out 2>/tmp/err ||
			cat /tmp/err
		cat /tmp/out
	done
done
echo "=== end"
