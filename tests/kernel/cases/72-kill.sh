# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The kprobes command is killed at random moments while the kernel is its
# target: the kernel goes on, and the next command cleans up.
symbol=$(cat sample_symbol)
export KPROBES_KO=/test/kprobes.ko
RANDOM=7
. ./torture.conf
wanted=30
[ "$SECONDS_EACH" -lt 10 ] || wanted=200
killed=0 round=0 wrong= longest=300000	# as long as half of them take, in us

# Nothing may be left: status 3 says that nothing was there.
clean_up() {
	kprobes unload -a >/tmp/said 2>&1
	case $? in 0|3) ;; *) wrong="round $round: $(cat /tmp/said)" ;; esac
	lsmod | grep -E '^(kprobes|own_kprobe|own_kretprobe) ' >/tmp/said &&
		wrong="round $round: left: $(cat /tmp/said)"
	cat /proc/stat >/dev/null
}

while [ $killed -lt $wanted ] && [ $round -lt $((3 * wanted)) ] && [ -z "$wrong" ]; do
	round=$((round + 1))
	case $((RANDOM % 8)) in
	0|1|2) set -- load own_kprobe.ko symbol=$symbol offset=0 ;;
	3) set -- load own_kretprobe.ko func=$symbol ;;
	4|5) set -- unload -a ;;
	6) set -- list ;;
	7) set -- enabled $((RANDOM % 2)) ;;
	esac
	kprobes "$@" >/dev/null 2>&1 &
	pid=$!
	usleep $(((RANDOM << 5 | RANDOM & 31) % longest))
	kill -9 $pid 2>/dev/null
	wait $pid 2>/dev/null
	if [ $? = 137 ]; then
		killed=$((killed + 1)) longest=$((longest + longest / 20))
	else
		longest=$((longest - longest / 20))
	fi
	[ $((round % 8)) != 0 ] || clean_up
done
[ -n "$wrong" ] || clean_up
echo "# $killed of $round commands were killed, in up to $longest us"
expect "the command is killed $wanted times: the next one cleans up" \
	sh -c "test $killed -ge $wanted && test -z '$wrong' || { echo \"$killed killed; $wrong\"; false; }"
expect "... and can load" kprobes load own_kprobe.ko symbol=$symbol offset=0
expect "... and list" sh -c "kprobes list | grep -q ' k  $symbol'"
expect "... and unload" kprobes unload -a
expect "... all of it" sh -c "! lsmod | grep -qE '^(kprobes|own_kprobe) '"
