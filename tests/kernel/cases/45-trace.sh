# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Trace programs in the kernel (trace.c), and readers that end as they please.
. ./torture.conf
export control
engine_start
expect "no file without the module" test ! -e /proc/kprobes_trace
expect "the module needs the engine" sh -c "insmod kprobes_trace.ko && ! rmmod kprobes 2>/dev/null"
expect "the file is its owner's" test "$(stat -c %a /proc/kprobes_trace)" = 600
./trace

# listed FUNCTION: is there a probe?
listed() { grep -q "  $1+" $control/list; }
none_listed() { ! listed vfs_read && ! listed vfs_write; }
gone() { eventually none_listed || { cat $control/list; false; }; }

# holding: a reader in the background; its number is in $reader
holding() {
	./trace hold >/tmp/held &
	reader=$!
	eventually grep -q holding /tmp/held || { cat /tmp/held; false; }
}
expect "a reader" holding
expect "its probes are listed" listed vfs_read
expect "both" listed vfs_write
expect "the module stays while it reads" sh -c "! rmmod kprobes_trace 2>/dev/null"
kill -9 $reader
wait $reader 2>/dev/null
expect "a killed reader leaves no probes" gone
for i in 1 2 3 4 5; do
	./trace hold >/dev/null &
	usleep $((i * 30000))
	kill -9 $!
	wait $! 2>/dev/null
done
expect "nor do those that are killed while they start" gone

CAP_SYS_ADMIN=21 CAP_SYS_RAWIO=17
for lost in all $CAP_SYS_ADMIN $CAP_SYS_RAWIO; do
	expect "not without capabilities ($lost)" sh -c "! ./uncapable $lost sh -c 'true <>/proc/kprobes_trace' 2>/dev/null"
done

./trace damaged $((SECONDS_EACH * 100))
./trace torture $SECONDS_EACH

# Places all over the kernel: set for this process, and hit by all with stacks,
# strings and events.
some() {
	awk -v nr=$1 '$2 ~ /[tT]/ && NF == 3 && $3 !~ /\./ { name[n++] = $3 }
		END { for (i = 0; i < nr; i++) print name[int(i * n / nr)]; print "vfs_read" }' /proc/kallsyms | sort -u
}
some 3000 | ./trace many 0
some 500 | ./trace many 1
some 500 | ./trace many 2
some 200 | ./trace many 3

# A module goes while it is traced.
insmod kp_victim.ko
printf 'vfs_read\nvictim_work\n' | ./trace many 2 &
tracing=$!
expect "a module is traced" eventually grep -q "  victim_work+.*  kp_victim" $control/list
echo 5 >/sys/module/kp_victim/parameters/work
expect "it goes nevertheless" rmmod kp_victim
expect "and the reader lives on" wait $tracing
expect "nothing is left" gone
expect "the module goes" rmmod kprobes_trace
expect "and its file" test ! -e /proc/kprobes_trace
engine_stop
