# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Rules that only a kernel has; and a module that comes and goes under probes.
engine_start
insmod kp_rules.ko $(unnamed) || echo "not ok insmod kp_rules.ko"
work=/sys/module/kp_victim/parameters/work

# Three functions that call one another, the last two with return probes: the
# lines are there, in this order, and not in doubt, as what old stacks hold is.
dmesg | sed -n '/KP-TRACE begin/,/KP-TRACE end/p' >/tmp/trace
dmesg | sed -n 's/.*KP-COST/#/p'
expect "K-RET-44 dump_stack shows the real callers" sh -c '
	grep -v " ? " /tmp/trace | sed -n "s/.* \(trace_[a-z]*\)\(.cold\)\?+0x.*/\1/p" |
		tr "\n" " " | grep -qx "trace_body trace_inner trace_middle trace_outer trace_rules " ||
		{ cat /tmp/trace; false; }'

# A probed module goes, and comes back until it is where it was the first time.  The
# kernel sees late to what was freed; a lower place that was not ready the first time
# would be taken from then on.  So it comes and goes unprobed until it stays where it
# is.  Where something else has taken that place all the same, all begins anew.
# A MIPS kernel gives no address out again before 32 MB of them are free, but when asked to.
parameters=/sys/module/kp_rules/parameters
load_victim() {
	case $(uname -m) in mips*) echo 1 >$parameters/free ;; esac
	insmod kp_victim.ko
}
base() { sed -n 's/^kp_victim .* 0x/0x/p' /proc/modules; }
settle() {
	stays=0
	for i in $(seq 30); do
		last=$place
		load_victim
		place=$(base)
		rmmod kp_victim
		[ "$place" = "$last" ] && stays=$((stays + 1)) || stays=0
		[ $stays -lt 3 ] || break
	done
}
come_back() {
	settle
	echo 1 >$parameters/look
	load_victim
	echo 5 >$work
	expect "K-KNB-02 the list names function and module" \
		grep -qE "^[0-9a-f]{$digits}  k  victim_work\+0x0  kp_victim (\[OPTIMIZED\])?\$" $control/list
	expect "K-MOD-12 K-REG-60 a probed module unloads" rmmod kp_victim
	for letter in k r j; do
		expect "K-MOD-02 K-KNB-06 the list says GONE, $letter" \
			grep -qE "^([0-9a-f]{$digits})  $letter  0x\\1 \\[GONE\\]\$" $control/list
	done
	for i in $(seq 20); do
		load_victim
		[ "$(cat $parameters/same)" = 0 ] || return 0
		rmmod kp_victim
	done
	return 1
}
for attempt in 1 2 3 4 5; do
	! come_back || break
	[ $attempt = 5 ] || { rmmod kp_rules; insmod kp_rules.ko $(unnamed); }
done
echo "# at the same address after $i loads, attempt $attempt"
echo 1 >$parameters/step
echo 4 >$work
echo 1 >$parameters/revive
echo 3 >$work
rmmod kp_victim

# It comes and goes, probed each time, while jumps do; $knob: the optimization.
case $control in */kprobes) knob=kprobes ;; *) knob=kp ;; esac
knob=/proc/sys/debug/$knob-optimization
echo 1 >$parameters/churn
turn() { while [ -e /tmp/turn ]; do echo 0 >$knob; cat $control/list >/dev/null; echo 1 >$knob; done; }
touch /tmp/turn
turn & turning=$!
for i in $(seq 6); do
	if [ $((i % 3)) = 0 ]; then
		! insmod kp_victim.ko fail=1 2>/dev/null || echo "not ok K-MOD-07 round $i"
		continue
	fi
	insmod kp_victim.ko
	echo 3 >$work && rmmod kp_victim || echo "not ok K-MOD-01 round $i"
done

# A module with probes comes and goes while they are hit.
echo 0 >$parameters/churn
insmod kp_victim.ko
hit() { while [ -e /tmp/turn ]; do echo 1000 >$work; done; }
before=$(cat $work)
hit & hitting=$!
for i in $(seq 4); do
	insmod kp_own.ko && usleep 30000 && rmmod kp_own || echo "not ok K-MOD-12 round $i of kp_own"
done
rm /tmp/turn
wait $turning $hitting
expect "K-MOD-12 K-INV-01 a module with probes goes while they are hit: every call is right" \
	test $((($(cat $work) - before) % 1000)) = 0 -a $(cat $work) -gt $before
dmesg | sed -n 's/.*\(kp_own: .*\)/# \1/p'
expect "K-MOD-12 its probes were hit" sh -c "dmesg | grep -q 'kp_own: [1-9][0-9]* hits, [1-9][0-9]* returns, [1-9]'"
rmmod kp_victim

# A processor that comes later is watched, too.
second=/sys/devices/system/cpu/cpu1/online
echo 1 >$parameters/watch
if [ -e $second ]; then
	echo 0 >$second
	echo 1 >$second
	echo 1 >$parameters/come
else
	echo "ok K-WAT-35 a processor that comes later # skip: this kernel has them all at once"
fi
echo 1 >$parameters/unwatch

expect "an engine in use is not unloaded" sh -c '! rmmod kprobes'
rmmod kp_rules
expect "the list is empty" test -z "$(cat $control/list)"
engine_stop
