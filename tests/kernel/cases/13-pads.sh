# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# On a processor that wants landing pads, with a kernel that has them: the kernel takes
# those away that it does not need itself.  No such processor: nothing to show.
if grep -qw ibt /proc/cpuinfo; then
	expect "this processor wants landing pads" sh -c 'dmesg | grep "Indirect Branch Tracking enabled"'
	case $(uname -r) in
	*-cfi-*) expect "it checks calls where they arrive" sh -c 'dmesg | grep "Using FineIBT"' ;;
	esac
	expect "the module is loaded" insmod kprobes.ko
	expect "its self-test finds nothing" sh -c '! dmesg | grep -E "kprobes: (self-test|.*(cannot|long way))"'
	for sample in "kprobe symbol" "kretprobe func" jprobe; do
		set -- $sample
		expect "a sample is loaded, own_$1" insmod own_$1.ko ${2:+$2=vfs_read}
		dd if=/proc/uptime of=/dev/null 2>/dev/null
		(/bin/true)
	done
	expect "a kprobe is hit" sh -c 'dmesg | grep "own_kprobe: vfs_read.*before"'
	expect "a return probe is hit" sh -c 'dmesg | grep "own_kretprobe: vfs_read .*returned"'
	expect "a jprobe is hit" sh -c 'dmesg | grep "own_jprobe: "'
	for sample in jprobe kretprobe kprobe; do rmmod own_$sample; done
	engine_stop
fi
