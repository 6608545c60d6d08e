# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The kernel's own sample of a return probe, unmodified; and our samples.
engine_start
where=$(cat sample_symbol)
# It calls ktime_get in a handler, which lockdep does not like.
case $(uname -r) in
*debug*) echo "# Debian's sample is left out" ;;
*)
insmod kretprobe_example.ko func=$where || echo "not ok insmod kretprobe_example.ko"
for i in 1 2 3; do /bin/true; cat /proc/stat >/dev/null; done
expect "the sample's handlers ran" sh -c \
	"dmesg | grep -q '$where returned [0-9-]* and took [0-9]* ns to execute'"
expect "K-RET-14 the list shows it" grep -q "  r  $where+0x" $control/list
rmmod kretprobe_example || echo "not ok rmmod kretprobe_example"
expect "nothing was missed" sh -c "dmesg | grep -q 'Missed probing 0 instances of $where'"
;;
esac

insmod own_kprobe.ko symbol=$where || echo "not ok insmod own_kprobe.ko"
insmod own_kretprobe.ko func=$where || echo "not ok insmod own_kretprobe.ko"
for i in 1 2 3; do /bin/true; cat /proc/stat >/dev/null; done
rmmod own_kretprobe || echo "not ok rmmod own_kretprobe"
rmmod own_kprobe || echo "not ok rmmod own_kprobe"
expect "our kprobe sample" sh -c \
	"dmesg | grep -q 'own_kprobe: $where+0x0 in .*: before, ip 0x' && dmesg | grep -q 'own_kprobe: $where+0x0: after, ip 0x'"
expect "our kretprobe sample" sh -c \
	"dmesg | grep -q 'own_kretprobe: $where in .* returned [0-9-]* after [0-9]* ns'"

insmod own_jprobe.ko func=seq_read || echo "not ok insmod own_jprobe.ko"
# Not every file's: one that is read so.
cat /proc/self/status /proc/self/mounts >/dev/null
rmmod own_jprobe || echo "not ok rmmod own_jprobe"
expect "K-JP-03 our jprobe sample" sh -c \
	"dmesg | grep -qE 'own_jprobe: seq_read in cat .*: [$high][0-9a-f]{$((digits - 1))}, [0-9a-f]{$digits}, [0-9]+'"

# The child of a probed fork does not come back through its parent's return, and
# a program is replaced in a probed call.
for func in kernel_clone load_elf_binary; do
	insmod own_kretprobe.ko func=$func || echo "not ok K-RET-49 insmod"
	expect "K-RET-49 $func: children and programs live" \
		test "$(/bin/sh -c '(exit 3); echo $? $(/bin/echo 4 | cat)')" = "3 4"
	rmmod own_kretprobe
	expect "K-RET-49 $func was watched" sh -c \
		"dmesg | grep -q 'own_kretprobe: $func in .* returned [0-9-]* after'"
done
engine_stop
