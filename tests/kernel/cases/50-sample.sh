# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The kernel's own sample module, unmodified.
engine_start
# A function that both kernels let be probed at its entry.
insmod kprobe_example.ko symbol=$(cat sample_symbol) || echo "not ok insmod kprobe_example.ko"
for i in 1 2 3; do /bin/true; cat /proc/stat >/dev/null; done
expect "the sample's handlers ran" sh -c \
	'dmesg | grep -qE "(handler_pre|pre_handler): .*p->addr" && dmesg | grep -qE "(handler_post|post_handler): .*p->addr"'
expect "the list shows it" grep -q "  k  $(cat sample_symbol)+0x" $control/list
rmmod kprobe_example || echo "not ok rmmod kprobe_example"
engine_stop
