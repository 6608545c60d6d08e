# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# In a virtual machine: what bpftrace prints of each tool.
export PATH=/bin:/usr/bin
. /test/tools.sh
mount -t tracefs tracing /sys/kernel/tracing
# bpftrace has one string for the command.
bpftrace_it() {
	script=$1
	shift
	timeout 100 bpftrace --unsafe -c "$*" "$script"
}
for script in /test/tools/*.bt; do
	name=$(basename "$script" .bt)
	echo "=== $name"
	tool_run "$name" bpftrace_it "$script" 2>/tmp/err | tool_plain "$name"
	sed 's/^/# /' /tmp/err >&2
done
echo "=== end"
