# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# The engine loads without parameters, shows its files, unloads, many times.
for i in 1 2 3 4 5; do
	engine_start
	expect "the list is there and empty" test -z "$(cat $control/list)"
	expect "probes are enabled" test "$(cat $control/enabled)" = 1
	expect "the blacklist has entries" test "$(wc -l <$control/blacklist)" -gt 100
	engine_stop
done
expect "the files are gone" test ! -e $control/blacklist -o $control = /sys/kernel/debug/kprobes -a ! -e $control
# Section names end with a zero byte each; the plain section would be a "__ksymtab".
expect "K-API-15 every export is for GPL modules only" sh -c '
	tr "\000" "\n" <kprobes.ko | grep -qE "^(\.rela)?__ksymtab_gpl$" &&
	! tr "\000" "\n" <kprobes.ko | grep -qE "^(\.rela)?__ksymtab$"'
# Lockdep takes the other.
case $(uname -r) in *-kp-debug) ;; *) expect "breakpoints take the short way" sh -c '! dmesg | grep -q "take the long way"' ;; esac
