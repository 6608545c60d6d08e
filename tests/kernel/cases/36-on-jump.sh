# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The kernel's own Kprobes puts a breakpoint on a jump of ours: it keeps a copy
# of the jump, so the jump and what it leads to stay until that probe is gone.
mount -t tracefs none /sys/kernel/tracing 2>/dev/null
tracing=/sys/kernel/tracing
if [ ! -e $tracing/kprobe_events ]; then
	echo "# this kernel has no Kprobes of its own"
	exit 0
fi
work() { for i in 1 2 3; do cat /proc/stat /proc/self/maps >/dev/null || return 1; done; }

engine_start
# The first instructions that can have a jump.
for at in 5 7 9 11 12 13 14 15 16 17 18 19 20 24 28 32; do
	insmod own_kprobe.ko symbol=vfs_read offset=$at 2>/dev/null || continue
	sleep 1
	grep -q "vfs_read+0x.*OPTIMIZED" $control/list && break
	rmmod own_kprobe
done
work
place=$(sed -n 's/.*\(vfs_read+0x[0-9a-f]*\).*/\1/p' $control/list)
expect "our probe has a jump" grep -q "vfs_read+0x.*OPTIMIZED" $control/list
echo "p:theirs vfs_read+$at" >$tracing/kprobe_events
echo 1 >$tracing/events/kprobes/theirs/enable
expect "their probe stands on it" grep -q "$place " /sys/kernel/debug/kprobes/list
expect "both at once: all work" work
theirs() { awk '$1 == "theirs" { print $2 }' $tracing/kprobe_profile; }
ours() { dmesg | grep -c "vfs_read+.*before, ip"; }
before="$(theirs) $(ours)"
work
after="$(theirs) $(ours)"
expect "both have hits: $before, then $after" \
	test ${after% *} -ge $((${before% *} + 6)) -a ${after#* } -ge $((${before#* } + 6))
rmmod own_kprobe || echo "not ok rmmod own_kprobe"
sleep 1
before=$(theirs)
expect "ours is gone: all work" work
expect "theirs has hits through what is left" test $(theirs) -ge $((before + 6))
expect "the jump is said to stay" sh -c \
	"dmesg | grep -q 'stays as long as someone else.s breakpoint stands there'"
(rmmod kprobes; echo done >/tmp/unloaded) &
sleep 3
expect "unloading waits" test ! -e /tmp/unloaded
expect "all work meanwhile" work
echo 0 >$tracing/events/kprobes/theirs/enable
echo >$tracing/kprobe_events
wait
expect "theirs is gone: the engine goes" sh -c "! lsmod | grep -q '^kprobes '"
expect "all work after" work
