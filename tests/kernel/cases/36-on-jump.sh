# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The kernel's own Kprobes puts a breakpoint on a jump of ours: it keeps a copy
# of the jump, so the jump and what it leads to stay until that probe is gone.
mount -t tracefs none /sys/kernel/tracing 2>/dev/null
tracing=/sys/kernel/tracing
if [ ! -e $tracing/kprobe_events ]; then
	echo "# this kernel has no Kprobes of its own"
	exit 0
fi
knob=/proc/sys/debug/kp-optimization
work() { for i in 1 2 3; do cat /proc/stat /proc/self/maps >/dev/null || return 1; done; }

# optimizes FUNCTION: within seconds; where it cannot, the list does not say so.
optimizes() { patience=25 eventually grep -q "$1+0x.*OPTIMIZED" $control/list; }

# their_probe PLACE: the kernel takes none while our jump is being written.
add_theirs() { echo "p:theirs $1" >$tracing/kprobe_events; }
their_probe() { eventually add_theirs "$1" 2>/dev/null || echo "not ok their probe at $1"; }

# at: the first instruction of the function that can have a jump, with our probe
jump_in() {
	for at in 5 7 9 11 12 13 14 15 16 17 18 19 20 24 28 32; do
		insmod own_kprobe.ko symbol=$1 offset=$at 2>/dev/null || continue
		optimizes "${1#*:}" && return
		rmmod own_kprobe
	done
}

engine_start
jump_in vfs_read
work
place=$(sed -n 's/.*\(vfs_read+0x[0-9a-f]*\).*/\1/p' $control/list)
expect "our probe has a jump" grep -q "vfs_read+0x.*OPTIMIZED" $control/list
their_probe "vfs_read+$at"
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
	"dmesg | grep -q 'stays as long as someone else.s probe stands there'"
(rmmod kprobes; echo done >/tmp/unloaded) &
sleep 3
expect "unloading waits" test ! -e /tmp/unloaded
expect "all work meanwhile" work
echo 0 >$tracing/events/kprobes/theirs/enable
echo >$tracing/kprobe_events
wait
expect "theirs is gone: the engine goes" sh -c "! lsmod | grep -q '^kprobes '"
expect "all work after" work

# A probe of theirs that is not enabled does not show in the text, but has a copy
# of our jump.
engine_start
insmod own_kprobe.ko symbol=vfs_read offset=$at
expect "a jump again" optimizes vfs_read
their_probe "vfs_read+$at"
rmmod own_kprobe || echo "not ok rmmod own_kprobe"
sleep 1
echo 1 >$tracing/events/kprobes/theirs/enable
before=$(theirs)
expect "theirs was enabled later: all work" work
expect "it has hits" test $(theirs) -ge $((before + 6))
echo 0 >$tracing/events/kprobes/theirs/enable
sleep 1
expect "theirs is disabled: all work" work
echo >$tracing/kprobe_events
expect "and gone: all work" work

# A jump of ours is written again where a probe of theirs came in between.
# (Which bytes begin an instruction they cannot tell behind our breakpoint.)
for inner in 1 2 3 4; do
	insmod own_kprobe.ko symbol=vfs_read offset=$((at + inner)) 2>/dev/null && break
done
rmmod own_kprobe
insmod own_kprobe.ko symbol=vfs_read offset=$at
expect "a third jump" optimizes vfs_read
echo 0 >$knob
expect "no jump" sh -c "! grep -q OPTIMIZED $control/list"
their_probe "vfs_read+$((at + inner))"
expect "theirs is inside" grep -q theirs $tracing/kprobe_events
echo 1 >$knob
sleep 1
expect "no jump over it" sh -c "! grep -q 'vfs_read.*OPTIMIZED' $control/list"
echo 1 >$tracing/events/kprobes/theirs/enable
before="$(theirs) $(ours)"
expect "theirs is enabled: all work" work
after="$(theirs) $(ours)"
expect "both have hits: $before, then $after" \
	test ${after% *} -ge $((${before% *} + 6)) -a ${after#* } -ge $((${before#* } + 6))
echo 0 >$tracing/events/kprobes/theirs/enable
echo >$tracing/kprobe_events
rmmod own_kprobe
engine_stop
expect "all work at the end" work

# The same, but what goes is the module that both probe.
engine_start
insmod kp_victim.ko
jump_in kp_victim:set_work
expect "our probe in a module has a jump" grep -q "set_work+0x.*OPTIMIZED" $control/list
their_probe "kp_victim:set_work+$at"
echo 1 >$tracing/events/kprobes/theirs/enable
rmmod own_kprobe
rm -f /tmp/unloaded
(rmmod kprobes; echo done >/tmp/unloaded) &
sleep 3
expect "unloading waits for a jump in a module" test ! -e /tmp/unloaded
rmmod kp_victim || echo "not ok rmmod kp_victim"
expect "the module is gone, and the jump with it: the engine goes" eventually test -e /tmp/unloaded
echo 0 >$tracing/events/kprobes/theirs/enable
echo >$tracing/kprobe_events
