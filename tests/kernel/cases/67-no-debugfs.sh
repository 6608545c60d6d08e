# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Where debugfs is not mounted, or elsewhere, the command finds the control files all the same;
# where it must not, it says what is missing.
engine_start
insmod own_kprobe.ko symbol=$(cat sample_symbol)
shown() { kprobes list >/tmp/said 2>&1 && grep -q "$(cat sample_symbol)" /tmp/said || { cat /tmp/said; return 1; }; }
all_of_it() {
	expect "$1: the list" shown
	expect "$1: the list, as JSON" sh -c "kprobes list --json | grep -q $(cat sample_symbol)"
	expect "$1: the blacklist" sh -c "kprobes blacklist | grep -q 0x"
	expect "$1: a probe is disabled" kprobes disable $(cat sample_symbol)
	expect "$1: and shown to be" sh -c "kprobes list | grep -q DISABLED"
	expect "$1: a probe is enabled" kprobes enable $(cat sample_symbol)
}
all_of_it "mounted"
umount /sys/kernel/debug
expect "nothing is left behind" sh -c "! grep -q debugfs /proc/mounts"
all_of_it "not mounted"
expect "and nothing is mounted then" sh -c "! grep -q debugfs /proc/mounts"
mkdir -p "/tmp/de bug"
mount -t debugfs debugfs "/tmp/de bug"
all_of_it "mounted elsewhere"
umount "/tmp/de bug"
# CAP_SYS_ADMIN
for command in list blacklist "disable $(cat sample_symbol)" "enable $(cat sample_symbol)"; do
	expect "who may not mount it is told, $command" sh -c \
		"./uncapable 21 kprobes $command >/tmp/said 2>&1 && exit 1; grep -q 'mount -t debugfs' /tmp/said || { cat /tmp/said; exit 1; }"
done
mount -t debugfs debugfs /sys/kernel/debug
rmmod own_kprobe
engine_stop
