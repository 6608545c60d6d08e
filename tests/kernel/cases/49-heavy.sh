# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Stacks, strings and events on nearly all functions of the kernel: it is set, runs,
# and ends when it is told to, in reasonable time.
export KPROBES_KO=/test/kprobes.ko
seconds() { cut -d. -f1 /proc/uptime; }

engine_start
insmod kprobes_trace.ko
all() { awk '$2 ~ /[tT]/ && NF == 3 && $3 !~ /\./ { print $3 } END { print "vfs_read" }' /proc/kallsyms | sort -u; }
all >/tmp/names
begin=$(seconds)
expect "all functions, with two stacks, two strings and an event each" ./trace many 2 </tmp/names
echo "# $(wc -l </tmp/names) names: $(($(seconds) - begin)) s"
sed -n 's/^# /# /p' /tmp/out
expect "... in reasonable time" test $(($(seconds) - begin)) -lt 200
rmmod kprobes_trace
engine_stop

begin=$(seconds)
kprobes trace 'kprobe:* { @[kstack, comm] = count(); printf("%s %d\n", comm, pid); }' >/tmp/text 2>/tmp/errors &
asking=$!
for i in $(seq 300); do
	[ -s /tmp/text ] && break
	sleep 1
done
expect "the same, asked for by a user" test -s /tmp/text
took=$(($(seconds) - begin))
echo "# said something after $took s"
# Setting is most of that, and whoever waits is told of it.
expect "... which is said meanwhile" sh -c "[ $took -lt 10 ] || grep -q '^kprobes: setting [0-9]* probes, for [0-9]* s now' /tmp/errors"
dd if=/dev/zero of=/dev/null bs=1 count=1000 2>/dev/null
begin=$(seconds)
kill -INT $asking
wait $asking
expect "... ends when it is told to" test $? = 0
echo "# after $(($(seconds) - begin)) s, $(wc -l </tmp/text) lines"
tail -n 5 /tmp/errors | sed 's/^/# /'
expect "... in reasonable time" test $(($(seconds) - begin)) -lt 200
expect "... with its map" grep -q '^@\[' /tmp/text
expect "no probe is left" test -z "$(cat $control/list)"
rmmod kprobes_trace
rmmod kprobes
